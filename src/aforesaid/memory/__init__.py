"""Memory: what a user holds in the hand. Every method is one verb; the work is in the path of that name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from aforesaid.embed import open_embedder
from aforesaid.embed.base import Embedder
from aforesaid.engine.engine import Engine
from aforesaid.memory.audit import Auditing
from aforesaid.memory.base import OPEN_BOUNDARIES
from aforesaid.memory.governance import Governing
from aforesaid.memory.importing import Imports
from aforesaid.memory.learning import Learning
from aforesaid.memory.maintenance import Upkeep
from aforesaid.memory.notes import Files
from aforesaid.memory.policy import Policies
from aforesaid.memory.sessions import Sessions
from aforesaid.settings import Settings
from aforesaid.types import DEFAULT_TENANT, Clock, check_id, system_clock

__all__ = ["OPEN_BOUNDARIES", "Memory"]


class Memory(Sessions, Governing, Policies, Upkeep, Imports, Auditing, Learning, Files):
    """A memory of one tenant: hand it turns, ask it questions. Also a context manager."""

    def acting(self, purpose: str | None = None, *, request: str | None = None, trace: str | None = None) -> Memory:
        """The same memory for a purpose such as `tool:mail`, which the policy may open or close to it.

        `request` and `trace` are noted with every event, so that an audit can tell what belongs together.
        """
        engine = self._engine
        changed = {"purpose": purpose, "request_id": request, "trace_id": trace}
        named = {name: check_id(value, name) for name, value in changed.items() if value is not None}
        return self._with(replace(engine, **named))  # type: ignore[arg-type]

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        tenant: str = DEFAULT_TENANT,
        tokenizer: Callable[[str], int] | None = None,
        change_embedder: bool = False,
    ) -> Memory:
        """Open or create a store in one SQLite file, with the embedder the settings name unless one is handed in."""
        from aforesaid.store.sqlite import SQLiteStore

        settings = settings or Settings.load()
        store = SQLiteStore(path, settings.store)
        try:
            return cls(
                store,
                embedder or open_embedder(settings),
                settings=settings,
                clock=clock,
                tenant=tenant,
                tokenizer=tokenizer,
                change_embedder=change_embedder,
            )
        except BaseException:
            store.close()
            raise

    def for_tenant(self, tenant: str) -> Memory:
        """The same store and embedder, seen by another tenant."""
        return self._with(replace(self._engine, tenant=check_id(tenant, "tenant")))

    @staticmethod
    def _with(engine: Engine) -> Memory:
        other = object.__new__(Memory)
        other._engine = engine
        return other

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

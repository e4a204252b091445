"""Memory: what a user holds in the hand. Every method is one verb; the work is in the path of that name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from recollect.embed import open_embedder
from recollect.embed.base import Embedder
from recollect.memory.base import OPEN_BOUNDARIES
from recollect.memory.sessions import Sessions
from recollect.memory.upkeep import Upkeep
from recollect.settings import Settings
from recollect.types import DEFAULT_TENANT, Clock, check_id, system_clock

__all__ = ["OPEN_BOUNDARIES", "Memory"]


class Memory(Sessions, Upkeep):
    """A memory of one tenant: hand it turns, ask it questions. Also a context manager."""

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
        from recollect.store.sqlite import SQLiteStore

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
        other = object.__new__(Memory)
        other._engine = replace(self._engine, tenant=check_id(tenant, "tenant"))
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

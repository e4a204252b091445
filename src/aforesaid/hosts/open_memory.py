"""The memory as a hook opens it: it fetches nothing, and a prompt does not wait long for another writer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.settings import Settings

if TYPE_CHECKING:
    from aforesaid.memory import Memory

PATIENCE = 4  # the part of a prompt's time that may go into waiting for another writer

Opener = Callable[[Settings, bool], "AbstractContextManager[Memory | None]"]  # whether a store may be made


def opened(
    path: Path, settings: Settings, make: bool, tenant: str, purpose: str | None, request: str | None
) -> AbstractContextManager[Memory | None]:
    """The memory, None when there is no store and none shall be made; leaving it closes the store."""
    if not path.exists():
        if not make:
            return nullcontext()
        path.parent.mkdir(parents=True, exist_ok=True)
    from aforesaid.memory import Memory

    if not make:  # a prompt: when another process is writing, better an answer that is not noted than none
        patience = min(settings.store.lock_timeout_ms, settings.hooks.prompt_ms // PATIENCE)
        settings = settings.changed({"store.lock_timeout_ms": max(patience, 1)}, "hook")
    if not has_model(settings):
        settings = settings.changed({"embed.provider": "off"}, "hook: no weights here")
    return Memory.open(path, settings=settings, tenant=tenant).acting(purpose, request=request)


def has_model(settings: Settings) -> bool:
    """Whether vectors can be had without fetching weights."""
    from aforesaid.embed.weights import locate
    from aforesaid.errors import EmbedError

    try:
        return settings.embed.provider != "local" or bool(settings.embed.model) or locate() is not None
    except EmbedError:
        return False

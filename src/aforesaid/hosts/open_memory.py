"""Opens the memory for a hook: nothing is downloaded, and a prompt does not wait long for another writer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.settings import Settings

if TYPE_CHECKING:
    from aforesaid.memory import Memory

LOCK_SHARE = 4  # at most 1/4 of a prompt's time is spent on waiting for another writer

Opener = Callable[[Settings, bool], "AbstractContextManager[Memory | None]"]  # the flag: create a missing store


def open_for_hook(
    path: Path, settings: Settings, create: bool, tenant: str, purpose: str | None, request: str | None
) -> AbstractContextManager[Memory | None]:
    """Open the memory; None if there is no store and `create` is not set. A prompt creates no store."""
    if not path.exists():
        if not create:
            return nullcontext()
        path.parent.mkdir(parents=True, exist_ok=True)
    from aforesaid.memory import Memory

    if not create:  # a prompt: better an answer that is not noted in the store than none
        lock_ms = min(settings.store.lock_timeout_ms, settings.hooks.prompt_ms // LOCK_SHARE)
        settings = settings.changed({"store.lock_timeout_ms": max(lock_ms, 1)}, "hook")
    if not has_model(settings):
        settings = settings.changed({"embed.provider": "off"}, "hook: no weights here")
    return Memory.open(path, settings=settings, tenant=tenant).acting(purpose, request=request)


def has_model(settings: Settings) -> bool:
    """Whether texts can be embedded without downloading weights."""
    from aforesaid.embed.weights import locate
    from aforesaid.errors import EmbedError

    try:
        return settings.embed.provider != "local" or bool(settings.embed.model) or locate() is not None
    except EmbedError:
        return False

"""What a daemon holds warm: one memory, with the settings of the first who asked for it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.identity import Likeness, code_stamp
from aforesaid.surfaces.daemon.json_rpc import UNLIKE, RpcError
from aforesaid.surfaces.lazy_memory import Waking

if TYPE_CHECKING:
    from aforesaid.memory import Memory


class Room:
    """The memory of a store; who is not like the first one is sent away."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._code = code_stamp()  # of what is loaded here, whatever is installed later
        self._guard = threading.Lock()
        self._like: Likeness | None = None
        self.settings = Settings()
        self.memory = Waking(store, self._opened)

    def enter(self, other: Likeness) -> None:
        """Let somebody in, or raise."""
        with self._guard:
            if self._like is None and other.code == self._code:
                self.settings = Settings().changed(other.settings, "client")
                self._like = other
            if self._like is None or not self._like.serves(other):
                raise RpcError(
                    UNLIKE, "This daemon has other code, settings or services.", "Ask it to retire, and start another."
                )

    def _opened(self) -> Memory:
        from aforesaid.memory import Memory

        self.store.parent.mkdir(parents=True, exist_ok=True)
        return Memory.open(self.store, settings=self.settings)

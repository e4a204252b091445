"""The plainest store: everything in this process's memory."""

from recollect.store.memory.store import DictStore
from recollect.store.passes import passes

__all__ = ["DictStore", "passes"]

"""The plainest store: everything in this process's memory."""

from aforesaid.store.filtering import passes
from aforesaid.store.memory.store import DictStore

__all__ = ["DictStore", "passes"]

"""In-memory store, and its parts for use in other backends."""

from aforesaid.store.filtering import passes
from aforesaid.store.memory.log import DictLog
from aforesaid.store.memory.store import DictStore
from aforesaid.store.memory.terms import best_by_terms
from aforesaid.store.memory.values import DictValues
from aforesaid.store.memory.vectors import DictVectors

__all__ = ["DictLog", "DictStore", "DictValues", "DictVectors", "best_by_terms", "passes"]

"""In-memory store, and its parts for use in other backends."""

from aforesaid.store.memory.log import DictLog, DictValues
from aforesaid.store.memory.search import DictVectors, best_by_terms
from aforesaid.store.memory.store import DictStore

__all__ = ["DictLog", "DictStore", "DictValues", "DictVectors", "best_by_terms"]

"""Requests for path functions that are tested without the facade."""

from __future__ import annotations

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.token_counter import token_counter
from aforesaid.engine.vector_arm import EmbedderInUse
from aforesaid.memory import Memory
from support.clock import standing_clock


def request_for(memory: Memory, dimensions: int = 64) -> Request:
    """A request to the store of `memory`, with a hashing embedder of so many dimensions."""
    embedder, counter = EmbedderInUse(HashEmbedder(dimensions)), token_counter(None, memory.settings.tokens)
    return Engine(memory.store, embedder, memory.settings, standing_clock, memory.tenant, counter).request()

"""The edges between chunks, as the links in their files ask for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from aforesaid.engine.request import Engine
from aforesaid.notes.state import HOP, Shelf
from aforesaid.types import Edge

UNDATED = datetime(1970, 1, 1, tzinfo=UTC)  # a file does not say when a link was made, and an index made again is equal


def relink(engine: Engine, shelf: Shelf) -> None:
    """Make the edges of a root those that its links ask for; called inside a transaction."""
    shelf.settle()
    wanted = shelf.wanted()
    for source in sorted(shelf.edges):
        if shelf.edges[source] - wanted.get(source, set()):
            _renewed(engine, source, shelf.edges[source] & wanted.get(source, set()))
    engine.store.link(
        Edge(source, target, HOP, UNDATED)
        for source, targets in sorted(wanted.items())
        for target in sorted(targets - shelf.edges.get(source, set()))
    )
    shelf.edges = wanted


def _renewed(engine: Engine, key: str, targets: Iterable[str]) -> None:
    """Write a record anew with these edges of its links: a store only takes edges away with a record."""
    store = engine.store
    kept = [edge for edge in store.edges([key]) if edge.kind != HOP or edge.target in targets]
    kept += store.edges([key], incoming=True)
    record, vectors = store.get([key]), store.vectors([key])
    store.delete([key])
    store.put(record)
    if vectors:
        store.put_vectors([key], vectors[key].reshape(1, -1))
    store.link(kept)

"""The edges between chunks, as the links in their files ask for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import Writer
from aforesaid.notes.state import HOP, Shelf
from aforesaid.types import Edge

UNDATED = datetime(1970, 1, 1, tzinfo=UTC)  # a file does not say when a link was made, and an index made again is equal


def relink(writer: Writer, shelf: Shelf) -> None:
    """Make the edges of a root match the links in its files."""
    shelf.settle()
    wanted = shelf.wanted()
    for source in sorted(shelf.edges):
        if shelf.edges[source] - wanted.get(source, set()):
            _replace_edges(writer, source, shelf.edges[source] & wanted.get(source, set()))
    writer.commit(
        edges=[
            Edge(source, target, HOP, UNDATED)
            for source, targets in sorted(wanted.items())
            for target in sorted(targets - shelf.edges.get(source, set()))
        ]
    )
    shelf.edges = wanted


def _replace_edges(writer: Writer, key: str, targets: Iterable[str]) -> None:
    """Write a record again with only these links. A store removes edges only together with their record."""
    store = writer.store
    kept = [edge for edge in store.edges([key]) if edge.kind != HOP or edge.target in targets]
    kept += store.edges([key], incoming=True)
    record, vectors = store.get([key]), store.vectors([key])
    store.delete([key])
    writer.commit(record, Embedded(vectors[key].reshape(1, -1), {}) if vectors else None, kept)

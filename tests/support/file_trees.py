"""Folders of notes for the tests of memory files: how to write one, and how to look at what became of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from aforesaid.memory import Memory
from aforesaid.types import Filter, Record

PAST_NS = 1_700_000_000_000_000_000  # long ago, so that stamps are trusted


def write(root: Path, files: Mapping[str, str | bytes], *, old: bool = True) -> Path:
    """Write files under a root; `old` ones have a time that no clock's grain can hide a change behind."""
    for number, (name, text) in enumerate(files.items()):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        if old:
            os.utime(file, ns=(PAST_NS + number * 1_000_000_000,) * 2)
    return root


def chunks(memory: Memory, root: str | None = None) -> list[Record]:
    """Every chunk of a store, by id."""
    found = memory.store.find(Filter(memory.tenant, kinds=("chunk",), withheld=True, echoes=True))
    return sorted((r for r in found if root is None or r.meta["root"] == root), key=lambda record: record.id)


def edges(memory: Memory) -> list[tuple[str, str, str]]:
    """Every edge between chunks, by the ids of its ends."""
    ids = {record.key: record.id for record in chunks(memory)}
    return sorted((ids[e.source], ids[e.target], e.kind) for e in memory.store.edges(list(ids)))


def places(memory: Memory) -> list[str]:
    """Where every chunk stands."""
    return [f"{r.provenance.file}:{r.provenance.lines[0]}-{r.provenance.lines[1]}" for r in chunks(memory)]  # type: ignore[union-attr,index]

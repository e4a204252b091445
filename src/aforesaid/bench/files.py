"""How fast a folder of notes is indexed, and how soon an edit can be found.

    aforesaid bench files --notes 10000

Wall times mean little on a busy machine, so indexing stands beside its floor in the same run: reading every file and
embedding the same texts, with nothing cut, cleaned, linked or stored. The hashing embedder makes that floor low; the
local model's own rate is told apart.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from aforesaid.embed.base import Embedder
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Filter, Progress

USER = "bench"
DIMENSIONS = 256
EDITS = 5
PATIENCE_SECONDS = 30.0
WORDS = """
    release invoice kettle garden server backup ticket harbour recipe museum ledger sensor router window engine budget
    travel poster archive filter market bridge coffee letter signal border winter camera paper copper
""".split()  # noqa: SIM905 - a list of thirty quoted words is harder to read


@dataclass(frozen=True, slots=True)
class NotesTiming:
    """Seconds for a folder of notes: the floor, the first index, one with nothing to do, and edits until found."""

    notes: int
    chunks: int
    megabytes: float
    read_seconds: float
    embed_seconds: float
    index_seconds: float
    again_seconds: float
    edit_seconds: tuple[float, ...]
    model_texts_a_second: float = 0.0

    @property
    def ratio(self) -> float:
        """Indexing against reading and embedding alone."""
        return self.index_seconds / (self.read_seconds + self.embed_seconds)

    @property
    def notes_a_second(self) -> float:
        """How many notes the first index took a second."""
        return self.notes / self.index_seconds


def write_notes(folder: Path, notes: int, seed: int = 7) -> None:
    """Made-up notes: briefs, logs and plain ones, of one to five sections, that link to each other."""
    chance = random.Random(seed)
    for number in range(notes):
        name = f"{WORDS[number % len(WORDS)]}-{number}"
        kind = ("memory/topics", "memory", "notes/inbox", "notes/work")[number % 4]
        day = f"{2020 + number % 6}-{1 + number % 12:02}-{1 + number % 28:02}-{number}"
        file = folder / kind / f"{day if kind == 'memory' else name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_note(chance, name, notes), encoding="utf-8")


def _note(chance: random.Random, name: str, notes: int) -> str:
    other = chance.randrange(notes)
    parts = [f"---\ntags: [{chance.choice(WORDS)}]\n---\n# {name}\n\nSee [[{WORDS[other % len(WORDS)]}-{other}]]."]
    for _ in range(chance.randint(1, 5)):
        words = " ".join(chance.choices(WORDS, k=chance.randint(40, 160)))
        parts.append(f"## {chance.choice(WORDS)} {chance.randrange(1000)}\n\n{words}.")
    return "\n\n".join(parts) + "\n"


def measure(
    notes: int, embedder: Embedder | None, progress: Progress | None = None, model_texts: int = 0
) -> NotesTiming:
    """Index made-up notes into a fresh store, beside the floor; then edit some under a watch."""
    with tempfile.TemporaryDirectory(prefix="aforesaid-bench-") as place:
        folder = Path(place, "notes")
        write_notes(folder, notes)
        hashing = HashEmbedder(DIMENSIONS)
        with Memory(SQLiteStore(Path(place, "m.db")), hashing, settings=Settings()) as memory:
            index_seconds = _timed(lambda: memory.notes.index(folder, user=USER, progress=progress))
            again_seconds = _timed(lambda: memory.notes.index(folder, user=USER))
            texts = [record.text for record in memory.store.find(Filter(memory.tenant, kinds=("chunk",)))]
            edits = tuple(_edits(memory, folder))
        files = sorted(folder.rglob("*.md"))
        size = sum(file.stat().st_size for file in files)
        read_seconds = _timed(lambda: [file.read_bytes() for file in files])
        batches = [texts[at : at + 64] for at in range(0, len(texts), 64)]
        embed_seconds = _timed(lambda: [HashEmbedder(DIMENSIONS).embed(batch) for batch in batches])
    rate = 0.0
    if embedder is not None and model_texts:
        some = texts[:model_texts]
        rate = len(some) / _timed(lambda: embedder.embed(some))
    return NotesTiming(
        notes, len(texts), size / 1e6, read_seconds, embed_seconds, index_seconds, again_seconds, edits, rate
    )


def _edits(memory: Memory, folder: Path) -> Iterator[float]:
    """Seconds from an edit on the disk until a search finds it, through the watch."""
    stop, ready, found = threading.Event(), threading.Event(), threading.Event()
    word = [""]

    def follow() -> None:
        for _ in memory.notes.watch(folder, user=USER, stop=stop):
            ready.set()
            if word[0] and word[0] in " ".join(hit.text for hit in memory.notes.search(word[0], user=USER)):
                found.set()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    ready.wait(PATIENCE_SECONDS)
    time.sleep(2)  # the watch looks once more when it has been set up
    files = sorted(folder.rglob("*.md"))
    for number in range(EDITS):
        found.clear()
        word[0] = f"zebra{number}"
        file = files[number * 7919 % len(files)]
        began = time.perf_counter()
        file.write_text(f"{file.read_text(encoding='utf-8')}\nThe {word[0]} came by.\n", encoding="utf-8")
        if not found.wait(PATIENCE_SECONDS):
            break
        yield time.perf_counter() - began
    stop.set()
    thread.join(timeout=5)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def figures(row: NotesTiming) -> dict[str, Any]:
    """For programs."""
    return {**asdict(row), "ratio": row.ratio, "notes_a_second": row.notes_a_second}


def table(row: NotesTiming) -> str:
    """For people."""
    edits = f"{median(row.edit_seconds):.2f} s (slowest {max(row.edit_seconds):.2f} s)" if row.edit_seconds else "never"
    lines = [
        f"{row.notes:,} notes, {row.megabytes:.1f} MB, {row.chunks:,} chunks",
        f"index            {row.index_seconds:8.2f} s  {row.notes_a_second:,.0f} notes a second (hashing embedder)",
        f"reading          {row.read_seconds:8.2f} s",
        f"embedding        {row.embed_seconds:8.2f} s  the same texts, nothing else",
        f"ratio            {row.ratio:8.2f}    index ÷ (reading + embedding)",
        f"nothing to do    {row.again_seconds:8.2f} s",
        f"an edit is found after {edits}, files.debounce_ms included",
    ]
    if row.model_texts_a_second:
        lines.append(f"the local model alone embeds {row.model_texts_a_second:,.1f} such chunks a second")
    return "\n".join(lines)

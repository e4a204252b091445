"""How fast a folder of notes is indexed, and how soon an edit is found.

Absolute times mean little on a busy machine. So the same run also measures the minimum: reading every file and
embedding the same texts, without cutting, cleaning, linking or storing them. Both use the hashing embedder, which is
very fast; the local model is measured separately.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from aforesaid.bench.measuring import USER, Figures, seconds, temporary_folder, temporary_memory
from aforesaid.embed.base import Embedder
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import Filter, Progress

DIMENSIONS = 256
EDITS = 5
TIMEOUT_SECONDS = 30.0
WORDS = """
    release invoice kettle garden server backup ticket harbour recipe museum ledger sensor router window engine budget
    travel poster archive filter market bridge coffee letter signal border winter camera paper copper
""".split()  # noqa: SIM905 - a list of thirty quoted words is harder to read


def write_notes(folder: Path, notes: int, seed: int = 7) -> None:
    """Write generated notes with one to five sections that link to each other: topics, daily logs, plain notes."""
    generator = random.Random(seed)
    names = [f"{WORDS[number % len(WORDS)]}-{number}" for number in range(notes)]
    for number, name in enumerate(names):
        kind = ("memory/topics", "memory", "notes/inbox", "notes/work")[number % 4]
        day = f"{2020 + number % 6}-{1 + number % 12:02}-{1 + number % 28:02}-{number}"
        parts = [f"---\ntags: [{generator.choice(WORDS)}]\n---\n# {name}\n\nSee [[{generator.choice(names)}]]."]
        for _ in range(generator.randint(1, 5)):
            words = " ".join(generator.choices(WORDS, k=generator.randint(40, 160)))
            parts.append(f"## {generator.choice(WORDS)} {generator.randrange(1000)}\n\n{words}.")
        file = folder / kind / f"{day if kind == 'memory' else name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def measure(notes: int, embedder: Embedder | None, progress: Progress | None = None, model_texts: int = 0) -> Figures:
    """Index generated notes into a new store, then edit some while `watch` runs.

    `ratio` compares indexing with reading and embedding. `edit_seconds` are from an edit until a search finds it.
    """
    hashing = HashEmbedder(DIMENSIONS)
    with temporary_folder() as folder:
        write_notes(folder, notes)
        with temporary_memory(hashing, Settings()) as memory:
            index_seconds = seconds(lambda: memory.notes.index(folder, user=USER, progress=progress))
            again_seconds = seconds(lambda: memory.notes.index(folder, user=USER))
            texts = [record.text for record in memory.store.find(Filter(memory.tenant, kinds=("chunk",)))]
            edit_seconds = list(_edits(memory, folder))
        files = sorted(folder.rglob("*.md"))
        size = sum(file.stat().st_size for file in files)
        read_seconds = seconds(lambda: [file.read_bytes() for file in files])
    embed_seconds = seconds(lambda: hashing.embed(texts))
    sample = texts[:model_texts]
    rate = len(sample) / seconds(lambda: embedder.embed(sample)) if embedder is not None and sample else None
    return {
        "notes": notes,
        "chunks": len(texts),
        "megabytes": size / 1e6,
        "read_seconds": read_seconds,
        "embed_seconds": embed_seconds,
        "index_seconds": index_seconds,
        "again_seconds": again_seconds,
        "edit_seconds": edit_seconds,
        "ratio": index_seconds / (read_seconds + embed_seconds),
        "notes_a_second": notes / index_seconds,
        "model_texts_a_second": rate,
    }


def _edits(memory: Memory, folder: Path) -> Iterator[float]:
    """Seconds from an edit on disk until a search finds it while `watch` runs."""
    stop, ready, found = threading.Event(), threading.Event(), threading.Event()
    word = ""

    def follow() -> None:
        for _ in memory.notes.watch(folder, user=USER, stop=stop):
            ready.set()
            if word and word in " ".join(hit.text for hit in memory.notes.search(word, user=USER)):
                found.set()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    ready.wait(TIMEOUT_SECONDS)
    time.sleep(2)  # the watch looks once more after its start
    files = sorted(folder.rglob("*.md"))
    for number in range(EDITS):
        found.clear()
        word = f"zebra{number}"
        file = files[number * 7919 % len(files)]
        began = time.perf_counter()
        file.write_text(f"{file.read_text(encoding='utf-8')}\nThe {word} came by.\n", encoding="utf-8")
        if not found.wait(TIMEOUT_SECONDS):
            break
        yield time.perf_counter() - began
    stop.set()
    thread.join(timeout=5)

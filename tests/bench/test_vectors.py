"""Vectors on disk: the same as the model's, kept over processes and crashes, and no attribute is lost."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from aforesaid.bench.quality.vectors import CachedEmbedder, VectorFile, default_folder
from aforesaid.embed.base import Vectors
from aforesaid.embed.hashing import HashEmbedder

TEXTS = ["a cat", "a dog", "a cat", "雨"]


class Counting(HashEmbedder):
    """Counts what it is asked for; questions differ from texts, as with real models."""

    background = 0.5

    def __init__(self, dimensions: int = 16) -> None:
        super().__init__(dimensions)
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        return super().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        return -super().embed_query(text)


def test_what_was_embedded_once_is_not_embedded_again(tmp_path: Path) -> None:
    model = Counting()
    first = CachedEmbedder(model, tmp_path)
    plain = HashEmbedder(16).embed(TEXTS)
    assert np.array_equal(first.embed(TEXTS), plain)
    assert model.seen == ["a cat", "a dog", "雨"]
    first.close()
    second = CachedEmbedder(model, tmp_path)
    assert np.array_equal(second.embed([*TEXTS, "new"])[:4], plain)
    assert model.seen[3:] == ["new"]
    assert (first.made, second.made) == (3, 1)
    assert second.model_seconds > 0
    second.close()


def test_questions_and_texts_are_kept_apart(tmp_path: Path) -> None:
    embedder = CachedEmbedder(Counting(), tmp_path)
    for _ in range(2):
        assert np.array_equal(embedder.embed_query("a cat"), -embedder.embed(["a cat"])[0])
    embedder.close()


def test_another_model_length_or_recipe_has_its_own_vectors(tmp_path: Path) -> None:
    for dimensions, recipe in ((16, ""), (8, ""), (16, "max_tokens=8")):
        other = CachedEmbedder(Counting(dimensions), tmp_path, recipe)
        other.embed(["a cat"])
        assert other.made == 1
        other.close()


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    model = Counting()
    embedder = CachedEmbedder(model, None)
    assert embedder.embed([]).shape == (0, 16)
    assert np.array_equal(embedder.embed(["a cat"])[0], -embedder.embed_query("a cat"))
    assert embedder.made == 2


def test_all_else_is_the_embedders_own() -> None:
    embedder = CachedEmbedder(Counting(), None)
    assert (embedder.name, embedder.dimensions, embedder.background) == ("hash-16-0", 16, 0.5)
    assert not hasattr(embedder, "matryoshka")


def rows(count: int) -> tuple[list[str], Vectors]:
    texts = [f"text {n}" for n in range(count)]
    return texts, np.arange(count * 4, dtype=np.float32).reshape(count, 4)


@pytest.mark.parametrize("torn", [1, 19, 20, 35])
def test_a_row_cut_short_by_a_crash_is_made_anew(torn: int, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    texts, vectors = rows(3)
    file = VectorFile(path, 4)
    file.put(texts, vectors)
    file.close()
    path.write_bytes(path.read_bytes()[:-torn])
    file = VectorFile(path, 4)
    assert len(file) == 2
    assert file.get(texts[2]) is None
    file.put(texts[2:], vectors[2:])
    file.close()
    again = VectorFile(path, 4)
    assert [np.array_equal(again.get(text), row) for text, row in zip(texts, vectors, strict=True)] == [True] * 3
    again.close()


def test_a_damaged_row_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    texts, vectors = rows(2)
    file = VectorFile(path, 4)
    file.put(texts, vectors)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert file.get(texts[1]) is None
    file.put(texts[1:], vectors[1:])
    assert np.array_equal(file.get(texts[1]), vectors[1])
    assert np.array_equal(file.get(texts[0]), vectors[0])
    file.close()


def _write(path: Path, start: int) -> None:
    texts, vectors = rows(200)
    file = VectorFile(path, 4)
    for n in range(start, 200, 2):
        file.put(texts[n : n + 1], vectors[n : n + 1])
    file.close()


def test_two_processes_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    started = [get_context("spawn").Process(target=_write, args=(path, start)) for start in (0, 1)]
    for process in started:
        process.start()
    for process in started:
        process.join(60)
        assert process.exitcode == 0
    texts, vectors = rows(200)
    file = VectorFile(path, 4)
    assert all(np.array_equal(file.get(text), row) for text, row in zip(texts, vectors, strict=True))
    file.close()


def test_the_cache_moves_with_the_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path))
    assert default_folder() == tmp_path / "bench"

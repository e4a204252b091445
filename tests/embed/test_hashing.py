"""The hash embedder: the same everywhere, near for texts that share words, and strict about what it is given."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.embed.base import VectorCache, unit_rows
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import DimensionError, InputError


def test_similar_texts_are_nearer_than_others() -> None:
    embedder = HashEmbedder(dimensions=256)
    query = embedder.embed_query("the cat sleeps on the sofa")
    near, far = embedder.embed(["a cat sleeping on a sofa", "quarterly tax report for Norway"]) @ query
    assert near > 0.3 > far + 0.1


def test_trigrams_carry_languages_without_spaces() -> None:
    embedder = HashEmbedder(dimensions=256)
    near, far = embedder.embed(["毎朝コーヒーを飲む", "請求書を送った"]) @ embedder.embed_query("毎朝コーヒー")
    assert near > far + 0.2


@given(st.lists(st.text(), max_size=5))
def test_rows_are_unit_or_zero_and_do_not_depend_on_their_neighbours(texts: list[str]) -> None:
    embedder = HashEmbedder()
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), 64) and rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    for row, text in zip(rows, texts, strict=True):
        assert np.array_equal(row, embedder.embed_query(text))


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    code = (
        "from aforesaid.embed.hashing import HashEmbedder as H; print(H(8, seed=3).embed(['one two']).tobytes().hex())"
    )
    for seed in ("1", "2"):
        printed = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, text=True)
        assert bytes.fromhex(printed) == HashEmbedder(8, seed=3).embed(["one two"]).tobytes()


def test_length_and_seed_are_in_the_name_and_change_the_vectors() -> None:
    one, other = HashEmbedder(32, seed=1), HashEmbedder(32, seed=2)
    assert (one.name, other.name) == ("hash-32-1", "hash-32-2")
    assert not np.array_equal(one.embed_query("word"), other.embed_query("word"))


@pytest.mark.parametrize("texts", ["one text", [b"bytes"], [None]])
def test_what_is_not_a_list_of_texts_is_refused(texts: object) -> None:
    with pytest.raises(InputError):
        HashEmbedder().embed(texts)  # type: ignore[arg-type]


def test_dimensions_must_be_positive() -> None:
    with pytest.raises(InputError, match="0"):
        HashEmbedder(dimensions=0)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1.0, 1e30, 1e200])
def test_unit_rows_at_any_scale(scale: float) -> None:
    assert np.allclose(unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]) * scale, 2, 2, "m"), [[0.6, 0.8], [0, 0]])


@pytest.mark.parametrize("matrix", [[[1.0]], [[1.0, float("nan")]], [[1.0, float("inf")]]])
def test_unit_rows_refuses_wrong_shapes_and_values(matrix: list[list[float]]) -> None:
    with pytest.raises(DimensionError, match="the-model"):
        unit_rows(matrix, 1, 2, "the-model")


def test_unit_rows_of_nothing() -> None:
    assert unit_rows(np.zeros((0, 3)), 0, 3, "m").shape == (0, 3)


def test_cache_computes_each_text_once_and_forgets_the_least_recent() -> None:
    asked: list[list[str]] = []

    def compute(texts: list[str]) -> np.ndarray:
        asked.append(texts)
        return HashEmbedder().embed(texts)

    cache = VectorCache(2)
    rows = cache.get(["a", "b", "a"], compute)
    assert asked == [["a", "b"]] and np.array_equal(rows[0], rows[2])
    cache.get(["a"], compute)
    cache.get(["c"], compute)  # b leaves: a was used after it
    cache.get(["a"], compute)
    assert asked == [["a", "b"], ["c"]] and len(cache) == 2
    cache.get(["b"], compute)
    assert asked[-1] == ["b"]


def test_cache_of_nothing_keeps_nothing() -> None:
    cache = VectorCache(0)
    cache.get(["a"], HashEmbedder().embed)
    assert len(cache) == 0

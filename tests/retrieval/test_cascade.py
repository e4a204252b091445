"""The cascade through `search`: which tier answers, in which order, and what a missing tier does (spec 3, L4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from aforesaid import Memory, Turn
from aforesaid.embed.base import Vectors
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.embed.scale import dialogues
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore

NOW = datetime(2026, 5, 1, tzinfo=UTC)
TEXTS = [turn for dialogue in dialogues()[:6] for turn in dialogue.turns]
QUESTIONS = [text for dialogue in dialogues()[:6] for _, text in dialogue.questions]
LITERAL = {"search.thresholds": "literal"}


class Nested(HashEmbedder):
    """An embedder whose leading dimensions are said to make vectors of their own."""

    matryoshka = True


class Hollow(Nested):
    """The first 64 dimensions are all multiplied by `share`; the rest is as before."""

    def __init__(self, share: float) -> None:
        super().__init__(384)
        self._share = share

    @property
    def name(self) -> str:
        return f"hollow-{self._share:g}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        found = super().embed(texts)
        found[:, :64] *= self._share
        return found

    def embed_query(self, text: str) -> Vectors:
        return np.asarray(self.embed([text])[0])


@pytest.fixture(params=["dict", "sqlite"])
def store(request: pytest.FixtureRequest, path: Path) -> DictStore | SQLiteStore:
    return DictStore() if request.param == "dict" else SQLiteStore(path)


def filled(store: DictStore | SQLiteStore, embedder: HashEmbedder, changes: dict[str, object]) -> Memory:
    memory = Memory(store, embedder, settings=Settings().changed(changes, "test"), clock=lambda: NOW)
    memory.ingest([Turn(str(i), "s", "user", text, NOW) for i, text in enumerate(TEXTS)])
    return memory


def tiers(embedder: HashEmbedder, question: str) -> dict[int, tuple[list[int], np.ndarray]]:
    """By number of dimensions: the records in order, and their cosines. Plain numpy over the full vectors."""
    full, query = embedder.embed(TEXTS).astype(float), embedder.embed_query(question).astype(float)
    found = {}
    for width in (64, 256, embedder.dimensions):
        lengths = np.linalg.norm(full[:, :width], axis=1) * np.linalg.norm(query[:width])
        scores = full[:, :width] @ query[:width] / np.where(lengths == 0, 1, lengths)
        found[width] = (np.argsort(-scores, kind="stable").tolist(), scores)
    return found


def answer(memory: Memory, question: str) -> tuple[int, list[int]]:
    """The tier that answered, and the records. All have the same age and scope, so the cosine alone orders them."""
    hits = memory.search(question, profile="libra-single", limit=10)
    [tier] = {int(hit.parts["tier"]) for hit in hits}
    return tier, [int(hit.record.id) for hit in hits]


@pytest.mark.parametrize("exits", [(0.7, 0.5), (0.75, 1.0), (1.0, 0.45), (1.0, 1.0), (-1.0, -1.0)])
def test_the_first_tier_over_its_exit_answers_in_its_own_order(
    store: DictStore | SQLiteStore, exits: tuple[float, float]
) -> None:
    embedder = Nested(384)
    memory = filled(store, embedder, LITERAL | {"cascade.exit1": exits[0], "cascade.exit2": exits[1]})
    for question in QUESTIONS:
        truth = tiers(embedder, question)
        over = [width for width, exit_at in zip((64, 256), exits, strict=True) if truth[width][1].max() >= exit_at]
        tier, found = answer(memory, question)
        assert tier == (over[0] if over else 384)
        order, scores = truth[tier][0], np.maximum(truth[tier][1], 0)
        assert scores[found] == pytest.approx(scores[order[:10]], abs=1e-6)  # equal scores may change places


def test_the_exits_are_those_of_the_model(store: DictStore | SQLiteStore) -> None:
    embedder = Nested(384)
    memory = filled(store, embedder, {})
    exits = {row.setting: row.cosine for row in memory.calibration.measure_model().thresholds}
    assert exits["cascade.exit1"] == 1.0  # 64 dimensions of this model cannot tell the nearest record from the others
    assert 0.3 < exits["cascade.exit2"] < 0.5
    expected = [256 if tiers(embedder, text)[256][1].max() >= exits["cascade.exit2"] else 384 for text in QUESTIONS]
    assert set(expected) == {256, 384}
    assert [answer(memory, text)[0] for text in QUESTIONS] == expected


def test_tiers_of_other_lengths_are_measured_when_they_are_first_needed(store: DictStore | SQLiteStore) -> None:
    embedder = Nested(384)
    filled(store, embedder, {}).calibration.measure_model()
    changed = Settings().changed({"cascade.tier2_dimensions": 300}, "test")
    memory = Memory(store, embedder, settings=changed, clock=lambda: NOW)
    found = {answer(memory, text)[0] for text in QUESTIONS}
    assert found == {300, 384}
    report = memory.calibration.measure_model()
    assert {"query, 64 dimensions", "query, 256 dimensions", "query, 300 dimensions"} < report.ends.keys()


def test_a_tier_of_zeros_scores_zero_and_falls_through(store: DictStore | SQLiteStore) -> None:
    memory = filled(store, Hollow(0.0), LITERAL | {"cascade.exit1": 0.01, "cascade.exit2": 0.01})
    for question in QUESTIONS:
        hits = memory.search(question, profile="libra-single", limit=10)
        assert {hit.parts["tier"] for hit in hits} == {256}
        assert np.isfinite([hit.score for hit in hits]).all()


def test_a_tier_of_zeros_ranks_nothing_higher_even_if_it_may_answer(store: DictStore | SQLiteStore) -> None:
    memory = filled(store, Hollow(0.0), LITERAL | {"cascade.exit1": -1.0})
    hits = memory.search(QUESTIONS[0], profile="libra-single", limit=10)
    assert {(hit.parts["tier"], hit.parts["cos"]) for hit in hits} == {(64, 0.0)}


def test_epsilon_decides_how_short_a_prefix_counts_as_zero(store: DictStore | SQLiteStore) -> None:
    question = TEXTS[0]
    for epsilon, tier in ((1e-8, 64), (1e-2, 256)):
        memory = filled(store, Hollow(1e-4), LITERAL | {"cascade.epsilon": epsilon})
        assert answer(memory, question)[0] == tier


def test_an_empty_store_has_no_tier_that_answers(store: DictStore | SQLiteStore) -> None:
    memory = Memory(store, Nested(384), settings=Settings().changed(LITERAL | {"cascade.exit1": -1.0}, "test"))
    assert list(memory.search("anything", profile="libra")) == []


def test_a_model_without_matryoshka_training_has_one_tier(store: DictStore | SQLiteStore) -> None:
    memory = filled(store, HashEmbedder(384), LITERAL | {"cascade.exit1": -1.0})
    assert {answer(memory, question)[0] for question in QUESTIONS} == {384}


def test_a_tier_follows_every_change_of_its_vectors(path: Path) -> None:
    """A tier is derived from the vectors, also after writes of another process."""
    changes = LITERAL | {"cascade.exit1": -1.0, "store.segment_rows": 16}
    rows = Settings().changed(changes, "test").store
    memory = filled(SQLiteStore(path, rows), Nested(384), changes)
    other = Memory(SQLiteStore(path, rows), Nested(384), settings=memory.settings, clock=lambda: NOW)
    assert answer(memory, TEXTS[3]) == answer(other, TEXTS[3])
    assert answer(memory, TEXTS[3])[1][0] == 3
    other.forget(ids=["3"], reason="test")
    assert 3 not in answer(memory, TEXTS[3])[1]
    other.ingest([Turn("900", "s", "user", TEXTS[3], NOW)])
    assert answer(memory, TEXTS[3])[1][0] == 900
    memory.close()
    other.close()


def test_deleted_sketches_are_there_again_after_opening(path: Path) -> None:
    settings = Settings().changed({"store.segment_rows": 16, "store.sketch_from": 0}, "test")
    with Memory.open(path, embedder=HashEmbedder(64), settings=settings, clock=lambda: NOW) as memory:
        memory.ingest([Turn(str(i), "s", "user", text, NOW) for i, text in enumerate(TEXTS)])
        expected = [hit.record.id for hit in memory.search(QUESTIONS[0])]
    with sqlite3.connect(path) as raw:
        assert raw.execute("DELETE FROM segment_sketches").rowcount == len(TEXTS) // 16
    raw.close()
    with Memory.open(path, embedder=HashEmbedder(64), settings=settings, clock=lambda: NOW) as memory:
        assert memory.maintenance.verify() == []
        assert [hit.record.id for hit in memory.search(QUESTIONS[0])] == expected

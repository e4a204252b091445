"""The cascade with a real Matryoshka model, on the dialogues of the package (docs/models.md, "Models with tiers")."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from aforesaid import Hit, Memory, Turn
from aforesaid.embed.local import LocalEmbedder
from aforesaid.embed.scale import dialogues
from aforesaid.settings import Settings
from real_models.wordllama import WordLlama, fetch

NOW = datetime(2026, 5, 1, tzinfo=UTC)
TURNS = {f"{i}-{j}": text for i, dialogue in enumerate(dialogues()) for j, text in enumerate(dialogue.turns)}
QUESTIONS = [(f"{i}-{row}", text) for i, dialogue in enumerate(dialogues()) for row, text in dialogue.questions]


@pytest.fixture(scope="module")
def model() -> WordLlama:
    folder = Path(os.environ["AFORESAID_MODELS"]).absolute()
    fetch(folder)
    return WordLlama(folder)


@pytest.fixture
def memory(model: WordLlama, path: Path) -> Iterator[Memory]:
    with opened(model, path) as memory:
        memory.ingest([Turn(name, name.split("-")[0], "user", text, NOW) for name, text in TURNS.items()])
        yield memory


def opened(model: WordLlama, path: Path, **changes: object) -> Memory:
    settings = Settings().changed({name.replace("__", "."): value for name, value in changes.items()}, "test")
    return Memory.open(path, embedder=model, settings=settings, clock=lambda: NOW)


def exact(model: WordLlama, question: str, dimensions: slice = slice(None)) -> list[str]:
    """The ten nearest messages by these dimensions, in plain numpy."""
    rows, query = model.embed(list(TURNS.values()))[:, dimensions], model.embed_query(question)[dimensions]
    order = np.argsort(-(rows @ query) / np.linalg.norm(rows, axis=1), kind="stable")
    return [list(TURNS)[place] for place in order[:10]]


def ask(memory: Memory, question: str) -> list[Hit]:
    return list(memory.search(question, profile="libra-single", limit=10))


def ids(hits: list[Hit]) -> list[str]:
    return [hit.record.id for hit in hits]


def test_the_first_dimensions_are_the_best_ones(model: WordLlama) -> None:
    parts = [slice(start, start + 64) for start in (0, 64, 128, 192)]
    found = [sum(wanted in exact(model, text, part) for wanted, text in QUESTIONS) for part in parts]
    assert found[0] > max(found[1:])


def test_the_model_is_measured_with_its_tiers(memory: Memory) -> None:
    report = memory.calibration.measure_model()
    query, tier = report.ends["query"], report.ends["query, 64 dimensions"]
    assert (query.unrelated, query.related) == pytest.approx((0.025, 0.364), abs=0.005)
    assert (tier.unrelated, tier.related) == pytest.approx((0.436, 0.483), abs=0.005)
    [exit1] = [row for row in report.thresholds if row.setting == "cascade.exit1"]
    assert exit1.cosine == pytest.approx(tier.cosine(0.65))


def test_the_cascade_leaves_early_and_keeps_the_order_of_its_tier(model: WordLlama, memory: Memory, path: Path) -> None:
    exits = {row.setting: row.cosine for row in memory.calibration.measure_model().thresholds}
    with opened(model, path, search__thresholds="literal", cascade__exit1=-1.0) as always:  # leaves at every score
        early = [ask(always, question)[0].parts["cos"] >= exits["cascade.exit1"] for _, question in QUESTIONS]
    for (_, question), left in zip(QUESTIONS, early, strict=True):
        hits = ask(memory, question)
        assert {hit.parts["tier"] for hit in hits} == {64 if left else 256}
        assert ids(hits) == exact(model, question, slice(64) if left else slice(None))
    assert 40 <= sum(early) <= 50


def test_an_early_answer_is_near_the_exact_one(model: WordLlama, memory: Memory) -> None:
    early, same_first, shared, found, possible = 0, 0, 0.0, 0, 0
    for wanted, question in QUESTIONS:
        hits, truth = ask(memory, question), exact(model, question)
        found += wanted in ids(hits)
        possible += wanted in truth
        if hits[0].parts["tier"] == 64:
            early += 1
            same_first += ids(hits)[0] == truth[0]
            shared += len(set(ids(hits)) & set(truth)) / 10
    print(f"{early=} {same_first=} shared={shared / early:.3f} {found=} {possible=}")  # noqa: T201 - the numbers of docs/models.md
    assert same_first >= 0.75 * early
    assert shared >= 0.55 * early
    assert found >= possible - 4


def test_a_third_tier_is_measured_when_it_is_asked_for(model: WordLlama, memory: Memory, path: Path) -> None:
    assert memory.calibration.measure_model().ends.keys() >= {"query, 64 dimensions"}
    with opened(model, path, cascade__tier2_dimensions=128) as three:
        tiers = {hit.parts["tier"] for _, question in QUESTIONS for hit in ask(three, question)}
        assert tiers == {64, 128, 256}
        assert "query, 128 dimensions" in three.calibration.measure_model().ends


def test_the_default_model_gives_way_to_it_while_the_store_is_used(model: WordLlama, path: Path) -> None:
    turns = [Turn(name, name.split("-")[0], "user", text, NOW) for name, text in TURNS.items()]
    with Memory.open(path, embedder=LocalEmbedder(), clock=lambda: NOW) as memory:
        memory.ingest(turns)
        report = memory.maintenance.reindex(model)
        assert report.comparison is not None
        print(report.comparison)  # noqa: T201 - the numbers of docs/models.md
        assert 0.3 < report.comparison.overlap < 0.8
        found = memory.search(QUESTIONS[0][1], profile="libra-single", limit=10)
        assert not found.freshness.vector_off
        assert {hit.parts["tier"] for hit in found} <= {64, 256}
    with opened(model, path) as fresh:
        for _, question in QUESTIONS[:5]:
            assert ids(list(fresh.search(question, profile="libra-single", limit=3)))

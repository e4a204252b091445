"""The measurement of the preservation gate: pairs, mixtures, and the share that passes."""

from __future__ import annotations

from datetime import UTC, datetime

from aforesaid.bench.preservation import auc, measure_gate, mixture
from aforesaid.bench.quality.types import BenchMessage, Corpus, Dataset, Session
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.settings import Settings

THEN = datetime(2026, 5, 1, tzinfo=UTC)
TALKS = {
    "a": [
        ("I planted tomatoes. They like the sun.", "Mine grow beans and peas.", "Somebody planted tomatoes and beans."),
        (
            "The ferry to Bergen was late.",
            "We waited four hours in the rain.",
            "The ferry to Bergen was four hours late.",
        ),
    ],
    "b": [
        (
            "My violin lesson is on Friday.",
            "Bring the new strings along.",
            "The violin lesson on Friday needs new strings.",
        ),
        (
            "The printer is out of ink.",
            "I ordered two cartridges.",
            "Two cartridges of ink were ordered for the printer.",
        ),
    ],
}


def dataset() -> Dataset:
    corpora = {
        name: Corpus.of(
            name,
            [
                Session(str(i), THEN, (BenchMessage("Ana", one), BenchMessage("Bo", two)), summary)
                for i, (one, two, summary) in enumerate(talks)
            ],
        )
        for name, talks in TALKS.items()
    }
    return Dataset("talks", "locomo", corpora, ())


def test_own_summaries_pass_and_those_of_others_do_not() -> None:
    found = {row["summary"]: row for row in measure_gate(dataset(), HashEmbedder(256), Settings())}
    assert list(found) == [
        "own", "same conversation", "half same conversation", "other conversation", "half other conversation",
    ]  # fmt: skip
    assert found["own"]["texts"] == 4
    assert found["own"]["accepted"] > found["other conversation"]["accepted"] == 0
    assert found["other conversation"]["auc_align"] == found["other conversation"]["auc_support"] == 1
    assert found["own"]["auc_align"] == 0.5


def test_auc_and_mixtures_are_arithmetic() -> None:
    assert auc([3, 2], [1, 2]) == (3 + 0.5) / 4
    assert (
        mixture("Ana sings. Bo paints. They dance.", "Tom cooks. Rosa swims.") == "Ana sings. Rosa swims. They dance."
    )


def test_without_written_summaries_there_is_nothing_to_measure() -> None:
    bare = Corpus.of("c", [Session("1", THEN, (BenchMessage("Ana", "Hello."),))])
    assert measure_gate(Dataset("bare", "locomo", {"c": bare}, ()), HashEmbedder(64), Settings()) == []

"""Of records about the same thing, the newest comes first, unless the question asks for the past."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from aforesaid.embed.local import LocalEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from support.clock import NOW, standing_clock

MONTH = timedelta(days=30)
CHANGED = (  # the question, what was said first, what was said later
    ("What car do I drive?", "I drive a red Volvo to work.", "I drive a blue Tesla to work these days."),
    ("How many stamps do I have?", "My collection has 37 stamps.", "My collection has 41 stamps."),
    ("Where does Rachel live?", "Rachel lives in Chicago with her dog.", "Rachel lives in Denver with her dog."),
    ("What is my best time for 5 km?", "My best time for 5 km is 27:12.", "My best time for 5 km is 25:50."),
    ("Which editor do I use?", "For Python I use the editor Vim.", "For Python I use the editor Helix."),
)
OTHER = ("The roof was mended on Monday.", "I had soup for lunch.", "My uncle sent a postcard from Oslo.")


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> LocalEmbedder:
    return LocalEmbedder(model_folder)


def remembered(embedder: LocalEmbedder, *said: tuple[str, str, timedelta], session: str | None = None) -> Memory:
    memory = Memory(DictStore(), embedder, settings=Settings(), clock=standing_clock)
    turns = [Turn(f"t{i}", session or f"s{i}", role, text, NOW - age) for i, (role, text, age) in enumerate(said)]
    others = [Turn(f"o{i}", f"o{i}", "user", text, NOW - 2 * MONTH) for i, text in enumerate(OTHER)]
    memory.ingest([*turns, *others], user="ana")
    return memory


@pytest.mark.parametrize(("question", "before", "now"), CHANGED)
@pytest.mark.parametrize("session", [None, "one"])
def test_the_newer_version_comes_first(
    embedder: LocalEmbedder, question: str, before: str, now: str, session: str | None
) -> None:
    for order in ((before, now), (now, before)):
        ages = (3 * MONTH, MONTH)
        told = remembered(
            embedder, *(("user", text, age) for text, age in zip(order, ages, strict=True)), session=session
        )
        first, second = told.search(question, user="ana", limit=2)
        assert (first.record.text, second.record.text) == (order[1], order[0])
        assert first.score >= second.score


def test_questions_about_the_past_get_the_past(embedder: LocalEmbedder) -> None:
    told = remembered(
        embedder,
        ("user", "I drive a red Volvo to the office.", 3 * MONTH),
        ("user", "These days I take a blue Tesla to the office.", MONTH),
    )
    assert told.search("Which Volvo did I drive before?", user="ana")[0].record.id == "t0"
    assert told.search("What did I use to drive to the office? It used to be a Volvo.", user="ana")[0].record.id == "t0"
    past = told.search("What do I drive to the office?", user="ana", as_of=NOW - 2 * MONTH)
    assert past[0].record.id == "t0"


def test_an_agents_words_do_not_replace_the_users(embedder: LocalEmbedder) -> None:
    told = remembered(
        embedder,
        ("user", "I drive a red Volvo to work.", 3 * MONTH),
        ("assistant", "You could drive a blue Tesla to work.", MONTH),
    )
    assert told.search("What car do I drive to work?", user="ana")[0].record.id == "t0"


def test_a_record_that_matches_clearly_better_stays_first(embedder: LocalEmbedder) -> None:
    told = remembered(
        embedder,
        ("user", "My passport number ends in 77 and it is kept in the blue drawer.", 3 * MONTH),
        ("user", "I bought a drawer for the kitchen.", MONTH),
    )
    assert told.search("Where is my passport kept?", user="ana")[0].record.id == "t0"

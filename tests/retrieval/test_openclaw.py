"""The `openclaw` profile: what its vector score means, and when it stops searching for variants of a query."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.embed.local import LocalEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import SearchResult, Turn
from support.cli import data, jsonl, run

NOW = datetime(2026, 5, 10, tzinfo=UTC)
TEA = (
    "Green tea from Kyoto is kept in the blue tin.",
    "The green tea from Kyoto is almost gone.",
    "She brews green tea from Kyoto at seventy degrees.",
)


def told(*texts: str, sessions: bool = False) -> Memory:
    """A memory of turns, in one session or each in its own."""
    memory = Memory(DictStore(), HashEmbedder(512), clock=lambda: NOW)
    turns = [Turn(f"t{i}", f"s{i if sessions else 0}", "user", text, NOW) for i, text in enumerate(texts)]
    memory.ingest(turns, user="ana")
    return memory


def asked(memory: Memory, query: str) -> SearchResult:
    return memory.search(query, user="ana", profile="openclaw", now=NOW)


def test_a_well_answered_query_stops_and_an_unrelated_one_goes_on() -> None:
    memory = told(*TEA)
    answered = asked(memory, "Green tea from Kyoto?")
    assert answered.details == {
        "mode": "hybrid",
        "variants": [],
        "stopped": "the best 3 hits come from at most 2 files",
        "degraded": "",
    }
    for query in ("Which trains leave at noon?", "Which tea room hosts the harbour concerts tomorrow evening?"):
        unrelated = asked(memory, query)
        assert unrelated.details["stopped"] == "" and unrelated.details["variants"]


def test_unrelated_texts_have_no_vector_score(model_folder: Path) -> None:
    embedder = LocalEmbedder(model_folder, fetch=None)
    memory = Memory(DictStore(), embedder, clock=lambda: NOW)
    memory.ingest([Turn(f"t{i}", "s", "user", text, NOW) for i, text in enumerate(TEA)], user="ana")
    near = [hit.parts["norm_vec"] for hit in asked(memory, "Where do we keep the tea?")]
    far = [hit.parts["norm_vec"] for hit in asked(memory, "Which trains leave at noon?")]
    assert max(near) > 0.5 and max(far) < 0.2
    assert asked(memory, "Where do we keep the tea?").details["stopped"]
    assert not asked(memory, "Which trains leave at noon?").details["stopped"]
    settings = Settings().changed({"search.thresholds": "literal"}, "test")
    literal = asked(Memory(memory.store, embedder, settings=settings, clock=lambda: NOW), "Which trains leave at noon?")
    assert all(f"cos={hit.parts['norm_vec']:.2f}" in hit.reason for hit in literal if "cos=" in hit.reason)


@pytest.mark.parametrize(
    ("second", "agrees"),
    [
        ("db-7 is the staging database.", True),
        ("The staging   database is db-7.", True),
        ("The staging database is db-9.", False),
        ("The staging database was moved to the new cluster by Ana.", False),
    ],
)
def test_two_sessions_that_say_the_same_are_enough(second: str, agrees: bool) -> None:
    memory = told("The staging database is db-7.", second, "Staging has its own database users.", sessions=True)
    details = asked(memory, "Staging database?").details
    assert details["stopped"] == ("s0 and s1 say the same" if agrees else "")
    assert bool(details["variants"]) is not agrees


def test_the_same_session_twice_is_one_source() -> None:
    memory = told("The staging database is db-7.", "db-7 is the staging database.")
    assert asked(memory, "Staging database?").details["stopped"] == ""


def test_the_command_line_tells_mode_variants_and_stop(path: Path) -> None:
    run(path, "ingest", "--user", "ana", stdin=jsonl(*({"id": str(i), "session": f"s{i}", "role": "user", "text": text}
        for i, text in enumerate(("The staging database is db-7.", "db-7 is the staging database.")))))  # fmt: skip
    args = ("search", "Staging database?", "--user", "ana", "--profile", "openclaw")
    assert data(run(path, "--json", *args))["details"]["stopped"] == "s0 and s1 say the same"
    assert "stopped: s0 and s1 say the same" in run(path, *args).stdout

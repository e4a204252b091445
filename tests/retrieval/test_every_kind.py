"""Every way of ranking, for every kind of record, for ordinary questions and questions about time."""

from __future__ import annotations

from pathlib import Path

import pytest

from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.types import KINDS, Kind, Turn
from support.clock import NOW

LIBRA = ("libra", "libra-two-pass", "libra-single")
FACT = "the ferry to Horta left on 2026-04-02 before the storm of 2026-04-05"
QUERIES = ("the ferry to Horta left before the storm", "how many days before the storm did the ferry to Horta leave?")
RULES = f"""# Ferry

- Always note that {FACT}.

> You should say that {FACT}.

On the pier they told us that {FACT}.
"""


@pytest.fixture
def full(memory: Memory, tmp_path: Path) -> Memory:
    """A memory with every kind of record, all about the same thing."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ferry.md").write_text(f"# Ferry\n\n## Crossing\n\nSee [[storm#Wind]]: {FACT}. ^block-1\n")
    (folder / "storm.md").write_text("# Storm\n\n## Wind\n\nThe wind turned north. #weather\n")
    memory.notes.index(folder, user="ana")
    memory.documents.load("AGENTS.md", text=RULES, user="ana")
    memory.ingest([Turn(f"t{i}", "s1", "user", f"Day {i}: {FACT}, crew {i}.", NOW) for i in range(24)], user="ana")
    memory.sessions.compact("s1", user="ana")
    memory.remember(f"For sure {FACT}.", user="ana", time=NOW, meta={"anchors": ["mine"], "dates": "mine"})
    memory.governance.observe(f"Log: {FACT}.", user="ana", mode="raw", time=NOW)
    return memory


def tiers(memory: Memory) -> dict[str, int]:
    return {record.key: record.meta["tier"] for record in memory.list(user="ana", kinds=["node"])}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("query", QUERIES)
def test_every_profile_finds_every_kind_of_record(full: Memory, profile: str, query: str) -> None:
    assert {record.kind for record in full.list(user="ana", limit=100)} == set(KINDS)
    assert set(tiers(full).values()) == {0, 1, 2}
    for kind in KINDS:
        found = full.search(query, user="ana", kinds=[kind], profile=profile, now=NOW)
        assert {hit.record.kind for hit in found} == {kind}
        assert all(hit.score > 0 for hit in found)
    assert len(full.search(query, user="ana", profile=profile, now=NOW)) > 0


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("query", QUERIES)
def test_rules_are_not_part_of_what_libra_searches(full: Memory, profile: str, query: str) -> None:
    known = tiers(full)
    found = {known[hit.record.key] for hit in full.search(query, user="ana", kinds=["node"], profile=profile, now=NOW)}
    assert found == ({0} if profile in LIBRA else {0, 1, 2})
    everything = full.search(query, user="ana", profile=profile, limit=100, now=NOW)
    assert profile not in LIBRA or not [hit for hit in everything if hit.record.is_rule]


@pytest.mark.parametrize("kind", KINDS)
def test_the_dates_of_every_kind_of_record_are_counted(full: Memory, kind: Kind) -> None:
    records = full.list(user="ana", kinds=[kind], limit=100)
    assert {record.dates for record in records if "Horta" in record.text} <= {2, 3}
    assert any(record.dates == 2 for record in records if "Horta" in record.text)


@pytest.mark.parametrize(
    "meta",
    [
        {"uses": "many"},
        {"uses": 1e308},
        {"authority": "high"},
        {"judged": "nonsense"},
        {"quality": "good"},
        {"entity": ["a"]},
        {"superseded_by": 7},
        {"tier": "x", "order": "x", "anchors": ["a"], "when": 5},
    ],
)
def test_a_callers_own_values_break_no_profile(memory: Memory, meta: dict[str, object]) -> None:
    kept = memory.remember("The boiler was serviced before March.", user="ana", meta=meta)
    for profile in PROFILES:
        assert memory.search("When was the boiler serviced?", user="ana", profile=profile).profile == profile
        assert kept.id in {record.id for record in memory.assemble("boiler", user="ana", session="s").records}
    memory.feedback(kept.id, "helpful", user="ana")
    assert memory.activate("boiler", user="ana", intent="resume_task").items

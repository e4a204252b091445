"""`aforesaid compact` and `expand`."""

from __future__ import annotations

from pathlib import Path

from support.cli import data, jsonl, run, words

TURNS = [
    {"id": f"t{i}", "session": "s", "role": "user", "text": f"On day {i} I paid {i * 7} euros in Lisbon. It rained.",
     "time": f"2026-05-01T10:{i:02}:00Z"}
    for i in range(50)
]  # fmt: skip


def test_compact_and_expand(path: Path) -> None:
    run(path, "ingest", "--user", "ana", stdin=jsonl(*TURNS))
    first = run(path, "compact", "s", "--user", "ana").stdout
    assert "summaries:" in first
    assert "extractive" in first
    again = data(run(path, "compact", "s", "--user", "ana", "--json"))
    assert again[0]["summaries"] == []
    [summary, *_] = data(run(path, "list", "--user", "ana", "--kind", "summary", "--json"))["records"]
    turns = data(run(path, "expand", summary["id"], "--user", "ana", "--json"))
    assert {turn["text"] for turn in turns} <= {turn["text"] for turn in TURNS}
    assert len(turns) > 1
    assert turns[0]["text"] in run(path, "expand", summary["id"], "--user", "ana").stdout
    assert "is a turn, not a summary" in run(path, "expand", "t1", "--user", "ana", code=2).stderr
    assert "No record has the id" in run(path, "expand", "nobody", "--user", "ana", code=3).stderr


def test_a_large_budget_keeps_its_turns(path: Path) -> None:
    run(path, "ingest", "--user", "ana", stdin=jsonl(*TURNS))
    run(path, "assemble", "rain in Lisbon", "--user", "ana", "--session", "s", "--budget", "32000")
    assert data(run(path, "compact", "s", "--user", "ana", "--json"))[0]["turns"] == 0


def test_a_session_that_is_not_there_has_nothing_to_summarise(path: Path) -> None:
    run(path, "ingest", "--user", "ana", stdin=jsonl(*TURNS[:3]))
    assert "none 0 0 0" in words(run(path, "compact", "none", "--user", "ana", code=3))

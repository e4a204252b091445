"""Questions about days find the notes of these days: logs by name, sections by heading."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.store.memory import DictStore
from support.cli import data, run
from support.file_trees import write

NOW = datetime(2026, 5, 28, 9, tzinfo=UTC)  # a Thursday
DONE = (
    "repaired the invoice parser", "called the dentist about the bill", "reviewed the search branch with Rui",
    "moved the backups to the new disk", "planned the garden wall", "wrote the budget for the school trip",
    "rehearsed the talk about caching",
)  # fmt: skip
LOGS = {
    f"memory/{day}.md": f"# {day}\n\n- I {DONE[i % 7]}.\n- Did the standup, wrote notes, answered mail no. {i}.\n"
    for i, day in enumerate(date(2026, 4, 29) + timedelta(days=i) for i in range(30))
}
NOTES = LOGS | {
    "MEMORY.md": "# Memory\n\nI do the standup every day. What we did on 12 May 2026 was hard.\n",
    "memory/topics/search.md": "# Search\n\nWe rank by words and meaning. The review of the branch is open.\n",
    "memory/topics/backups.md": "# Backups\n\nThe backups run every night. In May we did it by hand.\n",
    "memory/topics/talk.md": "# Talk\n\nThe talk about caching: what I did, what happened, last slides.\n",
    "garden.md": "# Garden\n\n## 2026-03-14\n\nPlanted two pear trees.\n\n## 3 April 2026\n\nBuilt the fence.\n\n"
    "## Ideas\n\nA pond, some day.\n",
}


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = Memory(DictStore(), HashEmbedder(64))
    memory.notes.index(write(tmp_path_factory.mktemp("dated") / "ws", NOTES), user="ana")
    return memory


ASKED = [
    ("what did I do on 12 May 2026", "2026-05-12"),
    ("What happened on May 3rd?", "2026-05-03"),
    ("notes from 2026-05-07", "2026-05-07"),
    ("what did I do yesterday?", "2026-05-27"),
    ("what did I do three days ago?", "2026-05-25"),
    ("what happened last Tuesday?", "2026-05-26"),
    ("what did I do on the 9th of May?", "2026-05-09"),
    ("which branch did I review in the first week of May?", "2026-05-01"),
    ("did I call the dentist last week?", "2026-05-21"),
    ("when did I plan the garden wall between 9 and 11 May 2026?", "2026-05-10"),
    ("5月14日に何をした？", "2026-05-14"),
]


@pytest.mark.parametrize(("query", "day"), ASKED)
def test_the_log_of_the_day_comes_first(noted: Memory, query: str, day: str) -> None:
    best = noted.notes.search(query, user="ana", now=NOW)[0]
    assert best.path == f"ws/memory/{day}.md"
    assert best.group == "asked time" and best.reason.startswith(f"date={day}; ")


def test_a_dated_heading_counts_for_its_section(noted: Memory) -> None:
    fence = noted.notes.search("what did I do on 3 April 2026?", user="ana", now=NOW)[0]
    assert fence.place == "ws/garden.md:7-9" and fence.text.endswith("Built the fence.")
    (pond,) = (each for each in noted.notes.search("a pond", user="ana", now=NOW) if "pond" in each.text)
    assert pond.place == "ws/garden.md:11-13" and "day" not in pond.record.meta


def test_without_such_a_day_or_without_a_date_the_tiers_decide(noted: Memory) -> None:
    for query in ("what did I do on 12 May 2020", "how do the backups run?", "the talk about caching"):
        found = noted.notes.search(query, user="ana", now=NOW)
        assert {each.group for each in found} <= {"topic", "curated", "note", "log", "weaker"}
    assert noted.notes.search("the talk about caching", user="ana", now=NOW)[0].path == "ws/memory/topics/talk.md"


def test_the_time_of_a_file_is_no_day_that_a_question_names(noted: Memory) -> None:
    saved = datetime.now(UTC)
    found = noted.notes.search("what did I do today?", user="ana", now=saved)
    assert all(each.group != "asked time" for each in found)


def test_results_say_how_they_are_ordered(path: Path, tmp_path: Path) -> None:
    run(path, "index", str(write(tmp_path / "ws", NOTES)), "--user", "ana")
    asked = ("search", "--files", "what did I do on 12 May 2026", "--user", "ana")
    text = run(path, *asked).stdout
    assert "ws/memory/2026-05-12.md:1-4  log (asked time)" in text.splitlines()[0]
    assert "by score within asked time" in text
    hits = data(run(path, *asked, "--json"))["hits"]
    groups = [hit["group"] for hit in hits]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)
    for group in set(groups):
        scores = [hit["score"] for hit in hits if hit["group"] == group]
        assert scores == sorted(scores, reverse=True)

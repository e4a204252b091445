"""Searching notes: snippets with path and lines, modes, tiers, the room they may take; and lines as they are now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory import Memory
from aforesaid.notes.search import parse_place
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.text.extract.query import analyse
from aforesaid.types import Turn
from samples import file_queries
from support.file_trees import write

NOTES = {
    "MEMORY.md": "# Memory\n\nAna likes green tea from Kyoto.\n",
    "memory/topics/tea.md": "# Tea\n\nGreen tea from Kyoto is kept in the blue tin.\n\nSee [[brewing]].\n",
    "memory/topics/brewing.md": "# Brewing\n\nSeventy degrees, two minutes.\n",
    "memory/2026-05-03.md": "Green tea from Kyoto arrived.\n",
    "memory/2020-01-01.md": "Green tea from Kyoto was ordered.\n",
    "ops/errors.md": "# Errors\n\nEADDRINUSE: another server runs on port 8080.\n\nSQLITE_BUSY: wait and retry.\n",
    "ops/ports.md": "The server listens on port 8080.\n",
}


@pytest.fixture
def noted(memory: Memory, tmp_path: Path) -> Memory:
    memory.notes.index(write(tmp_path / "ws", NOTES), user="ana")
    return memory


def test_a_snippet_says_where_it_is_and_why(noted: Memory) -> None:
    result = noted.notes.search("EADDRINUSE", user="ana")
    best = result[0]
    assert (best.place, best.lines, best.tier) == ("ws/ops/errors.md:1-5", (1, 5), "note")
    assert best.text == NOTES["ops/errors.md"].rstrip("\n")
    assert best.reason.startswith("mode=exact; fts=rank:1;") and best.record.kind == "chunk"
    assert (result.mode, result.tokens) == ("B", sum(each.tokens for each in result))
    assert result.freshness.pending == 0


def test_modes_follow_the_question(noted: Memory) -> None:
    for query, mode in [("where is the tin", "A"), ("`port 8080`", "B"), ("what was that thing about tea", "C")]:
        assert noted.notes.search(query, user="ana").mode == mode
    assert noted.notes.search("the tea tins", user="ana").expansions


def test_topics_come_before_curated_before_logs_and_old_ones_last(noted: Memory) -> None:
    now = datetime(2024, 1, 1, tzinfo=UTC)  # the files were written a few weeks before
    places = [each.path for each in noted.notes.search("green tea from kyoto", user="ana", now=now)]
    order = [name for name in places if "tea" in NOTES[name.removeprefix("ws/")]]
    assert order[0] == "ws/memory/topics/tea.md"
    assert order.index("ws/MEMORY.md") < order.index("ws/memory/2020-01-01.md")
    assert order.index("ws/memory/2026-05-03.md") < order.index("ws/memory/2020-01-01.md")


def test_no_more_than_a_prompt_may_have(tmp_path: Path) -> None:
    memory = Memory(DictStore(), HashEmbedder(64))
    notes = {f"n{i}.md": f"Tea note {i}. " + f"kettle{i} word " * 70 for i in range(12)}
    memory.notes.index(write(tmp_path / "ws", notes), user="ana")
    result = memory.notes.search("tea note", user="ana")
    assert 0 < len(result) <= 6 and result.tokens <= 1200 and result.left_out > 0
    assert len(memory.notes.search("tea note", user="ana", limit=2)) == 2
    with pytest.raises(InputError):
        memory.notes.search("tea", user="ana", limit=0)
    with pytest.raises(InputError, match="empty"):
        memory.notes.search(" ", user="ana")


def test_other_records_are_no_snippets_and_chunks_are_found_with_them(noted: Memory) -> None:
    noted.ingest(
        [Turn("t1", "s1", "user", "I bought green tea from Kyoto.", datetime(2026, 5, 1, tzinfo=UTC))], user="ana"
    )
    assert all(each.record.kind == "chunk" for each in noted.notes.search("green tea", user="ana"))
    kinds = {hit.record.kind for hit in noted.search("green tea", user="ana")}
    assert kinds == {"turn", "chunk"}
    linked = [hit for hit in noted.search("blue tin", user="ana", kinds=["chunk"], limit=20) if "hop=" in hit.reason]
    brewing = [hit.record.provenance.file for hit in noted.search("blue tin", user="ana", limit=20)]  # type: ignore[union-attr]
    assert linked or "ws/memory/topics/brewing.md" in brewing, "what a found note links to comes along"


def test_a_context_cites_file_and_lines(noted: Memory) -> None:
    context = noted.assemble("where is the green tea from Kyoto kept", user="ana", budget_tokens=1000)
    cited = {(citation.file, citation.lines) for citation in context.citations}
    assert ("ws/memory/topics/tea.md", (1, 5)) in cited
    assert "ws/memory/topics/tea.md" in context.text and "blue tin" in context.recall


def test_lines_are_those_of_the_file_now(noted: Memory, tmp_path: Path) -> None:
    found = noted.notes.lines("ws/ops/errors.md:3-5", user="ana")
    assert found.text == "EADDRINUSE: another server runs on port 8080.\n\nSQLITE_BUSY: wait and retry."
    assert (found.place, found.of, found.changed) == ("ws/ops/errors.md:3-5", 5, False)
    assert noted.notes.lines("ops/ports.md", user="ana").lines == (1, 1)
    assert noted.notes.lines(str(tmp_path / "ws/ops/ports.md:1"), user="ana").place == "ws/ops/ports.md:1"
    (tmp_path / "ws/ops/ports.md").write_text("One.\r\nTwo.\r\n")
    now = noted.notes.lines("ws/ops/ports.md:2", user="ana")
    assert now.text == "Two." and now.changed
    assert noted.notes.lines("ws/ops/ports.md:1-99", user="ana").lines == (1, 2)
    with pytest.raises(InputError, match="2 lines"):
        noted.notes.lines("ws/ops/ports.md:3", user="ana")
    (tmp_path / "ws/ops/ports.md").unlink()
    with pytest.raises(NotFoundError, match="cannot be read"):
        noted.notes.lines("ws/ops/ports.md:1", user="ana")


@pytest.mark.parametrize(
    "place",
    ["../secret.md", "ws/../secret.md:1", "/etc/passwd", "ws//etc/passwd", "ws/ops/../../secret.md", "ws/ops\x00.md", "ws/", "ws/none.md:1", "\udcff.md"],
)  # fmt: skip
def test_only_indexed_notes_are_shown(noted: Memory, tmp_path: Path, place: str) -> None:
    (tmp_path / "secret.md").write_text("secret")
    with pytest.raises(NotFoundError):
        noted.notes.lines(place, user="ana")


def test_others_see_nothing(noted: Memory) -> None:
    with pytest.raises(NotFoundError, match="Roots: none"):
        noted.notes.lines("ws/ops/ports.md", user="bob")
    assert noted.for_tenant("other").notes.search("tea", user="ana").snippets == ()


def test_a_path_with_lines() -> None:
    assert parse_place("notes/a.md:10-20") == ("notes/a.md", 10, 20)
    assert parse_place("notes/a.md:L10-L20") == ("notes/a.md", 10, 20)
    assert parse_place("a.md:7") == ("a.md", 7, 7)
    assert parse_place("a:b.md") == ("a:b.md", None, None)


def test_notes_of_a_project_are_everybodys_there(tmp_path: Path) -> None:
    memory = Memory(DictStore(), HashEmbedder(64))
    memory.notes.index(write(tmp_path / "ws", NOTES), project="shop")
    assert memory.notes.search("EADDRINUSE", user="bob", project="shop")[0].path == "ws/ops/errors.md"
    assert memory.notes.search("EADDRINUSE", user="bob").snippets == ()
    assert memory.notes.lines("ws/ops/ports.md:1", user="bob", project="shop").text


def test_settings_hold(tmp_path: Path) -> None:
    rows = {"files.max_snippets": 2, "files.max_tokens": 30, "files.endings": "txt"}
    memory = Memory(DictStore(), HashEmbedder(64), settings=Settings().changed(rows, "test"))
    memory.notes.index(
        write(tmp_path / "ws", {"a.md": "tea", "b.txt": "tea one", "c.txt": "tea two", "d.txt": "tea three"}),
        user="ana",
    )
    result = memory.notes.search("tea", user="ana")
    assert len(result) == 2 and all(each.path.endswith(".txt") for each in result)


def test_old_notes_lose_unless_the_past_is_asked_for(noted: Memory) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC) + timedelta(days=1)
    plain = {each.path: each for each in noted.notes.search("green tea ordered", user="ana", now=now)}
    asked = {each.path: each for each in noted.notes.search("green tea ordered in the past", user="ana", now=now)}
    name = "ws/memory/2020-01-01.md"
    assert plain[name].parts["boost"] == pytest.approx(-0.1) and asked[name].parts["boost"] == 0


# Modes


def share(mode: str, queries: list[str]) -> float:
    return sum(analyse(query).mode == mode for query in queries) / len(queries)


@pytest.mark.parametrize(
    ("mode", "queries"),
    [("exact", file_queries.EXACT), ("semantic", file_queries.SEMANTIC), ("hybrid", file_queries.HYBRID)],
)
def test_questions_to_notes_are_read_as_they_are_meant(mode: str, queries: list[str]) -> None:
    assert len(queries) == 40
    assert share(mode, queries) >= 0.95


def test_questions_written_after_the_rules_are_never_taken_for_exact_or_vague_by_mistake() -> None:
    blind = {
        "exact": file_queries.LAST_EXACT, "semantic": file_queries.LAST_SEMANTIC, "hybrid": file_queries.LAST_HYBRID,
    }  # fmt: skip
    assert [len(queries) for queries in blind.values()] == [15, 15, 15]
    found = {mode: share(mode, queries) for mode, queries in blind.items()}
    assert found["exact"] == found["hybrid"] == 1.0
    assert found["semantic"] > 0, (
        "groping in words of one's own is mostly read as an ordinary question, which asks both"
    )
    assert all(analyse(query).mode != "exact" for query in file_queries.LAST_SEMANTIC)

"""A session from bootstrap to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import EndpointError, InputError
from aforesaid.math.vectors import Vectors
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import EventFilter, Turn
from support.cli import data, jsonl, run
from support.clock import NOW

MINUTE = timedelta(minutes=1)


def talk(count: int, first: int = 0) -> list[Turn]:
    return [
        Turn(f"t{i}", "today", "user", f"On day {i} I paid {i * 7} euros for the train to Porto. It rained on platform {i % 9}, and we were {i % 50} minutes late.",
             NOW + i * MINUTE)
        for i in range(first, first + count)
    ]  # fmt: skip


def test_the_whole_of_a_session(memory: Memory, tmp_path: Path) -> None:
    eager = Settings(compact=replace(Settings().compact, trigger_tokens=300))
    memory = Memory(memory.store, HashEmbedder(64), settings=eager, clock=lambda: NOW)
    rules = tmp_path / "AGENTS.md"
    rules.write_text("- Answer in English.\n", encoding="utf-8")
    begun = memory.sessions.bootstrap("today", turns=talk(3), documents=[rules], user="ana")
    assert (begun.turns, len(begun.ingested), [each.added for each in begun.loaded], begun.failed) == (3, 3, [1], ())
    again = memory.sessions.bootstrap("today", turns=talk(3), documents=[rules], user="ana")
    assert (again.turns, again.ingested.count("duplicate"), again.loaded[0].same) == (3, 3, 1), "safe to repeat"
    compacted = []
    for turn in talk(37, first=3):
        context = memory.assemble(turn.text, user="ana", session="today", budget_tokens=800, now=turn.time)
        assert context.tokens <= 800 and "Answer in English." in context.system
        compacted += memory.sessions.after_turn([turn], user="ana")[1]
    assert compacted and all(report.summaries for report in compacted), "it compacts itself as it grows"
    ended = memory.sessions.end("today", user="ana")
    assert ended.turns == 40 and ended.compacted.summaries and ended.embedded == 0
    assert memory.sessions.end("today", user="ana").compacted.summaries == ()
    assert memory.sessions.bootstrap("today", user="ana").turns == 40, "and it can go on"
    assert [event.body["turns"] for event in memory.store.log.find(EventFilter("default", topic="end"))] == [40, 40]


def test_a_bad_document_is_named_and_the_rest_goes_on(memory: Memory, tmp_path: Path) -> None:
    good = tmp_path / "good.md"
    good.write_text("- Be brief.\n", encoding="utf-8")
    begun = memory.sessions.bootstrap("today", turns=talk(2), documents=[tmp_path / "gone.md", good], user="ana")
    assert len(begun.failed) == 1 and "gone.md" in begun.failed[0]
    assert len(begun.loaded) == 1 and begun.turns == 2


@pytest.mark.parametrize("verb", ["bootstrap", "end"])
def test_a_session_needs_a_name(memory: Memory, verb: str) -> None:
    with pytest.raises(InputError, match="session"):
        getattr(memory.sessions, verb)(" ", user="ana")


class Flaky(HashEmbedder):
    """Does not answer at first."""

    down = True

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise EndpointError("no answer")
        return np.asarray(super().embed(texts))


def test_the_end_catches_up_on_vectors() -> None:
    embedder = Flaky(64)
    memory = Memory(DictStore(), embedder, settings=Settings(), clock=lambda: NOW)
    report = memory.ingest(talk(5), user="ana")
    assert report.freshness is not None and report.freshness.pending == 5
    memory.ingest([Turn("x", "other", "user", "Another talk.", NOW)], user="ana")
    assert memory.sessions.end("today", user="ana").embedded == 0, "still down: nothing raised, nothing lost"
    embedder.down = False
    ended = memory.sessions.end("today", user="ana")
    assert ended.embedded == 5
    assert ended.freshness.pending == 1, "the other session's turn waits for its own end"


def test_on_the_command_line(path: Path, tmp_path: Path) -> None:
    document, said = tmp_path / "AGENTS.md", tmp_path / "said.jsonl"
    document.write_text("- Answer in English.\n", encoding="utf-8")
    lines = [{"id": t.id, "session": t.session, "role": t.role, "text": t.text, "time": str(t.time)} for t in talk(150)]
    said.write_text(jsonl(*lines[:4]), encoding="utf-8")
    options = ["--user", "ana", "--document", str(document), "--from", str(said)]
    begun = data(run(path, "bootstrap", "today", *options, "--json"))
    assert (begun["turns"], begun["ingested"]["stored"], begun["failed"]) == (4, 4, [])
    assert "turns      4" in run(path, "bootstrap", "today", "--user", "ana").stdout
    taken = data(run(path, "ingest", "--user", "ana", "--compact", "--json", stdin=jsonl(*lines)))
    assert taken["compacted"][0]["session"] == "today"
    assert taken["compacted"][0]["summaries"]
    assert "turns      150" in run(path, "end", "today", "--user", "ana").stdout


def test_a_document_that_fails_ends_with_one(path: Path) -> None:
    done = run(path, "bootstrap", "today", "--document", "nowhere.md", code=1)
    assert "nowhere.md: There is no file" in done.stdout

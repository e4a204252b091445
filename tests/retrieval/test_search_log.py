"""The events of searches: off by default, without the query, and no obstacle to a search."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import StoreCorruptError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from support import loopback
from support.clock import NOW, standing_clock
from support.file_trees import write


def logging(memory: Memory, value: str, embedder: HashEmbedder | None = None) -> Memory:
    settings = Settings.load(environment={}, arguments={"search.log": value})
    return Memory(memory.store, embedder, settings=settings, clock=standing_clock, change_embedder=True)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.remember("The harbour master keeps the blue ledger.", user="ana", time=NOW)
    memory.remember("Boats are painted in spring.", user="ana", time=NOW)
    return memory


def test_nothing_is_logged_unless_asked_for(filled: Memory) -> None:
    before = filled.stats().events
    filled.search("blue ledger", user="ana", profile="pce")
    assert filled.stats().events == before and filled.audit.searches() is None


def test_a_search_is_an_event_without_the_words_of_the_query(filled: Memory) -> None:
    memory = logging(filled, "on", HashEmbedder(64)).acting(request="r1")
    found = memory.search("blue ledger", user="ana", profile="pce", now=NOW)
    [event] = memory.audit.events("search")
    assert event.subject == "user:ana" and event.body["request"] == "r1" and event.body["hits"] == len(found) > 0
    assert event.body["best"] == pytest.approx(max(hit.score for hit in found), abs=1e-5)
    assert {name: event.body[name] for name in found.details} == dict(found.details)
    assert "ledger" not in str(event) and not memory.audit.events("search_fallback")
    logging(filled, "query", HashEmbedder(64)).search("blue ledger, key AKIAIOSFODNN7EXAMPLE", user="ana")
    words = memory.audit.events("search", limit=1)[0].body["query"]
    assert words.startswith("blue ledger") and "AKIAIOSFODNN7EXAMPLE" not in words


def test_the_log_tells_ranks_modes_variants_and_early_stops(filled: Memory, tmp_path: Path) -> None:
    memory = logging(filled, "on", HashEmbedder(64))
    found = memory.search("Which trains leave at noon?", user="ana", profile="openclaw", now=NOW)
    [event] = memory.audit.events("search")
    assert event.body["found"] == [[hit.record.key, pytest.approx(hit.score, abs=1e-5)] for hit in found]
    assert (event.body["mode"], event.body["stopped"], event.body["degraded"]) == ("hybrid", False, False)
    assert event.body["variants"] == len(found.details["variants"]) > 0 and "train" not in str(event)

    same = "The harbour master keeps the blue ledger.\n"
    memory.notes.index(write(tmp_path / "ws", {"a.md": f"# A\n\n{same}", "b.md": f"# B\n\n{same}"}), user="ana")
    assert memory.notes.search("`blue ledger`", user="ana", now=NOW).mode == "B"
    latest = memory.audit.events("search", limit=1)[0]
    assert (latest.body["profile"], latest.body["mode"]) == ("openclaw", "exact") and "ws/" not in str(latest)
    stats = memory.audit.searches()
    assert stats is not None and stats.modes == {"hybrid": 1, "exact": 1}
    assert (stats.stopped_early, stats.variants) == (int(latest.body["stopped"]), sum(
        int(each.body["variants"]) for each in memory.audit.events("search")))  # fmt: skip

    memory.forget([found[0].record.id], user="ana")
    assert not any(found[0].record.key in str(each) for each in memory.audit.events("search"))


def test_a_chat_model_that_fails_is_a_fallback(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback.service(lambda path, body: loopback.Reply(500)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        given = {"search.log": "on", "expand.provider": "openai", "expand.model": "small"}
        settings = Settings.load(environment={}, arguments=given)
        memory = Memory(filled.store, HashEmbedder(64), settings=settings, clock=standing_clock)
        memory.search("Which trains leave at noon?", user="ana", profile="openclaw", now=NOW)
    [event] = memory.audit.events("search_fallback")
    assert event.body["why"] == ["variants"] and "127.0.0.1" not in str(memory.audit.events("search"))


def test_a_search_without_an_arm_is_a_fallback(filled: Memory) -> None:
    both, words = logging(filled, "on", HashEmbedder(64)), logging(filled, "on")
    for _ in range(3):
        both.search("blue ledger", user="ana", now=NOW)
    words.search("blue ledger", user="ana", now=NOW)
    [event] = both.audit.events("search_fallback")
    assert event.body["why"] == ["vector"]
    stats = both.audit.searches()
    assert stats is not None and (stats.searches, stats.fallbacks, stats.fallback_ratio) == (4, 1, 0.25)
    events = both.audit.events("search")
    assert stats.ms_p90 == pytest.approx(np.quantile([e.body["ms"] for e in events], 0.9), abs=1e-3)
    assert stats.best_score_p90 == pytest.approx(np.quantile([e.body["best"] for e in events], 0.9), abs=1e-5)


def test_a_damaged_text_index_leaves_the_vectors(path: Path) -> None:
    settings = Settings.load(environment={}, arguments={"search.log": "on"})
    with Memory.open(path, embedder=HashEmbedder(64), settings=settings, clock=standing_clock) as memory:
        memory.remember("The harbour master keeps the blue ledger.", user="ana", time=NOW)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE places SET data = x'ff'")
    connection.close()
    with Memory.open(path, embedder=HashEmbedder(64), settings=settings, clock=standing_clock) as memory:
        for profile in ("default", "pce"):
            found = memory.search("blue ledger", user="ana", profile=profile, now=NOW)
            assert (
                len(found) == 1
                and "is damaged" in found.freshness.text_off
                and "no search by words" in found.freshness.line
            )
        assert [event.body["why"] for event in memory.audit.events("search_fallback")] == [["text"], ["text"]]
        with pytest.raises(StoreCorruptError):  # nothing is left to search with
            Memory(memory.store, None, settings=settings, change_embedder=True).search("blue ledger", user="ana")


def test_forgetting_erases_the_queries_in_the_log(path: Path) -> None:
    settings = Settings.load(environment={}, arguments={"search.log": "query"})
    with Memory.open(path, embedder=HashEmbedder(64), settings=settings, clock=standing_clock) as memory:
        made = memory.remember("The harbour master keeps the vermilion ledger.", user="ana", time=NOW)
        memory.remember("Boats are painted in spring.", user="ana", time=NOW)
        memory.search("vermilion ledger of the harbour master", user="ana", now=NOW)
        assert memory.forget([made.id], user="ana").proven
        assert [event.erased for event in memory.audit.events() if event.topic == "search"] == [True]
        assert memory.audit.verify().intact
        stats = memory.audit.searches()
        assert stats is not None and stats.searches == 0


READ_ONLY = """
import os, sys
import Stemmer
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
import aforesaid.store.sqlite, aforesaid.retrieval.ranking.default
from aforesaid.store.memory import DictStore
settings = Settings.load(environment={}, arguments={"search.log": "on"})
with Memory(DictStore(), HashEmbedder(64), settings=settings) as warm:   # nobody may not read our modules
    warm.remember("Warm up.", user="ana"), warm.search("warm", user="ana"), warm.audit.searches()
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)   # root may write anything, so become nobody
memory = Memory.open(sys.argv[1], embedder=HashEmbedder(64), settings=settings)
print(memory.search("blue ledger", user="ana")[0].record.text, memory.audit.searches().searches)
"""


def test_a_read_only_store_is_searched_without_an_event() -> None:
    with tempfile.TemporaryDirectory() as name:  # directly under /tmp, which other users can enter
        path = Path(name) / "store.db"
        with Memory.open(path, embedder=HashEmbedder(64), settings=Settings()) as memory:
            memory.remember("The harbour master keeps the blue ledger.", user="ana")
        path.chmod(0o444)
        path.parent.chmod(0o555)
        call = [sys.executable, "-c", READ_ONLY, str(path)]
        done = subprocess.run(call, capture_output=True, text=True, check=False, env={**os.environ, "HOME": "/tmp"})
        path.parent.chmod(0o755)
    assert done.stdout == "The harbour master keeps the blue ledger. 0\n", done.stderr


def test_a_policy_can_switch_the_log_on() -> None:
    with Memory(DictStore(), HashEmbedder(64), settings=Settings(), clock=standing_clock) as memory:
        memory.policy.apply('version: "1"\nretrieval: {search.log: "on"}\n')
        memory.search("anything", user="ana")
        assert len(memory.audit.events("search")) == 1

"""A change of the embedding model while the store is in use."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.engine.engine import Engine
from aforesaid.engine.kept_values import VECTOR, calibration
from aforesaid.engine.thresholds import model_scale, with_thresholds
from aforesaid.engine.vector_arm import EmbedderInUse
from aforesaid.errors import EmbedderChangedError, EmbedError, InputError, StoreBusyError
from aforesaid.learning.labels import Label, feedback_labels
from aforesaid.math.vectors import Vectors
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Store
from aforesaid.types import EventFilter, Filter, Turn
from support.clock import NOW, standing_clock

OLD, NEW = HashEmbedder(64), HashEmbedder(64, seed=1)  # the same length: a mixture would go unnoticed
WORDS = ["harbour", "lantern", "violin", "almond", "ferry", "glacier", "saddle", "pepper", "mirror", "orchard"]
SETTINGS = Settings().changed({"ingest.batch": 8, "search.log": "query"}, "test")
EVERYTHING = Filter(echoes=True)


def turn(number: int) -> Turn:
    first, second = WORDS[number % 10], WORDS[number // 10 % 10]
    return Turn(f"t{number}", "s", "user", f"Number {number} is about the {first}. I also saw a {second} there.", NOW)


def opened(path: Path, embedder: HashEmbedder = OLD) -> Memory:
    return Memory.open(path, embedder=embedder, settings=SETTINGS, clock=standing_clock)


def filled(path: Path, size: int = 40) -> Memory:
    memory = opened(path)
    memory.ingest([turn(number) for number in range(size)], user="ana")
    return memory


def assert_like_new(store: Store, embedder: HashEmbedder = NEW) -> None:
    """Every vector and sentence vector is the one that a fresh store has, and nothing else is there."""
    assert [space.name for space in store.spaces()] == [embedder.name]
    records = store.find(EVERYTHING)
    fresh = DictStore()
    fresh.put(records)
    Memory(fresh, embedder).maintenance.reindex()
    keys = [record.key for record in records]
    for found, expected in (
        (store.vectors(keys), fresh.vectors(keys)),
        (store.passages(keys), fresh.passages(keys)),
    ):
        assert found.keys() == expected.keys()
        for key, rows in expected.items():
            assert np.array_equal(found[key], rows), key
    assert store.coverage(EVERYTHING) == (len(records), 0)
    assert store.maintenance.verify() == []


def test_others_search_the_old_vectors_until_the_switch(tmp_path: Path) -> None:
    memory, other = filled(tmp_path / "m.db"), opened(tmp_path / "m.db")
    before = [(hit.record.id, hit.score) for hit in other.search("the harbour", user="ana")]
    seen: list[str] = []

    def look(done: int, total: int) -> None:
        found = other.search("the harbour", user="ana")
        assert [(hit.record.id, hit.score) for hit in found] == before
        assert not found.freshness.vector_off
        seen.append(found.freshness.building)

    report = memory.maintenance.reindex(NEW, progress=look)
    assert seen == [f"index for model hash-64-1: {percent} %" for percent in (20, 40, 60, 80, 100)]
    assert (report.previous, report.model, report.embedded, report.switched) == (OLD.name, NEW.name, 40, True)
    assert_like_new(memory.store)
    found = memory.search("the harbour", user="ana")
    assert found.freshness.line == "search by meaning and by words; all records are indexed"
    assert found[0].parts["cos"] > 0, "the memory that switched uses the new embedder at once"
    [event] = memory.store.log.find(EventFilter("default", topic="reindex"))
    assert event.body["to"] == NEW.name


def test_a_program_with_the_old_embedder_goes_on_with_words_and_says_so(tmp_path: Path) -> None:
    memory, other = filled(tmp_path / "m.db"), opened(tmp_path / "m.db")
    running = other._engine.request()
    memory.maintenance.reindex(NEW)
    query = running.arm.embed_query("the harbour")
    assert query is not None
    assert running.view.vector_search(query, EVERYTHING, 5) == [], "a call that began before the switch mixes nothing"
    assert running.freshness(EVERYTHING).vector_off == "the store switched to another model during this call"
    found = other.search("harbour", user="ana")
    assert len(found) > 0
    assert not any("cos" in hit.parts for hit in found)
    assert "the store has vectors of hash-64-1, this program embeds with hash-64-0" in found.freshness.vector_off
    other.ingest([turn(90)], user="ana")
    assert memory.search("harbour", user="ana").freshness.pending == 1, "its vectors would not fit"
    with pytest.raises(EmbedderChangedError):
        opened(tmp_path / "m.db")
    assert memory.maintenance.reindex().embedded == 1
    assert_like_new(memory.store)


def test_a_program_whose_settings_name_the_new_model_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "aforesaid.toml"
    file.write_text('[embed]\nprovider = "hash"\n')
    monkeypatch.setenv("AFORESAID_CONFIG", str(file))
    memory, other = Memory.open(tmp_path / "m.db"), Memory.open(tmp_path / "m.db")
    memory.ingest([turn(number) for number in range(20)], user="ana")
    memory.maintenance.reindex(HashEmbedder(32))
    assert other.search("harbour", user="ana").freshness.vector_off
    file.write_text("[embed]\nprovider = ")
    assert other.search("harbour", user="ana").freshness.vector_off, "a file that is being written"
    file.write_text('[embed]\nprovider = "hash"\ndimensions = 32\n')
    found = other.for_tenant("default").search("harbour", user="ana")
    assert found.freshness.line == "search by meaning and by words; all records are indexed"
    assert max(hit.parts["cos"] for hit in found) > 0


def test_a_program_with_the_new_embedder_opens_while_its_vectors_are_made(tmp_path: Path) -> None:
    memory = filled(tmp_path / "m.db")
    with pytest.raises(EmbedderChangedError):
        opened(tmp_path / "m.db", NEW)
    lines: list[str] = []

    def look(done: int, total: int) -> None:
        if not lines:
            early = opened(tmp_path / "m.db", NEW)
            early.ingest([turn(90)], user="ana")
            lines.append(early.search("harbour", user="ana").freshness.vector_off)

    memory.maintenance.reindex(NEW, progress=look)
    assert lines == ["the vectors of model hash-64-1 are not complete; see `aforesaid reindex --status`"]
    assert_like_new(memory.store)
    assert memory.get("t90", user="ana").gate is not None


def test_records_that_come_change_and_go_meanwhile_are_caught_up(tmp_path: Path) -> None:
    memory, writer = filled(tmp_path / "m.db", 200), opened(tmp_path / "m.db")
    numbers, stop = count(200), threading.Event()

    def write() -> None:
        while not stop.is_set():
            number = next(numbers)
            writer.ingest([turn(number)], user="ana")
            writer.forget([f"t{number - 190}"], user="ana")
            with writer.store.transaction():
                [record] = writer.store.get([writer.get(f"t{number - 3}", user="ana").key])
                writer.store.put([replace(record, text=f"{record.text} And an {number} more.")])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        report = memory.maintenance.reindex(NEW)
    finally:
        stop.set()
        thread.join()
    assert report.switched
    assert next(numbers) > 202, "it wrote all the time"
    memory.maintenance.reindex()  # what the writer stored after the switch, without vectors
    assert_like_new(memory.store)


def test_a_text_that_changes_while_it_is_embedded_gets_the_vector_of_the_new_text(tmp_path: Path) -> None:
    memory = filled(tmp_path / "m.db", 3)

    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            [record] = memory.store.find(EVERYTHING, limit=1)
            if "changed" not in record.text:
                memory.store.put([replace(record, text="This text was changed.")])
            return super().embed(texts)

    memory.maintenance.reindex(Slow(64, seed=1))
    assert_like_new(memory.store)


DYING = """
import os, signal, sys
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore

path, point, after = sys.argv[1], sys.argv[2], int(sys.argv[3])

class Dying(SQLiteStore):
    calls = 0
    def die(self, here):
        self.calls += here == point
        if self.calls == after:
            os.kill(os.getpid(), signal.SIGKILL)
    def put_vectors(self, *args, **more):
        super().put_vectors(*args, **more)
        self.die("batch")
    def activate_space(self, name):
        super().activate_space(name)
        self.die("switch")
    def purge_spaces(self):
        self.die("removal")
        super().purge_spaces()

store = Dying(path)
settings = Settings().changed({"ingest.batch": 8, "search.thresholds": "literal"}, "test")
Memory(store, HashEmbedder(64), settings=settings, change_embedder=True).maintenance.reindex(HashEmbedder(64, seed=1))
"""


def test_kill_9_anywhere_loses_nothing_and_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    filled(path).close()
    filled_to = {("batch", 1): 0, ("batch", 3): 16, ("switch", 1): 40}  # the second run continues after 16
    for (point, after), expected in filled_to.items():
        assert run_and_die(path, point, after) == -signal.SIGKILL, point
        with opened(path) as memory:
            assert memory.store.maintenance.verify() == []
            assert memory.search("harbour", user="ana").freshness.vector_off == "", "still the old model"
            assert [space.vectors for space in memory.maintenance.reindex_status().spaces] == [40, expected], point
    assert run_and_die(path, "removal", 2) == -signal.SIGKILL, "after the switch"
    with opened(path, NEW) as memory:
        assert memory.store.maintenance.verify() == []
        assert (
            memory.search("harbour", user="ana").freshness.line
            == "search by meaning and by words; all records are indexed"
        )
        assert memory.forget(["t1"], user="ana").proven, "also the vectors that were not removed yet"
        assert memory.maintenance.reindex().embedded == 0
        assert_like_new(memory.store)


def run_and_die(path: Path, point: str, after: int) -> int:
    return subprocess.run([sys.executable, "-c", DYING, str(path), point, str(after)], timeout=60).returncode


def test_only_one_reindex_runs_and_it_can_be_watched_and_cancelled(tmp_path: Path) -> None:
    memory, other = filled(tmp_path / "m.db"), opened(tmp_path / "m.db")
    assert other.maintenance.cancel_reindex() == ()

    def disturb(done: int, total: int) -> None:
        if done == 24:
            status = other.maintenance.reindex_status()
            assert status.running
            assert [(space.model, space.percent) for space in status.spaces] == [(OLD.name, 100), (NEW.name, 60)]
            with pytest.raises(StoreBusyError, match="24 of 40 records have vectors of hash-64-1"):
                other.maintenance.reindex(HashEmbedder(32))
            assert other.maintenance.cancel_reindex() == (NEW.name,)

    with pytest.raises(EmbedError, match="cancelled"):
        memory.maintenance.reindex(NEW, progress=disturb)
    assert not memory.maintenance.reindex_status().running
    assert_like_new(memory.store, OLD)
    assert memory.maintenance.reindex(NEW).embedded == 40


def test_an_embedder_that_fails_stops_it_and_it_goes_on_later(tmp_path: Path) -> None:
    memory = filled(tmp_path / "m.db")

    class Failing(HashEmbedder):
        calls = 0

        def embed(self, texts: Sequence[str]) -> Vectors:
            Failing.calls += 1
            if Failing.calls == 4:
                raise EmbedError("The model is gone.", "Bring it back.")
            return super().embed(texts)

    with pytest.raises(EmbedError, match="24 of 40 records had vectors of hash-64-1: The model is gone"):
        memory.maintenance.reindex(Failing(64, seed=1))
    assert memory.search("harbour", user="ana").freshness.line == (
        "search by meaning and by words; all records are indexed; index for model hash-64-1: 60 %"
    )
    assert memory.maintenance.reindex(NEW).embedded == 16
    assert_like_new(memory.store)


def test_the_comparison_can_stop_the_switch(tmp_path: Path) -> None:
    memory = filled(tmp_path / "m.db")
    memory.search("where was the violin?", user="ana")
    memory.search("where was the almond?", user="ana")
    report = memory.maintenance.reindex(NEW, min_overlap=1.0)
    assert not report.switched
    assert report.comparison is not None
    assert 0.3 < report.comparison.overlap < 1
    assert (report.comparison.texts, report.comparison.queries) == (40, 2)
    assert report.comparison.found_before == report.comparison.found_after
    assert memory.search("harbour", user="ana").freshness.vector_off == ""
    same = memory.maintenance.reindex(NEW, min_overlap=report.comparison.overlap)
    assert (same.switched, same.embedded) == (True, 0)
    with pytest.raises(InputError):
        memory.maintenance.reindex(NEW, min_overlap=float("nan"))


def test_an_identical_model_has_full_overlap(tmp_path: Path) -> None:
    class Renamed(HashEmbedder):
        name = "renamed"

    memory = filled(tmp_path / "m.db")
    comparison = memory.maintenance.reindex(Renamed(64)).comparison
    assert comparison is not None
    assert comparison.overlap == 1


def test_thresholds_belong_to_the_model_in_use(tmp_path: Path) -> None:
    memory = filled(tmp_path / "m.db")
    memory.calibration.fit([Label(None, place / 30, place > 15) for place in range(30)], force=True)
    memory.feedback("t1", "helpful", user="ana", query="the lantern")
    before = with_thresholds(memory._engine.request())
    memory.maintenance.reindex(NEW)
    scale = model_scale(memory._engine.request())
    assert scale is not None
    assert (before.scale and before.scale.model, scale.model) == (OLD.name, NEW.name)
    fresh = Engine(memory.store, EmbedderInUse(NEW), memory.settings, standing_clock, "default").request()
    assert model_scale(fresh) == scale, "it was measured before the switch"
    assert calibration(fresh, VECTOR) is None, "it was fitted to the cosines of the old model"
    memory.feedback("t2", "helpful", user="ana", query="the violin")
    first, second = feedback_labels(fresh)
    assert first.bm25 is not None
    assert first.cosine is None, "a cosine of the old model"
    assert second.cosine is not None


def test_what_is_forgotten_leaves_no_trace_in_either_space(tmp_path: Path) -> None:
    memory = filled(tmp_path / "m.db")

    def forget(done: int, total: int) -> None:
        if done == 40:
            assert memory.forget(["t3"], user="ana").proven

    memory.maintenance.reindex(NEW, progress=forget)
    gone = NEW.embed([turn(3).text])[0].tobytes()[:64]
    memory.close()
    assert gone not in (tmp_path / "m.db").read_bytes()

"""Records with dates that a question about time brings back, although they are far from its words (spec L9.6)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Turn
from support.clock import NOW, standing_clock

QUERY = "how many days before the regatta did the ferry leave?"
# The whole pool is shown: nothing is left out by the greedy choice, and C2 holds one record.
SHOW_POOL = {"time.k_coverage": 1000, "time.stop": 0, "libra.k2": 1, "search.thresholds": "literal"}
WORDS = ["regatta", "ferry", "leave", "harbour", "sail", "wind", "crew", "rope", "anchor", "mast", "tide", "pier"]
DATES = ("2026-01-05", "2026-02-06", "2026-03-07", "2026-04-08")


def turns(count: int, seed: int, dated: int) -> list[Turn]:
    """Turns of random words; every `dated`th names one to four dates."""
    chance = random.Random(seed)
    made = []
    for i in range(count):
        words = chance.choices(WORDS, k=6) + ([] if i % dated else chance.sample(DATES, chance.randint(1, 4)))
        made.append(Turn(f"t{i}", "s", "user", f"{' '.join(words)} number{i}", NOW))
    return made


def with_settings(memory: Memory, **changes: object) -> Memory:
    settings = memory.settings.changed({**SHOW_POOL, **changes}, "test")
    return Memory(memory.store, HashEmbedder(64), settings=settings, clock=standing_clock)


@pytest.mark.parametrize(("dated", "floor", "limit"), [(2, 0.15, 10), (40, 0.15, 10), (40, 0.3, 30), (7, 0.9, 10)])
def test_the_recovery_set_is_taken_from_all_records(memory: Memory, dated: int, floor: float, limit: int) -> None:
    memory.ingest(turns(300, 5, dated), user="ana")
    memory.ingest(turns(30, 6, 1), user="bo")
    asked = with_settings(memory, **{"time.recovery_cosine": floor, "time.recovery_limit": limit})
    hits = asked.search(QUERY, user="ana", profile="libra", limit=100, now=NOW)
    first = max(hits, key=lambda hit: hit.parts["S_final"])  # C2
    records = [record for record in memory.list(user="ana", limit=1000) if record.key != first.record.key]
    vector = HashEmbedder(64).embed_query(QUERY)
    cosines = {key: float(row @ vector) for key, row in memory.store.vectors([r.key for r in records]).items()}
    near = [record for record in records if cosines[record.key] >= floor]
    near.sort(key=lambda record: (-min(record.dates, 3), -cosines[record.key]))
    assert {hit.record.key for hit in hits} - {first.record.key} == {record.key for record in near[:limit]}


def test_a_record_with_dates_is_found_behind_hundreds_of_nearer_ones(memory: Memory) -> None:
    memory.ingest(
        [Turn(f"t{i}", "s", "user", f"how many days did the ferry leave, crew {i}", NOW) for i in range(300)],
        user="ana",
    )
    memory.ingest([Turn("dated", "s", "user", "days before the regatta: 2026-04-02, 2026-04-05", NOW)], user="ana")
    asked = with_settings(memory)
    vector = HashEmbedder(64).embed_query(QUERY)
    keys = [item.key for item in memory.store.vector_search(vector, memory.where(user="ana"), 301)]
    dated = memory.get("dated", user="ana").key
    assert keys.index(dated) > 200
    found = {hit.record.key: hit for hit in asked.search(QUERY, user="ana", profile="libra", limit=50, now=NOW)}
    assert found[dated].parts["anchors"] == pytest.approx(2 / 3)


def test_the_number_of_dates_follows_a_new_text(memory: Memory) -> None:
    for text, dates in (("On 2026-04-02 and 2026-04-05.", 2), ("Once.", 0), ("On 2026-04-02.", 1)):
        memory.documents.load("log.md", text=f"{text}\n", user="ana")
        [node] = memory.list(user="ana", kinds=["node"])
        assert node.dates == dates
        assert memory.store.count(memory.where(user="ana")) == 1


def test_the_cost_does_not_grow_with_the_records_of_others(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    with Memory(store, HashEmbedder(64), settings=Settings(), clock=standing_clock) as memory:
        memory.ingest(turns(100, 5, 40), user="ana")

        def steps() -> int:
            """The work of SQLite, in hundreds of instructions."""
            counted = [0]
            connection = store._database.connection
            connection.set_progress_handler(lambda: counted.__setitem__(0, counted[0] + 1), 100)
            memory.search(QUERY, user="ana", profile="libra", now=NOW)
            connection.set_progress_handler(None, 0)
            return counted[0]

        before = steps()
        memory.ingest(turns(2000, 6, 2), user="bo")
        assert before > 0
        assert steps() <= 1.2 * before

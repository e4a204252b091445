"""The stored tiers of a Matryoshka model: derived, checked, made again when they are missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.math.cascade import tier_vectors
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite import SQLiteStore, tiers
from aforesaid.testing.samples import fill, make_record, random_vectors
from aforesaid.types import Filter, Turn

ROWS = StoreRows(synchronous="normal", segment_rows=16)
ALL = Filter()


class Nested(HashEmbedder):
    """It claims that its prefixes are vectors of their own."""

    matryoshka = True


def widths(store: SQLiteStore) -> list[tuple[int, int]]:
    return store._database.rows("SELECT segment, width FROM segment_tiers ORDER BY segment, width")


def search(store: SQLiteStore, width: int = 4) -> list[tuple[str, float]]:
    found = store.vector_search(random_vectors(1, seed=3)[0], ALL, 60, prefix=width)
    return [(hit.key, hit.score) for hit in found]


def test_tiers_are_stored_for_full_segments_and_follow_their_vectors(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "m.db", ROWS)
    store.add_space("test", 8)
    store.keep_tiers("test", (2, 4))
    vectors = random_vectors(40)
    keys = fill(store, [make_record(str(i)) for i in range(40)], vectors)
    assert widths(store) == [(1, 2), (1, 4), (2, 2), (2, 4)], "the third segment is still growing"
    assert store.maintenance.verify() == []
    gone = tier_vectors(vectors[3], 4).tobytes()
    assert gone in (tmp_path / "m.db").read_bytes() + (tmp_path / "m.db-wal").read_bytes()
    store.delete(keys[3:4])
    assert widths(store) == [(2, 2), (2, 4)]
    store.close()
    assert gone not in (tmp_path / "m.db").read_bytes(), "a deleted vector leaves no prefix behind"


def test_missing_and_damaged_tiers_are_cut_and_stored_again(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    plain = SQLiteStore(path, ROWS)
    fill(plain, [make_record(str(i)) for i in range(48)], random_vectors(48))
    expected = search(plain)
    plain.close()
    store = SQLiteStore(path, ROWS)
    assert widths(store) == []
    store.keep_tiers("test", (4,))
    assert widths(store) == [(1, 4), (2, 4), (3, 4)]
    with store._database.transaction() as connection:
        connection.execute("UPDATE segment_tiers SET data = zeroblob(length(data)) WHERE segment = 1")
        connection.execute("UPDATE segment_tiers SET version = version - 1 WHERE segment = 2")
    store.close()
    store = SQLiteStore(path, ROWS)
    assert search(store) == expected
    assert {(problem.where, problem.mended) for problem in store.maintenance.verify(repair=True)} == {
        ("segment 1", True),
        ("segment 2", True),
    }
    store.keep_tiers("test", (4,))
    assert search(store) == expected
    assert len(widths(store)) == 3
    assert store.maintenance.verify() == []


def test_a_stored_tier_is_what_search_reads(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "m.db", ROWS)
    fill(store, [make_record(str(i)) for i in range(16)], random_vectors(16))
    store.keep_tiers("test", (4,))
    before = search(store)
    [segments] = store.all_segments()
    [segment] = segments.all_segments()
    turned = -tier_vectors(segments.read_segment(segment)[1], 4)
    with store._database.transaction() as connection:
        sql = "UPDATE segment_tiers SET data = ?, checksum = ?"
        connection.execute(sql, (turned.tobytes(), tiers.zlib.crc32(turned.tobytes())))
    store.close()
    found = search(SQLiteStore(tmp_path / "m.db", ROWS))
    assert np.allclose([score for _, score in found], [-score for _, score in before[::-1]], atol=1e-6)


def test_opening_makes_a_bounded_number_and_goes_on_the_next_time(tmp_path: Path) -> None:
    path, count = tmp_path / "m.db", tiers.AT_OPEN + 3
    store = SQLiteStore(path, ROWS)
    fill(store, [make_record(str(i)) for i in range(16 * count)], random_vectors(16 * count))
    store.keep_tiers("test", (4,))
    assert len(widths(store)) == tiers.AT_OPEN
    store.keep_tiers("test", (4,))
    assert len(widths(store)) == count


def test_only_models_with_tiers_store_them(tmp_path: Path) -> None:
    settings = Settings().changed({"store.segment_rows": 16, "cascade.tier1_dimensions": 8}, "test")
    turns = [Turn(f"t{i}", "s", "user", f"Number {i} is odd.") for i in range(20)]
    for embedder, expected in ((HashEmbedder(64), 0), (Nested(64), 1)):
        path = tmp_path / f"{type(embedder).__name__}.db"
        with Memory.open(path, embedder=embedder, settings=settings) as memory:
            memory.ingest(turns, user="ana")
        with Memory.open(path, embedder=embedder, settings=settings) as memory:
            assert isinstance(memory.store, SQLiteStore)
            assert len(widths(memory.store)) == expected, embedder

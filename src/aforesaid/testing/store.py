"""The store contract as a test suite. Every backend runs it.

To test a backend, subclass `StoreContract` in a test module and add a `store` fixture that returns an empty store:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            return MyStore()

If your backend differs on purpose, override the test with a skip that gives the reason. `store.memory.DictStore` is
the simplest implementation that passes.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from aforesaid.errors import DimensionError, InputError
from aforesaid.math.vectors import Vectors
from aforesaid.store.protocols import Access, Glance, Slot, Store, Surroundings, ValueKind
from aforesaid.testing.log import LogContract
from aforesaid.text.analyze import query_terms
from aforesaid.types import Edge, Filter, GateDecision, Provenance, Record

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ALL = Filter(echoes=True)


def make_record(id: str, text: str = "the quick brown fox", **fields: Any) -> Record:  # noqa: A002
    """A turn with default fields; pass others by name."""
    fields.setdefault("kind", "turn")
    fields.setdefault("time", NOON)
    return Record(id=id, text=text, **fields)


def random_vectors(count: int, dimensions: int = 8, seed: int = 7) -> Vectors:
    """Random unit vectors, one per row."""
    matrix = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def fill(store: Store, records: list[Record], vectors: Vectors | None = None) -> list[str]:
    """Store records, with vectors if given (in a space named `test`), and return their keys."""
    store.put(records)
    keys = [record.key for record in records]
    if vectors is not None:
        store.add_space("test", vectors.shape[1])
        store.put_vectors(keys, vectors)
    return keys


class StoreContract(LogContract):
    """Records, filters, text search, vectors, edges, settings and transactions. Inherits the tests of the event log."""

    # Records

    def test_every_field_survives_a_round_trip(self, store: Store) -> None:
        record = Record(
            id="r/1 ✓", kind="claim", text="日本語 and\nlines\x00\t", time=NOON.replace(microsecond=123_457),
            tenant="t", scope="project", user="ana", project="p", session="s", agent="a", role="Ana", bundle="b",
            boundary="pii", durable=True, valid_from=NOON, valid_to=NOON + DAY, updated=NOON, echo_of="x",
            claim_type="preference", memory_type="norm", confidence=0.25, utility=-0.5,
            provenance=Provenance("ana", "said", ("t1",), "a.md", (3, 9), "abc", "https://example.org"),
            gate=GateDecision("admit", 0.5, 0.35, {"G": 0.5}, "G=0.50>=0.35"),
            redactions=("jwt",), meta={"tags": ["x", {"y": None}]},
        )  # fmt: skip
        store.put([record])
        assert store.get([record.key]) == [record]

    def test_get_keeps_the_requested_order_and_skips_unknown_keys(self, store: Store) -> None:
        keys = fill(store, [make_record("a"), make_record("b"), make_record("c")])
        found = store.get([keys[2], "nobody", keys[0]])
        assert [record.id for record in found] == ["c", "a"]

    def test_same_id_with_another_owner_is_another_record(self, store: Store) -> None:
        fill(
            store,
            [make_record("1", user="ana"), make_record("1", user="bo"), make_record("1", user="ana", session="s")],
        )
        assert store.count(ALL) == 3

    def test_put_is_idempotent(self, store: Store) -> None:
        record = make_record("a")
        store.put([record, record])
        store.put([record])
        assert store.count(ALL) == 1
        assert len(store.text_search(["fox"], ALL, 10)) == 1

    def test_put_replaces_text_terms_and_vector(self, store: Store) -> None:
        fill(store, [make_record("a")], random_vectors(1))
        store.put([make_record("a", text="a lazy dog")])
        assert [record.text for record in store.find(ALL)] == ["a lazy dog"]
        assert store.text_search(["fox"], ALL, 10) == []
        assert len(store.text_search(["lazi"], ALL, 10)) == 1
        assert store.coverage(ALL) == (1, 1), "the vector of the old text is dropped"

    def test_put_with_the_same_text_keeps_the_vector(self, store: Store) -> None:
        [key] = fill(store, [make_record("a")], random_vectors(1))
        store.put([make_record("a", utility=0.5)])
        assert store.vectors([key]).keys() == {key}

    def test_search_follows_a_change_of_owner(self, store: Store) -> None:
        fill(store, [make_record("a", user="ana", project="p")])
        store.put([make_record("a", user="ana", project="p", scope="project")])
        assert store.text_search(["fox"], Filter(owners=("user:ana",)), 5) == []
        assert len(store.text_search(["fox"], Filter(owners=("project:p",)), 5)) == 1

    def test_find_orders_by_time_then_insertion(self, store: Store) -> None:
        fill(store, [make_record("b", time=NOON + DAY), make_record("a"), make_record("c")])
        assert [record.id for record in store.find(ALL)] == ["a", "c", "b"]
        assert [record.id for record in store.find(ALL, order="newest")] == ["b", "c", "a"]
        assert [record.id for record in store.find(ALL, limit=1, offset=1)] == ["c"]

    def test_glances_return_the_short_form_of_a_record(self, store: Store) -> None:
        (key,) = fill(store, [make_record("a", "hello\x00 there", session="s", role="Ana", time=NOON)])
        assert store.glances([key, "nobody"]) == {key: Glance(key, "s", "Ana", NOON, "hello\x00 there")}

    def test_marks_change_with_the_record(self, store: Store) -> None:
        a, b, c, d = fill(store, [make_record(id, user="ana") for id in "abc"] + [make_record("d", tenant="t")])  # noqa: A001
        before = store.fingerprints(ALL)
        assert before.keys() == {a, b, c} and store.fingerprints(ALL) == before
        store.put([make_record("a", user="ana"), make_record("b", user="ana", utility=0.5)])
        store.delete([c])
        after = store.fingerprints(ALL)
        assert after.keys() == {a, b} and after[a] == before[a] and after[b] != before[b]
        assert store.fingerprints(Filter(tenant="t")).keys() == {d}

    def test_update_access_changes_only_the_access_fields(self, store: Store) -> None:
        tight = Access("pii", "policy: not eve", NOON + DAY)
        fields = {"user": "ana", "session": "s", "meta": {"n": float("inf"), "日": None}, "states": ("home",)}
        record = make_record("a", "hello\x00 there", **fields)
        [key] = fill(store, [record], random_vectors(1))
        store.update_access({key: tight, "nobody": tight})
        changed = replace(record, boundary="pii", withheld="policy: not eve", expires=NOON + DAY)
        assert store.get([key]) == [changed]
        assert store.vectors([key]).keys() == {key}
        assert store.find(ALL) == [] and store.count(replace(ALL, withheld=True)) == 1
        assert store.count(replace(ALL, withheld=True, alive_at=NOON + DAY)) == 0
        assert store.count(replace(ALL, withheld=True, boundaries=("internal",))) == 0
        store.update_access({key: Access("internal", "", None)})
        assert store.get([key]) == [record] and store.find(ALL) == [record]
        assert store.maintenance.verify() == []

    def test_around_returns_neighbours_of_the_same_session_owner_and_kind(self, store: Store) -> None:
        turns = [make_record(str(i), session="s", user="ana", time=NOON + DAY * (i // 3)) for i in range(7)]
        others = [
            make_record("other session", session="t", user="ana"),
            make_record("other owner", session="s", user="bo"),
            make_record("other kind", session="s", user="ana", kind="summary"),
            make_record("no session", user="ana"),
        ]
        keys = fill(store, [*turns[:4], *others, *turns[4:]])
        at = {record.id: key for record, key in zip([*turns[:4], *others, *turns[4:]], keys, strict=True)}

        found = store.around([at["3"], at["0"], at["no session"], "nobody"], ALL, 2)
        assert found == {
            at["3"]: Surroundings((at["2"], at["1"]), (at["4"], at["5"])),
            at["0"]: Surroundings((), (at["1"], at["2"])),
        }
        assert store.around([at["6"]], ALL, 9)[at["6"]].before == tuple(at[i] for i in "543210")
        assert store.around([at["3"]], ALL, 0) == {}

    def test_around_applies_the_filter(self, store: Store) -> None:
        roles = ["user", "assistant", "user", "assistant", "user"]
        records = [make_record(str(i), session="s", role=role) for i, role in enumerate(roles)]
        keys = fill(store, records)
        fill(store, [make_record("namesake", session="s", tenant="else")])
        found = store.around([keys[2]], Filter(roles=("user",), exclude=(keys[4],)), 2)
        assert found == {keys[2]: Surroundings((keys[0],), ())}
        assert store.around([keys[2]], Filter(tenant="else", echoes=True), 2) == {}

    def test_delete_removes_terms_vectors_and_edges(self, store: Store) -> None:
        a, b = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
        store.link([Edge(a, b, "hop", NOON)])
        assert store.delete([a, "nobody"]) == 1
        assert store.get([a]) == []
        assert [found.key for found in store.text_search(["fox"], ALL, 5)] == [b]
        assert [found.key for found in store.vector_search(random_vectors(1)[0], ALL, 5)] == [b]
        assert store.edges([b], incoming=True) == []
        assert store.coverage(ALL) == (1, 0)

    # Filters: `find`, `count` and both searches apply them in the same way

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (Filter(), "abcdefgh"),
            (Filter(tenant="other"), "z"),
            (Filter(tenant="nobody"), ""),
            (Filter(echoes=True), "abcdefgh!"),
            (Filter(owners=("user:ana",)), "abef"),
            (Filter(owners=("user:ana", "project:p", "global")), "abcdef"),
            (Filter(owners=()), ""),
            (Filter(scopes=("global",)), "d"),
            (Filter(kinds=("claim", "summary")), "cd"),
            (Filter(kinds=()), ""),
            (Filter(sessions=("s1",)), "ag"),
            (Filter(roles=("assistant",)), "b"),
            (Filter(ids=("a", "z")), "a"),
            (Filter(boundaries=("public", "internal")), "abcdegh"),
            (Filter(valid_at=NOON), "abcdfgh"),
            (Filter(valid_at=NOON - DAY), "abcdefgh"),
            (Filter(valid_at=NOON - 3 * DAY), "abcdfg"),
            (Filter(since=NOON), "abcefgh"),
            (Filter(until=NOON - DAY), "d"),
            (Filter(durable=True), "c"),
            (Filter(durable=False, kinds=("turn",)), "abefgh"),
            (Filter(namespace="session:s1"), "g"),
            (Filter(keys=(make_record("a", user="ana", session="s1", scope="session", role="user").key, "no")), "a"),
            (Filter(keys=()), ""),
            (Filter(states=("speaker|home", "no")), "b"),
            (Filter(states=()), ""),
            (Filter(purpose="tool:mail"), "abcdeg"),
            (Filter(purpose="answer"), "abcdefg"),
            (Filter(purpose="other"), "abcdeg"),
            (Filter(alive_at=NOON), "abcdefh"),
            (Filter(alive_at=NOON - DAY), "abcdefgh"),
            (Filter(withheld=True, owners=("user:bo",)), "hx"),
        ],
    )
    def test_every_read_applies_the_same_filter(self, store: Store, where: Filter, expected: str) -> None:
        records = [
            make_record("a", user="ana", session="s1", scope="session", role="user"),
            make_record(
                "b", user="ana", session="s2", scope="session", role="assistant", states=("speaker|home", "it|at")
            ),
            make_record("c", user="ana", project="p", scope="project", kind="claim", durable=True),
            make_record("d", scope="global", kind="summary", time=NOON - 2 * DAY),
            make_record("e", user="ana", valid_from=NOON - 2 * DAY, valid_to=NOON),
            make_record("f", user="ana", boundary="secret", allow=("ans*", "tool:contact-?")),
            make_record("g", session="s1", scope="session", expires=NOON),
            make_record("h", user="bo", valid_from=NOON - 2 * DAY, allow=("Answer", "")),
            make_record("x", user="bo", withheld="an invariant"),
            make_record("!", user="bo", echo_of="h"),
            make_record("z", tenant="other", user="ana"),
        ]
        fill(store, records, random_vectors(len(records)))
        names = {record.key: record.id for record in records}
        assert sorted(record.id for record in store.find(where)) == sorted(expected)
        assert store.count(where) == len(expected)
        whole = Filter(where.tenant, where.owners, echoes=True, withheld=True)
        seen = replace(
            whole, boundaries=where.boundaries, purpose=where.purpose, alive_at=where.alive_at, withheld=where.withheld
        )
        assert store.count_hidden(where) == store.count(whole) - store.count(seen)
        assert sorted(names[hit.key] for hit in store.text_search(["fox"], where, 20)) == sorted(expected)
        assert sorted(names[hit.key] for hit in store.vector_search(random_vectors(1)[0], where, 20)) == sorted(
            expected
        )

    def test_searches_skip_excluded_keys(self, store: Store) -> None:
        a, b = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
        where = Filter(exclude=(a,))
        assert [hit.key for hit in store.text_search(["fox"], where, 5)] == [b]
        assert [hit.key for hit in store.vector_search(random_vectors(1)[0], where, 5)] == [b]

    def test_hidden_records_do_not_use_up_the_limit(self, store: Store) -> None:
        """All the best matches are hidden. The search still fills its limit with visible records."""
        hidden = [make_record(f"h{i}", text="fox fox fox", user="bo") for i in range(400)]
        shown = [make_record(f"s{i}", text=f"a fox and {i} other words here", user="ana") for i in range(5)]
        late = [make_record(f"x{i}", text="fox fox fox", user="ana", boundary="secret") for i in range(400)]
        query = random_vectors(1)[0]
        vectors = np.concatenate([np.tile(query, (400, 1)), random_vectors(5, seed=3), np.tile(query, (400, 1))])
        keys = fill(store, [*hidden, *shown, *late], vectors)
        where = Filter(owners=("user:ana",), boundaries=("internal",))
        for found in (store.text_search(["fox"], where, 3), store.vector_search(query, where, 3)):
            assert len(found) == 3
            assert {hit.key for hit in found} <= set(keys[400:405])

    # Text search

    def test_text_search_ranks_by_bm25(self, store: Store) -> None:
        texts = ["lisbon lisbon", "lisbon is warm in may", "porto is warm", "nothing of the kind", "at all", "really"]
        keys = fill(store, [make_record(str(i), text=text) for i, text in enumerate(texts)])
        found = store.text_search(query_terms("warm Lisbon"), ALL, 10)
        assert [hit.key for hit in found] == [keys[1], keys[0], keys[2]]
        # By hand: N = 6, mean length 23/6 (the owner counts as a term), both words occur in n = 2 records.
        idf = np.log(4.5 / 2.5)
        assert found[2].score == pytest.approx(idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 4 / (23 / 6))), rel=1e-6)

    def test_a_repeated_query_term_counts_repeatedly(self, store: Store) -> None:
        fill(store, [make_record("a", "apple stone"), make_record("b", "pear stone"), make_record("c", "plum")])
        ones = {hit.key: hit.score for hit in store.text_search(["appl", "pear"], ALL, 5)}
        best, other = store.text_search(["appl", "pear", "appl"], ALL, 5)
        assert best.score == pytest.approx(2 * ones[best.key])
        assert other.score == pytest.approx(ones[other.key])

    def test_ties_keep_insertion_order(self, store: Store) -> None:
        keys = fill(store, [make_record(str(i)) for i in range(9)], np.tile(random_vectors(1), (9, 1)))
        assert [hit.key for hit in store.text_search(["fox"], ALL, 4)] == keys[:4]
        assert [hit.key for hit in store.vector_search(random_vectors(1)[0], ALL, 4)] == keys[:4]

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("Ana moved to Lisbon", "who moves to LISBON?"),
            ("京都のアパートを借りました", "京都のアパート"),
            ("うちの猫はフィゴです", "猫"),
            ("Café crème brûlée", "cafe creme"),
            ("ＦＵＬＬ width", "full"),
            ("see openclaw.json for SQLITE_BUSY", "openclaw.json"),
            ("see openclaw.json for SQLITE_BUSY", "sqlite_busy"),
            ("Mara's sister", "mara"),
            ("서울에서 만나요", "서울"),
            ("Привет, Москва", "москва"),
        ],
    )
    def test_text_search_works_in_any_script(self, store: Store, text: str, query: str) -> None:
        keys = fill(store, [make_record("x", text=text), make_record("y", text="something else entirely")])
        assert [hit.key for hit in store.text_search(query_terms(query), ALL, 5)] == keys[:1]

    @pytest.mark.parametrize(
        "query",
        ['"', "a AND", "NEAR(", "text:x OR owner:o1", "*", "^fox", "fox*", "-fox", "'; DROP TABLE records; --", "\x00",
         "(" * 500, "{a b}:c", "o1", "\ud800", "🦊", "%", "\\", "", "NOT", "{", "+", "fox" * 10_000],
    )  # fmt: skip
    def test_no_query_string_breaks_the_search(self, store: Store, query: str) -> None:
        fill(store, [make_record("a"), make_record("b", user="bo")])
        store.text_search(query_terms(query), Filter(owners=("user:bo",)), 5)
        assert store.count(ALL) == 2

    # Vector search

    def test_vector_search_returns_the_exact_nearest(self, store: Store) -> None:
        vectors = random_vectors(300)
        keys = fill(store, [make_record(str(i)) for i in range(300)], vectors)
        query = random_vectors(1, seed=99)[0]
        best = np.argsort(-(vectors @ query), kind="stable")[:10]
        found = store.vector_search(query * 3, ALL, 10)
        assert [hit.key for hit in found] == [keys[i] for i in best]
        assert [hit.score for hit in found] == pytest.approx((vectors @ query)[best].tolist(), abs=1e-5)

    def test_vector_search_on_a_prefix_of_the_dimensions(self, store: Store) -> None:
        vectors = random_vectors(100)
        vectors[3] = [0, 0, 0, 0, 0, 0, 0, 1]
        keys = fill(store, [make_record(str(i)) for i in range(100)], vectors)
        query = random_vectors(1, seed=11)[0]
        short = vectors[:, :3] / np.maximum(np.linalg.norm(vectors[:, :3], axis=1, keepdims=True), 1e-12)
        truth = short @ (query[:3] / np.linalg.norm(query[:3]))
        found = store.vector_search(query, ALL, 100, prefix=3)
        assert [hit.key for hit in found[:5]] == [keys[i] for i in np.argsort(-truth, kind="stable")[:5]]
        assert {hit.key: hit.score for hit in found}[keys[3]] == 0, "a zero prefix is similar to nothing"

    def test_vector_search_many_equals_single_searches(self, store: Store) -> None:
        records = [make_record(str(i), durable=i % 3 == 0, user="ana" if i % 2 else "bo") for i in range(200)]
        fill(store, records, random_vectors(200))
        queries = random_vectors(9, seed=42)
        for where in (ALL, Filter(durable=True), Filter(owners=("user:ana",), durable=True), Filter(kinds=("claim",))):
            found = store.vector_search_many(queries, where, 7)
            for query, hits in zip(queries, found, strict=True):
                expected = store.vector_search(query, where, 7)
                assert [hit.key for hit in hits] == [hit.key for hit in expected]
                assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=1e-5)

    def test_put_vectors_replaces(self, store: Store) -> None:
        [key] = fill(store, [make_record("a")], random_vectors(1))
        other = random_vectors(1, seed=1)
        store.put_vectors([key], other)
        assert store.vectors([key])[key] == pytest.approx(other[0], abs=1e-6)
        assert store.coverage(ALL) == (1, 0)

    def test_passages_live_as_long_as_their_vector(self, store: Store) -> None:
        a, b = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
        assert store.passages([a, b]) == {}
        store.put_vectors(
            [a, "nobody"], random_vectors(2), passages={a: random_vectors(3, seed=5), "nobody": random_vectors(1)}
        )
        found = store.passages([b, a, "nobody"])
        assert list(found) == [a]
        assert found[a] == pytest.approx(random_vectors(3, seed=5), abs=1e-3)
        with pytest.raises(DimensionError):
            store.put_vectors([a], random_vectors(1), passages={a: random_vectors(1, 9)})
        assert len(store.passages([a])[a]) == 3
        store.put_vectors([a], random_vectors(1))
        assert store.passages([a]) == {}
        store.put_vectors([a, b], random_vectors(2), passages={b: random_vectors(1), a: random_vectors(0)})
        assert list(store.passages([a, b])) == [b]
        store.put([make_record("b", text="quite other words")])
        assert store.passages([b]) == {}, "they belonged to the old text"
        store.put_vectors([b], random_vectors(1), passages={b: random_vectors(1)})
        store.delete([b])
        assert store.passages([a, b]) == {}
        assert store.maintenance.verify() == []

    def test_a_zero_vector_is_allowed_and_scores_zero(self, store: Store) -> None:
        fill(store, [make_record("a")], np.zeros((1, 8), dtype=np.float32))
        assert store.vector_search(random_vectors(1)[0], ALL, 1)[0].score == 0

    @pytest.mark.parametrize(
        "bad", [np.ones((1, 9)), np.full((1, 8), np.nan), np.full((1, 8), np.inf), np.ones((2, 8))]
    )
    def test_bad_vectors_are_rejected_and_change_nothing(self, store: Store, bad: Vectors) -> None:
        [key] = fill(store, [make_record("a")], random_vectors(1))
        with pytest.raises(DimensionError):
            store.put_vectors([key], bad)
        with pytest.raises(DimensionError):
            store.vector_search(bad[0][:7], ALL, 3)
        assert store.vectors([key])[key] == pytest.approx(random_vectors(1)[0], abs=1e-6)

    def test_vectors_of_unknown_records_are_ignored(self, store: Store) -> None:
        [key] = fill(store, [make_record("a")], random_vectors(1))
        store.put_vectors(["nobody", key], random_vectors(2))
        assert store.coverage(ALL) == (1, 0)

    def test_pending_and_coverage(self, store: Store) -> None:
        keys = fill(store, [make_record("a"), make_record("b"), make_record("c", user="bo")])
        assert store.coverage(ALL) == (3, 3)
        store.add_space("test", 8)
        store.put_vectors(keys[:1], random_vectors(1))
        assert [record.id for record in store.pending(ALL, 10)] == ["b", "c"]
        assert store.coverage(Filter(owners=("user:bo",))) == (1, 1)

    def test_a_second_space_fills_up_and_then_replaces_the_first(self, store: Store) -> None:
        keys = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
        store.add_space("new", 4)
        assert [space.name for space in store.spaces()] == ["test", "new"]
        store.put_vectors(keys[:1], random_vectors(1), passages={keys[0]: random_vectors(2)})
        assert len(store.pending(ALL, 10, "new")) == 2
        store.put_vectors(keys, random_vectors(2, 4), "new")
        assert len(store.vector_search(random_vectors(1)[0], ALL, 5)) == 2, "the old space is still searched"
        store.activate_space("new")
        assert [(space.name, space.active) for space in store.spaces()] == [("new", True)]
        assert store.vector_search(random_vectors(1, 4)[0], ALL, 1)[0].key == keys[0]
        with pytest.raises(InputError):
            store.activate_space("test")
        with pytest.raises(DimensionError):
            store.add_space("new", 5)

    def test_vector_search_without_a_space_is_empty(self, store: Store) -> None:
        fill(store, [make_record("a")])
        assert store.vector_search(random_vectors(1)[0], ALL, 5) == []
        assert store.vectors(["a"]) == {}

    # Edges and settings (events are tested in LogContract)

    def test_edges_are_unique_and_readable_from_both_ends(self, store: Store) -> None:
        a, b = fill(store, [make_record("a"), make_record("b")])
        edge = Edge(a, b, "covers", NOON)
        store.link([edge, edge, Edge(a, "nobody", "covers", NOON)])
        assert store.edges([a]) == [edge] == store.edges([b], incoming=True)
        assert store.edges([b]) == []

    def test_values_are_kept_by_slot(self, store: Store) -> None:
        slot = Slot(ValueKind.DOCUMENT, "default", "user:ana", "AGENTS.md")
        store.values.put(slot, "1")
        store.values.put(slot, "2")
        assert store.values.get(slot) == "2"
        assert store.values.get(replace(slot, owner="user:bob")) is None
        store.values.drop(slot)
        store.values.drop(slot)
        assert store.values.get(slot) is None

    def test_values_are_listed_by_kind_tenant_owner_and_prefix(self, store: Store) -> None:
        kind, other = ValueKind.NOTES_FILE, ValueKind.CONTEXT
        places = [("a", "user:ana", "notes/1"), ("a", "user:ana", "notes/2"), ("a", "user:ana", "x")]
        places += [("a", "user:bob", "notes/1"), ("b", "user:ana", "notes/1")]
        slots = [*(Slot(kind, *place) for place in places), Slot(other, "a", "user:ana", "c")]
        for slot in reversed(slots):
            store.values.put(slot, slot.name)
        assert list(store.values.items(kind, "a")) == slots[:4]
        assert list(store.values.items(kind, "a", "user:ana")) == slots[:3]
        assert store.values.items(kind, "a", "user:ana", "notes/") == {slots[0]: "notes/1", slots[1]: "notes/2"}
        assert store.values.drop_owner("a", "user:ana") == 4
        assert [*store.values.items(kind, "a"), *store.values.items(other, "a")] == [slots[3]]
        assert list(store.values.items(kind, "b")) == [slots[4]]

    # Transactions, statistics, deletion

    def test_a_failed_transaction_changes_nothing(self, store: Store) -> None:
        fill(store, [make_record("a")], random_vectors(1))
        with pytest.raises(RuntimeError), store.transaction():
            store.put([make_record("b", text="unlucky")])
            store.put_vectors([make_record("b").key], random_vectors(1))
            with store.transaction():
                store.delete([make_record("a").key])
            raise RuntimeError("stop")
        assert [record.id for record in store.find(ALL)] == ["a"]
        assert store.text_search(["unlucki"], ALL, 5) == []
        assert store.coverage(ALL) == (1, 0)
        assert store.maintenance.verify() == []

    def test_a_failed_transaction_leaves_nothing_in_caches(self, store: Store) -> None:
        [key] = fill(store, [make_record("a")], np.eye(1, 4, dtype=np.float32))
        other, third = np.eye(2, 4, 1, dtype=np.float32)
        with pytest.raises(RuntimeError), store.transaction():
            store.put_vectors([key], other.reshape(1, -1))
            assert store.vector_search(other, ALL, 1)[0].score == pytest.approx(1)
            raise RuntimeError("stop")
        store.put_vectors([key], third.reshape(1, -1))
        assert store.vector_search(third, ALL, 1)[0].score == pytest.approx(1)
        assert store.vector_search(other, ALL, 1)[0].score == pytest.approx(0)

    def test_reads_inside_a_transaction_see_its_writes(self, store: Store) -> None:
        with store.transaction():
            fill(store, [make_record("a")], random_vectors(1))
            assert len(store.text_search(["fox"], ALL, 5)) == 1
            assert len(store.vector_search(random_vectors(1)[0], ALL, 5)) == 1

    def test_stats_and_tenants(self, store: Store) -> None:
        a, b, _ = fill(store, [make_record("a"), make_record("b", kind="claim"), make_record("c", tenant="t2")])
        store.link([Edge(a, b, "hop", NOON)])
        stats = store.maintenance.stats("default")
        assert (stats.records, dict(stats.kinds), stats.edges, stats.pending) == (2, {"claim": 1, "turn": 1}, 1, 2)
        assert store.tenants() == ["default", "t2"]
        assert store.maintenance.verify() == []

    def test_deleting_among_many_owners_loses_no_other_record(self, store: Store) -> None:
        """Storage blocks grow, split and shrink here."""
        records = [make_record(str(i), user=f"u{i % 7}") for i in range(700)]
        vectors = random_vectors(700)
        keys = fill(store, records, vectors)
        store.delete(keys[::3])
        kept = [i for i in range(700) if i % 3]
        for user in range(7):
            mine = [i for i in kept if i % 7 == user]
            found = store.vector_search(vectors[mine[0]], Filter(owners=(f"user:u{user}",)), len(mine) + 5)
            assert {hit.key for hit in found} == {keys[i] for i in mine}
            assert found[0].key == keys[mine[0]]
        assert store.coverage(ALL) == (len(kept), 0)
        assert store.maintenance.verify() == []

    def test_an_owner_disappears_with_its_last_record(self, store: Store) -> None:
        first, second = fill(store, [make_record("a", user="ana"), make_record("b", tenant="t2")], random_vectors(2))
        store.delete([second])
        assert store.tenants() == ["default"]
        [third] = fill(store, [make_record("c", user="cleo")], random_vectors(1, seed=9))
        store.delete([first])
        assert [hit.key for hit in store.text_search(["fox"], ALL, 5)] == [third]
        assert [hit.key for hit in store.vector_search(random_vectors(1)[0], ALL, 5)] == [third]
        assert store.maintenance.verify() == []

    def test_echoes_of_finds_repetitions_by_original_id(self, store: Store) -> None:
        echo = make_record("b", echo_of="a")
        fill(store, [make_record("a"), echo, make_record("c", echo_of="x"), make_record("d", echo_of="a", tenant="t2")])
        assert store.echoes_of("default", ["a", "nobody"]) == [echo]
        assert store.echoes_of("default", []) == []

    def test_scan_finds_no_trace_of_deleted_records(self, store: Store) -> None:
        [key, _] = fill(store, [make_record("a", "the boat that sank in the harbour"), make_record("b")])
        store.delete([key])
        looked = store.maintenance.scan({key.encode(): "key", b"the boat that sank": "text"})
        assert (looked.needles, looked.found) == (2, ())
        assert store.maintenance.copies() == []

    def test_valid_to_hides_a_record_afterwards(self, store: Store) -> None:
        record = make_record("a", user="ana")
        fill(store, [record], random_vectors(1))
        store.put([replace(record, valid_to=NOON)])
        now = Filter(valid_at=NOON + DAY)
        assert store.find(now) == []
        assert store.text_search(["fox"], now, 3) == []
        assert store.vector_search(random_vectors(1)[0], now, 3) == []
        assert len(store.find(Filter(valid_at=NOON - DAY))) == 1

"""Store contract: vectors, sentence vectors and vector spaces."""

from __future__ import annotations

import numpy as np
import pytest

from aforesaid.errors import DimensionError, InputError
from aforesaid.math.vectors import Vectors
from aforesaid.store.protocols import Store
from aforesaid.testing.samples import ALL, fill, make_record, random_vectors
from aforesaid.types import Filter, Scored


class VectorContract:
    """Tests of vector search and of the spaces that hold the vectors."""

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
        longer = store.vector_search(query, ALL, 100, prefix=3, epsilon=0.5)
        lengths = np.linalg.norm(vectors[:, :3], axis=1)
        shrunk = truth * lengths / np.hypot(lengths, 0.5) * (1 / np.hypot(1, 0.5 / np.linalg.norm(query[:3])))
        assert [hit.score for hit in longer] == pytest.approx(np.sort(shrunk)[::-1].tolist(), abs=1e-5)

    def test_prefixes_are_never_older_than_their_vectors(self, store: Store) -> None:
        query, vectors = random_vectors(1, seed=11)[0], random_vectors(40)
        keys = fill(store, [make_record(str(i)) for i in range(40)], vectors)

        def check(last: int) -> None:
            short = vectors[:last, :3] / np.linalg.norm(vectors[:last, :3], axis=1, keepdims=True)
            best = np.argsort(-(short @ query[:3]), kind="stable")
            found = [hit.key for hit in store.vector_search(query, ALL, 100, prefix=3)]
            assert found == [keys[i] for i in best]

        check(40)
        vectors[7] = query
        store.put_vectors([keys[7]], vectors[7:8])
        check(40)
        with pytest.raises(InputError), store.transaction():
            store.put_vectors([keys[9]], query[np.newaxis])
            store.vector_search(query, ALL, 100, prefix=3)
            raise InputError("changed my mind", "")
        check(40)
        store.delete(keys[30:])
        check(30)

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
        store.purge_spaces()
        assert store.maintenance.verify() == []

    def test_each_space_is_read_by_its_name(self, store: Store) -> None:
        old, new = random_vectors(3), random_vectors(3, seed=9)
        keys = fill(store, [make_record("a"), make_record("b"), make_record("c")], old)
        store.add_space("new", 8)
        store.put_vectors(keys[:2], new[:2], "new", passages={keys[0]: new[2:]})
        assert store.vectors(keys[:1], "new")[keys[0]] == pytest.approx(new[0], abs=1e-6)
        assert store.vectors(keys[:1], "test")[keys[0]] == pytest.approx(old[0], abs=1e-6)
        assert store.vectors(keys[:1])[keys[0]] == pytest.approx(old[0], abs=1e-6)
        assert list(store.passages(keys, "new")) == keys[:1]
        assert store.passages(keys, "test") == {}
        assert store.coverage(ALL, "new") == (3, 1)
        assert store.coverage(ALL, "test") == (3, 0)
        [hit] = store.vector_search(new[1], ALL, 1, space="new")
        assert hit.key == keys[1]
        assert hit.score == pytest.approx(1, abs=1e-5)
        assert [[h.key for h in hits] for hits in store.vector_search_many(new[:2], ALL, 1, space="new")] == [
            [keys[0]],
            [keys[1]],
        ]
        store.put([make_record("a", text="other words")])
        store.delete(keys[1:2])
        assert store.vectors(keys, "new") == {}, "changed and deleted records lose their vectors in every space"

    def test_a_space_that_does_not_exist_is_empty(self, store: Store) -> None:
        keys = fill(store, [make_record("a")], random_vectors(1))
        assert store.vector_search(random_vectors(1)[0], ALL, 5, space="other") == []
        assert store.vector_search_many(random_vectors(2), ALL, 5, space="other") == [[], []]
        assert store.vectors(keys, "other") == store.passages(keys, "other") == {}
        assert store.coverage(ALL, "other") == (1, 1)
        assert [record.id for record in store.pending(ALL, 5, "other")] == ["a"]
        with pytest.raises(InputError):
            store.put_vectors(keys, random_vectors(1), "other")

    def test_a_dropped_space_is_gone_at_once_and_may_come_again(self, store: Store) -> None:
        keys = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
        store.add_space("new", 8)
        store.put_vectors(keys, random_vectors(2), "new", passages={keys[0]: random_vectors(2)})
        store.drop_space("new")
        assert store.maintenance.verify() == []
        assert [space.name for space in store.spaces()] == ["test"]
        assert store.vectors(keys, "new") == {}
        store.add_space("new", 4)
        store.put_vectors(keys[:1], random_vectors(1, 4), "new")
        store.purge_spaces()
        assert store.coverage(ALL, "new") == (2, 1)
        assert store.coverage(ALL) == (2, 0)
        for name in ("test", "other"):
            with pytest.raises(InputError):
                store.drop_space(name)
        assert store.maintenance.verify() == []

    def test_tiers_that_are_kept_ready_change_no_result(self, store: Store) -> None:
        vectors, queries = random_vectors(40), random_vectors(3, seed=7)

        def found() -> list[list[Scored]]:
            return [store.vector_search(query, ALL, 40, prefix=width) for query in queries for width in (2, 4, 8)]

        keys = fill(store, [make_record(str(i)) for i in range(40)], vectors)
        before = found()
        store.keep_tiers("test", (2, 4))
        assert found() == before
        store.put_vectors(keys[10:30], vectors[10:30])
        assert found() == before
        store.keep_tiers("other", (2,))
        assert store.maintenance.verify() == []

    def test_one_job_is_done_by_one_caller(self, store: Store) -> None:
        with (
            store.exclusive("reindex") as mine,
            store.exclusive("reindex") as second,
            store.exclusive("other") as third,
        ):
            assert (mine, second, third) == (True, False, True)
        with store.exclusive("reindex") as again:
            assert again

    def test_vector_search_without_a_space_is_empty(self, store: Store) -> None:
        fill(store, [make_record("a")])
        assert store.vector_search(random_vectors(1)[0], ALL, 5) == []
        assert store.vectors(["a"]) == {}

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

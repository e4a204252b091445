"""Store contract: records are written, read, ordered and deleted."""

from __future__ import annotations

from dataclasses import replace

from aforesaid.store.protocols import Access, Glance, Store, Surroundings
from aforesaid.testing.samples import ALL, DAY, NOON, fill, make_record, random_vectors
from aforesaid.types import Edge, Event, EventFilter, Filter, GateDecision, Provenance, Record


class RecordContract:
    """Tests of reading and writing records."""

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

    def test_scan_yields_what_find_returns(self, store: Store) -> None:
        fill(store, [make_record(str(i), time=NOON + DAY * (i % 3)) for i in range(7)])
        fill(store, [make_record("other", tenant="t")])
        assert list(store.scan(ALL)) == store.find(ALL)
        assert list(store.scan(ALL, order="newest")) == store.find(ALL, order="newest")
        assert list(store.scan(Filter(tenant="nobody"))) == []

    def test_a_scan_is_one_state_while_others_write(self, store: Store) -> None:
        keys = fill(store, [make_record(str(i)) for i in range(4)])
        before = store.find(ALL)
        scan = store.scan(ALL)
        found = [next(scan)]
        store.delete(keys[:3])
        store.put([make_record("3", "changed"), make_record("new")])
        assert [*found, *scan] == before
        assert list(store.scan(ALL)) == store.find(ALL) != before

    def test_a_scan_inside_a_transaction_sees_its_writes(self, store: Store) -> None:
        with store.transaction():
            fill(store, [make_record("a")])
            assert [record.id for record in store.scan(ALL)] == ["a"]

    def test_a_frozen_store_stays_as_it_was(self, store: Store) -> None:
        a, b = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
        edge, event = Edge(a, b, "hop", NOON), Event(NOON, "default", "ingest", "s", {})
        store.link([edge])
        store.log.append([event])
        with store.frozen() as still:
            store.delete([a])
            store.log.erase("default", ["s"])
            store.put([make_record("c")])
            assert [record.id for record in still.find(ALL)] == ["a", "b"] == [each.id for each in still.scan(ALL)]
            assert still.vectors([a]).keys() == {a} and still.edges([a]) == [edge]
            assert [found.subject for found in still.log.find(EventFilter("default"))] == ["s"]
            assert len(still.text_search(["fox"], ALL, 5)) == 2
        assert [record.id for record in store.find(ALL)] == ["b", "c"]

    def test_glances_return_the_short_form_of_a_record(self, store: Store) -> None:
        (key,) = fill(store, [make_record("a", "hello\x00 there", session="s", role="Ana", time=NOON)])
        assert store.glances([key, "nobody"]) == {key: Glance(key, "s", "Ana", NOON, "hello\x00 there")}

    def test_fingerprints_change_with_the_record(self, store: Store) -> None:
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
        keys = fill(store, [make_record(str(i), session="s") for i in range(5)])
        fill(store, [make_record("namesake", session="s", tenant="else")])
        found = store.around([keys[2]], Filter(exclude=(keys[1], keys[3], keys[4])), 2)
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

    def test_echoes_of_finds_repetitions_by_original_id(self, store: Store) -> None:
        echo = make_record("b", echo_of="a")
        fill(store, [make_record("a"), echo, make_record("c", echo_of="x"), make_record("d", echo_of="a", tenant="t2")])
        assert store.echoes_of("default", ["a", "nobody"]) == [echo]
        assert store.echoes_of("default", []) == []

    def test_valid_to_hides_a_record_afterwards(self, store: Store) -> None:
        record = make_record("a", user="ana")
        fill(store, [record], random_vectors(1))
        store.put([replace(record, valid_to=NOON)])
        now = Filter(valid_at=NOON + DAY)
        assert store.find(now) == []
        assert store.text_search(["fox"], now, 3) == []
        assert store.vector_search(random_vectors(1)[0], now, 3) == []
        assert len(store.find(Filter(valid_at=NOON - DAY))) == 1

    def test_an_owner_disappears_with_its_last_record(self, store: Store) -> None:
        first, second = fill(store, [make_record("a", user="ana"), make_record("b", tenant="t2")], random_vectors(2))
        store.delete([second])
        assert store.tenants() == ["default"]
        [third] = fill(store, [make_record("c", user="cleo")], random_vectors(1, seed=9))
        store.delete([first])
        assert [hit.key for hit in store.text_search(["fox"], ALL, 5)] == [third]
        assert [hit.key for hit in store.vector_search(random_vectors(1)[0], ALL, 5)] == [third]
        assert store.maintenance.verify() == []

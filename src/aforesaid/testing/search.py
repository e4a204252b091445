"""Store contract: every read applies the same filter, and text search ranks by BM25."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aforesaid.store.memory import best_by_terms
from aforesaid.store.protocols import Store
from aforesaid.testing.samples import ALL, DAY, NOON, fill, make_record, random_vectors
from aforesaid.text.analyze import query_terms
from aforesaid.types import Filter


class SearchContract:
    """Tests of filters and of text search."""

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (Filter(), "abcdefgh"),
            (Filter(tenant="other"), "lrz"),
            (Filter(tenant="other", rules=False), "lz"),
            (Filter(tenant="other", least_dates=1), "rz"),
            (Filter(tenant="other", least_dates=1, most_dates=2), "r"),
            (Filter(tenant="other", most_dates=0), "l"),
            (Filter(tenant="nobody"), ""),
            (Filter(echoes=True), "abcdefgh!"),
            (Filter(owners=("user:ana",)), "abef"),
            (Filter(owners=("user:ana", "project:p", "global")), "abcdef"),
            (Filter(owners=()), ""),
            (Filter(scopes=("global",)), "d"),
            (Filter(kinds=("claim", "summary")), "cd"),
            (Filter(kinds=()), ""),
            (Filter(sessions=("s1",)), "ag"),
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
            (Filter(id_starts="a"), "a"),
            (Filter(id_starts="ab"), ""),
            (Filter(id_starts="A"), ""),
            (Filter(id_starts=""), "abcdefgh"),
            (Filter(key_starts=make_record("c", user="ana", project="p", scope="project").key[:8]), "c"),
            (Filter(key_starts="no"), ""),
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
            make_record("z", tenant="other", user="ana", dates=3),
            make_record("l", tenant="other", kind="node"),
            make_record("r", tenant="other", kind="node", durable=True, dates=2),
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

    def test_the_start_of_an_id_is_taken_literally(self, store: Store) -> None:
        names = ["a*b", "a*", "ab", "a?c", "a[b]", "[a", "a\\b", "é1", "e1", "ÉX", "日本"]
        fill(store, [make_record(name) for name in names], random_vectors(len(names)))
        for start in ("a", "a*", "a*b", "a?", "a[", "[", "a\\", "é", "É", "日", "%", "_", "]"):
            found = {record.id for record in store.find(replace(ALL, id_starts=start))}
            assert found == {name for name in names if name.startswith(start)}

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

    def test_text_search_ranks_by_bm25(self, store: Store) -> None:
        texts = ["lisbon lisbon", "lisbon is warm in may", "porto is warm", "nothing of the kind", "at all", "really"]
        keys = fill(store, [make_record(str(i), text=text) for i, text in enumerate(texts)])
        found = store.text_search(query_terms("warm Lisbon"), ALL, 10)
        assert [hit.key for hit in found] == [keys[1], keys[0], keys[2]]
        # By hand: N = 6, mean length 17/6, both words occur in n = 2 records.
        idf = np.log(1 + 4.5 / 2.5)
        assert found[2].score == pytest.approx(idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / (17 / 6))), rel=1e-9)

    def test_a_term_counts_at_most_63_times(self, store: Store) -> None:
        keys = fill(store, [make_record(str(n), text="fox " * n + "dog " * (100 - n)) for n in (62, 63, 64, 90)])
        found = store.text_search(["fox"], ALL, 10)
        assert [hit.key for hit in found] == [*keys[1:], keys[0]]
        assert len({hit.score for hit in found}) == 2

    def test_term_statistics_are_those_of_the_owners_in_view(self, store: Store) -> None:
        """All records of the filter's owners count, also those that do not pass, and nobody else's."""
        mine = [make_record(f"a{i}", f"zeus {'rides ' * i} a bull", user="ana") for i in range(3)]
        shared = make_record("p", "zeus and the project", project="p", scope="project", boundary="secret")
        other = make_record("o", "zeus zeus bull", user="bo")
        fill(store, [mine[0], shared, other, *mine[1:]])
        words = ["zeus", "bull"]
        for where, counted in [
            (Filter(owners=("user:ana",)), mine),
            (Filter(owners=("user:ana", "project:p"), boundaries=("internal",)), [mine[0], shared, *mine[1:]]),
            (Filter(boundaries=("internal",)), [mine[0], shared, other, *mine[1:]]),
        ]:
            found, expected = store.text_search(words, where, 10), best_by_terms(words, counted, where, 10)
            assert [hit.key for hit in found] == [hit.key for hit in expected]
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], rel=1e-9)

    def test_others_change_no_byte_of_an_answer(self, store: Store) -> None:
        """Another tenant, and another owner of the same tenant, write the same words and vectors."""
        texts = ["zeus rides a bull", "a bull", "zeus", "zeus rides", "europa rides a bull", "nothing"] * 3
        fill(store, [make_record(str(i), text, user="ana") for i, text in enumerate(texts)], random_vectors(len(texts)))
        where = Filter(owners=("user:ana", "global"))

        def answers() -> list[object]:
            query = random_vectors(1, seed=3)[0]
            return [
                *(store.text_search(words, where, 7) for words in (["zeus"], ["bull", "zeus"], ["europa", "rid"])),
                store.vector_search(query, where, 7),
                store.vector_search_many(random_vectors(5, seed=4), where, 7),
                store.find(where),
                store.around([record.key for record in store.find(where)], where, 2),
                store.coverage(where),
                store.count_hidden(where),
                store.count(where),
            ]

        before = answers()
        hostile = [
            make_record(f"{i}", texts[i % len(texts)], user=user, tenant=tenant, withheld="" if i % 2 else "yes")
            for user, tenant in (("ana", "t2"), ("bo", "default"))
            for i in range(250)
        ]
        fill(store, hostile, random_vectors(len(hostile)))
        assert answers() == before
        store.put([make_record("last", "zeus", user="ana")])
        store.delete([record.key for record in hostile])
        store.delete([make_record("last", user="ana").key])
        assert answers() == before

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

    def test_matches_of_terms_count_the_records_of_the_owners_in_view(self, store: Store) -> None:
        texts = {"a": "a red boat", "b": "red and blue", "c": "the boat sank", "d": "nothing here"}
        mine = {name: make_record(name, text=text, user="ana") for name, text in texts.items()}
        other = make_record("z", text="red boat", user="bo")
        store.put([*mine.values(), other])
        asked = query_terms("red boat zebra")
        red, boat, zebra = asked
        found = store.term_matches(asked, [mine["a"].key, mine["d"].key, "no"], Filter(owners=("user:ana",)))
        assert found.records == 4 and dict(found.holders) == {red: 2, boat: 2, zebra: 0}
        assert dict(found.found) == {mine["a"].key: frozenset({red, boat}), mine["d"].key: frozenset()}
        store.delete([mine["b"].key])
        both = store.term_matches(asked, [other.key], Filter(owners=("user:ana", "user:bo")))
        assert both.records == 4 and both.holders[red] == 2 and both.found == {other.key: frozenset({red, boat})}
        assert store.term_matches([], [], Filter(owners=())).records == 0

"""Search: what is seen, in which order, and why."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NOW
from recollect.embed.hashing import HashEmbedder
from recollect.errors import InputError, NotFoundError
from recollect.memory import Memory
from recollect.settings import Settings
from recollect.store.memory import DictStore
from recollect.types import Turn

DAY = timedelta(days=1)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.ingest(
        [
            Turn("t1", "s1", "user", "I moved to Lisbon in May.", NOW - 30 * DAY),
            Turn("t2", "s1", "assistant", "How is Lisbon treating you?", NOW - 30 * DAY),
            Turn("t3", "s2", "user", "The cat is called Figo.", NOW - DAY),
            Turn("t4", "s2", "user", "猫の名前はフィゴです。", NOW - DAY),
        ],
        user="ana",
    )
    memory.ingest([Turn("t1", "s1", "user", "Lisbon is where I keep my boat.", NOW)], user="bo")
    memory.remember("Deployments to Lisbon happen on Fridays.", project="p", scope="project", time=NOW)
    memory.remember("Lisbon time is UTC+1 in summer.", scope="global", time=NOW)
    return memory


def ids(result: object) -> list[str]:
    return [hit.record.id for hit in result]  # type: ignore[attr-defined]


def test_callers_see_their_own_and_what_is_shared(filled: Memory) -> None:
    texts = {hit.record.text for hit in filled.search("Lisbon", user="ana", project="p", limit=20)}
    assert texts >= {"I moved to Lisbon in May.", "Deployments to Lisbon happen on Fridays."}
    assert "Lisbon is where I keep my boat." not in texts
    assert "Deployments to Lisbon happen on Fridays." not in {h.record.text for h in filled.search("Lisbon", user="bo")}
    nobody = filled.search("Lisbon", limit=20)
    assert {hit.record.scope for hit in nobody} == {"global"}
    assert len(filled.for_tenant("other").search("Lisbon", user="ana")) == 0


def test_a_hit_explains_itself(filled: Memory) -> None:
    hit = next(hit for hit in filled.search("who moved to Lisbon", user="ana", now=NOW) if hit.record.id == "t1")
    assert hit.parts["age_days"] == 30
    assert "fts=rank:" in hit.reason
    assert "age=30d" in hit.reason
    alpha = hit.parts["alpha"]
    assert hit.score == pytest.approx(alpha * hit.parts["meaning"] + (1 - alpha) * hit.parts["words"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"session": "s2"}, {"t3", "t4"}),
        ({"scope": "session"}, {"t1", "t2", "t3", "t4"}),
        ({"scope": ["session"], "kinds": ["turn"], "since": NOW - 2 * DAY}, {"t3", "t4"}),
        ({"scope": "session", "until": NOW - 2 * DAY}, {"t1", "t2"}),
        ({"kinds": ["summary"]}, set()),
        ({"scope": "session", "as_of": NOW - 10 * DAY}, {"t1", "t2"}),
        ({"scope": "session", "boundaries": ["public"]}, set()),
    ],
)
def test_filters(filled: Memory, options: dict[str, object], expected: set[str]) -> None:
    assert set(ids(filled.search("Lisbon Figo 猫", user="ana", limit=20, **options))) == expected


def test_japanese_is_found(filled: Memory) -> None:
    assert ids(filled.search("猫の名前は？", user="ana"))[0] == "t4"


def test_pages_follow_one_another(filled: Memory) -> None:
    whole = ids(filled.search("Lisbon cat", user="ana", limit=4))
    assert ids(filled.search("Lisbon cat", user="ana", limit=2)) == whole[:2]
    assert ids(filled.search("Lisbon cat", user="ana", limit=2, offset=2)) == whole[2:]


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0},
        {"offset": -1},
        {"scope": "planet"},
        {"kinds": ["dream"]},
        {"profile": "magic"},
        {"as_of": "one day"},
        {"user": ""},
        {"boundaries": ["top-secret"]},
        {"now": float("inf")},
    ],
)
def test_bad_options_are_refused(filled: Memory, options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        filled.search("Lisbon", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["", "   ", None])
def test_an_empty_query_is_refused(filled: Memory, query: str) -> None:
    with pytest.raises(InputError, match="empty"):
        filled.search(query)


ENDLESS = Memory(DictStore(), HashEmbedder(64), settings=Settings())
ENDLESS.ingest([Turn("t1", "s", "user", "Lisbon, 猫, and other words.")])


@given(st.text(min_size=1))
def test_any_query_gets_an_answer_or_a_typed_error(query: str) -> None:
    try:
        for hit in ENDLESS.search(query):
            assert 0 <= hit.score <= 1
    except InputError:
        assert not query.strip()


def test_the_same_question_gets_the_same_answer(filled: Memory) -> None:
    first, second = (filled.search("Lisbon cat", user="ana", now=NOW) for _ in range(2))
    assert first == second


def test_claims_supersede_and_history_stays(memory: Memory) -> None:
    old = memory.remember("My manager is Ines.", user="ana", time=NOW - 10 * DAY)
    new = memory.remember("My manager is Jonas.", user="ana", time=NOW - DAY, supersedes=old.id)
    assert ids(memory.search("manager", user="ana")) == [new.id]
    assert ids(memory.search("manager", user="ana", as_of=NOW - 5 * DAY)) == [old.id]
    assert memory.get(old.id, user="ana").valid_to == NOW - DAY
    assert [record.id for record in memory.list(user="ana")] == [new.id]
    assert len(memory.list(user="ana", superseded=True)) == 2


def test_the_same_claim_is_one_claim(memory: Memory) -> None:
    first = memory.remember("I  like tea. ", user="ana")
    again = memory.remember("I like tea.", user="ana")
    assert first == again
    assert memory.remember("I like tea.", user="bo").key != first.key
    assert memory.stats().records == 2


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"text": " "}, InputError),
        ({"text": "x", "scope": "project"}, InputError),
        ({"text": "x", "scope": "moon"}, InputError),
        ({"text": "x", "type": "rumour"}, InputError),
        ({"text": "x", "supersedes": "nobody"}, NotFoundError),
        ({"text": "x" * 1_000_001}, InputError),
    ],
)
def test_bad_claims_are_refused_and_nothing_is_stored(
    memory: Memory, options: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.remember(**options)  # type: ignore[arg-type]
    assert memory.stats().records == 0

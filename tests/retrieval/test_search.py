"""Search: what is seen, in which order, and why."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from support.clock import NOW

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
    parts = hit.parts
    fused = parts["alpha"] * parts["meaning"] + (1 - parts["alpha"]) * parts["words"]
    assert parts["fused"] == pytest.approx(fused)
    names = [name.removeprefix("weight_") for name in parts if name.startswith("weight_")]
    assert set(names) == {
        "session",
        "near",
        "answers",
        "context",
        "date",
        "personal",
        "speaker",
        "asks",
        "repeats",
        "agent",
    }
    assert hit.score == pytest.approx(fused + sum(parts[f"weight_{name}"] * parts[name] for name in names))


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


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_is_refused(filled: Memory, query: str) -> None:
    with pytest.raises(InputError, match=r"empty|must be text"):
        filled.search(query)


ENDLESS = Memory(DictStore(), HashEmbedder(64), settings=Settings())
ENDLESS.ingest([Turn("t1", "s", "user", "Lisbon, 猫, and other words.")])


@given(st.text(min_size=1))
def test_any_query_gets_an_answer_or_a_typed_error(query: str) -> None:
    try:
        for hit in ENDLESS.search(query):
            assert math.isfinite(hit.score)
            assert hit.reason
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


def asked(turns: list[tuple[str, str]], query: str, **rows: float) -> list[str]:
    """What is found, best first, for turns "role: text" of one session a list, with the words alone."""
    settings = Settings.load(arguments={f"default.{name}": value for name, value in rows.items()})
    memory = Memory(DictStore(), None, settings=settings, clock=lambda: NOW)
    memory.ingest(
        Turn(f"t{i}", session, said.split(": ")[0], said.split(": ", 1)[1], NOW - 30 * DAY + i * timedelta(minutes=1))
        for i, (session, said) in enumerate(turns)
    )
    return ids(memory.search(query, now=NOW, limit=20))


def test_an_answer_is_found_by_its_question() -> None:
    talk = [
        ("s", "Ana: What did you paint at the lake?"),
        ("s", "Bo: A sunset with two boats."),
        ("s", "Ana: Lovely."),
        ("t", "Ana: The lake was cold."),
    ]
    assert asked(talk, "what was painted at the lake")[0] == "t1", "and comes before it, which says nothing new"
    assert asked(talk, "what was painted at the lake", weight_repeats=0)[:2] == ["t0", "t1"]
    alone = {"weight_repeats": 0, "weight_answers": 0, "weight_session": 0, "weight_near": 0}
    assert asked(talk, "what was painted at the lake", **alone)[:2] == ["t0", "t3"]


def test_what_an_agent_answers_counts_when_it_is_asked_for() -> None:
    talk = [
        ("s", "user: Which museum should I visit in Porto?"),
        ("s", "assistant: Serralves, on a weekday."),
        ("t", "user: Porto is a nice city with many bridges and hills."),
        *((f"u{i}", f"user: filler {i}") for i in range(9)),
    ]
    assert asked(talk, "which museum of Porto did I like?") == ["t0", "t2", "t1"]
    assert asked(talk, "which museum of Porto did you recommend to me?") == ["t0", "t1", "t2"]


def test_the_surroundings_of_a_hit_are_found_and_no_other_session() -> None:
    talk = [("s", f"user: filler number {i}") for i in range(4)]
    talk += [("s", "user: my bicycle is blue"), ("s", "user: since May"), ("t", "user: since June")]
    assert set(asked(talk, "bicycle colour")) == {"t2", "t3", "t4", "t5"}
    assert asked(talk, "bicycle colour", reach=0) == ["t4"]


def test_a_named_speaker_and_a_named_time_come_first() -> None:
    talk = [("s", "Ana: pottery class today"), ("s", "Bo: pottery class today")]
    assert asked(talk, "When was Bo in the pottery class?")[0] == "t1"
    assert asked(talk, "When was Ana in the pottery class?")[0] == "t0"
    memory = Memory(DictStore(), None, settings=Settings(), clock=lambda: NOW)
    memory.ingest(Turn(f"t{i}", f"s{i}", "user", "planted tomatoes", NOW - i * 7 * DAY) for i in range(6))
    assert ids(memory.search("What was planted four weeks ago?", now=NOW))[0] in ("t3", "t4")


def test_ones_own_words_come_first_when_one_asks_of_oneself() -> None:
    talk = [("s", "user: A poem of a violin teacher."), ("t", "user: I met my violin teacher there today.")]
    assert asked(talk, "my violin teacher", weight_personal=0) == ["t0", "t1"]
    assert asked(talk, "my violin teacher") == ["t1", "t0"]
    assert asked(talk, "the violin teacher") == ["t0", "t1"]


def test_neighbours_that_may_not_be_seen_stay_unseen(filled: Memory) -> None:
    talk = [
        Turn("q", "s9", "user", "What is the code of the harbour gate?", NOW - DAY),
        Turn("a", "s9", "user", "Four two nine.", NOW - DAY),
        Turn("r", "s9", "tool", "Gate opened.", NOW - DAY),
    ]
    filled.ingest(talk, user="ana")
    asked = "code of the harbour gate"
    assert {"q", "a", "r"} <= set(ids(filled.search(asked, user="ana", limit=20)))
    assert not {"q", "a", "r"} & set(ids(filled.search(asked, user="bo", limit=20)))
    answer = next(hit.record for hit in filled.search(asked, user="ana", limit=20) if hit.record.id == "a")
    rest = ids(filled.search(asked, user="ana", exclude=[answer.key], limit=20))
    assert "q" in rest
    assert "a" not in rest


def test_what_is_mentioned_in_passing_is_found_by_its_sentence(memory: Memory) -> None:
    aside = (
        "I am looking for throw pillows in warm colours that would fit our old brown couch. "
        "By the way, the dentist moved to Porto. Which shops in town would you try first for pillows like that?"
    )
    memory.ingest([Turn("1", "s", "user", aside, NOW), Turn("2", "s", "assistant", aside, NOW)], user="ana")
    hits = {hit.record.id: hit for hit in memory.search("the dentist moved to Porto", user="ana", now=NOW)}
    assert "nearest=a sentence" in hits["1"].reason
    assert hits["1"].parts["cos"] > hits["2"].parts["cos"] + 0.2, "an agent's answer is one vector"

    whole = replace(memory.settings, default=replace(memory.settings.default, passages=False))
    plain = Memory(memory.store, HashEmbedder(64), settings=whole)
    assert plain.search("the dentist moved to Porto", user="ana", now=NOW)[0].parts["cos"] == pytest.approx(
        hits["2"].parts["cos"]
    )


def test_no_sentence_is_embedded_when_none_is_wanted() -> None:
    settings = replace(Settings(), embed=replace(Settings().embed, passages=0))
    memory = Memory(DictStore(), HashEmbedder(64), settings=settings)
    memory.ingest([Turn("1", "s", "user", "One thing is said here. Another thing is said there.", NOW)])
    assert memory.store.passages([memory.get("1").key]) == {}


def test_a_question_asked_before_is_no_answer_to_it(memory: Memory) -> None:
    said = {
        "t1": "We deploy to Lisbon on Fridays.",
        "t2": "On which day do we deploy, and to which city?",
        "t3": "Which day is the market, and in which city do we deploy the stand?",
    }
    memory.ingest([Turn(name, f"s-{name}", "user", text, NOW) for name, text in said.items()])
    hits = memory.search("On which day do we deploy, and to which city?")
    assert [hit.record.id for hit in hits][-1] == "t2"
    repeats = {hit.record.id: hit.parts["repeats"] for hit in hits}
    assert repeats == {"t1": 0, "t2": 1, "t3": 0}, "the third asks something else"

"""Questions about time: which patterns they hold, and which events they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import temporal as formulas
from aforesaid.settings.rows import TimeRows
from aforesaid.text.extract import temporal
from aforesaid.text.extract.temporal import ENGLISH_ROWS, JAPANESE_ROWS
from support.growth import is_linear

PATTERNS = [
    ("How many days before the trip did I call?", "how_many_days before_after"),
    ("how many weeks passed between A and B", "how_many_days since_between"),
    ("How many months ago did I move?", "how_many_days"),
    ("How long did the move take?", "how_long"),
    ("How much time passed?", "how_long"),
    ("What did I do after the wedding?", "before_after"),
    ("Prior to the merger, who led us?", "before_after"),
    ("What did we do afterwards?", "before_after"),
    ("Which came first, the cat or the dog?", "first"),
    ("Which did I buy earlier?", "first"),
    ("the earliest visit", "first"),
    ("In which order did I visit them?", "first"),
    ("Where have I worked since 2019?", "since_between"),
    ("between March and May", "since_between"),
    ("When did I meet Ann?", "when_did"),
    ("when was the party", "when_did"),
    ("What date is the exam?", "when_did"),
    ("On which day did it rain?", "when_did"),
    ("When did I first meet Ann after the move?", "when_did first before_after"),
    ("京都旅行の何日前に電話した？", "how_many_days before_after"),
    ("引っ越しまで何週間ありましたか", "how_many_days"),
    ("何年前に買いましたか", "how_many_days before_after"),
    ("会議はどのくらいかかりましたか", "how_long"),
    ("どれくらいの期間住んでいましたか", "how_long"),
    ("どれぐらい待った？", "how_long"),
    ("結婚式の前に何をしましたか", "before_after"),
    ("旅行の後で何を買いましたか", "before_after"),
    ("食べたあとに何をした", "before_after"),
    ("最初に買ったカメラ", "first"),
    ("どちらが先でしたか", "first"),
    ("先に着いたのは誰", "first"),
    ("それ以来会っていない", "since_between"),
    ("4月から6月まで何をした", "since_between"),
    ("東京と大阪の間", "since_between"),
    ("転職してから何を学んだ", "since_between"),
    ("アンに会ったのはいつですか", "when_did"),
    ("いつから働いていますか", "when_did"),
    ("何曜日でしたか", "when_did"),
    ("何日に会いましたか", "when_did"),
]

ORDINARY = [
    "", "What is my favourite colour?", "What is my first name?", "After all, why not?", "Who likes firstborn jokes?",
    "beforehand", "Fix the build", "What do I do when it rains?", "how many people came", "longer", "名前は何ですか",
    "午前の予定", "午後の予定", "最後の会議", "いつも何を食べますか", "いつか行きたい", "どのくらいの値段", "後輩の名前", "前提は何",
    "当たり前だ", "一人前", "間違い", "好きな食べ物は",
]  # fmt: skip

SLOTS = [
    ("How many days before the Paris trip did I start the new job?", ("Paris trip", "new job")),
    ("Which came first, the move to Berlin or my wedding?", ("move to Berlin", "wedding")),
    ("How long after I adopted Biscuit did I visit Dr. Smith?", ("Biscuit", "Dr. Smith")),
    ("When did Caroline go to the LGBTQ support group?", ("Caroline", "LGBTQ support group")),
    ("How many weeks passed between the day I bought my car and the day I sold it?", ("car",)),
    ('How long have I been working at "Acme Corp" since the merger?', ("Acme Corp", "merger")),
    ("Did I read 'War and Peace' before the exam?", ("War and Peace", "exam")),
    ("What happened in 2019 before it?", ()),
    ("When was it?", ()),
    ("", ()),
    ("京都旅行の前に引っ越しは何日かかりましたか", ("京都旅行", "引っ越し")),
    ("「進撃の巨人」を見たのはいつですか？", ("進撃の巨人",)),
    ("東京の会議と大阪の会議の間は何日ありましたか", ("東京の会議", "大阪の会議")),
    ("最初に買ったカメラはどれですか", ("カメラ",)),
    ("ジムに入会したあとにヨガを始めたのはいつ？", ("ジム", "入会", "ヨガ")),
    ("4月から6月まで何をした", ()),
]


@pytest.mark.parametrize(("query", "names"), PATTERNS)
def test_patterns(query: str, names: str) -> None:
    assert temporal.temporal_patterns(query) == frozenset(names.split())


@pytest.mark.parametrize("query", ORDINARY)
def test_an_ordinary_question_holds_no_pattern(query: str) -> None:
    assert temporal.temporal_patterns(query) == frozenset()
    assert not formulas.active(formulas.query_indicator(temporal.temporal_patterns(query)))


def test_both_languages_have_every_pattern_of_the_settings() -> None:
    for rows in (ENGLISH_ROWS, JAPANESE_ROWS):
        assert {name for name, _ in rows} == set(formulas.PATTERNS)
    assert TimeRows().max_slots == temporal.MAX_SLOTS


@pytest.mark.parametrize(("query", "slots"), SLOTS)
def test_slots(query: str, slots: tuple[str, ...]) -> None:
    assert temporal.event_slots(query) == slots


def test_what_stands_beside_a_temporal_word_goes_first() -> None:
    query = "Tell Ann, Bob, Cid and Dora about the lake house before the harvest festival"
    assert temporal.event_slots(query, 1) == ("lake house",)
    assert temporal.event_slots(query, 2) == ("lake house", "harvest festival")
    assert temporal.event_slots(query, 3) == ("Ann", "lake house", "harvest festival")
    assert len(temporal.event_slots(query)) == 4
    assert temporal.event_slots(query, 0) == ()
    with pytest.raises(InputError):
        temporal.event_slots(query, -1)


PIECES = [query for query, _ in (*PATTERNS, *SLOTS)] + ["'", '"', "「", "」", "the", "of", "Ann", "の", "前", "after"]
queries = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=5).map(" ".join))


@given(queries, st.integers(0, 6))
def test_slots_are_few_distinct_and_words_of_the_query(query: str, limit: int) -> None:
    slots = temporal.event_slots(query, limit)
    assert len(slots) <= limit
    assert all(slot and slot in query for slot in slots)
    assert len({slot.casefold() for slot in slots}) == len(slots)
    assert slots == temporal.event_slots(query, limit)


@given(queries)
def test_patterns_are_names_of_the_settings(query: str) -> None:
    found = temporal.temporal_patterns(query)
    assert found <= set(formulas.PATTERNS)
    assert found == temporal.temporal_patterns(query.upper() if query.isascii() else query)


@pytest.mark.parametrize("piece", ["the of ", "から", "前", "how many ", "'", "「", "A ", "の", "a-", "カ・"])
def test_hostile_queries_are_read_in_linear_time(piece: str) -> None:
    assert is_linear(lambda chars: temporal.temporal_patterns(piece * (chars // len(piece))), 2_000, 16_000)
    assert is_linear(lambda chars: temporal.event_slots(piece * (chars // len(piece))), 250, 2_000)

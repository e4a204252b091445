"""What texts state, and which statement another one replaces: on labelled pairs, for any text, and in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.extract import statements as module
from aforesaid.text.extract.statements import Statement, key_of, statements, supersedes
from samples import statement_pairs as labelled
from support.growth import is_linear

# Over all pairs: precision 1.00, recall .932 (261 of 280). Rules that earn one pair or none, and fire on almost no real
# message, are left out.
LEAST_PRECISION = 0.97  # a wrong supersession hides what is true
LEAST_RECALL = 0.9
LEAST_BLIND_RECALL = 0.85
BLIND = labelled.BLIND + labelled.THIRD + labelled.FOURTH + labelled.FIFTH + labelled.SIXTH
EVERY_PAIR = labelled.ENGLISH + labelled.JAPANESE + labelled.SECOND + BLIND + labelled.LOOK_ALIKES


def reason(older: str, newer: str) -> str:
    found = (supersedes(new, old) for new in statements(newer) for old in statements(older))
    return next((why for why in found if why), "")


def is_japanese(pair: labelled.Pair) -> bool:
    return any("ぁ" <= sign <= "ん" for sign in pair[0])


def measured(pairs: tuple[labelled.Pair, ...]) -> tuple[float, float, str]:
    """Precision, recall, and what went wrong."""
    missed = [pair[:2] for pair in pairs if pair[2] and not reason(*pair[:2])]
    false = [pair[:2] for pair in pairs if not pair[2] and reason(*pair[:2])]
    expected = sum(pair[2] for pair in pairs)
    right = expected - len(missed)
    return right / (right + len(false)), right / expected, f"missed {missed}; false {false}"


def test_the_labelled_pairs_are_many_mixed_and_without_repeats() -> None:
    turns = [pair[:2] for pair in EVERY_PAIR]
    assert len(turns) == len(set(turns)) >= 500
    assert 0.4 <= sum(pair[2] for pair in EVERY_PAIR) / len(EVERY_PAIR) <= 0.55
    assert sum(is_japanese(pair) for pair in EVERY_PAIR) / len(EVERY_PAIR) >= 0.15


@pytest.mark.parametrize("japanese", [False, True], ids=["English", "Japanese"])
@pytest.mark.parametrize(
    ("pairs", "recall"),
    [(labelled.ENGLISH + labelled.SECOND + labelled.JAPANESE, LEAST_RECALL), (BLIND, LEAST_BLIND_RECALL)],
    ids=["tuned", "blind"],
)
def test_precision_and_recall_per_language(pairs: tuple[labelled.Pair, ...], recall: float, japanese: bool) -> None:
    precision, found, wrong = measured(tuple(pair for pair in pairs if is_japanese(pair) is japanese))
    assert precision >= LEAST_PRECISION and found >= recall, f"precision {precision:.3f}, recall {found:.3f}; {wrong}"


def test_look_alikes_are_told_apart() -> None:
    assert [pair[:2] for pair in labelled.LOOK_ALIKES if reason(*pair[:2])] == []


def test_what_a_turn_states() -> None:
    text = "Hi! My manager is Ana. We moved to Lisbon last month, so ignore the rest."
    manager, home = statements(text)
    assert manager == Statement("speaker", "manager", "Ana", start=4, end=22)
    assert home == Statement("speaker", "home", "Lisbon", change=True, start=23, end=len(text))
    assert text[manager.start : manager.end] == "My manager is Ana."


def test_a_named_speaker_is_the_subject() -> None:
    assert [each.subject for each in statements("I live in Rome. My sister lives in Milan.", "Caroline")] == [
        "Caroline",
        "Caroline's sister",
    ]
    [hers] = statements("Caroline moved to Turin.", "Melanie")
    [own] = statements("I live in Rome.", "Caroline")
    assert supersedes(hers, own)


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("My manager is Ana.", "My manager is Bo now.", "same=speaker's manager; from=Ana; to=Bo;"),
        ("The launch is on May 3.", "The launch is cancelled.", "same=launch's date; cancels=May 3;"),
        ("The launch is on May 3.", "The launch was postponed.", "same=launch's date; from=May 3; to=later;"),
        ("I live in Rome.", "I no longer live in Rome.", "same=speaker's home; ends=Rome;"),
        (
            "The launch is cancelled.",
            "The launch is back on for May 10.",
            "same=launch's date; from=cancels; to=May 10;",
        ),
    ],
)
def test_a_reason_says_what_changed(older: str, newer: str, expected: str) -> None:
    assert reason(older, newer) == expected


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("My manager is Ana.", "is"),
        ("Ana is no longer my manager.", "ends"),
        ("I used to live in Rome.", "ends"),
        ("We're planning to move to Rome.", "plans"),
        ("We're not moving to Rome after all.", "cancels"),
        ("会議は中止になりました。", "cancels"),
    ],
)
def test_moods(text: str, mood: str) -> None:
    assert [each.mood for each in statements(text)] == [mood]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Is my manager Ana?",
        "My manager was Ana.",
        "I lived in Rome for two years.",
        "If my manager were Bo, I would leave.",
        "I wish my manager was Bo.",
        "Maybe my manager is Bo.",
        "You should tell your manager that your budget is $500.",
        "Your manager is Bo.",
        "In my novel the launch is on May 3.",
        'She wrote "my manager is Bo" on the board.',
        "```\nPORT=8080\n```",
        "> my manager is Bo",
        "もし上司が佐藤さんなら、楽しい。",
        "上司は佐藤さんですか？",
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert statements(text) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The launch date is May 3.", "We postponed the launch until June."),
        ("I run every morning.", "I stopped running."),
        ("I have a dog.", "My dog died."),
        ("The report is due on Friday.", "The report deadline moved to Monday."),
        ("My favorite color is red.", "My favourite color is blue."),
        ("The project's budget is 5k.", "The budget for the project is 6k."),
        ("上司は田中さんです。", "My manager is Bo."),
    ],
)
def test_what_can_supersede_has_one_key(one: str, other: str) -> None:
    assert {key_of(each) for each in statements(one)} & {key_of(each) for each in statements(other)}


TURNS = [turn for pair in EVERY_PAIR for turn in pair[:2]]


@given(st.sampled_from(TURNS), st.sampled_from(TURNS))
def test_only_equal_keys_supersede_and_nothing_supersedes_itself(older: str, newer: str) -> None:
    for old in statements(older):
        assert supersedes(old, old) == ""
        for new in statements(newer):
            assert not supersedes(new, old) or key_of(new) == key_of(old)


@given(st.text(max_size=300))
def test_any_text_is_read_and_read_alike(text: str) -> None:
    found = statements(text)
    assert found == statements(text)
    assert all(0 <= each.start < each.end <= len(text) for each in found)


WORDS = (
    "I my manager the launch is was no longer moved to Ana 's May 3 at 5 pm , . ; : ( ) \" ' if we have 3 not and but "
    "switched from stopped $5 costs has 10 about used to be favourite color are Dr. A_B=1 上司 は 田中 さん です に 引っ越し ました 。 、 5月 やめ もう 毎日 を \n > ``` ? of for"
)


@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=60), st.booleans())
def test_words_of_statements_in_any_order_do_no_harm(parts: list[str], spaced: bool) -> None:
    text = (" " if spaced else "").join(parts)
    for each in statements(text):
        assert supersedes(each, each) == "" and "|" in key_of(each)


HOSTILE = [
    "a", "I am ", "my manager is Ana ", "the launch is on May 3 ", "the a of the ", "moved to ", "'", "'s ", "Ana's ", '"', "“", "(",
    "A_B=1 ", "A_", "I, ", ", and I ", "; ", "now, ", "by the way, ", "if I ", "I have 3 ", "```", "\n>", "1,", "1.", "5月",
    "上司は田中さんです", "から", "、", "の", "毎日", "no longer ", "I moved from a to ", "I switched from a ", "I'm ", "ﷺ", " ", "a. ", "I. ",
]  # fmt: skip


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_text_is_read_in_linear_time(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEXT_CHARS", 1_000_000)
    sentence = part * (500 // len(part)) + ". X\n"
    assert is_linear(lambda count: statements(part * (count * 500 // len(part))), 4, 32)
    assert is_linear(lambda count: statements(sentence * count), 4, 32)

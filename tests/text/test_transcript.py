"""Plain transcripts: who speaks, when, in which session, and what is only text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import FormatError
from aforesaid.text.transcript import Transcript
from aforesaid.types import Turn


def parse(text: str | list[str], session: str = "talk") -> list[Turn]:
    parser = Transcript(session)
    lines = text.splitlines(keepends=True) if isinstance(text, str) else text
    placed = [found for line in lines if (found := parser.feed(line)) is not None]
    last = parser.end()
    return [found.turn for found in ([*placed, last] if last else placed)]


def told(text: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in parse(text)]


def test_speakers_become_roles_and_others_keep_their_names() -> None:
    names = {
        "User": "user", "Human": "user", "Me": "user", "You": "user", "user": "user", "ユーザー": "user",
        "Assistant": "assistant", "AI": "assistant", "Bot": "assistant", "Agent": "assistant", "Claude": "assistant",
        "ChatGPT": "assistant", "System": "system", "Tool": "tool",
        "Lena": "Lena", "Mara Silva": "Mara Silva", "Vincent van Gogh": "Vincent van Gogh", "花子": "花子", "Q": "Q",
    }  # fmt: skip
    for name, role in names.items():
        assert told(f"{name}: hello") == [(role, "hello")], name


def test_ids_are_stable_and_count_within_each_session() -> None:
    turns = parse("User: a\n# two words\nUser: b\nAssistant: c\n# talk\nUser: d")
    assert [(turn.id, turn.session) for turn in turns] == [
        ("talk-0001", "talk"), ("two-words-0001", "two words"), ("two-words-0002", "two words"), ("talk-0002", "talk"),
    ]  # fmt: skip


def test_continuation_lines_belong_to_the_turn() -> None:
    assert told("User: one\ntwo\n\n  three\nAssistant:\nfour\n") == [
        ("user", "one\ntwo\n\n  three"),
        ("assistant", "four"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "https://example.org/a: see there", "http: //x", "10:30 we met", "10:30: we met", "Note: keep this",
        "  Lena: indented", "> Lena: quoted", "- Lena: listed", "then I said: no", "Step 2: press it", "key: value",
        "def f():", "Lena:said", "今日の予定：会議", "2026-03-05 update: done", "2026-03-05 10:12:00 ERROR: disk full",
        "C:\\Windows", "A sentence that is far too long to be the name of anybody at all: yes", "x" * 99_999 + ": y",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_speaker_is_text(line: str) -> None:
    assert told(f"User: look\n{line}") == [("user", f"look\n{line}")]


def test_bold_names_and_wide_colons() -> None:
    assert told("**User:** hi\n**ChatGPT**: ho\n花子：こんにちは") == [
        ("user", "hi"),
        ("assistant", "ho"),
        ("花子", "こんにちは"),
    ]


def test_code_fences_are_kept_whole() -> None:
    fenced = "look:\n```yaml\nUser: root\n# comment\n--- session: x ---\n```\nafter"
    assert told(f"User: {fenced}\nAssistant: ok") == [("user", fenced), ("assistant", "ok")]
    assert told("User: ```\nBot: no\n```\nBot: yes") == [("user", "```\nBot: no\n```"), ("assistant", "yes")]
    assert told("User: ~~~~\n~~~\n```\nBot: no\n~~~~\nBot: yes")[1] == ("assistant", "yes")


def test_a_fence_cut_off_at_the_end_is_fine_unless_it_hides_turns() -> None:
    assert told("User: ```\nprint(1)") == [("user", "```\nprint(1)")]
    parser = Transcript("talk")
    for line in ("User: hi", "Bot: ```py", "x = 1", "User: hidden"):
        parser.feed(line)
    with pytest.raises(FormatError, match=r"line 2 is never closed, and hides 1"):
        parser.end()
    last = parser.end()
    assert last is not None
    assert (last.line, last.turn.text) == (2, "```py\nx = 1\nUser: hidden")


def test_headings_open_sessions_only_when_a_speaker_follows() -> None:
    turns = parse(
        "# Book\n## 2026-03-05 planning\n\nUser: a\n\n## Steps\n\n1. go\n\n--- session: later ---\nBot: b\n# end"
    )
    assert [(turn.session, turn.text) for turn in turns] == [
        ("2026-03-05 planning", "a\n\n## Steps\n\n1. go"), ("later", "b\n# end"),
    ]  # fmt: skip


def test_times() -> None:
    turns = parse(
        "User: a\n[2026-03-05 10:12] User: b\nBot: c\n[2026-03-05T10:12:30+02:00] Bot: d\n2026-03-05T11:00Z lena: e\n"
        "## 2026-04-01 call\nUser: f\n[9:05] Bot: g\n2026-04-02 User: h\n# undated\nUser: i\n[10:00] Bot: j"
    )
    at = {turn.text: turn.time for turn in turns}
    assert at == {
        "a": None, "b": datetime(2026, 3, 5, 10, 12, tzinfo=UTC), "c": datetime(2026, 3, 5, 10, 12, tzinfo=UTC),
        "d": datetime(2026, 3, 5, 8, 12, 30, tzinfo=UTC), "e": datetime(2026, 3, 5, 11, 0, tzinfo=UTC),
        "f": datetime(2026, 4, 1, tzinfo=UTC), "g": datetime(2026, 4, 1, 9, 5, tzinfo=UTC),
        "h": datetime(2026, 4, 2, tzinfo=UTC), "i": None, "j": None,
    }  # fmt: skip
    assert [turn.role for turn in turns if turn.text == "e"] == ["lena"]


def test_a_time_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(FormatError, match="is not a time"):
        parse("[2026-13-05 10:12] User: hi")


def test_text_before_any_speaker_is_an_error_and_the_parser_goes_on() -> None:
    with pytest.raises(FormatError, match="The line has no speaker: 'Once upon a time'"):
        parse("# Title\nOnce upon a time")
    parser = Transcript("talk")
    parser.feed("# Title")
    with pytest.raises(FormatError):
        parser.feed("prose")
    parser.feed("User: hi")
    last = parser.end()
    assert last is not None
    assert (last.line, last.turn.session) == (3, "Title")


def test_nothing_in_nothing_out() -> None:
    assert parse("") == parse("\n\n# only a heading\n") == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=20))
def test_any_lines_give_turns_or_a_typed_error_and_no_word_is_lost(lines: list[str]) -> None:
    text = "User: start\n" + "\n".join(lines)
    try:
        turns = parse(text.split("\n"))
    except FormatError:
        return
    kept = " ".join(turn.text for turn in turns)
    for line in lines:
        if "\r" not in line and ":" not in line and "：" not in line and not line.lstrip().startswith(("#", "-")):
            assert line.strip() in kept

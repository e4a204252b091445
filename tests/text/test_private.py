"""What a person calls private is gone before anything else looks at the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.private import without_private, without_private_in
from support.growth import is_linear

SECRET = "zanzibar-4711"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nothing here", "nothing here"),
        (f"before <private>{SECRET}</private> after", "before   after"),
        (f"<private>{SECRET}</private>", ""),
        (f"<PRIVATE>{SECRET}</Private> after", "after"),
        (f"< private >{SECRET}</ private > after", "after"),
        (f'<private reason="mine">{SECRET}</private> after', "after"),
        (f"before <private>{SECRET}", "before"),
        (f"a <private>x <private>y</private> {SECRET}</private> b", "a   b"),
        (f"a <private>x <private>y</private> {SECRET}", "a"),
        (f"&lt;private&gt;{SECRET}&lt;/private&gt; b", "b"),
        (f"\\u003cprivate\\u003e{SECRET}\\u003c/private\\u003e b", "b"),
        ("a </private> b", "a   b"),
        ("a privateer <privately> b", "a privateer <privately> b"),
        (f"one\n<private>\n{SECRET}\n</private>\ntwo", "one\n \ntwo"),
        (f"<priv<private>x</private>ate>{SECRET[:3]}", f"<priv ate>{SECRET[:3]}"),
    ],
)
def test_private_parts_go(text: str, shown: str) -> None:
    assert without_private(text) == shown
    assert SECRET not in without_private(text)


@given(st.text(), st.text(), st.text())
def test_whatever_stands_around_it(before: str, inside: str, after: str) -> None:
    word = "q7" + "x" * 8 + "q7"
    assert word not in without_private(f"{before}<private>{inside.replace('/', '')}{word}</private>{after}")


@given(st.text())
def test_cleaned_text_is_clean(text: str) -> None:
    assert without_private(without_private(text)) == without_private(text)


def test_blocks_of_a_message_are_one_text() -> None:
    message = {
        "uuid": "u1",
        "message": {
            "content": [
                {"type": "text", "text": f"keep <private>{SECRET}"},
                {"type": "image", "source": {"data": "abc"}},
                {"type": "text", "text": f"{SECRET} too</private> this"},
                {"type": "tool_use", "id": "c1", "input": {"note": f"<private>{SECRET}</private>ok"}},
            ]
        },
        "timestamp": "2026-01-01T00:00:00Z",
    }
    clean = without_private_in(message)
    assert SECRET not in str(clean)
    assert [block.get("text") for block in clean["message"]["content"]] == ["keep", None, "this", None]
    assert clean["message"]["content"][3] == {"type": "tool_use", "id": "c1", "input": {"note": "ok"}}
    assert (clean["uuid"], clean["timestamp"]) == ("u1", "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    "piece", ["<private>", "</private>", "<private ", "< ", "&lt;", "\\u003c", "<private>x</private>"]
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert is_linear(lambda chars: without_private(piece * (chars // len(piece))), 20_000, 160_000)

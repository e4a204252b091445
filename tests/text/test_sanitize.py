"""What a summariser sees of a turn: payloads as marks, prose as it was written."""

from __future__ import annotations

import base64
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.text.sanitize import MARK, sanitised, without_fences
from support.growth import is_linear

BLOB = base64.b64encode(random.Random(7).randbytes(9_000)).decode()
HEX = random.Random(7).randbytes(400).hex()
WRAPPED = "\n".join(BLOB[start : start + 76] for start in range(0, 2_000, 76))
CODE = "\n".join(f"    total_{number} = compute({number})" for number in range(30))
LOG = "\n".join(f"2026-03-05 10:12:{second:02d} INFO worker {second} took {second} ms" for second in range(40))
OBJECT = json.dumps([{"id": number, "name": f"item {number}", "tags": ["a", "b"]} for number in range(40)])
DUMP = "\n".join(f"{row * 16:08x}: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............" for row in range(20))
PYTHON_TRACE = "Traceback (most recent call last):\n" + "\n".join(
    f'  File "/srv/app/module_{depth}.py", line {depth + 10}, in handler_{depth}\n    return inner_{depth}()'
    for depth in range(9)
)
JAVA_TRACE = "\n".join(f"\tat com.example.app.Service{depth}.call(Service{depth}.java:{depth})" for depth in range(12))
MINIFIED = "".join(f"function a{number}(b,c){{return b({number})+c[{number}];}}" for number in range(60))
TABLE = "\n".join(f"{row},north,{row * 3},{row * 7}" for row in range(60))
MARKUP = "\n".join(f'<li class="item"><a href="/p/{row}">Page {row}</a></li>' for row in range(30))


@pytest.mark.parametrize(
    ("payload", "mark"),
    [
        (f"data:image/png;base64,{BLOB}", "[data image/png, 12 kB]"),
        (BLOB, "[base64, 12 kB]"),
        (WRAPPED, "[base64, 27 lines]"),
        (HEX, "[hex, 800 B]"),
        (DUMP, "[hex dump, 20 lines]"),
        (f"```python\n{CODE}\n```", "[python code, 30 lines]"),
        (f"```\n{CODE}\n```", "[code, 30 lines]"),
        (f"```json\n{OBJECT}\n```", "[json, 2.0 kB]"),
        (LOG, "[log, 40 lines]"),
        (OBJECT, "[json, 2.0 kB]"),
        (json.dumps(json.loads(OBJECT), indent=1), "[json, 322 lines]"),
        (MINIFIED, "[minified code, 2.2 kB]"),
        (JAVA_TRACE, "[stack trace, 12 lines]"),
        (TABLE, "[table, 60 lines]"),
        (MARKUP, "[markup, 30 lines]"),
    ],
)
def test_payloads_become_marks_and_what_is_around_them_stays(payload: str, mark: str) -> None:
    assert mark in sanitised(payload)
    around = sanitised(f"It broke on Friday, see below.\n{payload}\nAna will look at it.")
    assert around.startswith("It broke on Friday, see below.\n") and around.endswith("\nAna will look at it.")
    assert mark in around and len(around) < 120


def test_the_error_of_a_stack_trace_stays() -> None:
    seen = sanitised(f"{PYTHON_TRACE}\nValueError: port 70000 is out of range")
    assert seen == "[stack trace, 19 lines]\nValueError: port 70000 is out of range"


def test_an_open_fence_runs_to_the_end() -> None:
    assert sanitised(f"Look:\n```sql\n{CODE}") == "Look:\n[sql code, 29 lines]"


ORDINARY = [
    "",
    "Hello.",
    "I moved to Lisbon on 3 March 2024, near Rua de São Bento 52; rent is €1,150.",
    "京都に引っ越しました。猫が二匹います。\n来週の金曜日に歯医者の予約があります。" * 40,
    "Short code:\n```python\nprint('hi')\n```\nand `inline()` too.",
    "- milk\n- eggs\n- bread\n  - rye\n  - white\n\n1. wash\n2. cut\n3. fry\n" * 4,
    '{"port": 8080, "host": "db.internal"}',
    "The commit is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
    "See https://example.org/a/long/path/to/a/page?with=parameters&and=more#anchor for the rest.\r\nThanks.\r\n",
    "At 10:12 she called. At 10:15 he left. 2026-03-05: dentist.\n" * 3,
    '"I am late," she said.\n"So am I," said Ben.\n' * 8,
    "".join(f"<ana> number {number} is fine\n" for number in range(20)),
    "".join(f"[10:12:{number}] Ben: I saw number {number}.\n" for number in range(10, 40)),
    " leading and trailing space \n\n\n",
    "word " * 700,
    "これはとても長い段落です、" * 250,
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert sanitised(text) == text


def test_long_lines_and_long_texts_are_cut_with_their_end_kept() -> None:
    line = sanitised("word " * 2_000)
    assert len(line) <= 4_000 and MARK.search(line) and line.startswith("word word")
    text = "\n".join(f"Line {number} of a story." for number in range(3_000)) + "\nThe end."
    cut = sanitised(text, 1_000)
    assert len(cut) <= 1_000 and cut.startswith("Line 0 of a story.") and cut.endswith("The end.")
    assert "characters]" in cut


FRAGMENTS = ["```", "~~~", "```json", "data:a/b;base64,", "{", "}", "[", "]", '"a": 1,', "\n", "\n\n", " ", "Hello."]
LINES = ["猫が二匹います。", "    x", "[json, 40 lines]", "A" * 130, BLOB[:200], HEX[:140]]
PIECES = st.sampled_from([*FRAGMENTS, *LINES, LOG, CODE, OBJECT, DUMP, JAVA_TRACE, TABLE])


@settings(deadline=None, max_examples=150)
@given(st.lists(PIECES, max_size=25), st.sampled_from(["\n", "", " "]), st.sampled_from([200, 1_000, 20_000]))
def test_a_second_time_changes_nothing(pieces: list[str], joint: str, most: int) -> None:
    once = sanitised(joint.join(pieces), most)
    assert sanitised(once, most) == once
    assert len(once) <= most


@given(st.text(max_size=300))
def test_any_short_text_survives(text: str) -> None:
    assert sanitised(text) == text or MARK.search(sanitised(text))


HOSTILE = [
    "a",
    "A1",
    "=",
    "`",
    "```\n",
    "~~~a\n",
    "{",
    "{\n",
    '"',
    '"\n',
    "data:",
    "data:;",
    "at ",
    "\tat a",
    "<a\n",
    " ",
]
HOSTILE += [
    "\n",
    "0000: ",
    "00 ",
    "\\",
    "[",
    ", 1",
    "あ",
    "a,b,c,d\n",
    "    x\n",
    "2026-01-01 ",
    "\x00",
    "a=b;\n",
    "[a, 1 B]",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_text_is_read_in_linear_time(part: str) -> None:
    assert len(sanitised(part * (1_000_000 // len(part)))) <= 20_000
    assert is_linear(lambda chars: sanitised(part * (chars // len(part))), 10_000, 80_000)


def test_fences_can_be_left_out() -> None:
    assert without_fences("Run this:\n```sh\nmake\n```\nthen wait.") == "Run this:\nthen wait."
    assert without_fences("```sh\nmake\n```") == "```sh\nmake\n```", "a text that is all code stays"
    assert without_fences("no code") == "no code"

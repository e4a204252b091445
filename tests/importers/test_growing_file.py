"""A transcript that grows, is cut or is written anew: only what is new is read, and nothing is missed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aforesaid.importers.formats import growing_file
from aforesaid.importers.formats.claude_code import ClaudeCode
from aforesaid.importers.formats.codex import Codex
from aforesaid.importers.formats.growing_file import LineFile, ReadPosition, new_lines
from aforesaid.importers.formats.items import ImportOptions
from aforesaid.types import Turn
from samples.import_files import CLAUDE_CODE, CODEX, SESSION, claude, codex, lines, spoken


def look(path: Path, mark: ReadPosition | None, kind: Any = ClaudeCode) -> tuple[list[Turn], ReadPosition | None]:
    """The turns behind a mark, and the next mark."""
    found: list[Turn] = []
    for line in new_lines(path, mark, kind(SESSION, ImportOptions()), "shop"):
        found += [item for item in line.items if isinstance(item, Turn)]
        mark = line.position
    return found, mark


def ids(turns: Iterable[Turn]) -> list[str]:
    return [turn.id for turn in turns]


def test_line_by_line_is_the_same_as_all_at_once(tmp_path: Path) -> None:
    for values, kind in ((CLAUDE_CODE, ClaudeCode), (CODEX, Codex)):
        path = tmp_path / f"{kind.__name__}.jsonl"
        path.write_bytes(lines(values))
        whole, _ = look(path, None, kind)
        path.write_bytes(b"")
        grown: list[Turn] = []
        mark: ReadPosition | None = None
        for value in values:
            with path.open("ab") as stream:
                stream.write(lines([value]))
            new, mark = look(path, mark, kind)
            grown += new
            assert look(path, mark, kind) == ([], mark)
        assert grown == whole
        assert whole


def test_an_import_and_a_hook_read_the_same_turns(tmp_path: Path) -> None:
    """Ids come from the text, so both must leave out private parts before they make one."""
    path = tmp_path / "rollout.jsonl"
    secret = codex(59, spoken("user", "See <private>x</private>you."))
    path.write_bytes(lines([*CODEX, secret]))
    imported = [item for value in LineFile(path, Codex(SESSION, ImportOptions())).values() for item in value.items]
    turns = [item for item in imported if isinstance(item, Turn)]
    assert turns == look(path, None, Codex)[0]
    assert turns[-1].text == "See  you."


def test_an_unfinished_line_waits(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    first, second = lines([claude(1, "user", "one")]), lines([claude(2, "user", "two")])
    path.write_bytes(first + second[:40])
    new, mark = look(path, None)
    assert ids(new) == ["u-0001"]
    path.write_bytes(first + second.rstrip(b"\n"))
    new, mark = look(path, mark)
    assert ids(new) == ["u-0002"], "a whole line that lacks only its end is taken"
    path.write_bytes(first + second + lines([claude(3, "user", "three")]))
    assert ids(look(path, mark)[0]) == ["u-0003"]


def test_a_file_that_was_written_anew_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines([claude(1, "user", "one"), claude(2, "user", "two")]))
    _, mark = look(path, None)
    for other in (
        [claude(1, "user", "one")],
        [claude(7, "user", "one"), claude(2, "user", "two"), claude(3, "user", "three")],
        [claude(1, "user", "one"), claude(2, "user", "owt"), claude(3, "user", "three")],
        [],
    ):
        path.write_bytes(lines(other))
        assert ids(look(path, mark)[0]) == [value["uuid"] for value in other]


def test_lines_that_cannot_be_read_are_passed(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(growing_file, "MAX_LINE_BYTES", 2000)
    path = tmp_path / "t.jsonl"
    good = [lines([claude(number, "user", f"say {number}")]) for number in (1, 2, 3)]
    huge = lines([claude(9, "user", "x" * 5000)])
    deep = b"[" * 1500 + b"]" * 300 + b"\n"
    path.write_bytes(good[0] + b"\xff\xfe\n\n{bad\n" + huge + deep + good[1] + b"null\n" + good[2])
    new, mark = look(path, None)
    assert ids(new) == ["u-0001", "u-0002", "u-0003"]
    assert look(path, mark) == ([], mark)


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("wb") as stream:
        for number in range(1, 20_001):
            stream.write(lines([claude(1, "user", "word " * 50, uuid=f"m-{number}")]))
    _, mark = look(path, None)
    with path.open("ab") as stream:
        stream.write(lines([claude(2, "user", "the end")]))
    fed: list[int] = []

    class Counting(ClaudeCode):
        def parse(self, value: Any, number: int) -> Any:
            fed.append(number)
            return super().parse(value, number)

    assert ids(look(path, mark, Counting)[0]) == ["u-0002"]
    assert fed == [1, 20_001], "the head, which names the session, and the new line"


def test_a_mark_tells_nothing_and_survives_nonsense(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines([claude(1, "user", "one <private>zanzibar</private>")]))
    other = tmp_path / "o.jsonl"
    other.write_bytes(lines([claude(1, "user", "one <private>timbuktu</private>")]))
    first, second = look(path, None)[1], look(other, None)[1]
    assert first is not None
    assert second is not None
    assert (first.first, first.last) == (second.first, second.last), "no digest covers what is private"
    assert ReadPosition.parse(first.dump()) == first
    for text in (None, "", "{", "[]", '{"x": 1}', "null", json.dumps({"position": 1, "y": 2})):
        assert ReadPosition.parse(text) is None

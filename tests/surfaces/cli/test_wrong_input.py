"""Wrong input on the command line: exit code 2, one line with a remedy, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import filled, run


@pytest.mark.parametrize(
    "command",
    [
        ("search",), ("search", "--files"), ("remember",), ("assemble",), ("observe",), ("validate",), ("activate",),
        ("index",), ("load",), ("lint",), ("ingest",), ("import",), ("show",), ("compact",), ("end",), ("forget",),
        ("backup",), ("policy", "apply"), ("policy", "check"),
    ],
)  # fmt: skip
def test_an_empty_argument_is_refused(path: Path, command: tuple[str, ...]) -> None:
    filled(path)
    result = run(path, *command, "", code=2)
    assert "is empty." in result.stderr and "Example: aforesaid" in result.stderr
    error = json.loads(run(path, *command, " ", "--json", code=2).stderr)["error"]
    assert error["type"] == "InputError" and "is empty." in error["message"]


@pytest.mark.parametrize(
    "command",
    [
        ("search", "tea"), ("search", "--files", "tea"), ("list",), ("assemble", "tea"), ("stats",), ("index",),
        ("validate", "tea"), ("validate", "--stored"), ("history", "x"), ("index", "--remove", "x"),
    ],
)  # fmt: skip
def test_reading_a_store_that_is_not_there_says_so_and_makes_none(path: Path, command: tuple[str, ...]) -> None:
    assert f"There is no store at {path}." in run(path, *command, code=2).stderr
    assert not path.exists()


def test_a_file_that_cannot_be_imported_is_named_with_the_reason(path: Path, tmp_path: Path) -> None:
    script, wrong, good = tmp_path / "readme.py", tmp_path / "wrong.json", tmp_path / "chat.jsonl"
    script.write_text("print(1)\n")
    wrong.write_text('{"foo": [1, 2')
    for file in (script, wrong):
        result = run(path, "import", str(file), code=1, env={"COLUMNS": "400"})
        assert "unreadable" in result.stdout and "neither JSON lines with role and content" in result.stdout
        assert json.loads(run(path, "import", str(file), "--json", code=1).stdout)["files"][0]["state"] == "unreadable"
    good.write_text('{"role": "user", "content": "I like tea."}\n')
    assert "1 turn" in run(path, "import", str(script), str(good)).stdout

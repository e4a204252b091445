"""Every reader over a question set: what the table counts, and how a crash is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from aforesaid.bench import readers
from aforesaid.surfaces.cli import main
from aforesaid.text.extract.reader import STRICT
from samples import bench_files


@pytest.fixture(autouse=True)
def _strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STRICT, "1")  # the command sets it; this restores it afterwards


def test_every_reader_sees_every_text(tmp_path: Path) -> None:
    path = str(bench_files.squad(tmp_path))
    rows = json.loads(CliRunner().invoke(main, ["bench", "readers", path, "--json"]).stdout)
    assert [row["reader"] for row in rows] == [*readers.OF_MESSAGES, *readers.OF_QUESTIONS]
    assert all(row["texts"] > 0 and row["crashes"] == [] for row in rows)


def test_a_crash_is_shown_without_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(readers.OF_MESSAGES, "dates", lambda text, _: len(text) // 0)
    done = CliRunner().invoke(main, ["bench", "readers", str(bench_files.squad(tmp_path))])
    assert done.exit_code == 1
    assert "ZeroDivisionError at " in done.stdout
    assert "梅雨が" not in done.stdout

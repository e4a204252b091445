"""Every reader over a question set: what the table counts, and how a crash is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from aforesaid.bench import readers
from samples import bench_files


def test_every_reader_sees_every_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert readers.main([str(bench_files.squad(tmp_path))]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == [*readers.OF_MESSAGES, *readers.OF_QUESTIONS]
    assert all(int(row[1]) > 0 and row[-1] == "0" for row in rows)


def test_a_crash_is_shown_without_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(readers.OF_MESSAGES, "dates", lambda text, _: len(text) // 0)
    assert readers.main([str(bench_files.squad(tmp_path))]) == 1
    crashes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert crashes and all(line.startswith("  ZeroDivisionError at ") and "梅雨が" not in line for line in crashes)

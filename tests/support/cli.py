"""Calls of the `aforesaid` command inside the test process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from aforesaid.surfaces.cli import main

CLEAN = dict.fromkeys(
    ("AFORESAID_STORE", "AFORESAID_USER", "AFORESAID_CONFIG", "AFORESAID_DEBUG", "NO_COLOR", "COLUMNS")
)
TURNS = (
    {"id": "t1", "session": "s1", "role": "user", "time": "2026-05-01T10:00:00Z", "text": "I moved to Lisbon in May."},
    {"id": "t2", "session": "s1", "role": "assistant", "time": "2026-05-01T10:00:05Z", "text": "How is the weather there?"},
    {"id": "t3", "session": "s1", "role": "user", "time": "2026-05-01T10:01:00Z", "text": "Sunny. My cat is called Figo."},
    {"id": "t4", "session": "s2", "role": "user", "time": "2026-05-09T09:00:00Z", "text": "The build fails with exit code 137."},
)  # fmt: skip


def run(
    store: Path | None,
    *args: str,
    stdin: str | bytes = "",
    code: int | None = 0,
    env: Mapping[str, str | None] | None = None,
) -> Result:
    """One call with an embedder that needs no model; the exit code is checked (None: any), and that nothing blew up."""
    at = ["--store", str(store)] if store else []
    result = CliRunner().invoke(
        main, [*at, "--set", "embed.provider=hash", *args], input=stdin, env={**CLEAN, "COLUMNS": "90", **(env or {})}
    )
    assert code is None or result.exit_code == code, f"{result.output}\n{result.exception!r}"
    assert isinstance(result.exception, SystemExit | None)
    return result


def words(result: Result) -> str:
    """The text of a call with single spaces, however its columns are aligned."""
    return " ".join(result.stdout.split())


def jsonl(*turns: Any) -> str:
    return "".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns)


def filled(store: Path, user: str = "ana") -> Path:
    """A store with four turns of one user."""
    run(store, "ingest", "--user", user, stdin=jsonl(*TURNS))
    return store


def data(result: Result) -> Any:
    return json.loads(result.stdout)

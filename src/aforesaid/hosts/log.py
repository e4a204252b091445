"""A hook's own log: what happened and how long it took. No words of a prompt, a transcript or an answer go in."""

from __future__ import annotations

import contextlib
import traceback
from datetime import UTC, datetime
from pathlib import Path

from aforesaid.errors import EmbedError, EndpointError, SettingsError, StoreError

MAX_BYTES = 1 << 20  # then a second file begins, and the one before it goes
SAID = (StoreError, EmbedError, EndpointError, SettingsError)  # errors that speak of files and services, not of texts


def log_path() -> Path:
    """Where the log is."""
    from platformdirs import user_log_path

    return user_log_path("aforesaid") / "hook.log"


def note(line: str, path: Path | None = None) -> None:
    """Add a line; a log that cannot be written is nobody's trouble."""
    with contextlib.suppress(Exception):
        file = path or log_path()
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > MAX_BYTES:
            file.replace(file.with_name(file.name + ".1"))
        with file.open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {' '.join(line.split())[:500]}\n")


def told(error: BaseException) -> str:
    """An error without anybody's words: its kind, where it came up, and what it says if that is about a file."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    said = f": {error.message}" if isinstance(error, SAID) else ""
    if isinstance(error, OSError) and error.strerror:
        said = f": {error.strerror}"
    return f"{type(error).__name__}{place}{said}"

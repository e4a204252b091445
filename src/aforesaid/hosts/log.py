"""The log of the hooks: what happened and how long it took. It never contains text of users."""

from __future__ import annotations

import contextlib
import traceback
from datetime import UTC, datetime
from pathlib import Path

from aforesaid._util.private_files import private_file, private_folder
from aforesaid.errors import EmbedError, EndpointError, SettingsError, StoreError

MAX_BYTES = 1 << 20  # then the file is renamed to .1, which replaces the one before
MAX_LINE_CHARS = 500
WITHOUT_USER_TEXT = (StoreError, EmbedError, EndpointError, SettingsError)  # their messages name files and services


def log_path() -> Path:
    """The path of the log."""
    from platformdirs import user_log_path

    return user_log_path("aforesaid") / "hook.log"


def write_log(line: str, path: Path | None = None) -> None:
    """Add a line. Failures are ignored."""
    with contextlib.suppress(Exception):
        file = path or log_path()
        private_folder(file.parent)
        if file.exists() and file.stat().st_size > MAX_BYTES:
            file.replace(file.with_name(file.name + ".1"))
        private_file(file)
        with file.open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {' '.join(line.split())[:MAX_LINE_CHARS]}\n")


def describe_error(error: BaseException) -> str:
    """Describe an error without text of users: its class, its place, and its message if that is about a file."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    message = f": {error.message}" if isinstance(error, WITHOUT_USER_TEXT) else ""
    if isinstance(error, OSError) and error.strerror:
        message = f": {error.strerror}"
    return f"{type(error).__name__}{place}{message}"

"""Replaces a file in one step: the old content stays until the new one is complete and on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

NEW_MODE = 0o600  # it may contain private text or keys


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A stream for the new content. After an error the file is unchanged. Its mode is kept."""
    mode = path.stat().st_mode & 0o7777 if path.exists() else NEW_MODE
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(mode)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise

"""Real `aforesaid` processes in tests."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

COMMAND = [sys.executable, "-m", "aforesaid.surfaces.cli"]
ENV = {name: value for name, value in os.environ.items() if not name.startswith("AFORESAID_")} | {
    "AFORESAID_EMBED_PROVIDER": "hash",
    "PYTHONWARNINGS": "error",
}
PATIENCE_SECONDS = 60


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)

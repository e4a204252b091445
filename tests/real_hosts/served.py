"""`aforesaid mcp --http` as a process of its own, answering at an address on this machine."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from real_hosts import programs
from real_hosts.home import USER, Home

SECONDS = 60  # in which it must listen


@contextmanager
def served(home: Home, *options: str) -> Iterator[str]:
    """The address of a server of the home's store."""
    port = free_port()
    process = subprocess.Popen(
        [programs.AFORESAID, "--store", home.store, "mcp", "--http", "--port", str(port), "--user", USER, *options],
        env=home.environment, cwd=home.project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port


def wait_for(port: int, process: subprocess.Popen[str]) -> None:
    """Until somebody listens."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, process.stderr.read() if process.stderr else "it ended"
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens at {port} after {SECONDS} s")

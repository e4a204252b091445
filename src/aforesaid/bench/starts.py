"""How long a host waits: real processes, from their start to what the host needs from them.

    aforesaid bench starts

Each way is tried in a store of its own: every process for itself, through a daemon that has to be started first, and
through one that runs. `bare` is a Python that does nothing, so that ratios can be told from a slow machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

AT = (sys.executable, "-m", "aforesaid")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
FACT, QUESTION = "Ana moors her boat in Horta.", "Where does Ana moor her boat these days?"


@dataclass(frozen=True, slots=True)
class StartTimes:
    """Medians in seconds since the process was started; None for what this way has not."""

    way: str
    initialize: float | None
    first_call: float | None
    hook: float | None


def measure(runs: int, options: Sequence[str] = ()) -> list[StartTimes]:
    """Every way, so many times each."""
    with tempfile.TemporaryDirectory(prefix="aforesaid-bench-") as folder:
        ways = {
            "each for itself": Way(Path(folder) / "alone.db", (*options, "--set", "daemon.on=off"), stop=False),
            "daemon, to be started": Way(Path(folder) / "cold.db", options, stop=True),
            "daemon, running": Way(Path(folder) / "warm.db", options, stop=False),
        }
        try:
            return [
                StartTimes("bare Python", None, None, _timed(_bare, runs)),
                *(way.row(name, runs) for name, way in ways.items()),
            ]
        finally:
            for way in ways.values():
                way.end()


@dataclass(frozen=True, slots=True)
class Way:
    """A store and the options to reach it; `stop`: its daemon is stopped before each try."""

    store: Path
    options: Sequence[str]
    stop: bool

    def run(self, *args: str, stdin: str = "") -> str:
        """What a command prints."""
        command = [*AT, "--store", str(self.store), *self.options, *args]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout

    def row(self, name: str, runs: int) -> StartTimes:
        """The medians of this way."""
        self.run("remember", FACT, "--user", "ana")
        hook = _timed(self.hook, runs, self.ready)
        if find_spec("mcp") is None:
            return StartTimes(name, None, None, hook)
        if not self.stop:
            self._tried()  # a daemon loads the SDK when the first asks for it
        greeted, called = zip(*(self._tried() for _ in range(runs)), strict=True)
        return StartTimes(name, statistics.median(greeted), statistics.median(called), hook)

    def ready(self) -> None:
        """As it should be before a try."""
        if self.stop:
            self.end()
        elif "daemon.on=off" not in self.options:
            self.hook()

    def end(self) -> None:
        """Leave no daemon behind, and wait until it has gone."""
        while json.loads(self.run("daemon", "stop", "--json")).get("pid"):
            time.sleep(0.05)

    def hook(self) -> None:
        """A prompt of a session of its own, answered."""
        event = {"hook_event_name": "UserPromptSubmit", "session_id": os.urandom(8).hex(), "prompt": QUESTION}
        answer = self.run("hook", "--host", "claude-code", "--user", "ana", stdin=json.dumps(event))
        if "Horta" not in answer:
            raise RuntimeError(f"The hook added nothing: {answer or 'no answer'}")

    def _tried(self) -> tuple[float, float]:
        self.ready()
        began = time.perf_counter()
        with subprocess.Popen(
            [*AT, "--store", str(self.store), *self.options, "mcp", "--user", "ana"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        ) as process:  # fmt: skip
            assert process.stdin is not None and process.stdout is not None
            _ask(process.stdin, process.stdout, 1, "initialize", HELLO)
            greeted = time.perf_counter() - began
            process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            call = {"name": "memory_search", "arguments": {"query": QUESTION}}
            found = _ask(process.stdin, process.stdout, 2, "tools/call", call)
            called = time.perf_counter() - began
            process.stdin.close()
        if "Horta" not in json.dumps(found):
            raise RuntimeError("The first call found nothing.")
        return greeted, called


def _ask(stdin: IO[str], stdout: IO[str], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    stdin.flush()
    for line in stdout:
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == number:
            return answer
    raise RuntimeError(f"The server ended before it answered {method}.")


def _bare() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _timed(do: Callable[[], None], runs: int, before: Callable[[], None] = lambda: None) -> float:
    took = []
    for _ in range(runs):
        before()
        began = time.perf_counter()
        do()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def table(rows: Sequence[StartTimes]) -> str:
    """As text."""
    lines = [f"{'seconds from the start of the process':38} {'initialize':>11} {'first call':>11} {'hook':>8}"]
    for row in rows:
        cells = [f"{value:.2f}" if value is not None else "" for value in (row.initialize, row.first_call, row.hook)]
        lines.append(f"{row.way:38} {cells[0]:>11} {cells[1]:>11} {cells[2]:>8}")
    return "\n".join(lines)

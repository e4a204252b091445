"""How long a host waits for `aforesaid mcp` and `aforesaid hook`, measured with real processes.

Each way has its own store: without a daemon, with a daemon that must start first, and with a running daemon. A bare
Python process is measured too, because ratios say more than times on a slow machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import IO, Any

from aforesaid.bench.measuring import Figures, median_seconds, temporary_folder

COMMAND = (sys.executable, "-m", "aforesaid")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
FACT, QUESTION = "Ana moors her boat in Horta.", "Where does Ana moor her boat these days?"


def measure(runs: int, options: Sequence[str] = ()) -> list[Figures]:
    """Median seconds since the process was started, for every way; None where a way has no such figure."""
    with temporary_folder() as folder:
        ways = {
            "each for itself": Way(folder / "alone.db", (*options, "--set", "daemon.on=off"), stop=False),
            "daemon, to be started": Way(folder / "cold.db", options, stop=True),
            "daemon, running": Way(folder / "warm.db", options, stop=False),
        }
        try:
            bare = median_seconds(lambda run: subprocess.run([sys.executable, "-c", "pass"], check=True), runs)
            python = {"way": "bare Python", "initialize": None, "first_call": None, "hook": bare}
            return [python, *(way.measure(name, runs) for name, way in ways.items())]
        finally:
            for way in ways.values():
                way.stop_daemon()


@dataclass(frozen=True, slots=True)
class Way:
    """A store and the options to reach it. With `stop`, its daemon is stopped before each run."""

    store: Path
    options: Sequence[str]
    stop: bool

    def run(self, *args: str, stdin: str = "") -> str:
        """Run a command and return its output."""
        command = [*COMMAND, "--store", str(self.store), *self.options, *args]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout

    def measure(self, name: str, runs: int) -> Figures:
        """The medians of this way."""
        self.run("remember", FACT, "--user", "ana")
        hook = median_seconds(lambda run: self.hook(), runs, self.prepare)
        if find_spec("mcp") is None:
            return {"way": name, "initialize": None, "first_call": None, "hook": hook}
        if not self.stop:
            self._mcp()  # a daemon loads the SDK at its first request
        greeted, called = zip(*(self._mcp() for _ in range(runs)), strict=True)
        return {"way": name, "initialize": median(greeted), "first_call": median(called), "hook": hook}

    def prepare(self) -> None:
        """Stop the daemon, or make sure that it runs."""
        if self.stop:
            self.stop_daemon()
        elif "daemon.on=off" not in self.options:
            self.hook()

    def stop_daemon(self) -> None:
        """Stop the daemon and wait until it has ended."""
        while json.loads(self.run("daemon", "stop", "--json")).get("pid"):
            time.sleep(0.05)

    def hook(self) -> None:
        """Answer a prompt in a new session."""
        event = {"hook_event_name": "UserPromptSubmit", "session_id": os.urandom(8).hex(), "prompt": QUESTION}
        answer = self.run("hook", "--host", "claude-code", "--user", "ana", stdin=json.dumps(event))
        if "Horta" not in answer:
            raise RuntimeError(f"The hook added nothing: {answer or 'no answer'}")

    def _mcp(self) -> tuple[float, float]:
        """Seconds until `initialize` and until the first call are answered."""
        self.prepare()
        began = time.perf_counter()
        with subprocess.Popen(
            [*COMMAND, "--store", str(self.store), *self.options, "mcp", "--user", "ana"],
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

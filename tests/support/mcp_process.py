"""An `aforesaid mcp` process as a host starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
COMMAND = [sys.executable, "-W", "error", "-m", "aforesaid"]
QUICK = ["--set", "embed.provider=hash"]


class Host:
    """What a host does: start it, shake hands, ask."""

    def __init__(self, store: Path, *options: str, daemon: bool = False, bare: bool = False) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--store", str(store), *QUICK, "--set", f"daemon.on={daemon}", "mcp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env={name: value for name, value in os.environ.items() if not bare or name in ("HOME", "PATH", "LANG", "PYTHONPATH")},
        )  # fmt: skip
        self.number = 0
        self.watchdog = threading.Timer(120, self.process.kill)  # a test that waits for nothing should fail
        self.watchdog.start()

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer.get("result") or answer
        raise AssertionError(self.process.stderr.read() if self.process.stderr else "")

    def greet(self) -> Any:
        found = self.ask("initialize", **HELLO)
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return found

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=120)
        self.watchdog.cancel()
        return self.process.returncode, errors

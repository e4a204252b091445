"""Claude Code itself, set up by `aforesaid install` and talking to a model that is not one."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_hosts import programs
from real_hosts.fake_anthropic import SERVER, system, texts
from real_hosts.fake_model import FakeModel, Request
from real_hosts.home import USER, Home
from real_hosts.visit import HookRun, ToolRun, Visit

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}  # its documented switches: nothing leaves this machine
WAITING = {"MCP_CONNECTION_NONBLOCKING": "false", "MCP_CONNECT_TIMEOUT_MS": "60000"}  # for our server before a turn
CONNECTED = re.compile(r'MCP server "aforesaid": Successfully connected .*? in (\d+)ms')
CALLED = re.compile(r"MCP server \"aforesaid\": Tool '(\w+)' completed successfully in (\d+)ms")
HOOKED = re.compile(r"Hooks: (\w+)\S* \[.*? finished with status (\d+) \((\d+)ms\)")


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """A person's Claude Code, in print mode."""

    home: Home
    model: FakeModel

    @property
    def environment(self) -> dict[str, str]:
        """Its own folder, the model's address and a key that opens nothing."""
        own = {"CLAUDE_CONFIG_DIR": str(self.home.folder / ".claude")}
        return {**QUIET, **WAITING, **own, "ANTHROPIC_BASE_URL": self.model.address, "ANTHROPIC_API_KEY": "no-key"}

    def install(self, *options: str) -> None:
        """As the documentation says."""
        words = ("install", "claude-code", "--user", USER, "--yes", *options)
        self.home.aforesaid(*words, CLAUDE_CONFIG_DIR=self.environment["CLAUDE_CONFIG_DIR"])

    def ask(self, prompt: str, *options: str, **environment: str) -> Visit:
        """One prompt, to its answer."""
        debug = self.home.folder / "debug.log"
        debug.unlink(missing_ok=True)
        began = time.time()
        done = self.home.run(
            [
                programs.claude(), "--print", prompt, "--allowedTools", SERVER.rstrip("_"), "--verbose",
                "--output-format", "stream-json", "--include-hook-events", "--debug-file", debug, *options,
            ],
            {**self.environment, **environment},
        )  # fmt: skip
        events = [json.loads(line) for line in done.stdout.splitlines()]
        result = events[-1]
        assert result["type"] == "result" and not result["is_error"], result
        return self._visit(prompt, result, events, debug, began)

    def _visit(
        self, prompt: str, result: Mapping[str, Any], events: list[Mapping[str, Any]], debug: Path, began: float
    ) -> Visit:
        seconds = time.time() - began
        log = debug.read_text(encoding="utf-8")
        connected = CONNECTED.search(log)
        told = [everything(request) for request in self.model.turns]
        return Visit(
            prompt, result["result"], result["session_id"], seconds, told, list(hooks(events, log)),
            list(tools(self.model.turns, log)), int(connected.group(1)) if connected else None,
            round((self.model.turns[0].time - began) * 1000),
        )  # fmt: skip

    def transcripts(self) -> list[Path]:
        """The files that Claude Code keeps of its sessions."""
        return sorted((self.home.folder / ".claude" / "projects").glob("*/*.jsonl"))


def everything(request: Request) -> str:
    """All words of a request, as the model reads them; its tools are offered beside."""
    said = [text for message in request.body["messages"] for text in texts(message)]
    return "\n".join((system(request.body), *said))


def hooks(events: list[Mapping[str, Any]], log: str) -> Iterator[HookRun]:
    """The hooks that ran, in order, with the times that Claude Code took; it takes none of a session's end."""
    times = {(name, code): int(took) for name, code, took in HOOKED.findall(log)}
    for event in events:
        if event.get("subtype") == "hook_response":
            name, code = event["hook_event"], event["exit_code"]
            yield HookRun(name, code, times.get((name, str(code))))


def tools(turns: list[Request], log: str) -> Iterator[ToolRun]:
    """Our tools that were called, and their results in the request after."""
    times = CALLED.findall(log)
    blocks = [block for message in turns[-1].body["messages"] if not isinstance(message["content"], str)
              for block in message["content"]]  # fmt: skip
    results = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    for block in blocks:
        if block["type"] == "tool_use" and block["name"].startswith(SERVER) and block["id"] in results:
            tool = block["name"].removeprefix(SERVER)
            result = "\n".join(texts({"content": [results[block["id"]]]}))
            took = next((int(ms) for name, ms in times if name == tool), None)
            yield ToolRun(tool, json.dumps(block["input"], ensure_ascii=False), result, took)

"""Codex itself, set up by `aforesaid install` and talking to a model that is not one."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from real_hosts import programs
from real_hosts.fake_model import FakeModel, Request
from real_hosts.fake_openai import SERVER, words
from real_hosts.home import USER, Home
from real_hosts.visit import HookRun, ToolRun, Visit

CONFIG = """\
model = "fake"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
remote_plugin = false
daemon_auto_start = false

[model_providers.fake]
name = "fake"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
"""  # a model on this machine, and nothing that would ask others
TRUSTING = "--dangerously-bypass-hook-trust"  # what a person does once in /hooks
TOOK = re.compile(r"^Wall time: ([\d.]+) seconds\nOutput:\n")
LOGGED = re.compile(r"^\S+ codex (\w+) ([\d.]+) s (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Codex:
    """A person's Codex, without its screen."""

    home: Home
    model: FakeModel

    @property
    def folder(self) -> Path:
        """Where it keeps what is its own."""
        return self.home.folder / ".codex"

    @property
    def config(self) -> str:
        """Its configuration, as it stands."""
        return (self.folder / "config.toml").read_text(encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        """Its own folder, and a key that opens nothing."""
        return {"CODEX_HOME": str(self.folder), "FAKE_KEY": "no-key"}

    def install(self, *options: str) -> None:
        """As the documentation says, into a configuration that is there already."""
        config = self.folder / "config.toml"
        if not config.exists():
            self.folder.mkdir()
            config.write_text(CONFIG.format(address=self.model.address), encoding="utf-8")
        self.home.aforesaid("install", "codex", "--user", USER, "--yes", *options, **self.environment)

    def ask(self, prompt: str, *options: str, resume: str = "") -> Visit:
        """One prompt, to its answer; in a session from before if one is named."""
        log, began = self.home.log(), time.time()
        words = ("exec", "--json", "--skip-git-repo-check", *options, *(("resume", resume) if resume else ()), prompt)
        done = self.home.run([programs.codex(), *words], self.environment)
        seconds = time.time() - began
        events = [json.loads(line) for line in done.stdout.splitlines()]
        answers = [event["item"]["text"] for event in events if event.get("item", {}).get("type") == "agent_message"]
        session = next(event["thread_id"] for event in events if event["type"] == "thread.started")
        told = [everything(request) for request in self.model.turns]
        news = self.home.log().removeprefix(log)
        hooks = [HookRun(name, None, round(float(took) * 1000)) for name, took, _ in LOGGED.findall(news)]
        waited = None if resume else self._waited(session)
        called, asked = list(tools(self.model.turns)), round((self.model.turns[0].time - began) * 1000)
        return Visit(prompt, answers[-1], session, seconds, told, hooks, called, waited, asked)

    def manage(self, *words: str) -> None:
        """What a person does with Codex's other commands."""
        self.home.run([programs.codex(), *words], self.environment)

    def _waited(self, session: str) -> int:
        """How long a new session waited for its servers: from when it was made until it wrote its first line."""
        (rollout,) = self.folder.glob(f"sessions/*/*/*/rollout-*{session}.jsonl")
        with rollout.open(encoding="utf-8") as lines:
            head = json.loads(next(lines))
        made, written = (datetime.fromisoformat(each["timestamp"]) for each in (head["payload"], head))
        return round((written - made).total_seconds() * 1000)


def offered(request: Request) -> dict[str, Any]:
    """What Codex tells the model about our server: a namespace with a description and tools."""
    return next((tool for tool in request.body["tools"] if tool.get("name") == SERVER), {})


def everything(request: Request) -> str:
    """All words of a request, as the model reads them."""
    items = [words(item) for item in request.body["input"]]
    return "\n".join((offered(request).get("description", ""), *items))


def tools(turns: list[Request]) -> Iterator[ToolRun]:
    """Our tools that were called, and what the model was handed in return."""
    items = turns[-1].body["input"]
    results = {item["call_id"]: words(item) for item in items if item["type"] == "function_call_output"}
    for item in items:
        if item["type"] == "function_call" and item.get("namespace") == SERVER and item["call_id"] in results:
            result = results[item["call_id"]]
            took = TOOK.match(result)
            took_ms = round(float(took.group(1)) * 1000) if took else None
            yield ToolRun(item["name"], item["arguments"], TOOK.sub("", result), took_ms)

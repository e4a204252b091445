"""Codex's own server for its windows: what its screens write down, without a screen."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from real_hosts import programs
from real_hosts.home import Home

Ask = Callable[[str, Mapping[str, Any]], Any]


@contextmanager
def app_server(home: Home, environment: Mapping[str, str]) -> Iterator[Ask]:
    """A server that is asked by method and parameters."""
    with subprocess.Popen(
        [programs.codex(), "app-server"], env={**home.environment, **environment}, cwd=home.project,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            ask(process, "initialize", {"clientInfo": {"name": "hooks", "version": "1"}})
            yield partial(ask, process)
        finally:
            process.terminate()


def trust_hooks(home: Home, environment: Mapping[str, str]) -> list[str]:
    """Trust every hook that Codex finds, as a person does after reading them; which events they are for."""
    with app_server(home, environment) as asked:
        (found,) = asked("hooks/list", {"cwds": [str(home.project)]})["data"]
        new = [hook for hook in found["hooks"] if hook["trustStatus"] == "untrusted"]
        write(asked, "hooks.state", {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in new})
    return [hook["eventName"] for hook in new]


def trust_project(home: Home, environment: Mapping[str, str]) -> None:
    """Trust the project, as Codex offers when it is started there for the first time."""
    with app_server(home, environment) as asked:
        write(asked, "projects", {str(home.project): {"trust_level": "trusted"}})


def write(asked: Ask, key: str, value: Mapping[str, Any]) -> None:
    """Let Codex write something into its configuration."""
    asked("config/batchWrite", {"edits": [{"keyPath": key, "value": value, "mergeStrategy": "upsert"}]})


def ask(process: subprocess.Popen[str], method: str, params: Mapping[str, Any]) -> Any:
    """One question, and its answer; what is told in between is for others."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == method:
            return answer["result"]
    raise AssertionError(f"Codex did not answer {method}")

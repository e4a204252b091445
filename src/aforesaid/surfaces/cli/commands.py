"""The commands by name. Each is built or imported when it is needed, so that help and completion stay quick."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import click

# In the order in which a newcomer meets them. A command of the table names its module in `surfaces.verbs`; a
# hand-written one names its module in `surfaces.cli` and its summary.
COMMANDS: dict[str, str | tuple[str, str]] = {
    "ingest": "records", "remember": "records", "search": "records", "show": "records", "list": "records",
    "assemble": "records", "feedback": "learning", "calibrate": "learning", "gate": "learning",
    "activate": "governance", "history": "records", "load": "sessions", "lint": "sessions",
    "index": "sessions", "watch": "sessions", "bootstrap": "sessions", "compact": "sessions",
    "expand": "sessions", "end": "sessions",
    "hook": ("hook", "Answer an event of a coding agent."),
    "install": ("install", "Set up a coding agent to use this memory."),
    "observe": "governance", "distill": "governance", "candidates": "governance", "promote": "governance",
    "upsert": "governance", "rollback": "governance", "policy": "policy", "validate": "policy",
    "sweep": "governance", "forget": "records", "export": "maintenance", "import": "maintenance",
    "backup": "maintenance", "stats": "maintenance", "verify": "maintenance", "audit": "maintenance",
    "reindex": "maintenance",
    "mcp": ("mcp", "Serve the memory to agents that speak MCP."),
    "daemon": ("daemon", "Keep a store open in a background process."),
    "doctor": ("doctor", "Check the installation for problems."),
    "settings": ("settings", "List every setting."),
    "models": ("models", "Download, locate, check or remove the local model."),
    "completion": ("settings", "Print a script for shell completion."),
    "bench": ("bench", "Measure quality and speed."),
    "demo": ("demo", "Show the main features on an invented conversation."),
}  # fmt: skip


def summary_of(name: str) -> str:
    """What a command does, in one line; nothing is built for it."""
    where = COMMANDS[name]
    if not isinstance(where, str):
        return where[1]
    module = _rows(where)
    groups: dict[str, str] = getattr(module, "GROUPS", {})
    return groups.get(name) or str(next(verb.summary for verb in module.VERBS if verb.name == name))


def _rows(module: str) -> Any:
    return import_module(f"aforesaid.surfaces.verbs.{module}")


class Commands(UserDict[str, click.Command]):
    """All commands as a mapping that makes them one by one."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.data:
            self.data[name] = _made(name, COMMANDS[name])
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _made(name: str, where: str | tuple[str, str]) -> click.Command:
    if not isinstance(where, str):
        found: click.Command = getattr(import_module(f"aforesaid.surfaces.cli.{where[0]}"), name)
        return found
    from aforesaid.surfaces.cli.build import command_of, group_of

    module = _rows(where)
    groups: dict[str, str] = getattr(module, "GROUPS", {})
    if name in groups:
        return group_of(name, groups[name], module.VERBS)
    return command_of(next(verb for verb in module.VERBS if verb.name == name))

"""The commands by name. Each is built or imported when it is needed, so that help and completion stay quick."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from aforesaid.surfaces.verbs.declare import Verb

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
    "backup": "maintenance", "restore": "maintenance", "stats": "maintenance", "verify": "maintenance",
    "audit": "maintenance", "reindex": "maintenance",
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
    groups, verbs = _rows(where)
    return groups.get(name) or next(verb.summary for verb in verbs if verb.name == name)


@cache
def command_named(name: str) -> click.Command | None:
    """Build or import a command; None when there is no such command."""
    where = COMMANDS.get(name)
    if where is None:
        return None
    if not isinstance(where, str):
        found: click.Command = getattr(import_module(f"aforesaid.surfaces.cli.{where[0]}"), name)
        return found
    from aforesaid.surfaces.cli.build import command_of, group_of

    groups, verbs = _rows(where)
    if name in groups:
        return group_of(name, groups[name], verbs)
    return command_of(next(verb for verb in verbs if verb.name == name))


def all_verbs() -> list[Verb]:
    """Every verb of the command line."""
    return [
        verb
        for module in dict.fromkeys(each for each in COMMANDS.values() if isinstance(each, str))
        for verb in _rows(module)[1]
    ]


def _rows(module: str) -> tuple[dict[str, str], tuple[Verb, ...]]:
    """The groups of commands and the verbs of a module."""
    found = import_module(f"aforesaid.surfaces.verbs.{module}")
    return getattr(found, "GROUPS", {}), found.VERBS

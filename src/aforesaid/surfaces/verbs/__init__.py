"""The table of public verbs. Each module holds the rows of one group and is imported when it is needed.

A new verb is a row here plus its name in `surfaces.cli.commands`. The command, the MCP tool, docs/cli.md and the table
of tools in docs/mcp.md are made from the row; `make docs` writes the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from aforesaid.surfaces.verbs.declare import Tool, Verb

MODULES = ("records", "sessions", "governance", "policy", "learning", "maintenance")


def verbs_of(module: str) -> tuple[Verb, ...]:
    """The rows of one module."""
    found: tuple[Verb, ...] = import_module(f"{__name__}.{module}").VERBS
    return found


def all_verbs() -> Iterator[Verb]:
    """Every row."""
    for module in MODULES:
        yield from verbs_of(module)


def all_tools() -> list[tuple[Verb, Tool]]:
    """Every verb that is an MCP tool, the modes of verbs too; the minimal ones first."""
    every = [each for verb in all_verbs() for each in (verb, *verb.modes)]
    found = [(verb, verb.tool) for verb in every if verb.tool is not None]
    return sorted(found, key=lambda row: not row[1].minimal)

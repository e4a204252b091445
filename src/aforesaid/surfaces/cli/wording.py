"""Remedies in the words of the command line: `of=…` becomes `--of …`, `memory.list()` becomes `aforesaid list`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aforesaid.surfaces.cli.commands import all_verbs

if TYPE_CHECKING:
    from aforesaid.surfaces.verbs.declare import Verb

ARGUMENT = re.compile(r"\b(\w+)=(True|…|\S+?)(?=[\s,.;)]|$)")
CALL = re.compile(r"\bmemory\.([\w.]+)\(([^)]*)\)")


def in_command_words(remedy: str, verb: Verb) -> str:
    """The remedy of an error that Python raised, for somebody who typed a command."""
    flags = {argument.name: argument.flag for argument in verb.all_arguments() if not argument.positional}

    def flag(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        if name not in flags:
            return found[0]
        return flags[name] if value == "True" else f"{flags[name]} {value}"

    def command(found: re.Match[str]) -> str:
        name = next((each.name for each in all_verbs() if each.method == found[1]), "")
        return f"`aforesaid {name}`" if name else found[0]

    return ARGUMENT.sub(flag, CALL.sub(command, remedy))

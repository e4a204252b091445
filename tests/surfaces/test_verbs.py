"""The table of verbs: every row names a method that exists, and is offered, documented and shown by example."""

from __future__ import annotations

import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import click
import pytest

from aforesaid.memory import Memory
from aforesaid.store.memory import DictStore
from aforesaid.surfaces.cli.build import special as special_command
from aforesaid.surfaces.cli.commands import COMMANDS, command_named
from aforesaid.surfaces.verbs import all_verbs
from aforesaid.surfaces.verbs.declare import Verb

ROWS = list(all_verbs())
VERBS = [each for verb in ROWS for each in (verb, *verb.modes)]
DOCS = Path(__file__).parents[2] / "docs"


def named(verb: Verb) -> str:
    return verb.name


def command_of(verb: Verb) -> click.Command:
    first, _, second = verb.name.partition(" ")
    found = command_named(first)
    assert found is not None
    return found.commands[second] if isinstance(found, click.Group) else found


def test_names_are_unique() -> None:
    assert len({verb.name for verb in VERBS}) == len(VERBS)


@pytest.mark.parametrize("verb", VERBS, ids=named)
def test_the_method_exists_on_memory(verb: Verb) -> None:
    if not verb.method:
        assert verb.call is not None and verb.opens == "nothing"
        return
    assert attrgetter(verb.method)(Memory(DictStore())) is not None


@pytest.mark.parametrize("verb", [verb for verb in ROWS if verb.on_command_line], ids=named)
def test_a_command_has_every_argument_of_its_row(verb: Verb) -> None:
    command = command_of(verb)
    params = {param.name for param in command.params}
    wanted = {argument.name for argument in verb.all_arguments() if argument.kind != "turns"}
    assert wanted <= params
    assert verb.name.split()[0] in COMMANDS
    assert not verb.command or callable(special_command(verb.command))


@pytest.mark.parametrize("verb", [verb for verb in ROWS if verb.on_command_line], ids=named)
def test_a_command_is_documented_with_an_example(verb: Verb) -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## aforesaid {verb.name}\n")[2].partition("\n## ")[0]
    assert " ".join(verb.summary.split()) in " ".join(section.split())
    assert verb.example.startswith(f"aforesaid {verb.name}") and verb.example.splitlines()[0] in section
    for argument in verb.all_arguments():
        assert argument.kind == "turns" or argument.positional or argument.flag.partition("/")[0] in section


@pytest.mark.parametrize("verb", VERBS, ids=named)
def test_help_is_a_sentence(verb: Verb) -> None:
    assert verb.summary.endswith(".") and verb.summary[0].isupper()
    for argument in [] if verb.by else verb.arguments:
        if not argument.positional and (argument.tool is None or argument.help):
            assert (
                argument.help[0].isupper() and argument.help.rstrip("]").endswith((".", "…"))
            ) or "[" in argument.help


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.tool], ids=named)
def test_a_tool_is_offered_and_its_special_parts_exist(verb: Verb) -> None:
    pytest.importorskip("mcp")
    from aforesaid.surfaces.mcp.answers import SHAPES
    from aforesaid.surfaces.mcp.tools import SPECIAL, offered

    assert verb.tool is not None
    assert verb.tool.answer in SHAPES
    assert not verb.tool.run or verb.tool.run in SPECIAL
    assert not verb.tool.owned or verb.has(verb.tool.owned)
    assert verb in [each for each, _ in offered("full", ("read", "write"))]


def test_verbs_that_write_are_not_granted_to_readers() -> None:
    for verb in VERBS:
        assert verb.grant != "read" or verb.effect in ("none", "notes") or verb.name == "policy", verb.name


def test_importing_the_table_stays_light() -> None:
    code = "import sys; from aforesaid.surfaces.verbs import all_verbs; list(all_verbs())\n"
    code += "print([n for n in ('numpy', 'pydantic', 'mcp', 'onnxruntime') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_table_names_every_profile() -> None:
    from aforesaid.retrieval import search
    from aforesaid.surfaces.verbs.records import PROFILES

    assert tuple(search.PROFILES) == PROFILES

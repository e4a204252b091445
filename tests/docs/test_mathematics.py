"""docs/mathematics.md maps every law of the three systems to a function, a verb, its settings and a test.

All of it is checked: the function and the test exist, the function runs when the verb is called, and it reads the
settings.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from aforesaid.settings import Settings
from aforesaid.surfaces.verbs import all_verbs
from support import scenarios
from support.scenarios import PROFILES, copied, fresh, searched

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| ([LPO]?\d[^|]*?) \| ([^|]+?) \| `([\w.]+)` \| ([^|]+?) \| ([^|]+?) \| `(tests/[\w/]+\.py)::(\w+)` \|$", re.M
)
ROWS = ROW.findall(PAGE)
FUNCTIONS = sorted({row[2] for row in ROWS})
NAMED = re.compile(r"`([^`]+)`")
GROUPS = {field.default_factory: field.name for field in fields(Settings) if field.name != "origins"}
PYTHON_ONLY = {"notes.search": "notes search", "recall": "recall"}  # methods of `Memory` without a verb of their own
MODEL = {
    "compact.provider": "openai",
    "compact.model": "small",
    "compact.abstractive_gate": 0.0,
    "assemble.tail": 0.0,
    "assemble.tail_turns": 0,
}


def test_no_row_is_malformed() -> None:
    assert len(ROWS) == sum(re.match(r"\| [LPO]?\d", line) is not None for line in PAGE.splitlines())
    assert len(ROWS) >= 60


def test_every_section_of_the_three_systems_has_a_row() -> None:
    page = (ROOT / "docs" / "specification.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### ([LPO]\d[\d.]*) ", page, re.M)
    covered = {section for row in ROWS for section in _sections(row[0])}
    assert len(sections) > 40
    gate = "4"  # of our own contract
    assert [section for section in (*sections, gate) if section not in covered] == []


def _sections(cell: str) -> Iterator[str]:
    """The sections of a cell: `L1, L1.3`, or `O1–O3`."""
    for part in cell.split(", "):
        first, _, last = part.partition("–")
        yield from ([first] if not last else [f"{first[0]}{i}" for i in range(int(first[1:]), int(last[1:]) + 1)])


@pytest.mark.parametrize(("section", "formula", "function", "verbs", "settings", "file", "test"), ROWS)
def test_a_rows_function_and_test_are_there(
    section: str, formula: str, function: str, verbs: str, settings: str, file: str, test: str
) -> None:
    assert callable(_named(function)), f"{section}: {formula}"
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, f"{section}: {formula}"


@pytest.mark.parametrize(("function", "verbs"), sorted({(row[2], row[3]) for row in ROWS}))
def test_the_verb_of_a_row_runs_its_function(function: str, verbs: str) -> None:
    named = set(NAMED.findall(verbs))
    assert named
    assert named <= runs()[function], f"{function} runs in {sorted(runs()[function])}"


@pytest.mark.parametrize(("function", "settings"), sorted({(row[2], row[4]) for row in ROWS}))
def test_the_settings_of_a_row_are_those_that_its_function_reads(function: str, settings: str) -> None:
    assert settings == (", ".join(f"`{name}`" for name in steered_by(function)) or "—")


@functools.cache
def runs() -> dict[str, set[str]]:
    """By function: the verbs that called it while the scenarios ran."""
    wanted = {code: name for name in FUNCTIONS for code in _codes(_named(name))}
    doors = _doors()
    found: dict[str, set[str]] = {name: set() for name in FUNCTIONS}
    inside: list[FrameType] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            if not inside and frame.f_code in doors:
                inside.append(frame)
            if inside and frame.f_code in wanted:
                found[wanted[frame.f_code]].add(doors[inside[0].f_code])
        elif event == "return" and inside and frame is inside[0]:
            inside.clear()

    scenarios.corpus()  # once, unwatched
    for run in _stories():
        sys.setprofile(watch)
        try:
            list(run())
        finally:
            sys.setprofile(None)
    return found


def _stories() -> Iterator[Any]:
    usual = Settings()
    unscored = partial(copied, scenarios.Unscored)
    yield from (partial(searched(profile), usual) for profile in PROFILES)
    yield partial(searched("pce", store=unscored), usual.changed({"pce.use_quality": True}, "test"))
    for scenario in (
        scenarios.gated,
        scenarios.ingested,
        scenarios.assembled,
        scenarios.governed,
        scenarios.indexed,
        scenarios.calibrated,
    ):
        yield partial(scenario, usual)
    yield partial(scenarios.opened, usual.changed({"embed.provider": "hash"}, "test"))
    yield partial(scenarios.compacted, usual.changed(MODEL, "test"))


def _doors() -> dict[CodeType, str]:
    """The code of every method of `Memory` that is a verb, with its name."""
    memory = fresh(Settings())
    methods = {verb.method: verb.name for verb in all_verbs() if verb.method and verb.method != "store"}
    return {
        inspect.unwrap(attrgetter(method)(memory)).__code__: name for method, name in {**PYTHON_ONLY, **methods}.items()
    }


def _named(function: str) -> Any:
    module, name = f"aforesaid.{function}".rsplit(".", 1)
    return inspect.unwrap(getattr(importlib.import_module(module), name))


def _codes(function: Any) -> list[CodeType]:
    """The code of a function; of a class, that of its methods."""
    if not inspect.isclass(function):
        return [function.__code__]
    members = inspect.getmembers(function, lambda member: inspect.isfunction(member) or inspect.ismethod(member))
    return [member.__code__ for name, member in members if not name.startswith("__")]


def steered_by(function: str) -> list[str]:
    """The settings that a function reads itself: `rows.x` of its arguments, and defaults such as `DEFAULTS.x`."""
    found = _named(function)
    if inspect.isclass(found):
        return []
    module = importlib.import_module(found.__module__)
    tree = ast.parse(textwrap.dedent(inspect.getsource(found)))
    groups = {name: GROUPS[type(value)] for name, value in vars(module).items() if type(value) in GROUPS}
    by_class = {rows.__name__: group for rows, group in GROUPS.items()}
    for argument in (node for node in ast.walk(tree) if isinstance(node, ast.arg)):
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id in by_class:
            groups[argument.arg] = by_class[argument.annotation.id]
    read = [
        f"{groups[node.value.id]}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in groups
    ]
    return sorted(set(read))

"""Every setting changes something that a caller sees, or is listed here with the reason why a test cannot show it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from aforesaid.errors import AforesaidError, SettingsError
from aforesaid.settings import Settings
from support import scenarios
from support.scenarios import Scenario, searched

ROOT = Path(__file__).parents[2]

SCENARIOS: dict[str, Scenario] = {  # by setting, or by group
    "store.private": scenarios.opened,
    "tokens": scenarios.assembled,
    "tokens.gate_chars": scenarios.gated,
    "cascade": searched("libra"),
    "gate": scenarios.gated,
    "ingest": scenarios.ingested,
    "readers": scenarios.ingested,
    "search": searched("pce"),
    "search.log": scenarios.logged,
    "search.limit": searched("default", limit=None),
    "search.widen": searched("pce", limit=12, store=partial(scenarios.copied, scenarios.Approximate)),
    "search.thresholds": searched("libra"),
    "search.weight_session": searched("libra-single", session="trip"),
    "search.weight_user": searched("libra-single"),
    "search.weight_project": searched("libra-single"),
    "search.weight_global": searched("libra-single"),
    "default": searched("default"),
    "libra": searched("libra"),
    "libra.alpha": searched("libra-single"),
    "libra.beta": searched("libra-single"),
    "libra.gamma": searched("libra-single"),
    "libra.decay_session": searched("libra-single", session="trip"),
    "libra.decay_user": searched("libra-single"),
    "libra.decay_global": searched("libra-single"),
    "time": searched("libra"),
    "pce": searched("pce"),
    "openclaw": searched("openclaw"),
    "expand": scenarios.reworded,
    "recovery": searched("default"),
    "assemble": scenarios.assembled,
    "compact": scenarios.compacted,
    "govern": scenarios.governed,
    "files": scenarios.indexed,
    "imports": scenarios.imported,
    "hooks": scenarios.recalled,
    "embed": scenarios.opened,
    "embed.passages": scenarios.ingested,
}
MODEL: dict[str, Any] = {
    "assemble.tail": 0.0,
    "assemble.tail_turns": 0,
    "compact.provider": "openai",
    "compact.model": "small",
    "compact.abstractive_gate": 0.0,
    "compact.trigger_tokens": 300,
}
WHILE: dict[str, dict[str, Any]] = {  # settings that must be so for another to matter
    "pce.quality_base": {"pce.use_quality": True},
    "store.private": {"embed.provider": "hash"},
    "tokens.chars_cjk": {"tokens.estimate": "literal"},
    "tokens.chars_dense": {"tokens.estimate": "literal"},
    "tokens.chars_other": {"tokens.estimate": "literal"},
    "cascade": {"search.thresholds": "literal"},
    "cascade.exit2": {"cascade.exit1": 1.0, "search.thresholds": "literal"},
    "recovery.summaries": {"recovery.confidence": 1.0},
    "recovery.confidence": {"recovery.summaries": 1},
    "compact": MODEL,
    "compact.align": MODEL | {"search.thresholds": "literal"},
    "embed": {"embed.provider": "hash"},
    "expand": {"expand.provider": "openai", "expand.model": "small", "openclaw.threshold": 1.0},
    "embed.passages": {},
}
OTHERS: dict[str, list[Any]] = {
    "compact.model": ["large"],
    "expand.model": ["large"],
    "files.endings": ["rst"],
    "embed.provider": ["off"],
}
NO_TEST = {  # why no scenario can show it
    "store.key_file": "names a file: tests/store/test_key_file.py",
    "store.lock_timeout_ms": "needs two processes: tests/store",
    "store.frozen_log_mb": "needs a writer beside the reader: tests/store",
    "store.synchronous": "shows only when the power fails",
    "store.segment_rows": "changes the layout of the file, never an answer",
    "store.vector_cache_mb": "changes memory and time, never an answer",
    "store.sketch_from": "changes time, never an answer",
    "store.sketch_survivors": "matters from 200,000 records on",
    "store.sketch_share": "matters from 200,000 records on",
    "embed.model": "names a model of a service, or a folder of weights",
    "embed.batch": "a service is needed: tests/embed/test_endpoints.py",
    "embed.timeout_ms": "a slow service is needed: tests/embed/test_endpoints.py",
    "embed.retries": "a failing service is needed: tests/embed/test_endpoints.py",
    "embed.max_tokens": "the local model is needed: tests/embed",
    "embed.threads": "changes time, never an answer",
    "embed.cache_texts": "changes time, never an answer",
    "files.debounce_ms": "a watched folder is needed",
    "expand.timeout_ms": "a slow service is needed",
    "hooks.prompt_ms": "a process that is late is needed: tests/hosts",
    "hooks.event_ms": "a process that is late is needed: tests/hosts",
    "hooks.documents": "a hook of a coding agent is needed: tests/hosts",
    "daemon.on": "a background process is needed: tests/surfaces",
    "daemon.idle_seconds": "a background process is needed: tests/surfaces",
    "daemon.start_ms": "a background process is needed: tests/surfaces",
    "daemon.folder": "a background process is needed: tests/surfaces",
}
NAMES = [row.name for row in Settings().rows()]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NO_TEST])
def test_a_setting_changes_the_answer(name: str) -> None:
    group = name.split(".")[0]
    scenario = SCENARIOS.get(name) or SCENARIOS[group]
    given = WHILE.get(name, WHILE.get(group, {}))
    assert any(differs(scenario, given, {name: value}) for value in others(name, given))


def differs(scenario: Scenario, given: dict[str, Any], change: dict[str, Any]) -> bool:
    """Whether a caller sees another answer, or a refusal."""
    try:
        settings = Settings().changed(given | change, "test")
    except SettingsError:
        return False  # it does not go with the other settings
    usual = answers(scenario, tuple(given.items()))
    try:
        return any(repr(piece) != expected for piece, expected in zip_longest(scenario(settings), usual))
    except AforesaidError:
        return True


@functools.cache
def answers(scenario: Scenario, values: tuple[tuple[str, Any], ...]) -> list[str]:
    return [repr(piece) for piece in scenario(Settings().changed(dict(values), "test"))]


def others(name: str, given: dict[str, Any]) -> Iterator[Any]:
    """Other values of a setting: its ends, and some nearer ones."""
    [row] = [row for row in Settings().changed(given, "test").rows() if row.name == name]
    usual = row.value
    if name in OTHERS:
        yield from OTHERS[name]
    elif isinstance(usual, bool):
        yield not usual
    elif isinstance(usual, str):
        yield from (word for word in row.range.split(" | ") if word != usual)
    else:
        low, high = map(float, row.range.split(" … "))
        for value in (low, high, usual / 2, (usual + high) / 2, usual * 2):
            exact = type(usual)(value)
            if low <= exact <= high and exact != usual:
                yield exact


def test_what_no_scenario_shows_is_a_setting_and_is_read() -> None:
    read = {
        node.attr
        for path in (ROOT / "src" / "aforesaid").rglob("*.py")
        if path.parent.name != "settings"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert set(NO_TEST) <= set(NAMES)
    assert [name for name in NO_TEST if name.split(".")[1] not in read] == []

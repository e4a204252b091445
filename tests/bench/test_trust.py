"""`bench trust`: three ways of asking, the figures, and the fit of the confidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aforesaid.bench import trust
from aforesaid.bench.quality.load import load
from aforesaid.bench.quality.types import BenchQuestion
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.math.confidence import Logistic
from aforesaid.settings import Settings
from samples import bench_files
from support.cli import run
from support.clock import NOW

QUESTION = BenchQuestion("q", "Where?", "single-hop", "c", "c", NOW, frozenset({"t"}))


def test_every_question_is_asked_in_three_ways(tmp_path: Path) -> None:
    dataset = load(bench_files.locomo(tmp_path))
    asked = trust.measure(dataset, dataset.questions, HashEmbedder(64), Settings())
    modes = [each.mode for each in asked]
    assert modes.count("own") == modes.count("hidden") == len(dataset.questions)
    own = [each for each in asked if each.mode == "own"]
    assert any(right for each in own for _, right in each.found)
    assert not any(right for each in asked if each.mode != "own" for _, right in each.found), "the evidence is hidden"
    assert all(0 < each.confidence < 1 for each in asked if each.found)


def cases(*confidences: tuple[trust.Mode, float]) -> list[trust.Asked]:
    """Questions that were asked, one hit each."""
    return [
        trust.Asked(QUESTION, "d", mode, sure, {"top": sure}, (({"gap": 0.0}, mode == "own"),), (sure,), None, 10, True)
        for mode, sure in confidences
    ]


def test_the_figures_are_arithmetic() -> None:
    asked = cases(("own", 0.9), ("own", 0.7), ("hidden", 0.8), ("hidden", 0.1), ("foreign", 0.2), ("foreign", 0.05))
    found = trust.report("d", asked)
    assert (found.foreign_auroc, found.hidden_auroc) == (1.0, 0.75)
    assert found.foreign_refused == 1.0 and found.hidden_refused == 0.5
    assert sum(count for _, _, count in found.bins) == 6
    whole = trust.report("d", cases(("own", 1.0), ("hidden", 0.0), ("foreign", 0.0)))
    assert whole.calibration_error == 0.0
    assert trust.report("d", cases(("own", 0.0), ("hidden", 1.0), ("foreign", 1.0))).calibration_error == 1.0


def test_a_fit_finds_the_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RESULT", "RESULT_BY_WORDS"):
        monkeypatch.setattr(trust, name, Logistic(0.0, {"top": 0.0}))
    monkeypatch.setattr(trust, "HIT", Logistic(0.0, {"gap": 0.0}))
    asked = cases(*[("own", 0.8 + i / 100) for i in range(9)], *[("foreign", 0.1 + i / 100) for i in range(9)])
    models = trust.fit(asked)
    assert models["RESULT_BY_WORDS"].weights["top"] > 1
    groups = list(trust.held_out(asked, lambda each: each.mode))
    assert [len(group) for _, group in groups] == [9, 9]


def test_the_command_prints_tables_and_json(tmp_path: Path) -> None:
    path = str(bench_files.locomo(tmp_path))
    words = ["--set", "embed.provider=off", "bench", "trust", path, "--limit-questions", "2"]
    text = run(None, *words, "--fit").stdout
    assert "AUROC, evidence hidden" in text and "RESULT_BY_WORDS" in text
    [report] = json.loads(run(None, *words, "--json").stdout)["reports"]
    assert 0 <= report["hidden_auroc"] <= 1 and report["questions"] == 2
    assert report["foreign_auroc"] is None, "there is one conversation"

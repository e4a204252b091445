"""Settings: one row a number, four origins, and a clear word when something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aforesaid.errors import SettingsError
from aforesaid.settings import Settings

NOTHING: dict[str, str] = {}


def test_defaults_stand_when_nothing_is_said() -> None:
    rows = {row.name: row for row in Settings.load(environment=NOTHING).rows()}
    assert rows["gate.threshold"].value == 0.35
    assert {row.origin for row in rows.values()} == {"default"}
    assert all(row.help and row.range for row in rows.values())


def test_later_origins_win(tmp_path: Path) -> None:
    file = tmp_path / "aforesaid.toml"
    file.write_text("[gate]\nthreshold = 0.1\nweight_novelty = 0.2\nweight_natural = 0.3\n")
    environment = {"AFORESAID_GATE_WEIGHT_NOVELTY": "0.4", "AFORESAID_GATE_WEIGHT_NATURAL": "0.5"}
    loaded = Settings.load(file, environment, {"gate.weight_natural": 0.6})
    assert (loaded.gate.threshold, loaded.gate.weight_novelty, loaded.gate.weight_natural) == (0.1, 0.4, 0.6)
    origins = {row.name: row.origin for row in loaded.rows()}
    assert origins["gate.threshold"] == str(file)
    assert origins["gate.weight_novelty"] == "environment"
    assert origins["gate.weight_natural"] == "argument"


def test_the_file_may_be_named_by_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[search]\nlimit = 3\n")
    assert Settings.load(environment={"AFORESAID_CONFIG": str(file)}).search.limit == 3


@pytest.mark.parametrize(
    ("name", "value", "parsed"),
    [
        ("search.limit", "7", 7),
        ("search.limit", 7.0, 7),
        ("gate.threshold", "1e-2", 0.01),
        ("pce.half_life_task", "7.5", 7.5),
        ("pce.use_quality", "yes", True),
        ("pce.use_quality", "OFF", False),
        ("pce.use_quality", True, True),
        ("embed.provider", "hash", "hash"),
        ("embed.model", "anything at all", "anything at all"),
    ],
)
def test_values_are_read(name: str, value: object, parsed: object) -> None:
    found = next(row for row in Settings.load(environment=NOTHING, arguments={name: value}).rows() if row.name == name)
    assert found.value == parsed
    assert type(found.value) is type(parsed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gate.threshold", 1.5),
        ("gate.threshold", "nan"),
        ("gate.threshold", "inf"),
        ("gate.threshold", "high"),
        ("gate.threshold", None),
        ("gate.threshold", True),
        ("search.limit", 0),
        ("search.limit", 2.5),
        ("search.limit", "2.5"),
        ("search.limit", [1]),
        ("pce.use_quality", "maybe"),
        ("embed.provider", "cloud"),
        ("embed.model", 3),
        ("gate.treshold", 0.3),
        ("nonsense", 1),
    ],
)
def test_bad_values_are_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=re.escape(name)):
        Settings.load(environment=NOTHING, arguments={name: value})


@pytest.mark.parametrize("text", ["[gate\n", "threshold = 1\n", "[gate]\nunknown = 1\n", "[nowhere]\nx = 1\n", "\xff"])
def test_bad_files_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError):
        Settings.load(file, NOTHING)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        Settings.load(tmp_path / "none.toml", NOTHING)


def test_reserves_cannot_exceed_the_budget() -> None:
    with pytest.raises(SettingsError, match=r"1\.200"):
        Settings.load(environment=NOTHING, arguments={"assemble.hard": 0.65})

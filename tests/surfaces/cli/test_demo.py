"""`aforesaid demo` and a search, as a newcomer runs them: with the real model, and without any."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.cli import CLEAN, data, run

SECTIONS = ("1. Store a conversation", "2. What lasts", "3. A secret", "4. Search", "5. A prompt's context")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> tuple[Path, str]:
    """The demo's store and what it showed, with the default model."""
    store = tmp_path_factory.mktemp("demo") / "kept.db"
    return store, run(None, "--set", "embed.provider=local", "demo", "--keep", str(store)).output


def test_the_demo_shows_the_whole_job(kept: tuple[Path, str]) -> None:
    store, text = kept
    assert [text.index(section) for section in SECTIONS] == sorted(text.index(section) for section in SECTIONS)
    assert "$ aforesaid search 'What is her rent budget now?' --limit 2 --user mara" in text
    assert "\nadmit " in text
    assert "\nreject " in text
    assert "turns      90\nstored     89\n" in text
    assert "OPENAI_API_KEY=[secret:" in text
    assert "EXAMPLE" not in text
    assert re.search(r"1\. 1\.\d+ +\d+%  2026-06-19 17:13  s6-t05", text), (
        "the new rent budget comes before the old one"
    )
    assert "歯医者を予約しました" in text
    assert "<recalled-history" in text
    assert "search by meaning and by words; all records are indexed" in text
    assert str(store) in text


def test_the_demos_store_can_be_searched(kept: tuple[Path, str]) -> None:
    found = data(
        run(
            kept[0],
            "--set",
            "embed.provider=local",
            "search",
            "猫の名前は？",
            "--user",
            "mara",
            "--json",
            "--limit",
            "1",
        )
    )
    assert found["hits"][0]["record"]["id"] == "s3-t08"
    assert b"q7Lm2Zt9" not in kept[0].read_bytes()


def test_the_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    run(None, "demo", env={"TMPDIR": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


def test_without_a_model_the_demo_goes_on_with_words(tmp_path: Path) -> None:
    missing = {**CLEAN, "AFORESAID_CACHE": str(tmp_path), "AFORESAID_OFFLINE": "1"}
    text = run(None, "--set", "embed.provider=local", "demo", env=missing).stdout
    assert "歯医者を予約しました" in text
    assert "no search by meaning" in text
    assert all(section in text for section in SECTIONS)

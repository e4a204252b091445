"""`aforesaid load`, `lint` and `watch`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.cli import data, run, words
from support.processes import COMMAND, ENV, wait_for

RULES = "- Never push to main.\n\nThe shop sells tea.\n"


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "AGENTS.md"
    file.write_text(RULES, encoding="utf-8")
    return file


def test_load_says_what_changed(path: Path, document: Path) -> None:
    loaded = words(run(path, "load", str(document), "--project", "shop"))
    assert loaded == "name same added removed hard tokens hard room AGENTS.md 0 2 0 21 500"
    assert data(run(path, "load", "AGENTS.md", "--project", "shop", "--json"))[0]["same"] == 2
    context = data(run(path, "assemble", "tea", "--project", "shop", "--json"))
    assert "Never push to main." in context["system"]
    assert "The shop sells tea." in context["recall"]
    assert "AGENTS.md 0 0 2" in words(run(path, "load", "AGENTS.md", "--project", "shop", "--remove"))
    assert data(run(path, "assemble", "tea", "--project", "shop", "--json"))["system"] == ""


def test_lint_shows_tiers_and_fails_when_rules_disagree(path: Path, document: Path) -> None:
    fine = run(path, "lint", "AGENTS.md")
    assert fine.exit_code == 0
    assert "1 hard 15 list item" in words(fine)
    assert "3 lore" in words(fine)
    document.write_text(RULES + "\nYou must push to main.\n", encoding="utf-8")
    torn = run(path, "lint", "AGENTS.md", code=1)
    assert "AGENTS.md:1 and :5 disagree" in torn.stdout
    found = data(run(path, "lint", "AGENTS.md", "--json", code=1))
    assert [node["tier"] for node in found[0]["nodes"]] == ["hard", "lore", "soft"]
    assert found[0]["problems"]
    assert not path.exists(), "nothing is stored"


def test_a_missing_document_is_named(path: Path, document: Path) -> None:
    assert "There is no file none.md." in run(path, "load", "none.md", code=2).stderr


def test_watch_loads_again_after_an_editor_renamed_over_the_file(path: Path, document: Path) -> None:
    command = [*COMMAND, "--store", str(path), "watch", "AGENTS.md"]
    out = document.with_name("out.txt")
    with out.open("wb") as stream:
        child = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, env=ENV, cwd=document.parent)
    try:
        wait_for(lambda: "watching 1 file" in out.read_text())
        fresh = document.with_name(".AGENTS.md.swp")
        fresh.write_text("- Never push to main.\n- Run the tests.\n", encoding="utf-8")
        os.replace(fresh, document)  # noqa: PTH105 - as editors do
        wait_for(lambda: "same 1, added 1, removed 1" in out.read_text())
        document.write_bytes(b"\xff\xff")
        wait_for(lambda: "is not UTF-8 text" in out.read_text())
        document.write_text("- Run the tests.\n", encoding="utf-8")
        wait_for(lambda: "same 1, added 0, removed 1" in out.read_text())
    finally:
        child.terminate()
        child.wait(10)


def test_watching_without_its_package_says_what_to_install(path: Path, document: Path) -> None:
    blocked = "import sys; sys.modules['watchfiles'] = None; from aforesaid.surfaces.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", blocked, "--store", str(path), "watch", "AGENTS.md"],
        capture_output=True, text=True, env=ENV, check=False, cwd=document.parent,
    )  # fmt: skip
    assert done.returncode != 0
    assert "pip install 'aforesaid[watch]'" in done.stderr

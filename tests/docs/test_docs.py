"""Pages make claims; these tests hold them: every block runs, every generated page is current, every link leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from aforesaid.surfaces.reference_pages import PAGES

ROOT = Path(__file__).parents[2]
READABLE = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize(
    "page", [page for page in READABLE if PYTHON.search(page.read_text())], ids=lambda page: page.name
)
def test_the_python_blocks_run(page: Path, tmp_path: Path, model_folder: Path) -> None:
    """In order, in a fresh folder, with the real model."""
    blocks = PYTHON.findall(page.read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(Path.home())},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if page.name == "README.md":
        assert "I moved to Lisbon" in done.stdout.splitlines()[0], "the best hit comes first"
        assert "hunter2" not in done.stdout
        assert all(b"hunter2" not in file.read_bytes() for file in tmp_path.iterdir())


def test_the_python_blocks_pass_strict_type_checks(tmp_path: Path) -> None:
    """One run of mypy checks a module for each page; its cache is kept between runs."""
    for page in (page for page in READABLE if page.name in ("README.md", "python.md")):
        blocks = PYTHON.findall(page.read_text(encoding="utf-8"))
        (tmp_path / f"page_{page.stem.lower()}.py").write_text("\n".join(blocks), encoding="utf-8")
    options = [
        "--strict",
        "--cache-dir",
        str(ROOT / ".mypy_cache" / "pages"),
        "--config-file",
        str(ROOT / "pyproject.toml"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *sorted(map(str, tmp_path.glob("page_*.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_first_block_of_the_readme_is_ten_lines_of_code() -> None:
    block = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    assert len([line for line in block.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda example: example.name)
def test_examples_run(example: Path, model_folder: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", example], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "taken" in done.stdout


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_current(name: str) -> None:
    current = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert current == PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("page", READABLE, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", READABLE, ids=lambda page: page.name)
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`((?:src|tests|docs|examples)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_lock_has_every_package_with_hashes_and_names_no_registry() -> None:
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {
        re.split(r"[<>=]", each)[0].lower()
        for each in (*project["dependencies"], *project["optional-dependencies"]["dev"])
    }
    locked = re.findall(r"^([\w.-]+)==\S+.*\n    --hash=sha256:[0-9a-f]{64}", lock, re.M)
    assert wanted <= set(locked)
    assert len(locked) == len(re.findall(r"^\S+==", lock, re.M)), "a package has no hash"
    assert "://" not in lock and "--index" not in lock and "--find-links" not in lock

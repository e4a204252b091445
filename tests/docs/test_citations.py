"""Docstrings, tests and pages cite sections of docs/specification.md as "spec 5.7" or "spec 5.4, L1"; all must exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "docs", "examples")
HEADING = re.compile(r"^#{2,4} ([LPO]?\d+(?:\.\d+)*) ", re.M)
SECTION = r"[LPO]?\d+(?:\.\d+)*(?![\w-])"
CITATION = re.compile(rf"\b[Ss]pec (?=[LPO]?\d)({SECTION}(?:(?:, | and |–){SECTION})*)")
OLD = re.compile(r"\bSPEC\b|\b[Ss]eeds? 00\d|\b00[0-4] §|§\d")  # earlier names of the sources
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
SPECIFICATION = ROOT / "docs" / "specification.md"
SECTIONS = HEADING.findall(SPECIFICATION.read_text(encoding="utf-8"))


def files() -> Iterator[Path]:
    """Every file that may cite the specification, this one excepted."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md") and path != Path(__file__):
                yield path


def cited(text: str) -> list[str]:
    """The sections that a text cites; a range counts by its two ends."""
    return [section for found in CITATION.findall(text) for section in re.split(r", | and |–", found)]


def test_sections_are_found_in_a_citation() -> None:
    assert cited("(spec 5.7)") == ["5.7"]
    assert cited("(spec 5.4, L1, L5.5) and spec P4") == ["5.4", "L1", "L5.5", "P4"]
    assert cited("Spec L9.6–L9.8; spec 4 and 5.6") == ["L9.6", "L9.8", "4", "5.6"]
    assert cited("the MCP spec 2025-11-25, the specification") == []


def test_every_section_has_its_own_number() -> None:
    assert len(SECTIONS) == len(set(SECTIONS))
    assert {str(number) for number in range(1, 14)} <= set(SECTIONS)


def test_cited_sections_exist() -> None:
    missing = {
        f"{path.relative_to(ROOT)}: spec {section}"
        for path in files()
        for section in cited(path.read_text(encoding="utf-8"))
        if section not in SECTIONS
    }
    assert not missing, sorted(missing)


def test_no_citation_has_an_old_form() -> None:
    old = {
        f"{path.relative_to(ROOT)}: {found}"
        for path in files()
        for found in OLD.findall(path.read_text(encoding="utf-8"))
    }
    assert not old, sorted(old)


def test_rows_of_the_mathematics_page_name_sections() -> None:
    page = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    named = [part for row in re.findall(r"^\| ([LPO]?\d[^|]*?) \|", page, re.M) for part in re.split(r", |–", row)]
    assert [section for section in named if section not in SECTIONS] == []


@pytest.mark.parametrize(
    "page", [ROOT / "SECURITY.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=lambda page: page.name)
def test_a_decision_has_its_three_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.M) == ["Context", "Decision", "Consequences"]
    assert text.startswith(f"# {int(page.name[:4])}. ")
    assert len(text.splitlines()) <= 40

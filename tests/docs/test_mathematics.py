"""docs/mathematics.md maps every formula of the three systems to a function and a test; both have to be there."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([LPO]?\d[^|]*?) \| ([^|]+?) \| `([\w.]+)` \| `(tests/[\w/]+\.py)::(\w+)` \|$", re.M)
ROWS = ROW.findall((ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8"))


def test_no_row_is_malformed() -> None:
    lines = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8").splitlines()
    assert len(ROWS) == sum(re.match(r"\| [LPO]?\d", line) is not None for line in lines)
    assert len(ROWS) >= 60


@pytest.mark.parametrize(("section", "formula", "function", "file", "test"), ROWS)
def test_a_rows_function_and_test_are_there(section: str, formula: str, function: str, file: str, test: str) -> None:
    module, name = f"aforesaid.{function}".rsplit(".", 1)
    assert callable(getattr(importlib.import_module(module), name)), f"{section}: {formula}"
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, f"{section}: {formula}"

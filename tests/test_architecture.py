"""Imports run one way, SQL stays in its room, and importing the package is cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "aforesaid"


def room_of(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_only_three_modules_lie_at_the_top() -> None:
    assert sorted(file.name for file in SOURCE.glob("*.py")) == ["__init__.py", "__main__.py", "errors.py"]


def test_a_class_name_occurs_once() -> None:
    places: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(file.relative_to(SOURCE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_sql_stays_in_the_store() -> None:
    wrong = [
        str(file.relative_to(SOURCE))
        for file in sorted(SOURCE.rglob("*.py"))
        if room_of(file) != "store" and "sqlite3" in file.read_text(encoding="utf-8") and "connect(" in file.read_text()
    ]
    assert wrong == []


WRITES = {"put", "put_vectors", "link", "append"}  # of a store
WRITERS = {"engine", "store", "testing", "bench"}


def test_only_the_writer_writes_records() -> None:
    wrong = [
        f"{file.relative_to(SOURCE)}:{node.lineno} calls {node.func.attr}"
        for file in sorted(SOURCE.rglob("*.py"))
        if room_of(file) not in WRITERS
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITES
        and ast.unparse(node.func.value).split(".")[-1] in {"store", "_store"}
    ]
    assert wrong == []


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, aforesaid; print([name for name in ('numpy', 'onnxruntime', 'click') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    import aforesaid

    assert all(getattr(aforesaid, name) for name in aforesaid.__all__)


def test_tests_measure_growth_and_not_seconds() -> None:
    """A busy machine must not fail a test: support/growth.py compares CPU times of two sizes."""
    clock = re.compile(r"perf_counter|assert .*(monotonic|process_time|time\.time)\(")
    files = [
        file for file in sorted((ROOT / "tests").rglob("*.py")) if file.parent.name not in ("support", "real_hosts")
    ]
    assert [
        file.name for file in files if file != Path(__file__) and clock.search(file.read_text(encoding="utf-8"))
    ] == []

"""Imports run one way, SQL stays in its room, and importing the package is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "recollect"
LEVELS = [
    {"errors", "lazy", "whole"},
    {"types"},
    {"settings"},
    {"math", "post", "text"},
    {"embed", "files", "imports", "policy", "store", "sample"},
    {"guard", "policies"},
    {"veil"},
    {"engine", "profiles", "summarize"},
    {"ledger", "lineage", "supersede"},
    {"derived", "recover"},
    {"rules"},
    {"erase"},
    {"forget", "ingest", "search"},
    {"audit", "care", "continuity", "feedback", "frame", "intake", "remember", "shelf"},
    {"active", "author", "compact", "draft", "govern", "labels", "take_in", "shelf"},
    {"assemble", "calibrate", "flow", "index", "snippets"},
    {"memory"},
    {"bench", "testing", "__init__"},
    {"hosts"},
    {"surfaces"},
    {"__main__"},
]
LEVEL = {room: number for number, rooms in enumerate(LEVELS) for room in rooms}


def room_of(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "recollect":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("recollect."):
            names.add(node.module.split(".")[1])
    return names & LEVEL.keys()


def test_imports_run_one_way() -> None:
    wrong = [
        f"{file.relative_to(SOURCE)} imports {other}"
        for file in sorted(SOURCE.rglob("*.py"))
        for other in imported_rooms(file)
        if room_of(file) != "__init__" and other != room_of(file) and LEVEL[other] >= LEVEL[room_of(file)]
    ]
    assert wrong == []


def test_sql_stays_in_the_store() -> None:
    wrong = [
        str(file.relative_to(SOURCE))
        for file in sorted(SOURCE.rglob("*.py"))
        if room_of(file) != "store" and "sqlite3" in file.read_text(encoding="utf-8") and "connect(" in file.read_text()
    ]
    assert wrong == []


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, recollect; print([name for name in ('numpy', 'onnxruntime', 'click') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    import recollect

    assert all(getattr(recollect, name) for name in recollect.__all__)

"""Gets the programs that aforesaid is tried with: Node from PyPI, the rest from npm, once, into a folder of their own.

`python tests/real_hosts/install.py` leaves a stamp when everything is there; whoever runs the tests looks for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import programs

UNREACHABLE = (
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "EAI_AGAIN",
    "ETIMEDOUT",
    "ENETUNREACH",
    "from versions: none",
)
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade", "--target")
NPM = ("install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
SHOWN = 1500  # characters of what a program said when it failed
SECONDS = 600  # for one of the two, after which it counts as unreachable


class Missing(Exception):  # noqa: N818 - it is told to a person, not caught by a program
    """Something could not be fetched; `unreachable` when nobody answered."""

    def __init__(self, what: str, source: str, said: str) -> None:
        self.unreachable = any(word in said for word in UNREACHABLE)
        why = "cannot be reached" if self.unreachable else "did not give it"
        super().__init__(f"{what} is missing, and {source} {why}.\n{said.strip()[-SHOWN:]}")


def install() -> None:
    """Fetch what is not there yet."""
    if programs.STAMP.is_file() and programs.STAMP.read_text(encoding="utf-8") == programs.wanted():
        return
    programs.STAMP.unlink(missing_ok=True)
    programs.FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"installing the hosts into {programs.FOLDER} (about 1.1 GB)", flush=True)  # noqa: T201
    fetch("Node", "PyPI", [sys.executable, *PIP, str(programs.NODE_FOLDER), programs.NODE_WHEEL], programs.NODE)
    shutil.copyfile(programs.PACKAGES, programs.FOLDER / "package.json")
    fetch("A host", "npm", [str(programs.NODE), str(programs.NPM), *NPM], programs.CONFORMANCE)
    for program in (programs.INSPECTOR, programs.claude(), programs.codex()):
        if not program.is_file():
            raise Missing(program.name, "npm", f"It should be {program}.")
    programs.STAMP.write_text(programs.wanted(), encoding="utf-8")


def fetch(what: str, source: str, command: list[str], made: Path) -> None:
    """Run a package manager; what it was to make must be there afterwards."""
    try:
        done = subprocess.run(
            command, cwd=programs.FOLDER, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Missing(what, source, f"ETIMEDOUT after {SECONDS} s") from None
    if done.returncode or not made.is_file():
        raise Missing(what, source, done.stderr or done.stdout)


if __name__ == "__main__":
    try:
        install()
    except Missing as missing:
        if os.environ.get("CI") and missing.unreachable:  # a registry that is down is no fault of ours
            print(f"skipped: the tests with real hosts. {missing}", file=sys.stderr)  # noqa: T201
        else:
            sys.exit(f"make test-hosts cannot run: {missing}")

"""A home of its own for a test: folders, a store, an environment, and aforesaid as a person calls it there."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_hosts import programs

USER = "ana"
SECONDS = 120  # after which a program that hangs is a failure
FOLDERS = {
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_RUNTIME_DIR": "run",
    "TMPDIR": "tmp",
}  # all but the last two where they are without these variables: some hosts do not pass them on


class Ended(Exception):  # noqa: N818 - it is no error of ours
    """A program ended with another exit code than it should."""


@dataclass(frozen=True, slots=True)
class Home:
    """A person's home folder with a project in it; the local model's weights are there, everything else is new."""

    folder: Path

    @classmethod
    def made(cls, folder: Path, weights: Path) -> Home:
        """A home in an empty folder, with the weights linked to where they are looked for."""
        home = cls(folder)
        for name in FOLDERS.values():
            (folder / name).mkdir(parents=True, mode=0o700)
        models = folder / ".cache" / "aforesaid" / "models"
        models.mkdir(parents=True)
        (models / weights.name).symlink_to(weights, target_is_directory=True)
        (home.project / ".git").mkdir(parents=True)
        return home

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.folder / "memory.db"

    @property
    def project(self) -> Path:
        """Where a coding agent is started."""
        return self.folder / "shop"

    @property
    def environment(self) -> dict[str, str]:
        """What a program sees: this home, and nothing of whoever runs the tests."""
        kept = {name: os.environ[name] for name in ("LANG", "USER", "LOGNAME") if name in os.environ}
        path = os.pathsep.join((str(programs.NODE.parent), os.environ.get("PATH", os.defpath)))
        folders = {name: str(self.folder / place) for name, place in FOLDERS.items()}
        return {**kept, "HOME": str(self.folder), "PATH": path, "TERM": "dumb", "SHELL": "/bin/sh", **folders}

    def run(
        self, command: Sequence[str | Path], more: Mapping[str, str] | None = None, *, code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        """A program in the project's folder, to its end, with more in its environment; None is any exit code."""
        done = subprocess.run(
            [str(word) for word in command], cwd=self.project, env={**self.environment, **(more or {})},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False, timeout=SECONDS,
        )  # fmt: skip
        if code is not None and done.returncode != code:
            raise Ended(f"{command[0]} ended with {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
        return done

    def aforesaid(self, *words: str | Path, **environment: str) -> str:
        """What aforesaid prints."""
        return self.run([programs.AFORESAID, "--store", self.store, *words], environment).stdout

    def records(self, *options: str) -> list[dict[str, Any]]:
        """What is in the store, oldest first."""
        words = ("list", "--user", USER, "--project", self.project.name, "--json", "--limit", "200", *options)
        found: list[dict[str, Any]] = json.loads(self.aforesaid(*words))["records"]
        return found[::-1]

    def log(self) -> str:
        """What the hooks wrote down."""
        return "".join(file.read_text(encoding="utf-8") for file in sorted(self.folder.rglob("hook.log")))

    def leave(self) -> None:
        """End what works for the store in the background."""
        self.aforesaid("daemon", "stop")

    def background(self) -> list[str]:
        """The processes that nobody waits for any more and that have the store open, as they were called."""
        listed = self.run(["ps", "-eo", "ppid=,args="]).stdout.splitlines()
        return [line for line in listed if line.split()[0] == "1" and str(self.store) in line]

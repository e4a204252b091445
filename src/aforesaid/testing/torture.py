"""Crash test: several processes write to one store, some are killed, and every acknowledged write must survive.

`python -m aforesaid.testing.torture PATH --writers 2 --turns 1000` writes from two processes at once.
`--kills 50` kills and restarts the writers fifty times. The test suite runs a small case, `make bench` a large one.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WRITER = """
import sys
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.types import Turn
path, writer, start, turns = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
memory = Memory.open(path, embedder=HashEmbedder(64))
for n in range(start, start + turns):
    turn = Turn(f"{writer}-{n}", f"session-{writer}", "user", f"writer {writer} says number {n}")
    memory.ingest([turn], user="torture")
    sys.stdout.write(f"{turn.id}\\n")   # the acknowledgement: from here on the write must survive
    sys.stdout.flush()
memory.close()
"""


@dataclass(frozen=True, slots=True)
class TortureReport:
    """How many writes were acknowledged, which of them are missing, and how long the run took."""

    acknowledged: int
    missing: tuple[str, ...]
    problems: tuple[str, ...]
    kills: int
    seconds: float


def torture(path: Path, writers: int, turns: int, kills: int = 0, seed: int = 0) -> TortureReport:
    """Write from several processes. With `kills`, kill them at random moments and restart, that many times."""
    chance = random.Random(seed)
    began = time.monotonic()
    acknowledged: list[str] = []
    next_turn = [0] * writers
    for _ in range(max(kills, 1)):
        running = [_start(path, name, next_turn[name], turns) for name in range(writers)]
        first = [process.stdout.readline() for process in running if process.stdout]  # wait until all of them write
        if kills:
            time.sleep(chance.random() * 0.5)
            for process in running:
                process.kill()
        for name, process in enumerate(running):
            output = first[name] + process.communicate()[0]
            acknowledged += output.rpartition("\n")[0].split()  # a torn last line was never acknowledged
            next_turn[name] += turns if kills else 0
            if not kills and process.returncode != 0:
                raise RuntimeError(f"writer {name} failed")
    missing, problems = _check(path, acknowledged)
    return TortureReport(len(acknowledged), missing, problems, kills * writers, time.monotonic() - began)


def _start(path: Path, name: int, start: int, turns: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(name), str(start), str(turns)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _check(path: Path, acknowledged: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from aforesaid.store.sqlite import SQLiteStore
    from aforesaid.types import Filter

    store = SQLiteStore(path)
    there = {record.id for record in store.find(Filter(echoes=True))}
    problems = tuple(f"{problem.where}: {problem.what}" for problem in store.maintenance.verify())
    unembedded = store.coverage(Filter())[1]
    store.close()
    if unembedded:
        problems += (f"{unembedded} records lost their vectors",)
    return tuple(sorted(set(acknowledged) - there)), problems


def main() -> int:
    """Command line: run it and print what was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    report = torture(options.path, options.writers, options.turns, options.kills)
    sys.stdout.write(
        f"{report.acknowledged} acknowledged, {len(report.missing)} missing, {len(report.problems)} problems, "
        f"{report.kills} kills, {report.seconds:.1f} s\n"
    )
    return 1 if report.missing or report.problems else 0


if __name__ == "__main__":
    sys.exit(main())

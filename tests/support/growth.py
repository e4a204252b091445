"""How CPU time grows with the size of the input.

Tests assert growth, never seconds: CPU time does not count waiting, and a ratio of two measurements on the same
machine does not depend on how fast the machine is.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time

LEAST_SECONDS = 0.005  # shorter runs are repeated until they add up to this, so that the clock's noise is small


def cpu_growth(run: Callable[[int], object], small: int, large: int, *, tries: int = 3) -> float:
    """CPU time of `run(large)` divided by that of `run(small)`, each the best of `tries`."""
    run(small)  # caches and lazy imports
    pairs = [(cpu_seconds(run, small), cpu_seconds(run, large)) for _ in range(tries)]
    return min(slow for _, slow in pairs) / min(quick for quick, _ in pairs)


def is_linear(run: Callable[[int], object], small: int, large: int, *, slack: float = 3.0, tries: int = 5) -> bool:
    """Whether CPU time grows at most `slack` times faster than the size. Stops at the first try that shows it.

    Choose sizes a factor of eight or more apart: quadratic growth is then well above the slack.
    """
    return any(cpu_growth(run, small, large, tries=1) <= slack * large / small for _ in range(tries))


def cpu_seconds(run: Callable[[int], object], size: int) -> float:
    """CPU time of one `run(size)`, without garbage collection."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        runs, start = 0, process_time()
        while not runs or process_time() - start < LEAST_SECONDS:
            run(size)
            runs += 1
        return (process_time() - start) / runs
    finally:
        if collecting:
            gc.enable()

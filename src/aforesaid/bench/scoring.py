"""What scoring a thousand candidates costs with each profile: the formulas alone, without a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aforesaid.bench.measuring import seconds
from aforesaid.math import libra, openclaw, pce, temporal
from aforesaid.math.fusion import convex, relative, stretched
from aforesaid.math.pce import diverse
from aforesaid.types import SCOPES

CANDIDATES = 1000
RUNS = 20
SECONDS_A_DAY = 86_400


def costs() -> Iterator[tuple[str, float]]:
    """The best of twenty times for each profile, in milliseconds."""
    random = np.random.default_rng(0)
    cosines, bm25 = random.uniform(-0.2, 0.9, CANDIDATES), random.uniform(0, 9, CANDIDATES)
    ages, ones = random.uniform(0, 1e7, CANDIDATES), np.ones(CANDIDATES)
    days, utilities = ages / SECONDS_A_DAY, random.uniform(-1, 1, CANDIDATES)
    vectors = random.standard_normal((CANDIDATES, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scopes = [SCOPES[i % len(SCOPES)] for i in range(CANDIDATES)]
    names = [str(i) for i in range(CANDIDATES)]
    matches = random.uniform(0, 1, (CANDIDATES, 4)) > 0.5

    def two_pass() -> object:
        recent = libra.recency(ages, libra.DEFAULTS.authority_decay)
        frequent = libra.access_frequency(np.arange(CANDIDATES), CANDIDATES)
        omega = libra.authority(recent, frequent, ones * 0, libra.authority_weights())
        return libra.second_pass(omega, cosines, ones / 2)

    def pce_scores() -> object:
        fused = pce.fused(pce.vector_share(cosines), pce.text_min_max(bm25))
        recent = pce.recency(days, pce.half_lives(["fact"] * CANDIDATES))
        scores = pce.score(fused, pce.usefulness(pce.utility_share(utilities), ones, recent))
        return diverse(scores, names, [None] * CANDIDATES, vectors, 12)

    def boosts() -> object:
        merged = openclaw.merged(np.clip(cosines, 0, 1), relative(bm25.tolist()))
        return openclaw.boosted(merged, [False] * CANDIDATES, [True] * CANDIDATES, days)

    yield "default", _best(lambda: convex(stretched(cosines.tolist()), relative(bm25.tolist()), 0.5))
    yield "libra-single", _best(lambda: libra.single_pass(cosines, ages, scopes))
    yield "libra-two-pass", _best(two_pass)
    yield "libra, its choice by time", _best(lambda: temporal.select(np.abs(cosines), ones / 2, matches, 0.8))
    yield "pce, diversity included", _best(pce_scores)
    yield "openclaw", _best(boosts)


def _best(work: Callable[[], object]) -> float:
    return min(seconds(work) for _ in range(RUNS)) * 1000

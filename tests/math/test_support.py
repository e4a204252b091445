"""What the surroundings of a record say for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.math.fusion import nearness, reciprocal, session_best

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1), min_size=1)


def test_a_session_is_as_good_as_its_best() -> None:
    scores = {"a": 0.2, "b": 0.9, "c": 0.5, "d": 0.4}
    assert session_best(scores, {"a": "s", "b": "s", "c": "t", "d": None}) == {"a": 0.9, "b": 0.9, "c": 0.5, "d": 0.4}


@given(SCORES)
def test_a_session_never_counts_less_than_the_record_itself(scores: dict[str, float]) -> None:
    best = session_best(scores, {key: "s" if key < "e" else None for key in scores})
    assert all(best[key] >= score for key, score in scores.items())
    assert all(best[key] == score for key, score in scores.items() if key >= "e")


def test_nearness_fades_with_distance_and_the_best_anchor_counts() -> None:
    sides = {"c": (("b", "a"), ("d",)), "d": (("c", "b"), ())}
    near = nearness({"c": 0.8, "d": 0.6, "unplaced": 1.0}, sides, 0.5)
    assert near == pytest.approx({"b": 0.4, "a": 0.2, "d": 0.4, "c": 0.3})


def test_reciprocal_ranks_are_arithmetic() -> None:
    fused = reciprocal(np.array([0.9, 0.2, 0.0]), np.array([0.0, 0.5, 0.1]))
    assert fused.tolist() == pytest.approx([0.5, (61 / 62 + 1) / 2, 61 / 62 / 2])
    assert reciprocal(np.array([1.0]), np.array([1.0])).tolist() == [1.0]

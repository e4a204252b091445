"""One step along authored links: arithmetic, then the definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math.libra import Hop, best_parents, hop_score, hops

SHARE = st.floats(0, 1)
GRAPH = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefgh"), max_size=5))
SCORES = st.dictionaries(st.sampled_from("abcdefgh"), SHARE)


def test_hops_are_arithmetic() -> None:
    scores = {"a": 0.8, "b": 0.6, "c": 0.2}
    links = {"a": ["x", "b"], "b": ["x", "y"], "c": ["z", "c"], "x": ["far"]}
    assert hops(scores, links) == (Hop("x", 0.4, "a"), Hop("y", 0.3, "b"))  # z has 0.1, far is two steps away
    assert hops({1: 0.5, 2: 0.5}, {2: [9, 8], 1: [9]}) == (Hop(8, 0.25, 2), Hop(9, 0.25, 1))  # ties by id
    assert hops({"a": 0.3}, {"a": ["x"]}) == (Hop("x", 0.15, "a"),)  # at the threshold
    assert hops({}, links) == hops(scores, {}) == hops(scores, {"a": []}) == ()


@given(SCORES, GRAPH, SHARE, st.floats(0, 1, exclude_max=True))
def test_hops_against_the_definition(
    scores: dict[str, float], links: dict[str, list[str]], threshold: float, decay: float
) -> None:
    found = {hop.id: hop.score for hop in hops(scores, links, decay, threshold)}
    expected = {
        end: decay * max(scores[start] for start in scores if end in links.get(start, []))
        for end in {end for start in scores for end in links.get(start, [])} - scores.keys()
    }
    assert found == {end: score for end, score in expected.items() if score >= threshold}
    assert not found.keys() & scores.keys()
    assert all(0 <= score < 1 for score in found.values())
    assert list(found) == sorted(found, key=lambda end: (-found[end], end))
    assert best_parents(scores, links).keys() == expected.keys()


def test_a_hop_inherits_a_share_of_its_parent() -> None:
    assert hop_score(0.8) == 0.4
    assert hop_score(0.8, 0.25) == 0.2


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1, math.inf, None, "x"])
def test_what_is_no_share_is_refused(bad: object) -> None:
    for call in (
        lambda: hop_score(bad),
        lambda: hop_score(0.5, bad),
        lambda: hops({"a": bad}, {}),
        lambda: hops({}, {}, 0.5, bad),
    ):
        with pytest.raises(InputError):
            call()

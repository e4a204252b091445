"""What a summary keeps of its sources: arithmetic, then laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import summaries as pr
from aforesaid.math.libra import quality
from aforesaid.settings.rows import CompactRows

SHARE = st.floats(0, 1)
COSINE = st.floats(-1, 1)
VECTOR = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3)


def test_preservation_is_arithmetic() -> None:
    sources = [[1.0, 0.0], [0.0, 1.0]]
    assert list(pr.centroid(sources)) == [0.5, 0.5]
    assert pr.alignment([1, 0], sources) == pytest.approx(0.5**0.5)  # the centroid need not be unit
    assert pr.source_coverage([1, 0], sources) == pytest.approx(0.5)
    assert pr.source_coverage([1, 0], [[1, 0], [-1, 0]]) == pytest.approx(0.5)  # what points away counts as 0
    assert pr.embedding_confidence(0.7, 0.5) == pytest.approx(0.6)
    assert pr.embedding_confidence(-1, 0.2) == 0


def test_the_gate_accepts_from_065() -> None:
    assert pr.accept_abstractive(0.65)
    assert not pr.accept_abstractive(0.6499999)
    assert pr.accept_abstractive(0.3, threshold=0.3)


def test_confidence_is_arithmetic() -> None:
    assert pr.confidence(0.6) == 0.6
    assert pr.confidence(0.6, 0.9) == pytest.approx(0.8 * 0.6 + 0.2 * 0.9)
    assert pr.confidence(0.6, 1.0, CompactRows(weight_embedding=0.5, weight_decoder=0.5)) == pytest.approx(0.8)
    assert pr.decay_rate(0.6) == pytest.approx(0.4)
    assert quality(pr.decay_rate([0, 0.5, 1])) == pytest.approx([0.5, 0.75, 1])


def test_decoder_confidence_is_the_geometric_mean() -> None:
    assert pr.decoder_confidence([math.log(0.25), math.log(1.0)]) == pytest.approx(0.5)
    assert pr.decoder_confidence([]) == 0
    with pytest.raises(InputError):
        pr.decoder_confidence([0.1])


@given(VECTOR, st.lists(VECTOR, max_size=6))
def test_everything_is_bounded(summary: list[float], sources: list[list[float]]) -> None:
    align, cover = pr.alignment(summary, sources), pr.source_coverage(summary, sources)
    assert -1 <= align <= 1
    assert 0 <= cover <= 1
    assert 0 <= pr.embedding_confidence(align, cover) <= 1
    if not sources:
        assert align == cover == 0


@given(VECTOR, st.lists(VECTOR, min_size=1, max_size=6))
def test_coverage_against_plain_arithmetic(summary: list[float], sources: list[list[float]]) -> None:
    def cosine(a: list[float], b: list[float]) -> float:
        return math.fsum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))

    if all(math.hypot(*vector) > 1e-3 for vector in (summary, *sources)):
        expected = sum(max(0, cosine(summary, source)) for source in sources) / len(sources)
        assert pr.source_coverage(summary, sources) == pytest.approx(expected, abs=1e-9)


def test_zero_vectors_and_empty_clusters_give_zero() -> None:
    for summary, sources in (
        ([0, 0], [[1, 0]]),
        ([1, 0], [[0, 0]]),
        ([1, 0], [[1, 0], [-1, 0]]),
        ([1, 0], []),
        ([1, 0], np.empty((0, 2))),
    ):
        assert pr.alignment(summary, sources) == 0
    assert pr.source_coverage([0, 0], [[1, 0]]) == pr.source_coverage([1, 0], []) == 0
    assert list(pr.centroid(np.empty((0, 2)))) == [0, 0]
    assert pr.alignment([1e-200, 0], [[1e200, 0]]) == 1  # squares would be lost


@given(SHARE, SHARE, SHARE, SHARE)
def test_confidence_lies_between_its_two_parts(kept: float, decoder: float, one: float, two: float) -> None:
    found = pr.confidence(kept, decoder, CompactRows(weight_embedding=one, weight_decoder=two))
    assert min(kept, decoder) <= found <= max(kept, decoder)
    assert 0 <= pr.decay_rate(found) <= 1


@given(COSINE, COSINE, SHARE, SHARE)
def test_better_alignment_never_lowers_confidence(one: float, other: float, cover: float, decoder: float) -> None:
    low, high = (pr.embedding_confidence(align, cover) for align in sorted((one, other)))
    assert low <= high
    assert pr.confidence(low) <= pr.confidence(high)
    assert pr.confidence(low, decoder) <= pr.confidence(high, decoder) + 1e-15
    assert pr.decay_rate(high) <= pr.decay_rate(low)


def test_what_is_no_vector_or_share_is_refused() -> None:
    for call in (
        lambda: pr.alignment([1, math.nan], [[1, 0]]),
        lambda: pr.alignment([1, 0], [[1, 0, 0]]),
        lambda: pr.alignment([[1, 0], [0, 1]], [[1, 0]]),
        lambda: pr.centroid([1.0, 2.0]),
        lambda: pr.embedding_confidence(1.1, 0),
        lambda: pr.embedding_confidence(0, -0.1),
        lambda: pr.accept_abstractive(math.nan),
        lambda: pr.confidence(1.1),
        lambda: pr.confidence(0.5, math.nan),
        lambda: pr.decay_rate(-0.1),
    ):
        with pytest.raises(InputError):
            call()


def test_a_written_summary_must_pass_all_three_tests() -> None:
    rows = CompactRows(align=0.6, support=0.3)
    assert pr.preserves(0.75, 0.8, 0.3, 0.1, rows)
    assert not pr.preserves(0.59, 0.6, 0.9, 0.1, rows), "far from its sources"
    assert not pr.preserves(0.7, 0.9, 0.9, 0.1, rows), "far behind an extract"
    assert not pr.preserves(0.9, 0.9, 0.29, 0.1, rows), "sentences without a source"


def test_support_is_the_mean_of_the_weaker_half() -> None:
    sources = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    said = [[1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [0.0, 0.0, 1.0]]
    assert pr.support(said, sources, [0.0, 0.0, 0.0]) == pytest.approx((0.6 + 0.0) / 2)
    assert pr.support(np.empty((0, 3)), sources, [0.0, 0.0, 0.0]) == 0

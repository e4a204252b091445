"""Learning from labels: what is fitted, compared, refused, kept for a policy, and used."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError, NotFoundError
from aforesaid.learning.calibrate import brier, even_point, log_loss
from aforesaid.learning.labels import GateLabel, Label, held_out
from aforesaid.memory import Memory
from aforesaid.memory.calibration import RelevanceLabel
from aforesaid.policy.document import read_policy
from aforesaid.policy.repository import adopt
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import EventFilter, GateDecision, Turn
from support.clock import NOW

MINUTE = timedelta(minutes=1)
VECTOR, TEXT, GATE = (
    Slot(ValueKind.CALIBRATION, "default", name=name)
    for name in ("calibration.vector", "calibration.text", "gate.threshold")
)
POLICY = "version: {}\n"


def rows(count: int = 60, seed: int = 1) -> list[Label]:
    """Scores whose upper half is right: what the raw normalisation cannot know."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        cosine = chance.uniform(-0.2, 0.9)
        right = chance.random() < (0.9 if cosine > 0.5 else 0.05)
        found.append(Label(chance.uniform(5, 9) if right else chance.uniform(0, 6), cosine, right))
    return found


def policy(memory: Memory, version: str) -> None:
    adopt(memory.store, memory.tenant, read_policy(POLICY.format(version), "a test"), NOW)


# -- what is fitted ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_both_sides_are_fitted_compared_and_kept(memory: Memory, method: str) -> None:
    report = memory.calibration.fit(rows(200), method=method)
    assert (report.method, report.policy_version, report.stored) == (method, "none", True)
    assert [side.side for side in report.sides] == ["text", "vector"]
    for side in report.sides:
        assert (side.labels, side.relevant) == (200, sum(label.relevant for label in rows(200)))
        assert side.held_out == side.relevant // 4 + (200 - side.relevant) // 4
        assert side.before is not None
        assert side.after is not None
        assert side.after.log_loss < side.before.log_loss
        assert side.after.brier < side.before.brier
        kept = json.loads(memory.store.values.get({"text": TEXT, "vector": VECTOR}[side.side]) or "")
        assert side.calibration is not None
        assert kept == side.calibration.to_json()
    [event] = memory.store.log.find(EventFilter("default", topic="calibrate"))
    assert event.body["labels"] == {"text": 200, "vector": 200}


def test_a_calibration_is_monotone(memory: Memory) -> None:
    for method in ("isotonic", "platt"):
        for side in memory.calibration.fit(rows(80), method=method, dry_run=True).sides:
            assert side.calibration is not None
            fitted = side.calibration.apply(np.linspace(-1, 10, 200))
            assert (np.diff(fitted) >= -1e-12).all()
            assert 0 <= fitted.min() <= fitted.max() <= 1


def test_too_few_labels_are_refused_with_their_counts(memory: Memory) -> None:
    with pytest.raises(InputError, match=r"text: 0 labels.*vector: 0 labels, 0 relevant and 0 not; at least 20"):
        memory.calibration.fit()
    with pytest.raises(InputError, match="text: 19 labels"):
        memory.calibration.fit([Label(1.0, 0.5, bool(i % 2)) for i in range(19)])
    with pytest.raises(InputError, match="30 labels, 30 relevant and 0 not; both kinds are needed"):
        memory.calibration.fit([Label(1.0, 0.5, True)] * 30, side="vector")
    with pytest.raises(InputError, match="side 'left' is unknown"):
        memory.calibration.fit(rows(), side="left")  # type: ignore[arg-type]
    assert memory.store.values.get(VECTOR) is None


def test_one_side_may_have_enough_while_the_other_has_not(memory: Memory) -> None:
    report = memory.calibration.fit([replace(label, bm25=None) for label in rows(100)])
    text, vector = report.sides
    assert "at least 20 are needed" in text.refused
    assert (text.stored, vector.stored) == (False, True)
    assert memory.store.values.get(TEXT) is None


def test_what_is_worse_than_raw_scores_is_not_kept_unless_forced(memory: Memory) -> None:
    """Raw scores that are right already: (cos + 1) / 2 at 0 and 1, while the fit is misled by a third of noise."""
    labels = [Label(None, 1.0 if i % 2 else -1.0, bool(i % 2), f"{i}") for i in range(40)]
    held = held_out(np.array([label.relevant for label in labels]), labels)
    misled = [
        label if keep or i % 3 else replace(label, cosine=-(label.cosine or 0.0))
        for i, (label, keep) in enumerate(zip(labels, held, strict=True))
    ]
    report = memory.calibration.fit(misled, side="vector")
    [side] = report.sides
    assert "worse than the raw scores" in side.refused
    assert not report.stored
    assert memory.store.values.get(VECTOR) is None
    assert memory.calibration.fit(misled, side="vector", force=True).stored
    assert memory.store.values.get(VECTOR)


def test_a_dry_run_keeps_nothing_and_a_reset_takes_all_away(memory: Memory) -> None:
    report = memory.calibration.fit(rows(), dry_run=True)
    assert not report.stored
    assert memory.store.values.get(VECTOR) is None
    memory.calibration.fit(rows())
    assert memory.calibration.reset() == (TEXT.name, VECTOR.name)
    assert memory.calibration.reset() == ()
    assert not memory.store.values.get(VECTOR)


def test_the_same_labels_in_any_order_give_the_same_report(memory: Memory) -> None:
    labels = rows(70)
    mixed = random.Random(2).sample(labels, len(labels))
    assert memory.calibration.fit(labels, dry_run=True) == memory.calibration.fit(mixed, dry_run=True)


def test_losses_by_hand() -> None:
    p, right = np.array([0.8, 0.4, 0.0]), np.array([True, False, True])
    assert brier(p, right) == pytest.approx((0.04 + 0.16 + 1) / 3)
    assert log_loss(p, right) == pytest.approx(-(math.log(0.8) + math.log(0.6) + math.log(0.01)) / 3)


# -- where labels come from --------------------------------------------------------------------------------------------


@pytest.fixture
def harbour(memory: Memory) -> Memory:
    turns = [f"The boat number {i} lies in the harbour at pier {i}." for i in range(15)]
    turns += [f"Lunch on day {i} was soup with bread." for i in range(15)]
    memory.ingest([Turn(f"t{i}", "s", "user", text, NOW + i * MINUTE) for i, text in enumerate(turns)], user="ana")
    return memory


def test_feedback_with_its_query_is_what_is_learnt_from(harbour: Memory) -> None:
    for i in range(30):
        harbour.feedback(f"t{i}", "helpful" if i < 15 else "harmful", user="ana", query="boat harbour", now=NOW)
    harbour.feedback("t0", "helpful", user="ana", now=NOW + MINUTE)
    report = harbour.calibration.fit()
    text, vector = report.sides
    assert (text.labels, vector.labels, vector.relevant) == (15, 30, 15), "words reach the boats only"
    assert vector.stored
    assert "at least 20" in text.refused


def test_judged_records_get_the_scores_of_their_query(harbour: Memory) -> None:
    seen: list[tuple[int, int]] = []
    judged = [
        RelevanceLabel(f"t{i}", i < 15, query)
        for i in range(30)
        for query in ("boat in the harbour", "the pier of a boat")
    ]
    report = harbour.calibration.fit(judged, user="ana", dry_run=True, progress=lambda *at: seen.append(at))
    assert [side.labels for side in report.sides] == [30, 60]
    assert seen == [(1, 2), (2, 2)]
    with pytest.raises(NotFoundError):
        harbour.calibration.fit([RelevanceLabel("t0", True, "boat")], user="bo")
    with pytest.raises(InputError, match="query is empty"):
        harbour.calibration.fit([RelevanceLabel("t0", True)], user="ana")


# -- where it is used --------------------------------------------------------------------------------------------------


def parts(memory: Memory) -> list[float]:
    hits = memory.search("boat harbour", user="ana", profile="pce", now=NOW)
    assert len(hits) > 0
    return [hit.parts["s_vec"] for hit in hits]


def test_pce_uses_what_was_fitted_for_the_policy_in_force_only(harbour: Memory) -> None:
    raw = parts(harbour)
    [side] = harbour.calibration.fit(rows(200), side="vector").sides
    fitted = parts(harbour)
    assert fitted != raw
    assert side.calibration is not None
    assert set(np.round(fitted, 9)) <= set(np.round(side.calibration.apply(np.array(raw) * 2 - 1), 9))
    assert harbour.for_tenant("other").store.values.get(replace(VECTOR, tenant="other")) is None
    policy(harbour, "v2")
    assert parts(harbour) == raw, "fitted under another policy"
    assert harbour.calibration.fit(rows(200), side="vector").policy_version == "v2"
    assert parts(harbour) == fitted
    harbour.calibration.reset()
    assert parts(harbour) == raw


# -- the gate ----------------------------------------------------------------------------------------------------------


def gate_rows(border: float, count: int = 60) -> list[GateLabel]:
    return [GateLabel(i / count, i / count >= border) for i in range(count)]


def test_the_threshold_is_where_turns_become_useful(harbour: Memory) -> None:
    report = harbour.gate.calibrate(gate_rows(0.6), dry_run=True)
    assert report.after == pytest.approx(0.6, abs=1 / 60), "between the last that was not and the first that was"
    assert (report.before, report.labels, report.useful, report.held_out) == (0.35, 60, 24, 15)
    assert report.right_after > report.right_before
    assert not report.stored
    assert harbour.store.values.get(GATE) is None
    scores = [entry.score for entry in harbour.gate.log(user="ana", limit=99)]
    assert report.replay.turns == 30
    assert report.replay.changes == sum((s >= 0.35) != (s >= report.after) for s in scores)


@given(st.lists(st.tuples(st.floats(0, 1, allow_subnormal=False), st.booleans()), min_size=1, max_size=30))
def test_the_even_point_is_the_least_score_with_even_odds(labels: list[GateLabel]) -> None:
    from aforesaid.math.calibration import isotonic_apply, isotonic_fit

    scores, useful = np.array([s for s, _ in labels]), np.array([u for _, u in labels])
    point = even_point(scores, useful)
    xs, ys = isotonic_fit(scores, useful.astype(float))
    if point is None:
        assert ys.max() < 0.5
    else:
        assert isotonic_apply([point], xs, ys)[0] >= 0.5 - 1e-6
        below = scores[scores < point - 1e-9]
        assert (isotonic_apply(below, xs, ys) < 0.5).all()


def test_new_turns_are_weighed_with_the_calibrated_threshold(memory: Memory) -> None:
    def admitted(name: str) -> tuple[float, str]:
        memory.ingest([Turn(name, name, "user", "I moved to Lisbon in May.", NOW)], user=name)
        gate = memory.get(name, user=name).gate
        assert gate is not None
        return gate.threshold, gate.decision

    assert admitted("a") == (0.35, "admit")
    report = memory.gate.calibrate(gate_rows(0.95))
    assert report.stored
    threshold, decision = admitted("b")
    assert (threshold, decision) == (pytest.approx(0.95, abs=0.02), "reject")
    assert report.after == threshold
    assert memory.gate.replay({}, user="a").changes == 1, "a replay of nothing asks what is in force now"
    policy(memory, "v2")
    assert admitted("c") == (0.35, "admit"), "fitted under another policy"
    memory.gate.calibrate(gate_rows(0.9))
    assert admitted("d")[1] == "reject"
    assert memory.gate.reset() == (GATE.name,)
    assert admitted("e") == (0.35, "admit")
    other = memory.for_tenant("other")
    other.ingest([Turn("x", "x", "user", "I moved to Lisbon in May.", NOW)])
    assert [entry.threshold for entry in other.gate.log()] == [0.35]


def test_feedback_on_weighed_turns_sets_the_threshold(harbour: Memory) -> None:
    for i in range(30):
        record = harbour.get(f"t{i}", user="ana")
        assert record.gate is not None
        gate = replace(record.gate, score=i / 30)
        if i == 29:
            gate = GateDecision("defer", 0.0, 0.35, gate.signals, gate.reason)
        harbour.store.put([replace(record, gate=gate)])
        harbour.feedback(f"t{i}", "helpful" if i >= 20 else ("harmful", "outdated")[i % 2], user="ana", now=NOW)
    claim = harbour.remember("A claim that no gate weighed.", user="ana", time=NOW)
    harbour.feedback(claim.id, "helpful", user="ana", now=NOW)
    report = harbour.gate.calibrate()
    assert (report.labels, report.useful) == (29, 9), "neither a claim nor a deferred turn has a G"
    assert report.after == pytest.approx(19.5 / 30)
    judged = [RelevanceLabel(f"t{i}", i >= 10) for i in range(29)]
    assert harbour.gate.calibrate(judged, user="ana", dry_run=True).after == pytest.approx(9.5 / 30)
    with pytest.raises(InputError, match="no score for"):
        harbour.gate.calibrate([RelevanceLabel("t29", True)], user="ana")
    with pytest.raises(InputError, match="no score for"):
        harbour.gate.calibrate([RelevanceLabel(claim.id, True)], user="ana")


def test_gate_labels_that_say_too_little_are_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="gate: 0 labels"):
        memory.gate.calibrate()
    with pytest.raises(InputError, match="both kinds"):
        memory.gate.calibrate([GateLabel(0.5, True)] * 30)
    with pytest.raises(InputError, match="At no G"):
        memory.gate.calibrate([GateLabel(0.9, i == 0) for i in range(30)])
    for score in (-0.1, 1.5, float("nan")):
        with pytest.raises(InputError, match="G is"):
            GateLabel(score, True)
    assert memory.store.values.get(GATE) is None

"""The gate: every formula by hand, every law of spec 4 over random turns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import gate
from aforesaid.math.tokens import gate_tokens
from aforesaid.settings.rows import GateRows
from aforesaid.text.extract.signals import read_signals
from aforesaid.types import GateDecision

ROWS = GateRows()
EVERYTHING = (*gate.TECHNICAL, *gate.NATURAL, *gate.ACTION, *gate.STRUCTURE)


@dataclass(frozen=True)
class Read:
    """Signals as a test wants them."""

    present: frozenset[str] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)


def read(*names: str, **counts: int) -> Read:
    return Read(frozenset(names), {f"specific_{name}": count for name, count in counts.items()})


# -- one formula a test, by hand ---------------------------------------------------------------------------------------


def test_technical() -> None:
    assert gate.technical([]) == 0
    assert gate.technical(["technical_path"]) == pytest.approx(0.4 / 1.5)
    assert gate.technical(["technical_path", "technical_trace"]) == pytest.approx(0.9 / 1.5)
    assert gate.technical(gate.TECHNICAL) == 1  # 2.8 / 1.5
    assert gate.technical(["natural_date"]) == 0


def test_novelty() -> None:
    assert gate.novelty([]) == 1
    assert gate.novelty([0.4]) == pytest.approx(0.6)
    assert gate.novelty([0.5, -0.5]) == pytest.approx(0.75)  # a negative cosine counts as 0
    assert gate.novelty([0.9, 0.8, 0.7, 0.6, 0.5, 0.0, 0.0]) == pytest.approx(0.3)  # the five nearest
    assert gate.novelty([0.0, 0.5, 0.6, 0.7, 0.8, 0.9]) == pytest.approx(0.3)  # in whatever order
    assert gate.novelty([1.0000001] * 5) == 0


def test_frequency() -> None:
    assert gate.frequency([]) == 0
    assert gate.frequency([0.8, 0.79, 0.9]) == pytest.approx(2 / 5)
    assert gate.frequency([0.9] * 12) == 1


def test_saturation() -> None:
    assert gate.saturation([]) == 0
    assert gate.saturation([0.85, 0.84]) == pytest.approx(1 / 3)
    assert gate.saturation([0.9] * 5) == 1


def test_repetition() -> None:
    assert gate.repetition(0.6, 0.5) == pytest.approx(0.3)
    assert gate.repetition(1, 1) == 0


def test_natural() -> None:
    assert gate.natural(["natural_date"]) == pytest.approx(0.3)
    assert gate.natural(["natural_date", "natural_quantity"]) == pytest.approx(0.5)
    assert gate.natural(gate.NATURAL) == 1  # 1.5


def test_specificity() -> None:
    assert gate.specificity({}, 10) == 0
    assert gate.specificity({"specific_path": 2}, 10) == pytest.approx(0.8)
    assert gate.specificity({"specific_path": 2, "specific_error": 1}, 200) == pytest.approx(1.3 / 2)
    assert gate.specificity({"specific_git": 9}, 1) == 1
    with pytest.raises(InputError):
        gate.specificity({"specific_git": -1}, 1)


def test_action_and_structure() -> None:
    assert gate.action(["action_decision", "action_milestone"]) == pytest.approx(0.8)
    assert gate.action(gate.ACTION) == 1
    assert gate.structure(["structure_definition", "structure_test"]) == pytest.approx(0.6)
    assert gate.structure(gate.STRUCTURE) == 1


def test_branch_weights_are_renormalised() -> None:
    assert gate.branch([(0.35, 1), (0.40, 0), (0.25, 0.6)]) == pytest.approx(0.5)
    assert gate.branch([(0.5, 1), (0.5, 0), (1, 0)]) == pytest.approx(0.25)
    assert gate.branch([(0, 1), (0, 1)]) == 0


def test_blend() -> None:
    assert gate.blend(0.25, 0.8, 0.4) == pytest.approx(0.7)


# -- a decision, by hand -----------------------------------------------------------------------------------------------


def test_an_admitted_turn() -> None:
    made = gate.decide(read("natural_date", "natural_assertion"), 10, [0.2], [], ROWS)
    assert made.score == pytest.approx(0.35 * 0.8 + 0.25 * 0.6)
    assert made.decision == "admit"
    assert made.reason == "G=0.43>=0.35; novelty=0.80; natural=0.60"
    assert set(made.signals) == {"T", "H", "F", "S", "R", "Dnl", "P", "A", "Dtech", "Gconv", "Gtech", "G"}


def test_a_rejected_turn_says_what_was_missing() -> None:
    made = gate.decide(read(), 10, [0.8] * 5, [], ROWS)
    assert (made.decision, made.reason) == ("reject", "G=0.07<0.35; novelty=0.20; missing=repetition,novelty")


def test_a_technical_turn() -> None:
    signals = read(
        "technical_trace", "technical_path", "technical_code_fence", "technical_url", "action_resolution", path=1
    )
    made = gate.decide(signals, 10, [0.9] * 5, [], ROWS)
    assert made.signals["T"] == 1
    assert made.score == pytest.approx(0.40 * 0.4 + 0.35 * 0.4)
    assert made.reason == "G=0.30<0.35; specificity=0.40; action=0.40; missing=structure,specificity"


def test_novelty_alone_just_passes() -> None:
    assert gate.decide(read(), 1, [], [], ROWS).decision == "admit"  # 0.35 ≥ 0.35, whatever the last bit says


def test_a_close_score_is_printed_with_enough_digits() -> None:
    made = gate.decide(read(), 1, [0.005], [], ROWS)
    assert made.reason.startswith("G=0.3483<0.3500; ")


def test_a_third_term_is_named_when_it_weighs() -> None:
    made = gate.decide(read("natural_date"), 1, [0.5], [0.9] * 5, ROWS)
    assert made.reason == "G=0.65>=0.35; repetition=1.00; novelty=0.50; natural=0.30"


# -- the vector arm off ------------------------------------------------------------------------------------------------


def test_without_cosines_the_turn_waits() -> None:
    made = gate.decide(read("natural_date"), 1, None, None, ROWS)
    assert (made.decision, made.score) == ("defer", pytest.approx(0.075))
    assert made.reason == "G=0.07..0.82; threshold=0.35; vector=off; natural=0.30"
    assert (made.signals["H"], made.signals["F"], made.signals["S"], made.signals["R"]) == (0, 0, 1, 0)


def test_without_cosines_code_can_still_be_decided() -> None:
    code = ("technical_trace", "technical_path", "technical_code_fence", "technical_url")
    sure = gate.decide(read(*code, "action_resolution", path=3), 1, None, None, ROWS)
    never = gate.decide(read(*code), 1, None, None, ROWS)
    assert (sure.decision, never.decision) == ("admit", "reject")
    assert never.reason == "G=0.00..0.00; threshold=0.35; vector=off; missing=specificity,action"


def test_one_known_side_narrows_the_bounds() -> None:
    assert gate.decide(read(), 1, [0.9] * 5, None, ROWS).decision == "reject"  # saturated: repetition cannot help
    assert gate.decide(read(), 1, [0.5] * 5, None, ROWS).decision == "defer"
    assert gate.decide(read(), 1, None, [0.9] * 5, ROWS).decision == "defer"
    strict = replace(ROWS, threshold=0.5)
    assert gate.decide(read(), 1, None, [], strict).decision == "reject"  # at most novelty's 0.35


# -- domains -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1.5, -2.0])
def test_what_is_no_cosine_is_refused(bad: float) -> None:
    for call in (gate.novelty, gate.frequency, gate.saturation):
        with pytest.raises(InputError, match="not a cosine"):
            call([0.5, bad])
    with pytest.raises(InputError):
        gate.decide(read(), 1, [bad], [], ROWS)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
def test_what_is_no_share_is_refused(bad: float) -> None:
    for call in (lambda: gate.repetition(bad, 0), lambda: gate.blend(bad, 0, 0), lambda: gate.branch([(1, bad)])):
        with pytest.raises(InputError, match="must be in"):
            call()


def test_every_pattern_has_its_weight_among_the_rows() -> None:
    rows = {row.name for row in fields(GateRows)}
    assert {*EVERYTHING, *gate.SPECIFIC} <= rows
    assert {f"weight_{term}" for term in gate.TERMS} <= rows


# -- laws --------------------------------------------------------------------------------------------------------------

SIGNALS = st.builds(
    Read,
    present=st.frozensets(st.sampled_from(EVERYTHING)),
    counts=st.dictionaries(st.sampled_from(gate.SPECIFIC), st.integers(0, 50)),
)
TOKENS = st.integers(1, 100_000)
COSINES = st.lists(st.floats(-1, 1), max_size=15)
WEIGHTS = st.builds(
    GateRows,
    **{f"weight_{term}": st.floats(0, 1) for term in gate.TERMS},
    threshold=st.floats(0, 1),
)


@given(SIGNALS, TOKENS, COSINES, COSINES, WEIGHTS)
def test_g_lies_in_the_unit_and_between_its_branches(
    signals: Read, tokens: int, durable: list[float], turns: list[float], rows: GateRows
) -> None:
    made = gate.decide(signals, tokens, durable, turns, rows)
    values = made.signals
    assert all(0 <= value <= 1 for value in values.values())
    low, high = sorted((values["Gconv"], values["Gtech"]))
    assert low <= values["G"] <= high
    assert made.decision == ("admit" if values["G"] + gate.SLACK >= rows.threshold else "reject")
    assert made.score == values["G"]


@given(SIGNALS, TOKENS, COSINES)
def test_an_empty_memory_is_all_new(signals: Read, tokens: int, turns: list[float]) -> None:
    assert gate.decide(signals, tokens, [], turns).signals["H"] == 1


@given(SIGNALS, TOKENS, st.lists(st.floats(0.85, 1), min_size=3, max_size=5), COSINES)
def test_saturated_means_not_repeated(signals: Read, tokens: int, durable: list[float], turns: list[float]) -> None:
    values = gate.decide(signals, tokens, durable, turns).signals
    assert (values["S"], values["R"]) == (1, 0)


@given(SIGNALS, TOKENS, COSINES, COSINES)
def test_prose_is_judged_as_prose_and_code_as_code(
    signals: Read, tokens: int, durable: list[float], turns: list[float]
) -> None:
    plain = Read(signals.present - set(gate.TECHNICAL), signals.counts)
    values = gate.decide(plain, tokens, durable, turns).signals
    assert (values["T"], values["G"]) == (0, values["Gconv"])
    code = Read(signals.present | set(gate.TECHNICAL), signals.counts)
    values = gate.decide(code, tokens, durable, turns).signals
    assert (values["T"], values["G"]) == (1, values["Gtech"])


@given(st.text(max_size=200), COSINES)
def test_code_alone_does_not_fire_dnl(text: str, durable: list[float]) -> None:
    fenced = "```\n" + text.replace("`", "'") + "\nI moved to Lisbon in May with my sister Ana\n```"
    assert gate.decide(read_signals(fenced), gate_tokens(fenced), durable, []).signals["Dnl"] == 0


@given(SIGNALS, TOKENS, COSINES, COSINES, WEIGHTS)
def test_a_decision_without_vectors_is_never_overturned_by_them(
    signals: Read, tokens: int, durable: list[float], turns: list[float], rows: GateRows
) -> None:
    early = [
        gate.decide(signals, tokens, None, None, rows),
        gate.decide(signals, tokens, durable, None, rows),
        gate.decide(signals, tokens, None, turns, rows),
    ]
    final = gate.decide(signals, tokens, durable, turns, rows)
    for guess in early:
        assert guess.decision in ("defer", final.decision)
        assert guess.score <= final.score + gate.SLACK


@given(SIGNALS, TOKENS, COSINES, COSINES)
def test_the_reason_has_one_form(signals: Read, tokens: int, durable: list[float], turns: list[float]) -> None:
    made: GateDecision = gate.decide(signals, tokens, durable, turns)
    parts = made.reason.split("; ")
    assert all("=" in part for part in parts)
    assert 1 <= len(parts) <= 5
    assert ("missing=" in made.reason) == (made.decision == "reject")

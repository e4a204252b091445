"""Ranking features beside the fused score: session, neighbours, speaker, form and date."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from aforesaid.math.confidence import coverage, rarity
from aforesaid.math.fusion import nearness, session_best
from aforesaid.retrieval.ranking.newest import MATCHED
from aforesaid.store.protocols import Glance, Surroundings, TermMatches
from aforesaid.text.analyze import query_terms
from aforesaid.text.extract.question import Aim, asking_share, ends_asking, named_speaker, personal_share, speaker_of
from aforesaid.types import AGENT_ROLES

NEAR_THE_QUERY = 0.5  # least fused score of a record that may repeat the query
ONLY_ASKING = 0.8  # a text with this share of questions tells almost nothing
LEAST_ASKING = 0.1  # least share of questions; less is only a polite closing


@dataclass(frozen=True, slots=True)
class FeatureInput:
    """The records to score: fused scores, neighbours of the best ones, the query, and which of its words they have."""

    fused: Mapping[str, float]
    around: Mapping[str, Surroundings]
    glances: Mapping[str, Glance]
    aim: Aim
    query: str
    matches: TermMatches


@dataclass(frozen=True, slots=True)
class Manner:
    """The speaker of a record, and the share of it that asks."""

    speaker: str | None
    agent: bool
    asks: float


def feature_columns(inputs: FeatureInput, fade: float) -> dict[str, list[float]]:
    """One list per feature, one value in [0, 1] per record."""
    glances = inputs.glances.values()
    manners = {glance.key: _manner(glance) for glance in glances}
    session = session_best(inputs.fused, {glance.key: glance.session for glance in glances})
    near = nearness(inputs.fused, {key: (side.before, side.after) for key, side in inputs.around.items()}, fade)
    answers = _answers(inputs, manners)
    speaker = named_speaker(inputs.query, {manner.speaker for manner in manners.values()})
    spoken = manners.values()
    return {
        "session": [session[key] for key in manners],
        "near": [near.get(key, 0.0) for key in manners],
        "answers": [answers.get(key, 0.0) for key in manners],
        "context": _coverages(inputs, windows(inputs.around)),
        MATCHED: _coverages(inputs, {}),
        "date": [inputs.aim.covers(glance.time) if inputs.aim.periods else 0.0 for glance in glances],
        "personal": [
            personal_share(glance.text) if inputs.aim.of_asker and not manners[glance.key].agent else 0.0
            for glance in glances
        ],
        "speaker": [float(manner.speaker == speaker is not None) for manner in spoken],
        "asks": [manner.asks for manner in spoken],
        "repeats": _repeats(inputs, manners),
        "agent": [inputs.aim.agent_discount if manner.agent else 0.0 for manner in spoken],
    }


def _manner(glance: Glance) -> Manner:
    speaker = speaker_of(glance.role, glance.text)
    return Manner(speaker, glance.role in AGENT_ROLES and speaker is None, asking_share(glance.text))


def rarities(matches: TermMatches) -> dict[str, float]:
    """The weight of each word of a query: rare words say more."""
    return {word: rarity(matches.records, holders) for word, holders in matches.holders.items()}


def windows(around: Mapping[str, Surroundings]) -> dict[str, set[str]]:
    """The keys at most as far from a record as its neighbours are, itself included."""
    found: dict[str, set[str]] = {}
    for key, beside in around.items():
        line = [*reversed(beside.before), key, *beside.after]
        reach = max(len(beside.before), len(beside.after))
        for place, each in enumerate(line):
            found.setdefault(each, set()).update(line[max(place - reach, 0) : place + reach + 1])
    return found


def _coverages(inputs: FeatureInput, near: Mapping[str, Set[str]]) -> list[float]:
    """How much of the query's words a record and those near it have together: a reply leaves out what was just said."""
    weights, found = rarities(inputs.matches), inputs.matches.found
    nothing: frozenset[str] = frozenset()
    return [
        coverage(nothing.union(*(found.get(each, nothing) for each in near.get(key, {key}))), weights)
        for key in inputs.glances
    ]


def _repeats(inputs: FeatureInput, manners: Mapping[str, Manner]) -> list[float]:
    """1 for records that only repeat the query: they match it best and do not answer it."""
    asked = frozenset(query_terms(inputs.query))
    return [
        float(
            inputs.fused[key] >= NEAR_THE_QUERY
            and manners[key].asks >= ONLY_ASKING
            and asked.issuperset(query_terms(glance.text))
        )
        for key, glance in inputs.glances.items()
    ]


def _answers(inputs: FeatureInput, manners: Mapping[str, Manner]) -> dict[str, float]:
    """The score of the question that a turn replies to. Agent replies count only when the query asks for them."""
    found: dict[str, float] = {}
    for key, beside in inputs.around.items():
        if not beside.after or key not in manners or manners[key].asks < LEAST_ASKING:
            continue
        reply = manners.get(beside.after[0])
        if reply is None or (reply.agent and not inputs.aim.of_agent) or not ends_asking(inputs.glances[key].text):
            continue
        found[beside.after[0]] = inputs.fused[key]
    return found

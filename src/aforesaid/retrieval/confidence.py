"""How sure a search is: does this memory hold an answer at all, and is a hit part of it (spec 5.9)?

Both numbers are probabilities and mean the same for every question, profile and embedding model. They come from signals
that do not depend on the profile: how near the best hits are to the question, on the scale of the model, and how much
of its words they and their neighbours have, rare words first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from aforesaid.embed.scale import Ends
from aforesaid.engine.thresholds import model_scale
from aforesaid.math.confidence import Logistic, coverage
from aforesaid.retrieval.ranking.base import Question, exact_cosines, word_matches
from aforesaid.retrieval.ranking.features import rarities
from aforesaid.text.extract.question import named_speaker, read_aim, speaker_of
from aforesaid.types import Hit

FIRST = 20  # hits whose cosines count
READ = 10  # hits whose words count
LEADING = 5  # hits whose speakers and scores count
BESIDE = 2  # neighbours on each side of the best hit

ASKS_TIME = re.compile(
    r"\bwhen\b|\bwhat (?:date|day|year|month|time)\b|\bhow long\b|いつ|何時|什么时候|\bwann\b|\bcuándo\b|\bquand\b",
    re.I,
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|old|far|tall)\b|いくつ|何[人個回本枚]|多少|\bwie ?viele?\b|\bcuánt[oa]s?\b|\bcombien\b", re.I
)
NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|twice|once|half)\b|[一二三四五六七八九十百]",
    re.I,
)

# Fitted by `aforesaid bench trust --fit` on development questions; docs/ranking.md says how well they hold.
RESULT = Logistic(-5.07, {"near": 2.65, "context": 1.5, "speaker": 1.01, "date": 2.2, "fits": 0.29, "ahead": 1.84})
RESULT_BY_WORDS = Logistic(
    -2.42, {"top": 1.14, "context": 2.45, "speaker": 0.7, "date": 1.76, "fits": 0.32, "ahead": 1.11}
)
HIT = Logistic(-0.72, {"gap": -6.77, "first": 0.96, "rank": -1.48, "words": 0.76})


class JudgedHits(NamedTuple):
    """The confidence of a result, what it is made of, and the hits with theirs."""

    confidence: float
    signals: Mapping[str, float]
    hits: Sequence[Hit]


def with_confidence(question: Question, hits: Sequence[Hit]) -> JudgedHits:
    """Judge a result. Without hits the answer is surely not here."""
    if not hits:
        return JudgedHits(0.0, {}, ())
    signals, covered = _result_signals(question, hits)
    result = (RESULT if "near" in signals else RESULT_BY_WORDS).probability(signals)
    shares = [HIT.probability(hit_signals(hits, rank, covered)) for rank in range(len(hits))]
    return JudgedHits(
        result,
        signals,
        [replace(hit, confidence=result * share) for hit, share in zip(hits, shares, strict=True)],
    )


def _result_signals(question: Question, hits: Sequence[Hit]) -> tuple[dict[str, float], dict[str, float]]:
    """The signals of a whole result, and the share of the question's words that each leading hit has, by key."""
    top = hits[0].record
    around = question.store.around([top.key], question.where, BESIDE).get(top.key)
    beside = (*around.before, *around.after) if around else ()
    leading = [hit.record.key for hit in hits[:READ]]
    matches = word_matches(question, [*leading, *beside])
    weights, nothing = rarities(matches), frozenset[str]()
    covered = {key: coverage(matches.found.get(key, nothing), weights) for key in leading}
    window = nothing.union(*(matches.found.get(key, nothing) for key in (top.key, *beside)))
    aim = read_aim(question.text, question.now, timedelta(days=question.settings.default.date_grace_days))
    speakers = {speaker_of(hit.record.role, hit.record.text) for hit in hits[:LEADING]}
    signals = {
        "top": covered[top.key],
        "context": coverage(window, weights),
        "speaker": float(named_speaker(question.text, speakers) is not None),
        "date": aim.covers(top.time) if aim.periods else 0.0,
        "ahead": _ahead(hits),
        "fits": _fits(question.text, hits[:3]),
    }
    return signals | _near(question, hits[:FIRST]), covered


def hit_signals(hits: Sequence[Hit], rank: int, covered: Mapping[str, float]) -> dict[str, float]:
    """The signals of one hit: how far it is behind the best one, its rank, and its share of the question's words."""
    best, hit = hits[0].score, hits[rank]
    spread = max(abs(best), abs(hit.score)) or 1.0
    return {
        "gap": (best - hit.score) / spread,
        "first": float(rank == 0),
        "rank": min(rank, FIRST) / FIRST,
        "words": covered.get(hit.record.key, 0.0),
    }


def _ahead(hits: Sequence[Hit]) -> float:
    """How far the best hit is ahead of the next ones, as a share of its score."""
    best, others = hits[0].score, [hit.score for hit in hits[1 : LEADING + 1]]
    return min((best - _mean(others)) / abs(best), 1.0) if others and best else 0.0


def _fits(query: str, hits: Sequence[Hit]) -> float:
    """Whether a hit holds what is asked for: 1 a time or number, 0 none although it is asked for, ½ nothing such."""
    if ASKS_TIME.search(query):
        return float(any(hit.record.dates for hit in hits))
    if ASKS_NUMBER.search(query):
        return float(any(NUMBER.search(hit.record.text) for hit in hits))
    return 0.5


def _near(question: Question, hits: Sequence[Hit]) -> dict[str, float]:
    """The cosine of the nearest hit, as a place between unrelated (0) and related texts (1); {} without a scale."""
    scale = model_scale(question.request) if question.vector is not None else None
    if scale is None:
        return {}
    given = {hit.record.key: hit.parts["cos"] for hit in hits if "cos" in hit.parts}
    rest = exact_cosines(question, [hit.record.key for hit in hits if hit.record.key not in given])
    cosines = [*given.values(), *rest.values()]
    return {"near": _place(scale.query, max(cosines))} if cosines else {}


def _place(ends: Ends, cosine: float) -> float:
    return min(max(ends.place(cosine), -1.0), 3.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

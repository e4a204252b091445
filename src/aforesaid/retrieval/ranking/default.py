"""`default`: words and meaning joined convexly, then what surrounds a record in its session.

fused = α·meaning + (1 − α)·words
score = fused + w_session·session + w_near·near + w_answers·answers + w_date·date + w_personal·personal
              + w_speaker·speaker − w_asks·asks − w_repeats·repeats − w_agent·agent

In talk the words of a question and those of its answer are often far apart: the fact is in the reply to "what did you
paint?", or three turns after its topic was named. So the best candidates lend some of their score to their neighbours
and to their session, and a reply inherits from the question before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NamedTuple

import numpy as np

from aforesaid.math.fusion import convex, reciprocal, relative, stretched
from aforesaid.retrieval.ranking.base import (
    SECONDS_A_DAY,
    Question,
    evidence,
    nearest_passages,
    reason,
    text_candidates,
    true_cosines,
    vector_candidates,
)
from aforesaid.retrieval.ranking.features import Scene, parts_of
from aforesaid.retrieval.ranking.links import hopped
from aforesaid.retrieval.ranking.newest import newest_first
from aforesaid.settings.rows import DefaultRows
from aforesaid.store.protocols import Surroundings
from aforesaid.text.analyze import is_unspaced
from aforesaid.text.extract.question import Aim, Period, read_aim
from aforesaid.types import Filter, Hit, Record

LINKED = ("node", "chunk")  # kinds of record that hold links
MOST_PERIODS = 2  # each is searched on its own, so that a large store cannot hide what was said then
SHOWN = 0.05  # a part that moves a score by less is left out of the reason; the parts hold all of them


class Fused(NamedTuple):
    """The two sides of a fused score, and the score."""

    words: float
    meaning: float
    score: float


NOTHING = Fused(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DefaultCandidates:
    """What the two arms brought up, best first, with what each arm said of it; whose cosine is that of a sentence."""

    alpha: float
    bm25: Mapping[str, float]
    cosines: Mapping[str, float]
    passages: Mapping[str, float]
    fused: Mapping[str, Fused]

    def of(self, key: str) -> Fused:
        """What was said of a record: nothing of a neighbour that no arm brought up."""
        return self.fused.get(key, NOTHING)


def rank(question: Question) -> list[Hit]:
    """Both arms fused; then the leading candidates and their neighbours, weighed with what surrounds them."""
    rows = question.settings.default
    aim = read_aim(question.text, question.now, timedelta(days=rows.date_grace_days))
    found = _candidates(question, aim, rows)
    leading = list(found.fused)[: max(rows.pool, 2 * question.limit)]
    around = question.store.around(leading[: rows.anchors], question.where, rows.reach)
    glances = question.store.glances(_distinct([*leading, *_beside(around.values())]))
    scene = Scene({key: found.of(key).score for key in glances}, around, glances, aim, question.text)
    columns = parts_of(scene, rows.fade)
    weights = _weights(rows)
    scores = np.array(list(scene.fused.values())) + sum(weights[name] * np.array(columns[name]) for name in weights)
    keys = list(glances)
    order = sorted(range(len(keys)), key=lambda i: (-scores[i], keys[i]))[: question.limit]
    parts = {keys[i]: {name: column[i] for name, column in columns.items()} for i in order}
    places = {key: place for place, key in enumerate(found.bm25, start=1)}
    hits = [_hit(question, found, record, parts, weights, places) for record in question.store.get(list(parts))]
    return newest_first(question, _with_links(question, hits))


def _with_links(question: Question, hits: list[Hit]) -> list[Hit]:
    """What found documents link to comes along at half their score; talk has no links, and is not looked at."""
    written = [hit for hit in hits if hit.record.kind in LINKED]
    linked = hopped(question, written, taken=hits) if written else []
    if not linked:
        return hits
    return sorted([*hits, *linked], key=lambda hit: (-hit.score, hit.record.key))[: question.limit]


def _candidates(question: Question, aim: Aim, rows: DefaultRows) -> DefaultCandidates:
    """Words against the best of the query, cosines stretched over all candidates; words alone have true cosines too."""
    wide = max(rows.candidates, 2 * question.limit)
    bm25, cosines = text_candidates(question, wide), vector_candidates(question, wide)
    for period in aim.periods[:MOST_PERIODS]:
        within = replace(question, where=_within(question.where, period))
        bm25 |= text_candidates(within, rows.pool)
        cosines |= vector_candidates(within, rows.pool)
    cosines |= true_cosines(question, [key for key in list(bm25)[: rows.pool] if key not in cosines])
    passages = _nearer_passages(question, rows, bm25, cosines)
    cosines |= passages
    keys = _distinct([*bm25, *cosines])
    alpha = _alpha(question, rows)
    far = min(cosines.values(), default=0.0)  # a record without a vector is as far as the farthest
    words = relative([bm25.get(key, 0.0) for key in keys])
    meaning = stretched([cosines.get(key, far) for key in keys]) if cosines else np.zeros(len(keys))
    scores = convex(meaning, words, alpha) if rows.fusion == "convex" else reciprocal(meaning, words)
    joined = zip(words.tolist(), meaning.tolist(), scores.tolist(), strict=True)
    fused = sorted(zip(keys, map(Fused._make, joined), strict=True), key=lambda pair: (-pair[1].score, pair[0]))
    return DefaultCandidates(alpha, bm25, cosines, passages, dict(fused))


def _nearer_passages(
    question: Question, rows: DefaultRows, bm25: Mapping[str, float], cosines: Mapping[str, float]
) -> dict[str, float]:
    """The leading records of which one sentence is nearer than the whole: what is mentioned in passing."""
    if not rows.passages:
        return {}
    leading = _distinct([*list(bm25)[: rows.pool], *list(cosines)[: rows.pool]])
    nearest = nearest_passages(question, leading)
    return {key: cosine for key, cosine in nearest.items() if cosine > cosines.get(key, 1.0)}


def _within(where: Filter, period: Period) -> Filter:
    """The filter, and inside the period too."""
    since, until = where.since or period.start, where.until or period.end
    return replace(where, since=max(since, period.start), until=min(until, period.end))


def _alpha(question: Question, rows: DefaultRows) -> float:
    """How far meaning counts: less where the usual models know the language less well than bigrams do."""
    if question.vector is None:
        return 0.0
    return rows.alpha_unspaced if is_unspaced(question.text) else rows.alpha


def _weights(rows: DefaultRows) -> dict[str, float]:
    return {
        "session": rows.weight_session,
        "near": rows.weight_near,
        "answers": rows.weight_answers,
        "date": rows.weight_date,
        "personal": rows.weight_personal,
        "speaker": rows.weight_speaker,
        "asks": -rows.weight_asks,
        "repeats": -rows.weight_repeats,
        "agent": -rows.weight_agent,
    }


def _hit(
    question: Question,
    found: DefaultCandidates,
    record: Record,
    parts_by_key: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float],
    places: Mapping[str, int],
) -> Hit:
    key = record.key
    added = parts_by_key[key]
    fused = found.of(key)
    bm25, cosine = found.bm25.get(key), found.cosines.get(key)
    parts = {"alpha": found.alpha, "meaning": fused.meaning, "words": fused.words, "fused": fused.score}
    parts |= {"bm25": bm25} if bm25 is not None else {}
    parts |= {"cos": cosine} if cosine is not None else {}
    parts |= {"passage": 1.0} if key in found.passages else {}
    parts |= {**added} | {f"weight_{name}": weight for name, weight in weights.items()}
    parts["age_days"] = question.age_seconds(record) / SECONDS_A_DAY
    why = evidence(question, record, places.get(key), cosine)
    why |= {"nearest": "a sentence"} if key in found.passages else {}
    why |= {name: f"{weights[name] * part:+.2f}" for name, part in added.items() if abs(weights[name] * part) >= SHOWN}
    why |= {"durable": "yes"} if record.durable else {}
    return Hit(record, fused.score + sum(weights[name] * part for name, part in added.items()), parts, reason(why))


def _beside(around: Iterable[Surroundings]) -> list[str]:
    return [key for beside in around for key in (*beside.before, *beside.after)]


def _distinct(keys: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(keys))

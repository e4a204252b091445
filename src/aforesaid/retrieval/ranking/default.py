"""`default`: BM25 and cosine fused, plus features of the record and its session.

fused = α·meaning + (1 − α)·words
score = fused + w_session·session + w_near·near + w_answers·answers + w_context·context + w_date·date
              + w_personal·personal + w_speaker·speaker − w_asks·asks − w_repeats·repeats − w_agent·agent

`words` is the BM25 score and `meaning` the cosine, both scaled to [0, 1]. In a conversation the answer often lacks the
words of the question: it is the reply to "what did you paint?", or comes three turns after its topic. So the best
candidates raise the scores of their neighbours and session, and a reply gets part of the score of its question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NamedTuple

import numpy as np

from aforesaid.math.fusion import convex, reciprocal, relative, stretched
from aforesaid.retrieval.ranking.base import (
    LINKED,
    Question,
    best_first,
    evidence,
    exact_cosines,
    nearest_passages,
    reason,
    text_candidates,
    vector_candidates,
    word_matches,
)
from aforesaid.retrieval.ranking.features import FeatureInput, feature_columns
from aforesaid.retrieval.ranking.newest import newest_first
from aforesaid.retrieval.ranking.related import linked_hits, rank_newer_first
from aforesaid.settings.rows import DefaultRows
from aforesaid.store.protocols import Surroundings
from aforesaid.text.analyze import is_unspaced
from aforesaid.text.extract.question import Aim, read_aim
from aforesaid.types import Hit, Record

MOST_PERIODS = 2  # date ranges of the query that get their own search
LEAST_SHOWN = 0.05  # the reason omits features that change the score by less; `parts` has all


class Fused(NamedTuple):
    """A fused score and its two sides."""

    words: float
    meaning: float
    score: float


NOT_FOUND = Fused(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DefaultCandidates:
    """The candidates of both searches, by key, best first. `passages`: those whose best cosine is a sentence's."""

    alpha: float
    bm25: Mapping[str, float]
    text_ranks: Mapping[str, int]
    cosines: Mapping[str, float]
    passages: Mapping[str, float]
    fused: Mapping[str, Fused]

    def of(self, key: str) -> Fused:
        """The fused score of a record; zeros for a neighbour that neither search found."""
        return self.fused.get(key, NOT_FOUND)


def rank(question: Question) -> list[Hit]:
    """Fuse both searches, add the neighbours of the best candidates, and score all of them with their features."""
    rows = question.settings.default
    aim = read_aim(question.text, question.now, timedelta(days=rows.date_grace_days))
    found = _candidates(question, aim, rows)
    leading = list(found.fused)[: max(rows.pool, 2 * question.limit)]
    around = question.store.around(leading[: rows.anchors], question.where, rows.reach)
    glances = question.store.glances(_distinct([*leading, *_neighbour_keys(around.values())]))
    matches = word_matches(question, list(glances))
    inputs = FeatureInput({key: found.of(key).score for key in glances}, around, glances, aim, question.text, matches)
    columns = feature_columns(inputs, rows.fade)
    weights = _weights(rows)
    scores = np.array(list(inputs.fused.values())) + sum(weights[name] * np.array(columns[name]) for name in weights)
    keys = list(glances)
    order = sorted(range(len(keys)), key=lambda i: (-scores[i], keys[i]))[: question.limit]
    parts = {keys[i]: {name: column[i] for name, column in columns.items()} for i in order}
    records = question.store.get(list(parts))
    hits = [_hit(question, found, record, parts[record.key], weights) for record in records]
    return newest_first(rank_newer_first(question, _with_links(question, hits)), aim, rows)


def _with_links(question: Question, hits: list[Hit]) -> list[Hit]:
    """Add records that found documents link to, at half the score. Turns have no links."""
    written = [hit for hit in hits if hit.record.kind in LINKED]
    linked = linked_hits(question, written, taken=hits) if written else []
    return best_first([*hits, *linked], question.limit) if linked else hits


def _candidates(question: Question, aim: Aim, rows: DefaultRows) -> DefaultCandidates:
    """Search by text and by vector, also within the query's dates, and fuse the scores."""
    wide = max(rows.candidates, 2 * question.limit)
    bm25, cosines = text_candidates(question, wide), vector_candidates(question, wide)
    for period in aim.periods[:MOST_PERIODS]:
        within = replace(question, where=period.within(question.where))
        bm25 |= text_candidates(within, rows.pool)
        cosines |= vector_candidates(within, rows.pool)
    cosines |= exact_cosines(question, [key for key in list(bm25)[: rows.pool] if key not in cosines])
    passages = _nearer_passages(question, rows, bm25, cosines)
    cosines |= passages
    keys = _distinct([*bm25, *cosines])
    alpha = _alpha(question, rows)
    far = min(cosines.values(), default=0.0)  # for records without a vector
    words = relative([bm25.get(key, 0.0) for key in keys])
    meaning = stretched([cosines.get(key, far) for key in keys]) if cosines else np.zeros(len(keys))
    scores = convex(meaning, words, alpha) if rows.fusion == "convex" else reciprocal(meaning, words)
    joined = zip(words.tolist(), meaning.tolist(), scores.tolist(), strict=True)
    fused = sorted(zip(keys, map(Fused._make, joined), strict=True), key=lambda pair: (-pair[1].score, pair[0]))
    ranks = {key: rank for rank, key in enumerate(bm25, start=1)}
    return DefaultCandidates(alpha, bm25, ranks, cosines, passages, dict(fused))


def _nearer_passages(
    question: Question, rows: DefaultRows, bm25: Mapping[str, float], cosines: Mapping[str, float]
) -> dict[str, float]:
    """Leading records with a sentence nearer to the query than the whole text, and the cosine of that sentence."""
    if not rows.passages:
        return {}
    leading = _distinct([*list(bm25)[: rows.pool], *list(cosines)[: rows.pool]])
    nearest = nearest_passages(question, leading)
    return {key: cosine for key, cosine in nearest.items() if cosine > cosines.get(key, 1.0)}


def _alpha(question: Question, rows: DefaultRows) -> float:
    """The weight of the cosine: lower for languages without spaces, where bigrams work better than usual models."""
    if question.vector is None:
        return 0.0
    return rows.alpha_unspaced if is_unspaced(question.text) else rows.alpha


def _weights(rows: DefaultRows) -> dict[str, float]:
    return {
        "session": rows.weight_session,
        "near": rows.weight_near,
        "answers": rows.weight_answers,
        "context": rows.weight_context,
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
    added: Mapping[str, float],
    weights: Mapping[str, float],
) -> Hit:
    key = record.key
    fused = found.of(key)
    bm25, cosine = found.bm25.get(key), found.cosines.get(key)
    parts = {"alpha": found.alpha, "meaning": fused.meaning, "words": fused.words, "fused": fused.score}
    parts |= {"bm25": bm25} if bm25 is not None else {}
    parts |= {"cos": cosine} if cosine is not None else {}
    parts |= {"passage": 1.0} if key in found.passages else {}
    parts |= {**added} | {f"weight_{name}": weight for name, weight in weights.items()}
    parts["age_days"] = question.age_days(record)
    why = evidence(question, record, found.text_ranks.get(key), cosine)
    why |= {"nearest": "a sentence"} if key in found.passages else {}
    changes = {name: weight * added[name] for name, weight in weights.items()}
    why |= {name: f"{change:+.2f}" for name, change in changes.items() if abs(change) >= LEAST_SHOWN}
    why |= {"durable": "yes"} if record.durable else {}
    return Hit(record, fused.score + sum(changes.values()), parts, reason(why))


def _neighbour_keys(around: Iterable[Surroundings]) -> list[str]:
    return [key for beside in around for key in (*beside.before, *beside.after)]


def _distinct(keys: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(keys))

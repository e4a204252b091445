"""Writes every result as a JSON line, to show what was missed and what was found instead."""

from __future__ import annotations

import json
from typing import IO, Any

from aforesaid.bench.quality.choose import fold_of
from aforesaid.bench.quality.run import QuestionResult
from aforesaid.bench.quality.types import Corpus
from aforesaid.types import SearchResult

SHOWN_HITS = 20


class Details:
    """Writes each result to a stream."""

    def __init__(self, stream: IO[str], dataset: str) -> None:
        self._stream = stream
        self._dataset = dataset
        self._corpus: Corpus | None = None
        self._texts: dict[str, str] = {}

    def __call__(self, corpus: Corpus, result: QuestionResult, hits: SearchResult) -> None:
        if corpus is not self._corpus:
            self._corpus, self._texts = corpus, {turn.id: turn.text for turn in corpus.turns}
        self._stream.write(json.dumps(self._line(result, hits), ensure_ascii=False) + "\n")

    def _line(self, result: QuestionResult, hits: SearchResult) -> dict[str, Any]:
        question = result.question
        ranks = {turn: rank for rank, turn in enumerate(result.ranking, 1)}
        evidence = [
            {"turn": turn, "rank": ranks.get(turn), "text": self._texts.get(turn)}
            for turn in sorted(question.evidence_turns)
        ]
        return {
            "dataset": self._dataset,
            "variant": result.variant,
            "id": question.id,
            "type": question.type,
            "group": question.group,
            "fold": fold_of(question.group),
            "question": question.text,
            "answer": question.answer,
            "now": question.now.isoformat(),
            "evidence": evidence,
            "missed": [item["turn"] for item in evidence if item["rank"] is None],
            "metrics": dict(result.metrics),
            "hits": [
                {
                    "rank": rank,
                    "turn": hit.record.id,
                    "evidence": hit.record.id in question.evidence_turns,
                    "score": round(hit.score, 6),
                    "reason": hit.reason,
                    "text": hit.record.text,
                }
                for rank, hit in enumerate(hits[:SHOWN_HITS], 1)
            ],
        }

"""SQuAD and similar sets (JSQuAD): each distinct paragraph is a record and the evidence of its questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from aforesaid.bench.quality.types import UNDATED, BenchMessage, BenchQuestion, Corpus, Dataset, Session
from aforesaid.text.normalize import content_hash


def read(name: str, rows: Sequence[Any]) -> Dataset:
    """All articles are one corpus. Each article is a session."""
    [row] = rows
    corpus = Corpus.of(name, _sessions(row["data"]))
    messages = [message for session in corpus.sessions for message in session.messages]
    turn_ids = {message.source_id: turn.id for message, turn in zip(messages, corpus.turns, strict=True)}
    questions, skipped = [], Counter[str]()
    for article in row["data"]:
        for paragraph in article["paragraphs"]:
            evidence = frozenset({turn_ids[content_hash(paragraph["context"])]})
            for item in paragraph["qas"]:
                if item.get("is_impossible"):
                    skipped["no answer"] += 1
                else:
                    questions.append(_question(item, article["title"], corpus, evidence))
    return Dataset(name, "squad", {corpus.name: corpus}, tuple(questions), skipped)


def _sessions(articles: Sequence[Mapping[str, Any]]) -> list[Session]:
    seen: set[str] = set()
    sessions = []
    for article in articles:
        messages = []
        for paragraph in article["paragraphs"]:
            digest = content_hash(paragraph["context"])
            if digest not in seen:
                seen.add(digest)
                messages.append(BenchMessage("user", paragraph["context"], digest))
        sessions.append(Session(article["title"], UNDATED, tuple(messages)))
    return sessions


def _question(item: Mapping[str, Any], title: str, corpus: Corpus, evidence: frozenset[str]) -> BenchQuestion:
    answers = item.get("answers") or [{"text": ""}]
    return BenchQuestion(
        id=item["id"],
        text=item["question"],
        type="question",
        corpus=corpus.name,
        group=title,
        now=UNDATED,
        evidence_turns=evidence,
        answer=answers[0]["text"],
    )

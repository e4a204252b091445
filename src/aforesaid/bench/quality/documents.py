"""Question sets about documents: SQuAD and BEIR. Documents have no dates and no sessions to find."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from aforesaid.bench.quality.types import UNDATED, BenchMessage, BenchQuestion, Corpus, Dataset, Session
from aforesaid.text.normalize import content_hash


def read_squad(name: str, rows: Sequence[Any]) -> Dataset:
    """SQuAD and similar sets (JSQuAD): each distinct paragraph is a record, each article a session."""
    [row] = rows
    seen: set[str] = set()
    sessions = []
    for article in row["data"]:
        paragraphs = {content_hash(paragraph["context"]): paragraph["context"] for paragraph in article["paragraphs"]}
        new = tuple(BenchMessage("user", text, digest) for digest, text in paragraphs.items() if digest not in seen)
        seen.update(paragraphs)
        sessions.append(Session(article["title"], UNDATED, new))
    corpus = Corpus.of(name, sessions)
    turn_ids = corpus.ids_by_source()
    questions, skipped = [], Counter[str]()
    for article in row["data"]:
        for paragraph in article["paragraphs"]:
            evidence = frozenset({turn_ids[content_hash(paragraph["context"])]})
            for item in paragraph["qas"]:
                if item.get("is_impossible"):
                    skipped["no answer"] += 1
                    continue
                id_, text, group = item["id"], item["question"], article["title"]
                answer = (item.get("answers") or [{"text": ""}])[0]["text"]
                questions.append(BenchQuestion(id_, text, "question", name, group, UNDATED, evidence, answer=answer))
    return Dataset(name, "squad", {name: corpus}, tuple(questions), skipped)


def read_beir(name: str, rows: Sequence[Any]) -> Dataset:
    """BEIR (https://github.com/beir-cellar/beir): each document is a record. A judgement above 0 is evidence."""
    [row] = rows
    sessions = []
    for document in row["corpus"]:
        text = "\n".join(filter(None, (document.get("title"), document["text"])))
        sessions.append(Session(document["_id"], UNDATED, (BenchMessage("user", text, document["_id"]),)))
    corpus = Corpus.of(name, sessions)
    turn_ids = corpus.ids_by_source()
    judged: dict[str, set[str]] = defaultdict(set)
    for query, document, score in row["judgements"]:
        if score > 0:
            judged[query].add(document)
    questions, skipped = [], Counter[str]()
    for query in row["queries"]:
        id_ = query["_id"]
        evidence = frozenset(turn_ids[document] for document in judged.get(id_, ()) if document in turn_ids)
        if evidence:
            questions.append(BenchQuestion(id_, query["text"], "query", name, id_, UNDATED, evidence))
        elif id_ in judged:
            skipped["no evidence"] += 1
    return Dataset(name, "beir", {name: corpus}, tuple(questions), skipped)

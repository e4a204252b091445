"""BEIR: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv (https://github.com/beir-cellar/beir)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aforesaid.bench.quality.files import PACKED, find, read_lines, read_text
from aforesaid.bench.quality.types import UNDATED, BenchMessage, BenchQuestion, Corpus, Dataset, Session
from aforesaid.errors import FormatError, InputError

JUDGED = "test.tsv"  # the split that is compared; without it, every file of judgements


def read(folder: Path) -> Dataset:
    """Every document as a record in a session of its own; every judgement above 0 is evidence."""
    sessions = [_session(row) for row in read_lines(_needed(folder, "corpus.jsonl"))]
    corpus = Corpus.of(folder.name, sessions)
    places = {session.mark: turn.id for session, turn in zip(corpus.sessions, corpus.turns, strict=True)}
    judged = _judgements(folder)
    questions, skipped = [], Counter[str]()
    for row in read_lines(_needed(folder, "queries.jsonl")):
        if row["_id"] not in judged:
            continue
        evidence = frozenset(places[mark] for mark in judged[row["_id"]] if mark in places)
        if evidence:
            questions.append(
                BenchQuestion(row["_id"], row["text"], "query", corpus.name, row["_id"], UNDATED, evidence)
            )
        else:
            skipped["no evidence"] += 1
    return Dataset(folder.name, "beir", {corpus.name: corpus}, tuple(questions), skipped)


def _session(row: Mapping[str, Any]) -> Session:
    text = "\n".join(filter(None, (row.get("title"), row["text"])))
    return Session(row["_id"], UNDATED, (BenchMessage("user", text, row["_id"]),))


def _needed(folder: Path, name: str) -> Path:
    file = find(folder, name)
    if file is None:
        raise InputError(f"{folder} has no {name}.", "A BEIR folder holds corpus.jsonl, queries.jsonl and qrels/*.tsv.")
    return file


def _judgements(folder: Path) -> dict[str, set[str]]:
    """The documents that answer each query."""
    whole = [path for end in ("", *PACKED) for path in sorted((folder / "qrels").glob(f"*.tsv{end}"))]
    chosen = [path for path in whole if path.name.startswith(JUDGED)] or whole
    if not chosen:
        raise InputError(f"{folder} has no qrels/*.tsv.", "Fetch the judgements too.")
    judged: dict[str, set[str]] = defaultdict(set)
    for path in chosen:
        for number, line in enumerate(read_text(path).splitlines(), 1):
            query, document, score = _row(path, number, line)
            if score > 0:
                judged[query].add(document)
    return judged


def _row(path: Path, number: int, line: str) -> tuple[str, str, float]:
    """One judgement; the line of titles counts as none."""
    try:
        query, document, score = line.split("\t")
        return query, document, 0.0 if number == 1 and score.strip() == "score" else float(score)
    except ValueError:
        raise FormatError(
            f"{path}:{number} is not `query-id, corpus-id, score` with tabs.", "Fetch it again."
        ) from None

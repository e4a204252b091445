"""BEIR: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv (https://github.com/beir-cellar/beir)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aforesaid.bench.quality.files import COMPRESSED, find, read_lines, read_text
from aforesaid.bench.quality.types import UNDATED, BenchMessage, BenchQuestion, Corpus, Dataset, Session
from aforesaid.errors import FormatError, InputError

TEST_SPLIT = "test.tsv"  # without it, all judgement files count


def read(folder: Path) -> Dataset:
    """Each document is a session with one record. A judgement above 0 is evidence."""
    sessions = [_session(row) for row in read_lines(_required(folder, "corpus.jsonl"))]
    corpus = Corpus.of(folder.name, sessions)
    turn_ids = {session.source_id: turn.id for session, turn in zip(corpus.sessions, corpus.turns, strict=True)}
    judged = _judgements(folder)
    questions, skipped = [], Counter[str]()
    for row in read_lines(_required(folder, "queries.jsonl")):
        if row["_id"] not in judged:
            continue
        evidence = frozenset(turn_ids[name] for name in judged[row["_id"]] if name in turn_ids)
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


def _required(folder: Path, name: str) -> Path:
    file = find(folder, name)
    if file is None:
        raise InputError(f"{folder} has no {name}.", "A BEIR folder holds corpus.jsonl, queries.jsonl and qrels/*.tsv.")
    return file


def _judgements(folder: Path) -> dict[str, set[str]]:
    """The relevant documents of each query."""
    files = [path for end in ("", *COMPRESSED) for path in sorted((folder / "qrels").glob(f"*.tsv{end}"))]
    chosen = [path for path in files if path.name.startswith(TEST_SPLIT)] or files
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
    """One judgement. The header line has the score 0."""
    try:
        query, document, score = line.split("\t")
        return query, document, 0.0 if number == 1 and score.strip() == "score" else float(score)
    except ValueError:
        raise FormatError(
            f"{path}:{number} is not `query-id, corpus-id, score` with tabs.", "Fetch it again."
        ) from None

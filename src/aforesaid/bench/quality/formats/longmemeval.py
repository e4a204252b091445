"""LongMemEval: every question has a haystack of sessions of its own (https://github.com/xiaowu0162/LongMemEval).

Read as upstream publishes it, a list with `haystack_sessions`, or in a compact form of JSON lines: each session once
as `{"session": n, "turns": […]}`, then each question as `{"question": {…, "session_refs": [n, …]}}`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from aforesaid.bench.quality.types import BenchMessage, BenchQuestion, Corpus, Dataset, Session
from aforesaid.errors import FormatError

ABSTENTION = "_abs"  # a question whose answer is not in the history
WEEKDAY = re.compile(r"\s*\([^)]*\)\s*")


def read(name: str, rows: Sequence[Any], *, pool: int = 0) -> Dataset:
    """Every question with its haystack; `pool` fills each up to so many sessions with those of other questions."""
    items = list(_items(rows))
    others = _all_sessions(items) if pool else {}
    corpora, questions, skipped = {}, [], Counter[str]()
    for item in items:
        if item["question_id"].endswith(ABSTENTION):
            skipped["abstention"] += 1
            continue
        sessions = _sessions(item)
        now = moment(item["question_date"])
        if len(sessions) < pool:
            sessions += pooled(item, sessions, others, now, pool - len(sessions))
        corpus = Corpus.of(item["question_id"], sessions)
        question = _question(item, corpus, now)
        if not question.evidence_sessions:
            skipped["no evidence"] += 1
            continue
        corpora[corpus.name] = corpus
        questions.append(question)
    return Dataset(f"{name} ({pool} sessions)" if pool else name, "longmemeval", corpora, tuple(questions), skipped)


def moment(text: str) -> datetime:
    """A time like `2023/05/30 (Tue) 20:36`, taken as UTC."""
    try:
        return datetime.strptime(WEEKDAY.sub(" ", text).strip(), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        raise FormatError(f"{text!r} is not a time of LongMemEval.", "Expected is 2023/05/30 (Tue) 20:36.") from None


def pooled(
    item: Mapping[str, Any], sessions: Sequence[Session], others: Mapping[str, Session], now: datetime, count: int
) -> list[Session]:
    """Other questions' sessions, chosen by digest: none that is evidence here, none twice, none from the future."""
    taken = {session.mark for session in sessions} | set(item["answer_session_ids"])
    free = sorted((mark for mark in others if mark not in taken), key=lambda mark: _digest(item["question_id"], mark))
    times = [session.time for session in sessions if session.time <= now] or [now]
    return [_before(others[mark], now, times, _digest(item["question_id"], mark)) for mark in free[:count]]


def _before(session: Session, now: datetime, times: Sequence[datetime], digest: int) -> Session:
    """A session as it is, or moved to one of the haystack's own times when it lies after the question."""
    return session if session.time <= now else replace(session, time=times[digest % len(times)])


def _digest(*parts: str) -> int:
    return int.from_bytes(hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).digest(), "big")


def _items(rows: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Questions in the upstream shape, from either form."""
    stored: dict[int, Any] = {}
    for row in rows:
        if "turns" in row:
            stored[row["session"]] = row["turns"]
        elif isinstance(row.get("question"), dict):
            question = row["question"]
            yield {**question, "haystack_sessions": [stored[ref] for ref in question["session_refs"]]}
        else:
            yield row


def _all_sessions(items: Iterable[Mapping[str, Any]]) -> dict[str, Session]:
    found: dict[str, Session] = {}
    for item in items:
        for session in _sessions(item):
            found.setdefault(session.mark, session)
    return found


def _sessions(item: Mapping[str, Any]) -> list[Session]:
    parts = zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True)
    return [Session(mark, moment(date), _messages(mark, turns)) for mark, date, turns in parts]


def _messages(session: str, turns: Iterable[Mapping[str, Any]]) -> tuple[BenchMessage, ...]:
    """Only turns that hold an answer are marked."""
    return tuple(
        BenchMessage(turn["role"], turn["content"], mark=session if turn.get("has_answer") else "") for turn in turns
    )


def _question(item: Mapping[str, Any], corpus: Corpus, now: datetime) -> BenchQuestion:
    marks = set(item["answer_session_ids"])
    return BenchQuestion(
        id=item["question_id"],
        text=item["question"],
        type=item["question_type"],
        corpus=corpus.name,
        group=item["question_id"],
        now=now,
        evidence_turns=corpus.turn_ids(marks),
        evidence_sessions=corpus.session_ids(marks),
        answer=str(item.get("answer", "")),
    )

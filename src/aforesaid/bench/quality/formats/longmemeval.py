"""LongMemEval: every question has its own haystack of sessions (https://github.com/xiaowu0162/LongMemEval).

Reads the published form, a list with `haystack_sessions`, and a compact form of JSON lines: each session once as
`{"session": n, "turns": […]}`, then each question as `{"question": {…, "session_refs": [n, …]}}`.
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
    """Each haystack is a corpus. `pool` fills it up to this number of sessions with those of other questions."""
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
    """A time like `2023/05/30 (Tue) 20:36`, in UTC."""
    try:
        return datetime.strptime(WEEKDAY.sub(" ", text).strip(), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        raise FormatError(f"{text!r} is not a time of LongMemEval.", "Expected is 2023/05/30 (Tue) 20:36.") from None


def pooled(
    item: Mapping[str, Any], sessions: Sequence[Session], others: Mapping[str, Session], now: datetime, count: int
) -> list[Session]:
    """Sessions of other questions, chosen by digest: no evidence, no duplicates, none from the future."""
    taken = {session.source_id for session in sessions} | set(item["answer_session_ids"])
    free = sorted((name for name in others if name not in taken), key=lambda name: _digest(item["question_id"], name))
    times = [session.time for session in sessions if session.time <= now] or [now]
    return [_before(others[name], now, times, _digest(item["question_id"], name)) for name in free[:count]]


def _before(session: Session, now: datetime, times: Sequence[datetime], digest: int) -> Session:
    """The session; if it is later than the question, moved to one of the haystack's times."""
    return session if session.time <= now else replace(session, time=times[digest % len(times)])


def _digest(*parts: str) -> int:
    return int.from_bytes(hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).digest(), "big")


def _items(rows: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Questions in the published form, from either form."""
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
            found.setdefault(session.source_id, session)
    return found


def _sessions(item: Mapping[str, Any]) -> list[Session]:
    parts = zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True)
    return [Session(name, moment(date), _messages(name, turns)) for name, date, turns in parts]


def _messages(session: str, turns: Iterable[Mapping[str, Any]]) -> tuple[BenchMessage, ...]:
    """The messages of a session. Only those with the answer get a source id."""
    return tuple(
        BenchMessage(turn["role"], turn["content"], source_id=session if turn.get("has_answer") else "")
        for turn in turns
    )


def _question(item: Mapping[str, Any], corpus: Corpus, now: datetime) -> BenchQuestion:
    evidence = set(item["answer_session_ids"])
    return BenchQuestion(
        id=item["question_id"],
        text=item["question"],
        type=item["question_type"],
        corpus=corpus.name,
        group=item["question_id"],
        now=now,
        evidence_turns=corpus.turn_ids(evidence),
        evidence_sessions=corpus.session_ids(evidence),
        answer=str(item.get("answer", "")),
    )

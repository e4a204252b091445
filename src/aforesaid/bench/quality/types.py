"""The common form of all question sets: a `Dataset` has questions about corpora. And which questions to ask.

The ids of a source (`source_id`) often give the answer away. They only serve to find the evidence; the store sees
neutral ids, counted in order of time.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aforesaid.errors import InputError
from aforesaid.types import Turn

UNDATED = datetime(2020, 1, 1, tzinfo=UTC)  # the time of documents, which have none
FOLDS = 5


@dataclass(frozen=True, slots=True)
class BenchMessage:
    """One turn of a source. Without a time it has that of its session."""

    role: str
    text: str
    source_id: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Messages that belong together, and a summary of them that somebody wrote, if there is one."""

    source_id: str
    time: datetime
    messages: tuple[BenchMessage, ...]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is stored before the questions are asked. Create it with `Corpus.of`."""

    name: str
    sessions: tuple[Session, ...]

    @classmethod
    def of(cls, name: str, sessions: Iterable[Session]) -> Corpus:
        """A corpus with its sessions in order of time."""
        return cls(name, tuple(sorted(sessions, key=lambda session: session.time)))

    @property
    def size(self) -> int:
        """The number of turns."""
        return sum(len(session.messages) for session in self.sessions)

    @property
    def turns(self) -> Iterator[Turn]:
        """The turns to ingest, with neutral ids."""
        for turn_id, session, message in self._numbered():
            yield Turn(turn_id, session_of(turn_id), message.role, message.text, message.time or session.time)

    @property
    def last_time(self) -> datetime:
        """The time of the latest turn."""
        return max((message.time or session.time for _, session, message in self._numbered()), default=UNDATED)

    def turn_ids(self, source_ids: Set[str]) -> frozenset[str]:
        """The neutral ids of turns, by the ids of the source."""
        return frozenset(turn_id for turn_id, _, message in self._numbered() if message.source_id in source_ids)

    def session_ids(self, source_ids: Set[str]) -> frozenset[str]:
        """The neutral ids of sessions, by the ids of the source."""
        return frozenset(_session_id(s) for s, session in enumerate(self.sessions) if session.source_id in source_ids)

    def ids_by_source(self) -> dict[str, str]:
        """The neutral id of each turn, where every turn has its own source id."""
        return {message.source_id: turn_id for turn_id, _, message in self._numbered()}

    def _numbered(self) -> Iterator[tuple[str, Session, BenchMessage]]:
        for s, session in enumerate(self.sessions):
            for m, message in enumerate(session.messages):
                yield f"{_session_id(s)}-t{m + 1:04}", session, message


def session_of(turn_id: str) -> str:
    """The session of a neutral turn id."""
    return turn_id.split("-")[0]


def _session_id(session: int) -> str:
    return f"s{session + 1:04}"


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question, when it is asked, and which turns and sessions of its corpus contain the answer.

    `group` is the conversation or article that it shares with other questions. A group stays in one fold.
    """

    id: str
    text: str
    type: str
    corpus: str
    group: str
    now: datetime
    evidence_turns: frozenset[str]
    evidence_sessions: frozenset[str] = frozenset()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A question set. `skipped` counts the questions left out, by reason."""

    name: str
    format: str
    corpora: Mapping[str, Corpus]
    questions: tuple[BenchQuestion, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


def fold_of(group: str) -> int:
    """The fold of a conversation, article or question: blake2b of its name, 8 bytes as a number, modulo 5."""
    return digest(group) % FOLDS


def choose(
    questions: Sequence[BenchQuestion],
    *,
    types: Sequence[str] = (),
    fold: int | None = None,
    without_fold: int | None = None,
    limit: int | None = None,
) -> tuple[BenchQuestion, ...]:
    """The questions of these types, of one fold or of all but one, at most `limit`, in their order."""
    known = sorted({question.type for question in questions})
    unknown = sorted(set(types) - set(known))
    if unknown:
        raise InputError(f"There is no question of type {unknown[0]!r}.", f"Types here: {', '.join(known)}.")
    kept = [
        question
        for question in questions
        if (not types or question.type in types)
        and fold in (None, fold_of(question.group))
        and without_fold != fold_of(question.group)
    ]
    if not kept:
        raise InputError("No question is left.", "Another --fold or other --types may have some.")
    return tuple(kept) if limit is None else stratified(kept, limit)


def stratified(questions: Sequence[BenchQuestion], limit: int) -> tuple[BenchQuestion, ...]:
    """At most `limit` questions that keep the mix of types, chosen by digest, in their order."""
    types = defaultdict(list)
    for question in sorted(questions, key=lambda question: (digest(question.id), question.id)):
        types[question.type].append(question)
    placed = [
        ((i + 0.5) / len(members), name, question)
        for name, members in types.items()
        for i, question in enumerate(members)
    ]
    chosen = {question.id for _, _, question in sorted(placed, key=lambda place: place[:2])[:limit]}
    return tuple(question for question in questions if question.id in chosen)


def digest(text: str) -> int:
    """A number that depends only on the text: blake2b, 8 bytes."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

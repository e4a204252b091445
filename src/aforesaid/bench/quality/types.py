"""One vocabulary for every format: a `Dataset` asks `Question`s of `Corpus`es.

Ids of the source ("marks") often give the answer away, so they only serve to find evidence here; what reaches a
store are neutral ids, counted in order of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aforesaid.types import Turn

UNDATED = datetime(2020, 1, 1, tzinfo=UTC)  # of documents, which have no time: all are of the same age


@dataclass(frozen=True, slots=True)
class BenchMessage:
    """One turn of a source; `mark` is what the source calls it, `time` None means its session's."""

    role: str
    text: str
    mark: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Messages that belong together; `mark` is what the source calls it."""

    mark: str
    time: datetime
    messages: tuple[BenchMessage, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is put into one store before its questions are asked; make it with `Corpus.of`."""

    name: str
    sessions: tuple[Session, ...]

    @classmethod
    def of(cls, name: str, sessions: Iterable[Session]) -> Corpus:
        """The sessions in order of time, whatever order the source had."""
        return cls(name, tuple(sorted(sessions, key=lambda session: session.time)))

    @property
    def size(self) -> int:
        """How many turns there are."""
        return sum(len(session.messages) for session in self.sessions)

    @property
    def turns(self) -> Iterator[Turn]:
        """What a memory is handed: neutral ids, the source's words and times."""
        for s, session in enumerate(self.sessions):
            for m, message in enumerate(session.messages):
                yield Turn(_turn_id(s, m), _session_id(s), message.role, message.text, message.time or session.time)

    @property
    def last_time(self) -> datetime:
        """The time of the latest turn."""
        times = [message.time or session.time for session in self.sessions for message in session.messages]
        return max(times, default=UNDATED)

    def turn_ids(self, marks: Set[str]) -> frozenset[str]:
        """The neutral ids of the turns that the source calls so."""
        return frozenset(
            _turn_id(s, m)
            for s, session in enumerate(self.sessions)
            for m, message in enumerate(session.messages)
            if message.mark in marks
        )

    def session_ids(self, marks: Set[str]) -> frozenset[str]:
        """The neutral ids of the sessions that the source calls so."""
        return frozenset(_session_id(s) for s, session in enumerate(self.sessions) if session.mark in marks)


def session_of(turn_id: str) -> str:
    """The session that a neutral turn id lies in."""
    return turn_id.split("-")[0]


def _session_id(session: int) -> str:
    return f"s{session + 1:04}"


def _turn_id(session: int, message: int) -> str:
    return f"{_session_id(session)}-t{message + 1:04}"


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """One question: what it asks of which corpus, when, and which turns and sessions hold the answer.

    `group` names what it shares with others (a conversation, an article); questions of a group stay in one fold.
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
    """A file as questions and the corpora they are asked of; `skipped` counts questions left out, by reason."""

    name: str
    format: str
    corpora: Mapping[str, Corpus]
    questions: tuple[BenchQuestion, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)

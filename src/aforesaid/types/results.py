"""What the main calls return: the report of an ingest, the hits of a search, and the context for a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from aforesaid.types.records import GateDecision, Record
from aforesaid.types.vocabulary import Part, Status


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one ingested message."""

    id: str
    status: Status
    reason: str  # one line for people
    key: str = ""  # the stored record's key; empty if nothing was stored
    gate: GateDecision | None = None  # None if the gate was not asked
    redactions: tuple[str, ...] = ()  # the kinds of data that were redacted


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a search could not use: an index that is off, records without vectors, and damaged records."""

    records: int  # visible records
    pending: int  # how many of them have no vector yet
    vector_off: str = ""  # why vector search was off; empty if it was on
    text_off: str = ""  # the same for keyword search
    building: str = ""  # how far `reindex` is with the vectors of another model; empty if there is none
    damaged: int = 0  # records that were left out because they are damaged
    damaged_vectors: int = 0  # records, counted as pending, whose vectors are damaged
    damaged_tables: tuple[str, ...] = ()  # tables of which only a part can be read

    @property
    def line(self) -> str:
        """One sentence for people."""
        ways = (("meaning", self.vector_off), ("words", self.text_off))
        off = [f"no search by {name} ({why})" for name, why in ways if why]
        late = f"{self.pending} of {self.records} records have no vector yet, so only their words are searched"
        parts = [*(off or ["search by meaning and by words"]), late if self.pending else "all records are indexed"]
        return "; ".join([*parts, *([self.building] if self.building else []), *self.damage])

    @property
    def damage(self) -> tuple[str, ...]:
        """Sentences about damage in the store, each with its remedy; empty if none was met."""
        records = "1 record is damaged" if self.damaged == 1 else f"{self.damaged} records are damaged"
        found = {
            f"{records} and left out: run `aforesaid verify`": self.damaged,
            f"the vectors of {self.damaged_vectors} records are damaged: run `aforesaid verify`": self.damaged_vectors,
        }
        tables = f"only a part of {', '.join(self.damaged_tables)} can be read: restore a backup"
        found[tables] = len(self.damaged_tables)
        return tuple(sentence for sentence, number in found.items() if number)


@dataclass(frozen=True, slots=True)
class IngestReport(Sequence[Outcome]):
    """What happened to every ingested message, in the order given."""

    outcomes: tuple[Outcome, ...] = ()
    freshness: Freshness | None = None

    def __len__(self) -> int:
        return len(self.outcomes)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        return self.outcomes[index]

    def count(self, value: object) -> int:
        """How many messages ended with this status or gate decision."""
        return sum(o.status == value or (o.gate is not None and o.gate.decision == value) for o in self.outcomes)


@dataclass(frozen=True, slots=True)
class Hit:
    """A found record, its score, the parts of the score by name, and the reason in one line.

    `score` orders the hits of one query. `confidence` can be compared between queries: it is the probability that the
    record is part of an answer.
    """

    record: Record
    score: float
    parts: Mapping[str, float]
    reason: str
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """The hits, best first. `confidence` is the probability that this memory holds an answer at all."""

    hits: tuple[Hit, ...]
    freshness: Freshness
    query: str = ""
    profile: str = "default"
    recovered: str = ""  # why summaries were replaced by original messages; empty if they were not
    details: Mapping[str, Any] = field(default_factory=dict)  # what the profile did (`openclaw`, `pce`)
    policy_version: str = "none"
    request_id: str = ""
    trace_id: str = ""
    below_threshold: tuple[Hit, ...] = ()  # for `pce`: candidates that are no hits, best first
    confidence: float = 0.0
    signals: Mapping[str, float] = field(default_factory=dict)  # what the confidence is made of

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class TraceItem:
    """One record that was considered for a context, and why it was taken or left out."""

    id: str
    part: Part
    taken: bool
    tokens: int
    reason: str
    score: float | None = None  # None for parts that are not ranked
    key: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of one piece of a context; `handle` is its mark in the text, such as `m:1a2b3c4d`."""

    handle: str
    id: str
    part: Part
    time: datetime
    session: str | None = None
    file: str | None = None  # for notes and documents, with the first and last line
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What goes into the prompt: rules as system text, then recent messages and recalled history as messages.

    Recalled history stays where it was first shown, so the contexts of one session only grow at the end and a model's
    prompt cache keeps working.
    """

    system: str
    messages: tuple[Mapping[str, str], ...]  # each with `role` and `content`
    tokens: int
    budget_tokens: int
    records: tuple[Record, ...]  # the records that went in
    trace: tuple[TraceItem, ...]  # every record that was considered
    freshness: Freshness | None
    degraded: str = ""  # what is missing and why; empty if nothing is
    kept_tokens: int = 0  # leading tokens that equal the session's previous context
    citations: tuple[Citation, ...] = ()
    recall: str = ""  # the recalled history alone
    parts: tuple[str, ...] = ()  # rules and messages as text; a model must read everything after a changed one again
    counted_by: str = "estimate"  # how `tokens` was counted: "estimate", the name of a tokenizer, or "caller"

    @property
    def text(self) -> str:
        """The whole context as one string."""
        return "\n".join(self.parts)

    def chat(self, *new: Mapping[str, str]) -> list[dict[str, str]]:
        """The context as chat messages, system text first, followed by the new messages."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, *map(dict, self.messages), *map(dict, new)]

"""What comes back: the report of an ingest, the hits of a search, and the context for a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from aforesaid.types.records import GateDecision, Record
from aforesaid.types.words import Part, Status


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one turn that was handed in."""

    id: str
    status: Status
    reason: str
    key: str = ""
    gate: GateDecision | None = None
    redactions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport(Sequence[Outcome]):
    """What became of every turn of an ingest, in the order they were given."""

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
        """How many turns ended with this status or gate decision."""
        return sum(o.status == value or (o.gate is not None and o.gate.decision == value) for o in self.outcomes)


@dataclass(frozen=True, slots=True)
class Freshness:
    """What an answer could not see: arms that were off, and records whose vectors are still to come."""

    records: int
    pending: int
    vector_off: str = ""

    @property
    def line(self) -> str:
        """One sentence for people."""
        vector = f"vector arm off ({self.vector_off})" if self.vector_off else "vector and text arms on"
        pending = f"{self.pending} of {self.records} records without vectors yet" if self.pending else "all indexed"
        return f"{vector}; {pending}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that was found, its score, the parts of that score, and the reason in one line."""

    record: Record
    score: float
    parts: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """Hits in order, with a word on what the search could not see; `recovered` says why summaries gave way to turns."""

    hits: tuple[Hit, ...]
    freshness: Freshness
    query: str = ""
    profile: str = "default"
    recovered: str = ""

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
    """One record that was considered for a context, and what became of it."""

    id: str
    part: Part
    taken: bool
    tokens: int
    reason: str
    score: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a part of a context comes from."""

    handle: str
    id: str
    part: Part
    time: datetime
    session: str | None = None
    file: str | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What goes into the prompt: rules as system text, then recent turns and frames of recalled history as messages.

    Frames stand where they were first shown, so that a session's contexts grow at the end. `kept_tokens` is how many
    leading tokens are the same as in the session's previous context; `recall` is the frames alone.
    """

    system: str
    messages: tuple[Mapping[str, str], ...]
    tokens: int
    budget_tokens: int
    records: tuple[Record, ...]
    trace: tuple[TraceItem, ...]
    freshness: Freshness | None
    degraded: str = ""
    kept_tokens: int = 0
    citations: tuple[Citation, ...] = ()
    recall: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The pieces of the context in their order; one that changed makes a model read everything after it anew."""
        spoken = (f"{message['role']}: {message['content']}" for message in self.messages)
        return tuple(part for part in (self.system, *spoken) if part)

    @property
    def text(self) -> str:
        """The whole context as one string."""
        return "\n".join(self.parts)

    def chat(self, *new: Mapping[str, str]) -> list[dict[str, str]]:
        """The context as chat messages, the rules as system text, before the new ones."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, *map(dict, self.messages), *map(dict, new)]

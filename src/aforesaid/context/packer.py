"""A context in the making: what must go in, then hits by score while they fit, behind what was there before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aforesaid.context import render as frame
from aforesaid.context.neutralize import attempts
from aforesaid.context.recent_turns import Tail, message
from aforesaid.engine.rules import RulesInView
from aforesaid.text.echo import handle
from aforesaid.types import Citation, Context, Hit, Part, Provenance, Record, SearchResult, TraceItem

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """Records that stand together in a context: turns of the tail, or one frame of recalled history."""

    part: Part
    records: tuple[Record, ...]

    @property
    def messages(self) -> tuple[dict[str, str], ...]:
        """As chat messages; recalled history is never the system's word."""
        if self.part == "tail":
            return tuple(map(message, self.records))
        return ({"role": "user", "content": frame.recalled(self.records)},) if self.records else ()


@dataclass(frozen=True, slots=True)
class Mandatory:
    """What goes in whatever is asked: rules, the recent tail, and what the caller hands over."""

    rules: RulesInView
    tail: Tail
    own: tuple[Mapping[str, str], ...]
    trace: tuple[TraceItem, ...]
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A context and the pieces that it is made of."""

    context: Context
    pieces: tuple[ContextPiece, ...]


@dataclass(frozen=True, slots=True)
class ContextPacker:
    """Makes contexts of one size from what must go in and what was found; `covers` says what a summary stands for.

    Of the room that is left for recall, a new context uses the share `fill`; one that goes on adds at most `fresh`.
    `caps` are the most tokens that may be recalled of a scope.
    """

    must: Mandatory
    found: SearchResult
    covers: Mapping[str, frozenset[str]]
    budget: int
    fill: float
    fresh: float
    count: Count
    caps: Mapping[str, int] = field(default_factory=dict)

    def afresh(self) -> Drafted:
        """The tail, then the best hits in one frame."""
        tail = ContextPiece("tail", self.must.tail.records)
        taken, trace = self._packed(self.fill)
        made = self._made((tail, _frame(taken)), trace)
        while taken and made.context.tokens > self.budget:  # a tokenizer may count the whole as more than its parts
            dropped = taken.pop().record.key
            trace = [_left_out(item) if item.key == dropped else item for item in trace]
            made = self._made((tail, _frame(taken)), trace)
        return made

    def continued(self, before: Sequence[ContextPiece]) -> Drafted | None:
        """The previous context's pieces with new turns and the best hits behind them; None when they do not lead there.

        What was shown stays in its place, whether or not it is asked for now; a new context follows when all is full.
        """
        turns = self.must.tail.records
        held = tuple(record for piece in before if piece.part == "tail" for record in piece.records)
        shown = [record for piece in before if piece.part == "recall" for record in piece.records]
        known = {record.key for record in shown}
        if not before or turns[: len(held)] != held or any(turn.key in known for turn in turns):
            return None
        new, trace = self._packed(self.fresh, known)
        pieces = (*before, ContextPiece("tail", turns[len(held) :]), _frame(new))
        made = self._made(pieces, self._kept(trace, shown))
        return made if made.context.tokens <= self.budget else None

    def _packed(self, share: float, shown: Collection[str] = ()) -> tuple[list[Hit], list[TraceItem]]:
        """Hits by score, each taken if it still fits; one long item does not starve the rest."""
        bare = self._made((ContextPiece("tail", self.must.tail.records),), ()).context
        spent = bare.tokens + self.count(f"\nuser: {frame.EMPTY}\n")
        room = spent + int(share * max(self.budget - spent, 0))
        taken: list[Hit] = []
        trace: list[TraceItem] = []
        headings: set[str] = set()
        left = dict(self.caps)
        told = set(shown) | {record.key for record in self.must.tail.records}
        told |= {key for summary in shown for key in self.covers.get(summary, ())}
        for hit in self.found.hits:
            if hit.record.key in shown:
                trace.append(
                    TraceItem(
                        hit.record.id, "recall", True, self._size(hit.record), hit.reason, hit.score, hit.record.key
                    )
                )
                continue
            below = self.covers.get(hit.record.key, frozenset())
            if hit.record.key in told or below & told:
                trace.append(self._told(hit))
                continue
            heading = frame.heading(hit.record)
            size = self._size(hit.record) + (0 if heading in headings else self.count(heading + "\n"))
            fits = spent + size <= (room if taken else self.budget)  # the best hit may use all the room there is
            if size > left.get(hit.record.scope, size):
                trace.append(self._capped(hit, size))
                continue
            if fits:
                taken.append(hit)
                left = {**left, hit.record.scope: left[hit.record.scope] - size} if hit.record.scope in left else left
                headings.add(heading)
                spent += size
                told |= {hit.record.key, *below}
            reason = _reason(hit) if fits else f"does not fit: {size} tokens, {max(room - spent, 0)} left"
            trace.append(TraceItem(hit.record.id, "recall", fits, size, reason, hit.score, hit.record.key))
        return taken, trace

    def _kept(self, trace: Sequence[TraceItem], shown: Sequence[Record]) -> list[TraceItem]:
        """The trace, with what an earlier turn recalled and this one does not ask for."""
        found = {item.key for item in trace}
        kept = [record for record in shown if record.key not in found]
        return [*trace, *(TraceItem(r.id, "recall", True, self._size(r), "shown before", key=r.key) for r in kept)]

    def _told(self, hit: Hit) -> TraceItem:
        size = self._size(hit.record)
        reason = "a summary of it is there, or it sums up what is there"
        return TraceItem(hit.record.id, "recall", False, size, reason, hit.score, hit.record.key)

    def _capped(self, hit: Hit, size: int) -> TraceItem:
        cap = self.caps[hit.record.scope]
        reason = f"the policy allows {cap} tokens of scope {hit.record.scope}"
        return TraceItem(hit.record.id, "recall", False, size, reason, hit.score, hit.record.key)

    def _size(self, record: Record) -> int:
        return self.count(frame.item(record) + "\n")

    def _made(self, pieces: Sequence[ContextPiece], trace: Sequence[TraceItem]) -> Drafted:
        must, filled = self.must, tuple(piece for piece in pieces if piece.records)
        rules = must.rules.records
        context = Context(
            system=frame.rules(must.rules.hard, must.rules.soft, must.rules.elevated),
            messages=(*(said for piece in filled for said in piece.messages), *must.own),
            tokens=0,
            budget_tokens=self.budget,
            records=(*rules, *(record for piece in filled for record in piece.records)),
            trace=(*must.trace, *trace),
            freshness=self.found.freshness,
            degraded=must.degraded,
            citations=(
                *(_citation("rules", record) for record in rules),
                *(_citation(piece.part, record) for piece in filled for record in piece.records),
            ),
            recall="\n".join(frame.recalled(piece.records) for piece in filled if piece.part == "recall"),
        )
        return Drafted(replace(context, tokens=self.count(context.text) if context.text else 0), filled)


def _frame(hits: Sequence[Hit]) -> ContextPiece:
    """Recalled history in order of time."""
    return ContextPiece(
        "recall", tuple(sorted((hit.record for hit in hits), key=lambda r: (r.time, r.session or "", r.key)))
    )


def _reason(hit: Hit) -> str:
    """Why a hit was taken, and what its text tries to do to a prompt."""
    tried = attempts(hit.record.text)
    return f"{hit.reason}; disarmed={', '.join(tried)}" if tried else hit.reason


def _left_out(item: TraceItem) -> TraceItem:
    return replace(item, taken=False, reason=f"does not fit: {item.tokens} tokens among the others")


def _citation(part: Part, record: Record) -> Citation:
    source = record.provenance or Provenance()
    return Citation(handle(record.key), record.id, part, record.time, record.session, source.file, source.lines)

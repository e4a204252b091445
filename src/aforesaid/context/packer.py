"""Packs a context: the mandatory parts, then hits by score while they fit, after the previous context's pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aforesaid.context import render as frame
from aforesaid.context.recent_turns import Tail
from aforesaid.engine.rules import RulesInView
from aforesaid.math import packing
from aforesaid.retrieval.snippets import SnippetBudget, is_snippet
from aforesaid.text.echo import handle
from aforesaid.types import Citation, Context, Hit, Part, Provenance, Record, SearchResult, TraceItem

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """Consecutive records of a context: recent turns, or one frame of recalled history."""

    part: Part
    records: tuple[Record, ...]

    @property
    def messages(self) -> tuple[dict[str, str], ...]:
        """The piece as chat messages. Nothing that was stored has the system role."""
        if self.part == "tail":
            return tuple(map(frame.message, self.records))
        return ({"role": "user", "content": frame.recalled(self.records)},) if self.records else ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The same messages in the text of a context."""
        if self.part == "tail":
            return tuple(map(frame.turn_text, self.records))
        return (frame.recalled(self.records),) if self.records else ()


@dataclass(frozen=True, slots=True)
class Mandatory:
    """The parts that do not depend on search: rules, recent turns and the caller's own messages."""

    rules: RulesInView
    tail: Tail
    own: tuple[Mapping[str, str], ...]
    trace: tuple[TraceItem, ...]
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class PackedContext:
    """A context and its pieces."""

    context: Context
    pieces: tuple[ContextPiece, ...]


@dataclass(frozen=True, slots=True)
class ContextPacker:
    """Packs mandatory parts and search hits into a budget. `covers` holds the records that each summary covers.

    A new context uses the share `fill` of the tokens left for recall; an extended one adds at most the share `fresh`.
    `caps` limits the recalled tokens per scope, `snippets` those of notes. Hits are shown in order of time, or in
    their own order. With `prefix`, the first hit that does not fit ends the context. Hits with less than
    `least_confidence` are not worth their tokens.
    """

    mandatory: Mandatory
    found: SearchResult
    covers: Mapping[str, frozenset[str]]
    budget: int
    count: Count
    fill: float
    fresh: float
    caps: Mapping[str, int]
    snippets: SnippetBudget
    by_time: bool
    prefix: bool
    least_confidence: float = 0.0

    def start_new(self) -> PackedContext:
        """Build a new context: recent turns, then the best hits in one frame."""
        tail = ContextPiece("tail", self.mandatory.tail.records)
        taken, trace = self._select_hits(self.fill)
        packed = self._build((tail, self._recall_piece(taken)), trace)
        while taken and packed.context.tokens > self.budget:  # the whole may have more tokens than the sum of its parts
            dropped = taken.pop().record.key
            trace = [_left_out(item) if item.key == dropped else item for item in trace]
            packed = self._build((tail, self._recall_piece(taken)), trace)
        return packed

    def extend(self, before: Sequence[ContextPiece]) -> PackedContext | None:
        """Append new turns and hits to the previous pieces; None when that is not possible or does not fit.

        Shown records keep their position even when they do not match the current query. But they may not keep out the
        best snippet of a note.
        """
        turns = self.mandatory.tail.records
        previous_turns = tuple(records_of(before, "tail"))
        shown = records_of(before, "recall")
        known = {record.key for record in shown}
        if not before or turns[: len(previous_turns)] != previous_turns or any(turn.key in known for turn in turns):
            return None
        new, trace = self._select_hits(self.fresh, shown)
        if self._misses_best_snippet(trace):
            return None
        pieces = (*before, ContextPiece("tail", turns[len(previous_turns) :]), self._recall_piece(new))
        packed = self._build(pieces, self._with_shown(trace, shown))
        return packed if packed.context.tokens <= self.budget else None

    def _select_hits(self, share: float, before: Sequence[Record] = ()) -> tuple[list[Hit], list[TraceItem]]:
        """Take hits in order, skipping those that do not fit, or up to the first one; returns them and the trace.

        `before` are the recalled records that the context has already.
        """
        bare = self._build((ContextPiece("tail", self.mandatory.tail.records),), ()).context
        spent = bare.tokens + self.count(f"\n{frame.EMPTY}\n")
        room = spent + int(share * packing.recall_budget(self.budget, spent))
        taken: list[Hit] = []
        trace: list[TraceItem] = []
        headings: list[str] = []
        caps, snippets = dict(self.caps), self.snippets
        for record in filter(is_snippet, before):
            snippets = snippets.less(self._size(record))
        shown = {record.key for record in before}
        ended = False
        covered = {*shown, *(record.key for record in self.mandatory.tail.records)}
        covered |= {key for summary in shown for key in self.covers.get(summary, ())}
        for hit in self.found.hits:
            key, scope, size = hit.record.key, hit.record.scope, self._size(hit.record)
            below = self.covers.get(key, frozenset())
            if key in shown:
                trace.append(_traced(hit, True, size, hit.reason))
                continue
            if key in covered or below & covered:
                trace.append(_traced(hit, False, size, "already in the context, as a summary or as its turns"))
                continue
            if hit.confidence < self.least_confidence:
                trace.append(_traced(hit, False, size, f"not worth its tokens: confidence {hit.confidence:.3f}"))
                continue
            heading = frame.heading(hit.record)
            size += 0 if heading in (headings if self.by_time else headings[-1:]) else self.count(heading + "\n")
            if ended:
                trace.append(_traced(hit, False, size, "comes after a hit that does not fit"))
            elif size > caps.get(scope, size):
                trace.append(_traced(hit, False, size, f"the policy allows {self.caps[scope]} tokens of scope {scope}"))
            elif spent + size > (room if taken else self.budget):  # the best hit may use the whole budget
                trace.append(_traced(hit, False, size, f"does not fit: {size} tokens, {max(room - spent, 0)} left"))
                ended = self.prefix
            elif is_snippet(hit.record) and not snippets.fits(size):
                trace.append(_traced(hit, False, size, self._snippet_limit))
            else:
                trace.append(_traced(hit, True, size, hit.reason + frame.disarmed(hit.record)))
                taken.append(hit)
                headings.append(heading)
                spent += size
                covered |= {key, *below}
                if scope in caps:
                    caps[scope] -= size
                if is_snippet(hit.record):
                    snippets = snippets.less(size)
        return taken, trace

    def _misses_best_snippet(self, trace: Sequence[TraceItem]) -> bool:
        """Whether snippets shown before leave no room for the best snippet, which fits a new context."""
        best = next((hit.record.key for hit in self.found.hits if is_snippet(hit.record)), None)
        item = next((item for item in trace if item.key == best), None)
        return item is not None and item.reason == self._snippet_limit and self.snippets.fits(item.tokens)

    def _with_shown(self, trace: Sequence[TraceItem], shown: Sequence[Record]) -> list[TraceItem]:
        """The trace, plus the records shown before that the current search did not find."""
        found = {item.key for item in trace}
        kept = [record for record in shown if record.key not in found]
        return [*trace, *(TraceItem(r.id, "recall", True, self._size(r), "shown before", key=r.key) for r in kept)]

    @property
    def _snippet_limit(self) -> str:
        return f"a prompt takes at most {self.snippets.snippets} snippets and {self.snippets.tokens} tokens of notes"

    def _recall_piece(self, hits: Sequence[Hit]) -> ContextPiece:
        """The hits as one frame."""
        records = [hit.record for hit in hits]
        if self.by_time:
            records.sort(key=lambda r: (r.time, r.session or "", r.key))
        return ContextPiece("recall", tuple(records))

    def _size(self, record: Record) -> int:
        return self.count(frame.item(record) + "\n")

    def _build(self, pieces: Sequence[ContextPiece], trace: Sequence[TraceItem]) -> PackedContext:
        mandatory, filled = self.mandatory, tuple(piece for piece in pieces if piece.records)
        rules = mandatory.rules.records
        system = frame.rules(mandatory.rules.hard, mandatory.rules.soft, mandatory.rules.elevated)
        own = (frame.speech(each["role"], each["content"]) for each in mandatory.own)
        context = Context(
            system=system,
            messages=(*(each for piece in filled for each in piece.messages), *mandatory.own),
            tokens=0,
            budget_tokens=self.budget,
            records=(*rules, *(record for piece in filled for record in piece.records)),
            trace=(*mandatory.trace, *trace),
            freshness=self.found.freshness,
            degraded=mandatory.degraded,
            citations=(
                *(_citation("rules", record) for record in rules),
                *(_citation(piece.part, record) for piece in filled for record in piece.records),
            ),
            recall="\n".join(frame.recalled(piece.records) for piece in filled if piece.part == "recall"),
            parts=tuple(filter(None, (system, *(text for piece in filled for text in piece.texts), *own))),
        )
        return PackedContext(replace(context, tokens=self.count(context.text) if context.text else 0), filled)


def records_of(pieces: Sequence[ContextPiece], part: Part) -> list[Record]:
    """The records of all pieces of a part, in order."""
    return [record for piece in pieces if piece.part == part for record in piece.records]


def _traced(hit: Hit, taken: bool, size: int, reason: str) -> TraceItem:
    return TraceItem(hit.record.id, "recall", taken, size, reason, hit.score, hit.record.key)


def _left_out(item: TraceItem) -> TraceItem:
    return replace(item, taken=False, reason=f"does not fit: {item.tokens} tokens among the others")


def _citation(part: Part, record: Record) -> Citation:
    source = record.provenance or Provenance()
    return Citation(handle(record.key), record.id, part, record.time, record.session, source.file, source.lines)

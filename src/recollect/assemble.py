"""Hits → context: the recent tail whole, then the best recalled history that still fits, framed as data.

C(q) = T_recent ∪ Proj(V_rest, q),   Σ tokens ≤ τ, always
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.engine import Engine
from recollect.errors import InputError, StoreReadOnlyError
from recollect.ingest import recall_subject
from recollect.search import Page, search
from recollect.text.echo import FRAME_CLOSE, FRAME_OPEN, handle
from recollect.text.framing import neutralised
from recollect.types import AGENT_ROLES, USES, Context, Event, Filter, Hit, Record, TraceItem, most_uses

Count = Callable[[str], int]
LEAST_CONSIDERED = 50  # hits looked at however small the budget: a short one may fit where the best do not
MAX_TAIL_TURNS = 500  # how far back a tail may reach, however large the budget


@dataclass(frozen=True, slots=True)
class Tail:
    """The recent turns that go in as they are, and what did not fit."""

    records: tuple[Record, ...]
    trace: tuple[TraceItem, ...]
    degraded: str = ""


def assemble(
    engine: Engine, query: str, where: Filter, session: str | None, budget_tokens: int, now: datetime
) -> Context:
    """The context for a prompt: never more than the budget, with a trace of what was left out and why."""
    if budget_tokens < 1:
        raise InputError(f"budget_tokens is {budget_tokens}.", "Give at least 1.")
    count = engine.count_tokens
    tail = _tail(engine, where, session, budget_tokens, count)
    shown = tuple(record.key for record in tail.records)
    page = Page(_considered(engine, budget_tokens))
    found = search(engine, query, replace(where, exclude=where.exclude + shown), page, now)
    draft = Context(
        system="",
        messages=tuple(_message(record) for record in tail.records),
        tokens=0,
        budget_tokens=budget_tokens,
        records=tail.records,
        trace=tail.trace,
        freshness=found.freshness,
        degraded=tail.degraded,
    )
    context = _packed(draft, found.hits, budget_tokens, count)
    _note_recall(engine, where, session, context, now)
    return context


def _considered(engine: Engine, budget: int) -> int:
    """How many hits are worth looking at: a large budget holds more of them."""
    rows = engine.settings.assemble
    return min(LEAST_CONSIDERED + budget // rows.tokens_a_hit, rows.candidates)


def _tail(engine: Engine, where: Filter, session: str | None, budget: int, count: Count) -> Tail:
    """The last m turns, extended backwards by whole bundles up to β·τ; if m do not fit, as many as do, and says so."""
    if session is None:
        return Tail((), ())
    rows = engine.settings.assemble
    here = replace(where, sessions=(session,), kinds=("turn",), echoes=True)
    recent = engine.store.find(here, order="newest", limit=max(rows.tail_turns, MAX_TAIL_TURNS))
    taken: list[Record] = []
    for bundle in _bundles(recent):
        room = budget if len(taken) < rows.tail_turns else rows.tail * budget
        if count(_lines([*taken, *bundle])) > room:
            break
        taken += bundle
    missing = recent[len(taken) : rows.tail_turns]
    trace = [
        TraceItem(r.id, "tail", r in taken, count(_lines([r])), "recent" if r in taken else "does not fit", key=r.key)
        for r in reversed([*taken, *missing])
    ]
    degraded = f"{len(missing)} of the last {rows.tail_turns} turns do not fit in {budget} tokens" if missing else ""
    return Tail(tuple(reversed(taken)), tuple(trace), degraded)


def _bundles(newest_first: Sequence[Record]) -> list[list[Record]]:
    """Turns that share a bundle stay together; each list is newest first."""
    bundles: list[list[Record]] = []
    for record in newest_first:
        if bundles and record.bundle is not None and bundles[-1][-1].bundle == record.bundle:
            bundles[-1].append(record)
        else:
            bundles.append([record])
    return bundles


def _packed(draft: Context, hits: Sequence[Hit], budget: int, count: Count) -> Context:
    """Hits by score, each taken if it still fits; one long item does not starve the rest.

    Items are counted one by one, which is never less than all of them at once by our estimate; with a tokenizer that
    was handed in it may be, and then the last ones go again.
    """
    alone = count(draft.text)
    frame = count(replace(draft, system=_framed([])).text)
    spent = frame
    taken: list[Hit] = []
    trace: list[TraceItem] = []
    headings: set[str] = set()
    for hit in hits:
        heading = _heading(hit.record)
        size = count(_item(hit.record) + "\n") + (0 if heading in headings else count(heading + "\n"))
        fits = spent + size <= budget
        if fits:
            taken.append(hit)
            headings.add(heading)
            spent += size
        left = budget - (spent if taken else alone)
        reason = hit.reason if fits else f"does not fit: {size} tokens, {left} left"
        trace.append(TraceItem(hit.record.id, "recall", fits, size, reason, hit.score, hit.record.key))
    best = _filled(draft, taken, count)
    while taken and best.tokens > budget:
        dropped = taken.pop()
        trace = [_dropped(item) if item.key == dropped.record.key else item for item in trace]
        best = _filled(draft, taken, count)
    return replace(best, trace=(*draft.trace, *trace))


def _filled(draft: Context, taken: Sequence[Hit], count: Count) -> Context:
    filled = replace(draft, system=_framed(taken) if taken else "")
    return replace(filled, tokens=count(filled.text), records=(*(hit.record for hit in taken), *draft.records))


def _dropped(item: TraceItem) -> TraceItem:
    return replace(item, taken=False, reason=f"does not fit: {item.tokens} tokens among the others")


def _framed(hits: Sequence[Hit]) -> str:
    """Recalled history in order of time, under a line for each day of a session, between marks that say what it is."""
    days: dict[str, list[Record]] = {}
    for record in sorted((hit.record for hit in hits), key=lambda record: (record.time, record.key)):
        days.setdefault(_heading(record), []).append(record)
    lines = [line for heading, records in days.items() for line in (heading, *map(_item, records))]
    return "\n".join([FRAME_OPEN, *lines, FRAME_CLOSE])


def _heading(record: Record) -> str:
    """The day and the session of recalled records; said once, because every item would repeat it."""
    return f"{record.time:%Y-%m-%d} {neutralised(record.session or '')}".rstrip() + ":"


def _item(record: Record) -> str:
    """One recalled record: handle, time of day, who, and its text as data; no text can begin a line of its own."""
    who = f" {neutralised(record.role)}" if record.role else ""
    return f"{handle(record.key)} {record.time:%H:%M}{who}: {neutralised(record.text)}"


def _message(record: Record) -> dict[str, str]:
    role = record.role if record.role in AGENT_ROLES else "user"
    return {"role": role or "user", "content": record.text}


def _lines(newest_first: Sequence[Record]) -> str:
    return "\n".join(f"{message['role']}: {message['content']}" for message in map(_message, newest_first))


def _note_recall(engine: Engine, where: Filter, session: str | None, context: Context, now: datetime) -> None:
    """Remember what this session was shown, so that its echo is recognised, and count each record's use.

    A read-only store remembers nothing.
    """
    keys = [item.key for item in context.trace if item.part == "recall" and item.taken]
    if session is None or not keys or not where.owners:
        return
    with suppress(StoreReadOnlyError):
        subject = recall_subject(where.owners[0], session)
        with engine.store.transaction():
            used = [replace(r, meta={**r.meta, USES: r.meta.get(USES, 0) + 1}) for r in engine.store.get(keys)]
            engine.store.put(used)
            _raise_most_uses(engine, used)
            engine.store.append([Event(now, engine.tenant, "recall", subject, {"keys": keys})])


def _raise_most_uses(engine: Engine, used: Sequence[Record]) -> None:
    for owner in {record.owner for record in used}:
        name = most_uses(engine.tenant, owner)
        most = max(int(record.meta[USES]) for record in used if record.owner == owner)
        if most > int(engine.store.setting(name) or 0):
            engine.store.put_setting(name, str(most))

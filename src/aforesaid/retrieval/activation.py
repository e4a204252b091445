"""Active contexts: the hits for an intent, saved until they expire (spec 5.6).

They hold record keys and no text. Reading one returns the records that the reader may see.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import ContextGoneError, InputError
from aforesaid.policy.intents import INTENTS, TABLE, IntentName, type_of
from aforesaid.retrieval.ranking.base import best_first
from aforesaid.retrieval.search import question_for
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, Hit, Record, as_time, check_choice, check_id

CANDIDATES_PER_ITEM = 4  # hits to rank for each item, so that quotas have a choice


@dataclass(frozen=True, slots=True)
class ActiveItem:
    """One record of an active context."""

    rank: int
    score: float
    parts: Mapping[str, float]
    reason: str
    record: Record


@dataclass(frozen=True, slots=True)
class ActiveContext:
    """The saved hits for an intent, with expiry, remaining uses and policy version."""

    id: str
    intent: IntentName
    items: tuple[ActiveItem, ...]
    created: datetime
    expires: datetime
    uses_left: int | None
    policy_version: str
    below_threshold: int = 0


def activate(
    request: Request,
    query: str,
    where: Filter,
    *,
    intent: IntentName,
    limit: int,
    now: datetime,
    ttl_minutes: float,
    max_uses: int | None,
) -> ActiveContext:
    """Rank with `pce`, raise the scores of types that the intent prefers, apply its quotas, and save the result."""
    from aforesaid.retrieval.ranking.pce import rank_all  # imported late: its patterns are slow to compile

    check_choice(intent, INTENTS, "intent")
    if limit < 1 or ttl_minutes <= 0 or (max_uses is not None and max_uses < 1):
        raise InputError("limit, ttl_minutes and max_uses must be positive.", "Leave them out for the defaults.")
    question = question_for(request, query, where, CANDIDATES_PER_ITEM * limit, now)
    hits, below = rank_all(question)
    chosen = _choose(hits, intent, limit)
    saved = {
        "intent": intent,
        "created": now.isoformat(),
        "expires": (now + timedelta(minutes=ttl_minutes)).isoformat(),
        "uses_left": max_uses,
        "policy": request.policy.version if request.policy else "",
        "stale": "",
        "below_threshold": below,
        "items": [[hit.record.key, hit.score, dict(hit.parts), hit.reason] for hit in chosen],
    }
    name = _name(request.tenant, question.text, intent, now.isoformat(), *(hit.record.key for hit in chosen))
    scores = sorted(hit.score for hit in chosen)
    stats = {"p50": scores[len(scores) // 2], "best": scores[-1]} if scores else {}
    body = {"intent": intent, "items": len(chosen), "below_threshold": below, **stats}
    with writing(request, check_policy=False) as writer:
        request.store.values.put(_slot(request, where, name), json.dumps(saved))
        writer.commit(events=[request.event("activate", name, body)])
    return _context(name, saved, [hit.record for hit in chosen])


def _name(*parts: str) -> str:
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return f"ac-{digest.hexdigest()}"


def _choose(hits: Sequence[Hit], name: IntentName, limit: int) -> list[Hit]:
    """The best hits after the intent raised their scores, no more of a type than its quota."""
    intent = TABLE[name]
    raised = [replace(hit, score=hit.score * intent.lift(hit.record)) for hit in hits]
    chosen: list[Hit] = []
    taken: Counter[str] = Counter()
    for hit in best_first(raised):
        kind = type_of(hit.record)
        if len(chosen) < limit and taken[kind] < intent.quota(kind, limit):
            chosen.append(replace(hit, reason=f"{hit.reason}; intent={name}"))
            taken[kind] += 1
    return chosen


def _context(name: str, saved: Mapping[str, Any], records: Sequence[Record]) -> ActiveContext:
    """A saved context with these of its records. Items keep their rank when others are hidden."""
    visible = {record.key: record for record in records}
    items = tuple(
        ActiveItem(rank, score, parts, reason, visible[key])
        for rank, (key, score, parts, reason) in enumerate(saved["items"], start=1)
        if key in visible
    )
    times = as_time(saved["created"]), as_time(saved["expires"])
    return ActiveContext(
        name, saved["intent"], items, *times, saved["uses_left"], saved["policy"], saved["below_threshold"]
    )


def recall(request: Request, name: str, where: Filter, now: datetime) -> ActiveContext:
    """A saved context with the records the caller may see; ContextGoneError when it expired, is used up or stale."""
    with request.store.transaction():
        slot = _slot(request, where, check_id(name, "context"))
        value = request.store.values.get(slot)
        if value is None:
            raise ContextGoneError(f"There is no active context {name!r}.", "Activate a new one.")
        saved = json.loads(value)
        for gone, why in (
            (as_time(saved["expires"]) <= now, "has expired"),
            (saved["uses_left"] == 0, "is used up"),
            (bool(saved["stale"]), f"is stale: {saved['stale']}"),
        ):
            if gone:
                raise ContextGoneError(f"The active context {name!r} {why}.", "Activate a new one.")
        if saved["uses_left"] is not None:
            saved["uses_left"] -= 1
            request.store.values.put(slot, json.dumps(saved))
    keys = tuple(item[0] for item in saved["items"])
    return _context(name, saved, request.view.find(replace(where, keys=keys)))


def mark_stale(request: Request, keys: Sequence[str], reason: str) -> tuple[str, ...]:
    """Mark the saved contexts with these records as stale; returns their names."""
    found = []
    for slot, kept in contexts_with(request, set(keys)).items():
        if not kept["stale"]:
            request.store.values.put(slot, json.dumps({**kept, "stale": reason}))
            found.append(slot.name)
    return tuple(found)


def contexts_with(request: Request, keys: Set[str]) -> dict[Slot, dict[str, Any]]:
    """The saved contexts of the tenant that hold any of these records."""
    saved = {slot: json.loads(value) for slot, value in _saved(request).items()}
    return {slot: kept for slot, kept in saved.items() if not keys.isdisjoint(item[0] for item in kept["items"])}


def sweep(request: Request, now: datetime) -> int:
    """Drop the contexts that have expired; returns how many."""
    expired = [slot for slot, value in _saved(request).items() if as_time(json.loads(value)["expires"]) <= now]
    for slot in expired:
        request.store.values.drop(slot)
    return len(expired)


def _saved(request: Request) -> dict[Slot, str]:
    return request.store.values.items(ValueKind.CONTEXT, request.tenant)


def _slot(request: Request, where: Filter, name: str) -> Slot:
    """A context belongs to the user who asked for it."""
    return Slot(ValueKind.CONTEXT, request.tenant, where.owners[0] if where.owners else "", name)

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
from aforesaid.retrieval.ranking.base import Question
from aforesaid.retrieval.search import question_for
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, Hit, Record, as_time, check_choice, check_id

CANDIDATES_PER_ITEM = 4  # hits that are looked at for each that is wanted, so that quotas have a choice


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


@dataclass(frozen=True, slots=True)
class ActivationRequest:
    """What to activate."""

    query: str
    intent: IntentName
    where: Filter
    limit: int
    now: datetime
    ttl_minutes: float
    max_uses: int | None = None


def activate(request: Request, spec: ActivationRequest) -> ActiveContext:
    """Rank with `pce`, raise the scores of types that the intent prefers, apply its quotas, and save the result."""
    from aforesaid.retrieval.ranking.pce import rank_all  # imported late: its patterns are slow to compile

    check_choice(spec.intent, INTENTS, "intent")
    if spec.limit < 1 or spec.ttl_minutes <= 0 or (spec.max_uses is not None and spec.max_uses < 1):
        raise InputError("limit, ttl_minutes and max_uses must be positive.", "Leave them out for the defaults.")
    question = question_for(request, spec.query, spec.where, CANDIDATES_PER_ITEM * spec.limit, spec.now)
    hits, below = rank_all(question)
    chosen = _choose(hits, spec)
    made = _context(request, question, spec, chosen, below)
    kept = {
        "intent": spec.intent, "created": spec.now.isoformat(), "expires": made.expires.isoformat(),
        "uses_left": spec.max_uses, "policy": made.policy_version, "stale": "",
        "below_threshold": below,
        "items": [[hit.record.key, hit.score, dict(hit.parts), hit.reason] for hit in chosen],
    }  # fmt: skip
    scores = sorted(hit.score for hit in chosen)
    stats = {"p50": scores[len(scores) // 2], "best": scores[-1]} if scores else {}
    body = {"intent": spec.intent, "items": len(chosen), "below_threshold": below, **stats}
    with writing(request, check_policy=False) as writer:
        request.store.values.put(_slot(request, _owner(spec.where), made.id), json.dumps(kept))
        writer.commit(events=[request.event("activate", made.id, body)])
    return made


def _choose(hits: Sequence[Hit], spec: ActivationRequest) -> list[Hit]:
    """The best after the intent's lift, no more of a type than its quota."""
    intent = TABLE[spec.intent]
    lifted = [replace(hit, score=hit.score * intent.lift(hit.record)) for hit in hits]
    chosen: list[Hit] = []
    held: Counter[str] = Counter()
    for hit in sorted(lifted, key=lambda hit: (-hit.score, hit.record.key)):
        kind = type_of(hit.record)
        if len(chosen) < spec.limit and held[kind] < intent.quota(kind, spec.limit):
            chosen.append(replace(hit, reason=f"{hit.reason}; intent={spec.intent}"))
            held[kind] += 1
    return chosen


def _context(
    request: Request, question: Question, spec: ActivationRequest, chosen: Sequence[Hit], below: int
) -> ActiveContext:
    policy = request.policy
    parts = (request.tenant, question.text, spec.intent, spec.now.isoformat(), *(hit.record.key for hit in chosen))
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    items = tuple(
        ActiveItem(rank, hit.score, hit.parts, hit.reason, hit.record) for rank, hit in enumerate(chosen, start=1)
    )
    expires = spec.now + timedelta(minutes=spec.ttl_minutes)
    version = policy.version if policy else ""
    return ActiveContext(f"ac-{digest}", spec.intent, items, spec.now, expires, spec.max_uses, version, below)


def recall(request: Request, name: str, where: Filter, now: datetime) -> ActiveContext:
    """A saved context with the records the caller may see; ContextGoneError when it expired, is used up or stale."""
    with request.store.transaction():
        slot = _slot(request, _owner(where), check_id(name, "context"))
        value = request.store.values.get(slot)
        if value is None:
            raise ContextGoneError(f"There is no active context {name!r}.", "Activate a new one.")
        kept = json.loads(value)
        for gone, why in (
            (as_time(kept["expires"]) <= now, "has expired"),
            (kept["uses_left"] == 0, "is used up"),
            (bool(kept["stale"]), f"is stale: {kept['stale']}"),
        ):
            if gone:
                raise ContextGoneError(f"The active context {name!r} {why}.", "Activate a new one.")
        left = None if kept["uses_left"] is None else kept["uses_left"] - 1
        if left is not None:
            request.store.values.put(slot, json.dumps({**kept, "uses_left": left}))
    keys = tuple(item[0] for item in kept["items"])
    visible = {record.key: record for record in request.view.find(replace(where, keys=keys))}
    items = tuple(
        ActiveItem(rank, score, parts, reason, visible[key])
        for rank, (key, score, parts, reason) in enumerate(kept["items"], start=1)
        if key in visible
    )
    times = as_time(kept["created"]), as_time(kept["expires"])
    return ActiveContext(name, kept["intent"], items, *times, left, kept["policy"], kept["below_threshold"])


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
    over = [slot for slot, value in _saved(request).items() if as_time(json.loads(value)["expires"]) <= now]
    for slot in over:
        request.store.values.drop(slot)
    return len(over)


def _owner(where: Filter) -> str:
    """Whose context it is: the user who asked."""
    return where.owners[0] if where.owners else ""


def _saved(request: Request) -> dict[Slot, str]:
    return request.store.values.items(ValueKind.CONTEXT, request.tenant)


def _slot(request: Request, owner: str, name: str) -> Slot:
    return Slot(ValueKind.CONTEXT, request.tenant, owner, name)

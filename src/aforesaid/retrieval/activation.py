"""Active contexts: the hits for an intent, saved until they expire (spec 5.6).

They hold record keys and no text. Reading one returns the records that the reader may see.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import ContextGoneError, InputError
from aforesaid.math.statistics import DIGITS, spread
from aforesaid.policy.intents import INTENTS, TABLE, IntentName, type_of
from aforesaid.retrieval.search import question_for
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Event, Filter, Hit, Provenance, Record, Scope, add_span, as_time, check_choice, check_id

MEASURED = ("s_text", "s_vec", "S", "g")  # parts of a score whose spread an event holds
MOST_BELOW = 50  # candidates under the threshold that an event lists; it counts all of them


@dataclass(frozen=True, slots=True)
class ActiveItem:
    """One record of an active context."""

    rank: int
    score: float
    parts: Mapping[str, float]
    reason: str
    record: Record

    @property
    def scope(self) -> Scope:
        """Whose the record is."""
        return self.record.scope

    @property
    def provenance(self) -> Provenance | None:
        """Where the record comes from."""
        return self.record.provenance


@dataclass(frozen=True, slots=True)
class ActiveContext:
    """The saved hits for an intent, in the order of MMR, with expiry, remaining uses and how they were ranked."""

    id: str
    intent: IntentName
    items: tuple[ActiveItem, ...]
    created: datetime
    expires: datetime
    uses_left: int | None
    policy_version: str
    below_threshold: int = 0
    scope: Scope = "user"  # where it was asked for: in a session, a project, or by a user
    provenance: Provenance = field(default_factory=Provenance)  # the user, and the keys of the records
    request_id: str = ""
    trace_id: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)  # alpha, k_txt, k_vec, k_final


def activate(
    request: Request,
    query: str,
    where: Filter,
    *,
    active_session: str | None = None,
    intent: IntentName,
    limit: int,
    now: datetime,
    ttl_minutes: float,
    max_uses: int | None,
) -> ActiveContext:
    """Rank with `pce`, prefer the scopes and types of the intent, apply its quotas, and save the result.

    A preference changes the order of MMR, never a score.
    """
    from aforesaid.retrieval.ranking.pce import rank_all  # imported late: its patterns are slow to compile

    check_choice(intent, INTENTS, "intent")
    if limit < 1 or ttl_minutes <= 0 or (max_uses is not None and max_uses < 1):
        raise InputError("limit, ttl_minutes and max_uses must be positive.", "Leave them out for the defaults.")
    request = request.with_ids()
    question = question_for(request, query, where, limit, now, active_session)
    prefer = TABLE[intent].lift
    hits, below = rank_all(question, lambda record: prefer(record, question.scope_of(record)))
    chosen = _choose(hits, intent, limit)
    saved = {
        "intent": intent,
        "created": now.isoformat(),
        "expires": add_span(now, "ttl_minutes", minutes=ttl_minutes).isoformat(),
        "uses_left": max_uses,
        "stale": "",
        "below_threshold": len(below),
        "scope": _scope(where, active_session),
        "details": question.details,
        "items": [[hit.record.key, hit.score, dict(hit.parts), hit.reason] for hit in chosen],
        **request.ids,
    }
    name = _name(request.tenant, question.text, intent, now.isoformat(), *(hit.record.key for hit in chosen))
    with writing(request, check_policy=False) as writer:
        request.store.values.put(_slot(request, where, name), json.dumps(saved))
        writer.commit(events=_events(request, name, saved, chosen, below))
    return _context(name, saved, where, [hit.record for hit in chosen])


def _events(
    request: Request, name: str, saved: Mapping[str, Any], chosen: Sequence[Hit], below: Sequence[Hit]
) -> list[Event]:
    """What was activated and how it was ranked; and the candidates under the threshold, if there are any."""
    parts = {part: spread([hit.parts[part] for hit in chosen]) for part in MEASURED}
    parts["score_final"] = spread([hit.score for hit in chosen])
    about = {"intent": saved["intent"], "items": len(chosen), "below_threshold": len(below), **saved["details"]}
    events = [request.event("activate", name, {**about, **parts})]
    if below:
        listed = [[hit.record.key, round(hit.score, DIGITS)] for hit in below[:MOST_BELOW]]
        held = {"threshold": request.settings.pce.threshold, "count": len(below), "records": listed}
        events.append(request.event("below_threshold", name, held))
    return events


def _name(*parts: str) -> str:
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return f"ac-{digest.hexdigest()}"


def _choose(hits: Sequence[Hit], name: IntentName, limit: int) -> list[Hit]:
    """The first hits, no more of a type than the intent's quota."""
    intent = TABLE[name]
    chosen: list[Hit] = []
    taken: Counter[str] = Counter()
    for hit in hits:
        kind = type_of(hit.record)
        if len(chosen) < limit and taken[kind] < intent.quota(kind, limit):
            chosen.append(replace(hit, reason=f"{hit.reason}; intent={name}"))
            taken[kind] += 1
    return chosen


def _context(name: str, saved: Mapping[str, Any], where: Filter, records: Sequence[Record]) -> ActiveContext:
    """A saved context with these of its records. Items keep their rank when others are hidden."""
    visible = {record.key: record for record in records}
    items = tuple(
        ActiveItem(rank, score, parts, reason, visible[key])
        for rank, (key, score, parts, reason) in enumerate(saved["items"], start=1)
        if key in visible
    )
    return ActiveContext(
        name,
        saved["intent"],
        items,
        created=as_time(saved["created"]),
        expires=as_time(saved["expires"]),
        uses_left=saved["uses_left"],
        policy_version=saved["policy_version"],
        below_threshold=saved["below_threshold"],
        scope=saved["scope"],
        provenance=Provenance(_user(where), method="activate", sources=tuple(item.record.key for item in items)),
        request_id=saved["request_id"],
        trace_id=saved["trace_id"],
        details=saved["details"],
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
    return _context(name, saved, where, request.view.find(replace(where, keys=keys)))


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


def _scope(where: Filter, active_session: str | None) -> Scope:
    """Where a context is asked for."""
    if where.sessions or active_session is not None:
        return "session"
    return "project" if any(owner.startswith("project:") for owner in where.owners or ()) else "user"


def _user(where: Filter) -> str | None:
    return where.owners[0].partition(":")[2] or None if where.owners else None

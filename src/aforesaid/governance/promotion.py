"""Governed steps from raw text to durable claims (spec 9).

observe (raw text that expires) → distill (a candidate with its sources) → promote (reviewed) → rollback
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from aforesaid.engine.lineage import EVIDENCE, derived_from
from aforesaid.engine.request import Request
from aforesaid.engine.writer import Writer, writing
from aforesaid.errors import DeniedError, InputError, ProvenanceError
from aforesaid.ingest.claims import Claim, Owner, draft_claim, remember
from aforesaid.ingest.supersede import SUPERSEDES, supersede
from aforesaid.policy.enforcement import CANDIDATE, EXPIRES_META, strictest
from aforesaid.policy.values import DEFAULT_REVIEW, OBSERVATION_MODES, Observation, ObservationMode
from aforesaid.retrieval.activation import mark_stale
from aforesaid.text.normalize import content_hash
from aforesaid.types import Boundary, Edge, Provenance, Record, add_span, check_choice, owner_of, storable

STALE = "stale"  # the key of `meta` that says why a derived record may be wrong now
ROLLED_BACK = "rolled_back"
ID_CHARS = 16
GOVERNING = ("norm", "procedure")  # memory types that give an agent instructions


def observe(
    request: Request,
    text: str,
    owner: Owner,
    time: datetime,
    *,
    session: str | None,
    source: Provenance | None,
    boundary: Boundary,
    mode: ObservationMode | None,
    ttl_days: float | None,
    tainted: bool,
) -> Record:
    """Store an observation until it expires. None in `mode` or `ttl_days` means the policy's value."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("There is nothing to observe: the text is empty.", "Give what was seen.")
    rows = request.policy.observation if request.policy else Observation()
    mode = mode or rows.mode
    check_choice(mode, OBSERVATION_MODES, "mode")
    given = (ttl_days, rows.ttl_days, request.settings.govern.observation_days)
    days = next(days for days in given if days is not None)
    if days <= 0:
        raise InputError(f"ttl_days is {days}.", "Give more than 0.")
    key = owner_of(owner.scope, owner.user, owner.project)
    stored, kinds, boundary = _text_to_store(request, storable(text), boundary, mode)
    name = content_hash(f"{key}/{session or ''}/{content_hash(stored)}")
    record = Record(
        id=f"observation-{name[:ID_CHARS]}",
        kind="observation",
        text=stored,
        time=time,
        tenant=request.tenant,
        scope=owner.scope,
        user=owner.user if owner.scope in ("user", "session") else None,
        project=owner.project if owner.scope == "project" else None,
        session=session,
        boundary=boundary,
        memory_type="evidence",
        provenance=source or Provenance(method="observe"),
        redactions=kinds,
        tainted=tainted,
        meta={EXPIRES_META: add_span(time, "ttl_days", days=days).isoformat(), "mode": mode},
    )
    record = request.guard.validate_record(request.engine.door.record(record))
    embedded = request.embed([record]) if mode != "digest" else None
    with writing(request) as writer:
        known = request.store.get([record.key])
        if known:
            return known[0]
        writer.commit([record], embedded, events=[request.event("observe", record.key, {"mode": mode, "days": days})])
    return record


def _text_to_store(request: Request, text: str, boundary: Boundary, mode: str) -> tuple[str, tuple[str, ...], Boundary]:
    if mode == "digest":
        digest = hmac.new(request.store.key, text.encode(), hashlib.sha256).hexdigest()
        return f"[digest:hmac-sha256:{digest}]", (), boundary
    cleaned = request.guard.clean(text, boundary)
    if mode == "raw":
        return cleaned.text, cleaned.kinds, cleaned.boundary
    hidden = request.readers.redact_pii(cleaned.text)
    return hidden.text, (*cleaned.kinds, *hidden.kinds), boundary


def distill(request: Request, claim: Claim, sources: Sequence[Record]) -> Record:
    """Make a candidate claim from sources. It stays hidden until it is promoted.

    It inherits the strictest privacy class and any "untrusted" mark of its sources.
    """
    if not sources:
        raise ProvenanceError("A candidate needs sources.", "Name observations or turns.")
    keys = tuple(source.key for source in sources)
    tainted = claim.tainted or any(source.tainted for source in sources)
    boundary = strictest([claim.boundary, *(source.boundary for source in sources)])
    provenance = Provenance(who=claim.owner.user, method="distill", sources=keys)
    allow = _common_purposes([claim.allow, *(source.allow for source in sources)])
    claim = replace(claim, boundary=boundary, tainted=tainted, provenance=provenance, allow=allow)
    record = draft_claim(request, claim)
    edges = [Edge(record.key, key, EVIDENCE, request.clock()) for key in keys]
    event = request.event("distill", record.key, {"sources": len(keys)})
    embedded = request.embed([record])
    with writing(request) as writer:
        known = request.store.get([record.key])
        if known and known[0].valid_to is None:  # the same words: more evidence for them
            record, embedded = _with_sources(known[0], keys), None
        else:
            record = replace(record, withheld=CANDIDATE, durable=False, valid_from=None)
        writer.commit([record], embedded, edges, [event])
    return record


def _common_purposes(lists: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The purposes that all sources allow. When the lists differ, no purpose is allowed until a person decides."""
    given = {globs for globs in lists if globs is not None}
    return None if not given else given.pop() if len(given) == 1 else ()


def promote(request: Request, record: Record, reviewers: Sequence[str] = ()) -> Record:
    """Make a candidate durable. It needs sources, and some scopes need reviewers."""
    if record.withheld != CANDIDATE:
        raise InputError(
            f"{record.id!r} is not a candidate.", "Distill one first, or use `upsert` for a finished claim."
        )
    if record.provenance is None or not record.provenance.sources:
        raise ProvenanceError(f"{record.id!r} has no sources.", "Distill it from observations.")
    check_reviewed(request, record, reviewers)
    now = request.clock()
    meta = {**record.meta, "reviewers": sorted(set(reviewers))}
    open_record = replace(record, withheld="", durable=True, valid_from=now, updated=now, meta=meta)
    promoted = request.guard.validate_record(open_record, len(set(reviewers)))
    with writing(request) as writer:
        writer.commit([promoted])
        supersede(writer, [promoted])
        writer.commit(events=[request.event("promote", record.key, {"reviewers": len(set(reviewers))})])
    return promoted


def check_reviewed(request: Request, record: Record, reviewers: Sequence[str]) -> None:
    """ProvenanceError: too few reviewers. DeniedError: unreviewed untrusted text would become a rule."""
    policy = request.policy
    needed = (policy.review if policy else DEFAULT_REVIEW)[record.scope]
    if len(set(reviewers)) < needed:
        raise ProvenanceError(
            f"Scope {record.scope!r} needs {needed} reviewer(s), {len(set(reviewers))} given.", "Name who reviewed it."
        )
    governs = record.memory_type in GOVERNING or record.claim_type == "policy_hint"
    if record.tainted and governs and not reviewers:
        raise DeniedError(f"{record.id!r} is untrusted and would give the agent instructions.", "Name a reviewer.")


def upsert(request: Request, claim: Claim, reviewers: Sequence[str] = ()) -> Record:
    """Store a finished claim. When the same text is stored, add the new sources to it."""
    draft = draft_claim(request, claim)
    check_reviewed(request, draft, reviewers)
    sources = claim.provenance.sources if claim.provenance else ()
    with writing(request) as writer:
        record = remember(request, claim)
        more = _with_sources(record, sources)
        there = [source.key for source in request.store.get(list(sources))]
        edges = [Edge(record.key, key, EVIDENCE, request.clock()) for key in there]
        writer.commit([more] if more != record else [], edges=edges)
    return more


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """What a rollback did: the ended claim, the restored one, and the derived records and contexts marked stale."""

    ended: Record
    restored: Record | None
    stale: tuple[str, ...]
    contexts: tuple[str, ...]


def rollback(request: Request, record: Record, reason: str, by: str = "") -> RollbackReport:
    """End a claim without deleting it, restore the claim it superseded, and mark records derived from it as stale."""
    if record.kind != "claim":
        raise InputError(f"{record.id!r} is a {record.kind}; only claims are rolled back.", "Use `forget` to delete.")
    if record.valid_to is not None:
        raise InputError(f"{record.id!r} has ended already.", "See memory.history(id).")
    if not reason.strip():
        raise InputError("A rollback needs a reason.", "Say in a few words what was wrong.")
    now = request.clock()
    with writing(request) as writer:
        meta = {**record.meta, ROLLED_BACK: {"reason": reason, "by": by}}
        ended = replace(record, valid_to=now, updated=now, meta=meta)
        derived = request.store.get(sorted(derived_from(request.store, [record.key])))
        writer.commit([ended, *(replace(each, meta={**each.meta, STALE: reason}) for each in derived)])
        restored = _restore(writer, ended, now)
        contexts = mark_stale(request, [record.key, *(each.key for each in derived)], reason)
        body = {"restored": restored.key if restored else None, "stale": len(derived), "contexts": len(contexts)}
        writer.commit(events=[request.event("rollback", record.key, {**body, "by": by})])
    return RollbackReport(ended, restored, tuple(each.id for each in derived), contexts)


def _restore(writer: Writer, ended: Record, now: datetime) -> Record | None:
    """A new copy of the claim that the ended one superseded, valid from now. History is never rewritten."""
    store = writer.store
    replaced = [edge.target for edge in store.edges([ended.key]) if edge.kind == SUPERSEDES]
    before = [record for record in store.get(replaced) if record.kind == "claim"]
    if not before:
        return None
    old = max(before, key=lambda record: (record.time, record.key))
    number = sum(edge.kind == SUPERSEDES for edge in store.edges([old.key], incoming=True))
    again = replace(
        old,
        id=f"{old.id}~{number}",
        time=now,
        valid_from=now,
        valid_to=None,
        updated=now,
        provenance=Provenance(who=old.user, method="rollback", sources=(old.key,)),
        meta={name: value for name, value in old.meta.items() if name != "superseded_by"},
    )
    edges = [Edge(again.key, ended.key, SUPERSEDES, now), Edge(again.key, old.key, EVIDENCE, now)]
    writer.commit([again], writer.request.embed([again]), edges)
    return again


def _with_sources(record: Record, keys: Sequence[str]) -> Record:
    """The record with additional sources."""
    source = record.provenance or Provenance(method="distill")
    return replace(record, provenance=replace(source, sources=tuple(dict.fromkeys([*source.sources, *keys]))))

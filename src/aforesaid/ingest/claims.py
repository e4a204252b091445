"""A claim on purpose: clean → name by content → write once → end what it supersedes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aforesaid.engine.request import Engine, under_one_policy
from aforesaid.errors import InputError
from aforesaid.ingest.pipeline import dated
from aforesaid.ingest.supersede import Superseded, mark, supersede, with_states
from aforesaid.text.normalize import content_hash
from aforesaid.types import (
    CLAIM_TYPES,
    SCOPES,
    Boundary,
    ClaimType,
    MemoryType,
    Provenance,
    Record,
    Scope,
    check_choice,
    check_class,
    owner_of,
    storable,
)

ID_CHARS = 16  # of the content's hash: enough that no two claims of an owner meet


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose claim it is."""

    scope: Scope
    user: str | None
    project: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What is to be remembered."""

    text: str
    owner: Owner
    type: ClaimType
    boundary: Boundary
    time: datetime
    meta: Mapping[str, Any]
    provenance: Provenance | None = None
    allow: tuple[str, ...] | None = None
    tainted: bool = False
    reviewers: int = 0
    memory_type: MemoryType = "knowledge"


@under_one_policy
def remember(engine: Engine, claim: Claim, supersedes: Record | None = None) -> Record:
    """Store a claim, or find it when the same words are there already; the superseded record ends at its time."""
    record = drafted(engine, claim)
    embedded = engine.embed([record])
    with engine.writing():
        known = engine.store.get([record.key])
        fresh = not known or known[0].valid_to is not None
        record = record if fresh else known[0]
        if fresh:
            engine.store.put([record])
        if embedded is not None and not engine.store.vectors([record.key]):
            engine.ready_space()
            engine.store.put_vectors([record.key], embedded.vectors)
        if supersedes is not None:
            if supersedes.key == record.key:
                raise InputError(f"{supersedes.id!r} cannot supersede itself.", "Say what changed.")
            mark(engine, Superseded(record, supersedes))
        if fresh:
            if engine.settings.ingest.supersede:
                supersede(engine, [record])
            engine.store.append([engine.event("remember", record.key, {"type": claim.type, "scope": record.scope})])
    return record


def drafted(engine: Engine, claim: Claim) -> Record:
    """The record that a claim would become: checked, cleaned, classified, and named by its content."""
    check_choice(claim.owner.scope, SCOPES, "scope")
    check_choice(claim.type, CLAIM_TYPES, "type")
    check_class(claim.boundary)
    if not isinstance(claim.text, str) or not claim.text.strip():
        raise InputError("There is nothing to remember: the text is empty.", "Give a sentence.")
    if len(claim.text) > engine.settings.ingest.max_text_chars:
        raise InputError(f"The text has {len(claim.text)} characters.", "Shorten it, or raise ingest.max_text_chars.")
    guard = engine.guard
    cleaned = guard.clean(storable(claim.text), claim.boundary)
    scope, user, project = claim.owner.scope, claim.owner.user, claim.owner.project
    owner = owner_of(scope, user, project)
    record = Record(
        id=f"claim-{content_hash(f'{owner}/{content_hash(cleaned.text)}')[:ID_CHARS]}",
        kind="claim",
        text=cleaned.text,
        time=claim.time,
        tenant=engine.tenant,
        scope=scope,
        user=user if scope in ("user", "session") else None,
        project=project if scope == "project" else None,
        boundary=cleaned.boundary,
        allow=claim.allow,
        tainted=claim.tainted,
        durable=True,
        valid_from=claim.time,
        claim_type=claim.type,
        memory_type=claim.memory_type,
        provenance=claim.provenance or Provenance(who=user, method="remember"),
        redactions=cleaned.kinds,
        meta={**dated(cleaned.text, claim.time), **claim.meta},
    )
    return guard.validate_record(with_states(record) if engine.settings.ingest.supersede else record, claim.reviewers)

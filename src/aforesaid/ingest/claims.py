"""Stores claims: clean → id from content → write once → end the superseded claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import InputError
from aforesaid.ingest.entity_quality import with_entity_and_quality
from aforesaid.ingest.pipeline import date_metadata
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

ID_CHARS = 16  # of the content hash; long enough that two claims of an owner never share an id


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a claim."""

    scope: Scope
    user: str | None
    project: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim to store."""

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


def remember(request: Request, claim: Claim, supersedes: Record | None = None) -> Record:
    """Store a claim, or return the stored one with the same text. `supersedes` ends at the time of the claim."""
    record = draft_claim(request, claim)
    embedded = request.embed([record])
    with writing(request) as writer:
        known = request.store.get([record.key])
        is_new = not known or known[0].valid_to is not None
        record = record if is_new else known[0]
        if is_new or (embedded is not None and not request.view.vectors([record.key])):
            writer.commit([record], embedded)
        if supersedes is not None:
            if supersedes.key == record.key:
                raise InputError(f"{supersedes.id!r} cannot supersede itself.", "Say what changed.")
            mark(writer, Superseded(record, supersedes))
        if is_new:
            supersede(writer, [record])
            body = {"type": claim.type, "scope": record.scope}
            writer.commit(events=[request.event("remember", record.key, body)])
    return record


def draft_claim(request: Request, claim: Claim) -> Record:
    """Build the record of a claim: checked, cleaned, classified, with an id from its content. Nothing is stored."""
    check_choice(claim.owner.scope, SCOPES, "scope")
    check_choice(claim.type, CLAIM_TYPES, "type")
    check_class(claim.boundary)
    if not isinstance(claim.text, str) or not claim.text.strip():
        raise InputError("There is nothing to remember: the text is empty.", "Give a sentence.")
    if len(claim.text) > request.settings.ingest.max_text_chars:
        raise InputError(f"The text has {len(claim.text)} characters.", "Shorten it, or raise ingest.max_text_chars.")
    guard = request.guard
    cleaned = guard.clean(storable(claim.text), claim.boundary)
    scope, user, project = claim.owner.scope, claim.owner.user, claim.owner.project
    owner = owner_of(scope, user, project)
    record = Record(
        id=f"claim-{content_hash(f'{owner}/{content_hash(cleaned.text)}')[:ID_CHARS]}",
        kind="claim",
        text=cleaned.text,
        time=claim.time,
        tenant=request.tenant,
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
        meta={**date_metadata(request, cleaned.text, claim.time), **claim.meta},
    )
    record = request.engine.door.record(record)
    return guard.validate_record(
        with_entity_and_quality(request, with_states(request.readers, record)), claim.reviewers
    )

"""A claim on purpose: clean → name by content → write once → end what it supersedes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.engine import Engine
from recollect.errors import InputError
from recollect.ingest import dated
from recollect.text.normalize import content_hash
from recollect.types import (
    BOUNDARIES,
    CLAIM_TYPES,
    SCOPES,
    Boundary,
    ClaimType,
    Edge,
    Provenance,
    Record,
    Scope,
    check_choice,
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


def remember(engine: Engine, claim: Claim, supersedes: Record | None = None) -> Record:
    """Store a claim, or find it when the same words are there already; the superseded record ends at its time."""
    record = _drafted(engine, claim)
    embedded = engine.embed([record])
    with engine.store.transaction():
        known = engine.store.get([record.key])
        if known and known[0].valid_to is None:
            record = known[0]
        else:
            engine.store.put([record])
        if embedded is not None and not engine.store.vectors([record.key]):
            engine.ready_space()
            engine.store.put_vectors([record.key], embedded.vectors)
        if supersedes is not None:
            _supersede(engine, record, supersedes)
    return record


def _drafted(engine: Engine, claim: Claim) -> Record:
    from recollect.text.secrets import redact_secrets  # its patterns take a tenth of a second to compile

    check_choice(claim.owner.scope, SCOPES, "scope")
    check_choice(claim.type, CLAIM_TYPES, "type")
    check_choice(claim.boundary, BOUNDARIES, "boundary")
    if not isinstance(claim.text, str) or not claim.text.strip():
        raise InputError("There is nothing to remember: the text is empty.", "Give a sentence.")
    if len(claim.text) > engine.settings.ingest.max_text_chars:
        raise InputError(f"The text has {len(claim.text)} characters.", "Shorten it, or raise ingest.max_text_chars.")
    cleaned = redact_secrets(storable(claim.text))
    scope, user, project = claim.owner.scope, claim.owner.user, claim.owner.project
    owner = owner_of(scope, user, project)
    return Record(
        id=f"claim-{content_hash(f'{owner}/{content_hash(cleaned.text)}')[:ID_CHARS]}",
        kind="claim",
        text=cleaned.text,
        time=claim.time,
        tenant=engine.tenant,
        scope=scope,
        user=user if scope in ("user", "session") else None,
        project=project if scope == "project" else None,
        boundary=claim.boundary,
        durable=True,
        valid_from=claim.time,
        claim_type=claim.type,
        memory_type="knowledge",
        provenance=Provenance(who=user, method="remember"),
        redactions=cleaned.kinds,
        meta={**dated(cleaned.text, claim.time), **claim.meta},
    )


def _supersede(engine: Engine, record: Record, old: Record) -> None:
    if old.key == record.key:
        raise InputError(f"{old.id!r} cannot supersede itself.", "Say what changed.")
    engine.store.put([replace(old, valid_to=record.time, updated=engine.clock())])
    engine.store.link([Edge(record.key, old.key, "supersedes", record.time)])

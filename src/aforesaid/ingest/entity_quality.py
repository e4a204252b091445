"""What ingest notes about a record for ranking with `pce`: the entity that it is about, and its quality (spec 5.6)."""

from __future__ import annotations

from dataclasses import replace

from aforesaid.engine.request import Request
from aforesaid.math.pce import written_quality
from aforesaid.math.tokens import estimate_tokens
from aforesaid.text.extract.reader import guarded
from aforesaid.types import ENTITY, QUALITY, Record

READ_CHARS = 200  # enough to know whether a text is short
UNSCORED = 0.5  # value of a message that the gate does not score, such as an agent's


def with_entity_and_quality(request: Request, record: Record) -> Record:
    """Add entity and quality to `meta`. What the caller put there stays."""
    entity = guarded("entity", lambda: _entity(record), "")
    found = {QUALITY: _quality(request, record), **({ENTITY: entity} if entity else {})}
    return replace(record, meta={**found, **record.meta})


def with_new_quality(request: Request, record: Record) -> Record:
    """Note the quality again, after the gate decided a message that it had deferred."""
    return replace(record, meta={**record.meta, QUALITY: _quality(request, record)})


def _entity(record: Record) -> str:
    """The subject of the first statement; for a statement about its speaker or a setting, also its attribute.

    "Rex is at the vet" is about `rex`, "I live in Lisbon" about `speaker|home`: a person says too much about themselves
    to be one entity. Empty for a text without statements.
    """
    if not record.states:
        return ""
    from aforesaid.text.extract.statements import Statement, key_of
    from aforesaid.text.extract.statements.phrases import SPEAKER
    from aforesaid.text.extract.statements.things import PROJECT

    wide = {key_of(Statement(name, "", "")).partition("|")[0] for name in (SPEAKER, PROJECT, record.role or SPEAKER)}
    subjects = [state.partition("|")[0] for state in record.states]
    return next((subject for subject in subjects if subject not in wide), record.states[0])


def _quality(request: Request, record: Record) -> float:
    value = 1.0 if record.kind == "claim" else UNSCORED
    if record.gate is not None and record.gate.decision != "defer":
        value = 0.5 + 0.5 * record.gate.score
    tokens = estimate_tokens(record.text[:READ_CHARS], request.settings.tokens)
    return written_quality(value, tokens, record.tainted)

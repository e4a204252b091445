"""Marks agent messages that only repeat what the agent was shown (SPEC 11.2)."""

from __future__ import annotations

from dataclasses import replace

from aforesaid.engine.request import Engine
from aforesaid.engine.rules import rules_in_view
from aforesaid.text.echo import containment, shingles, words_of
from aforesaid.types import AGENT_ROLES, GLOBAL_OWNER, EventFilter, Filter, Record


def mark_echo(engine: Engine, record: Record) -> Record:
    """An agent's repetition of what it was just shown stays in the history, and out of retrieval."""
    rows = engine.settings.ingest
    if record.role not in AGENT_ROLES or len(words_of(record.text)) < rows.echo_words:
        return record
    own = shingles(record.text)
    for recalled in (*_recalled(engine, record), *_rules_over(engine, record)):
        if containment(own, shingles(recalled.text)) >= rows.echo_share:
            return replace(record, echo_of=recalled.id)
    return record


def _rules_over(engine: Engine, record: Record) -> tuple[Record, ...]:
    """The authored rules that this turn's speaker was under."""
    owners = [record.owner, GLOBAL_OWNER, *([f"project:{record.project}"] if record.project else [])]
    return rules_in_view(engine, Filter(engine.tenant, tuple(owners))).records


def _recalled(engine: Engine, record: Record) -> list[Record]:
    """What was put into this session's prompts, newest first."""
    limit = engine.settings.ingest.echo_recalled
    subject = recall_subject(record.owner, record.session)
    events = engine.store.events(EventFilter(engine.tenant, topic="recall", subject=subject, limit=limit))
    keys = dict.fromkeys(key for event in events for key in event.body["keys"])
    return engine.store.get(list(keys)[:limit])


def recall_subject(owner: str, session: str | None) -> str:
    """The subject under which an assembly notes what it recalled for a session."""
    return f"{owner}/{session}"

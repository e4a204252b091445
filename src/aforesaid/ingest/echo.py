"""Marks agent messages that only repeat what the agent was shown (spec 11.2)."""

from __future__ import annotations

from dataclasses import replace

from aforesaid.engine.request import Request
from aforesaid.engine.rules import rules_in_view
from aforesaid.text.echo import containment, shingles, words_of
from aforesaid.types import AGENT_ROLES, GLOBAL_OWNER, EventFilter, Filter, Record


def mark_echo(request: Request, record: Record) -> Record:
    """An agent's repetition of what it was just shown stays in the history, and out of retrieval."""
    rows = request.settings.ingest
    if record.role not in AGENT_ROLES or len(words_of(record.text)) < rows.echo_words:
        return record
    own = shingles(record.text)
    for recalled in (*_recalled(request, record), *_rules_over(request, record)):
        if containment(own, shingles(recalled.text)) >= rows.echo_share:
            return replace(record, echo_of=recalled.id)
    return record


def _rules_over(request: Request, record: Record) -> tuple[Record, ...]:
    """The authored rules that this turn's speaker was under."""
    owners = [record.owner, GLOBAL_OWNER, *([f"project:{record.project}"] if record.project else [])]
    return rules_in_view(request, Filter(request.tenant, tuple(owners))).records


def _recalled(request: Request, record: Record) -> list[Record]:
    """What was put into this session's prompts, newest first."""
    limit = request.settings.ingest.echo_recalled
    subject = recall_subject(record.owner, record.session)
    events = request.store.log.find(EventFilter(request.tenant, topic="recall", subject=subject, limit=limit))
    keys = dict.fromkeys(key for event in events for key in event.body["keys"])
    return request.store.get(list(keys)[:limit])


def recall_subject(owner: str, session: str | None) -> str:
    """The subject under which an assembly notes what it recalled for a session."""
    return f"{owner}/{session}"

"""Marks agent messages that only repeat what the agent was shown (spec 11.2)."""

from __future__ import annotations

from dataclasses import replace

from aforesaid.engine.request import Request
from aforesaid.engine.rules import rules_in_view
from aforesaid.text.echo import containment, shingles, words_of
from aforesaid.types import AGENT_ROLES, GLOBAL_OWNER, EventFilter, Filter, Record


def mark_echo(request: Request, record: Record) -> Record:
    """Set `echo_of` when an agent repeats a record it was just shown. Echoes stay in the history; search skips them."""
    rows = request.settings.ingest
    if record.role not in AGENT_ROLES or len(words_of(record.text)) < rows.echo_words:
        return record
    record_shingles = shingles(record.text)
    for shown in (*_recalled(request, record), *_rules_for(request, record)):
        if containment(record_shingles, shingles(shown.text)) >= rows.echo_share:
            return replace(record, echo_of=shown.id)
    return record


def _rules_for(request: Request, record: Record) -> tuple[Record, ...]:
    """The rules that apply to the owner of this turn."""
    owners = [record.owner, GLOBAL_OWNER, *([f"project:{record.project}"] if record.project else [])]
    return rules_in_view(request, Filter(request.tenant, tuple(owners))).records


def _recalled(request: Request, record: Record) -> list[Record]:
    """The records shown in this session's latest prompts, newest first."""
    limit = request.settings.ingest.echo_recalled
    subject = recall_subject(record.owner, record.session)
    events = request.store.log.find(EventFilter(request.tenant, topic="recall", subject=subject, limit=limit))
    keys = dict.fromkeys(key for event in events for key in event.body["keys"])
    return request.store.get(list(keys)[:limit])


def recall_subject(owner: str, session: str | None) -> str:
    """The event subject under which `assemble` logs the records it showed in a session."""
    return f"{owner}/{session}"

"""The values that the whole product passes around: small frozen dataclasses, and the words that they use."""

from __future__ import annotations

from aforesaid.types.checks import add_span, as_end, as_time, check_choice, check_class, check_id, check_json, storable
from aforesaid.types.records import (
    Edge,
    Event,
    EventFilter,
    Filter,
    GateDecision,
    Provenance,
    Record,
    Scored,
    Turn,
    owner_of,
)
from aforesaid.types.results import Citation, Context, Freshness, Hit, IngestReport, Outcome, SearchResult, TraceItem
from aforesaid.types.vocabulary import (
    AGENT_ROLES,
    BOUNDARIES,
    CLAIM_TYPES,
    DEFAULT_TENANT,
    ENTITY,
    GLOBAL_OWNER,
    JUDGED,
    KINDS,
    MAX_ID_CHARS,
    MEMORY_TYPES,
    QUALITY,
    SCOPES,
    SUPERSEDED_BY,
    USER_ROLES,
    USES,
    WHEN,
    Boundary,
    ClaimType,
    Clock,
    Decision,
    Kind,
    MemoryType,
    Order,
    Part,
    Progress,
    Scope,
    Status,
    TimeLike,
    system_clock,
)

__all__ = [
    "AGENT_ROLES", "BOUNDARIES", "CLAIM_TYPES", "DEFAULT_TENANT", "ENTITY", "GLOBAL_OWNER", "JUDGED", "KINDS",
    "MAX_ID_CHARS", "MEMORY_TYPES", "QUALITY", "SCOPES", "SUPERSEDED_BY", "USER_ROLES", "USES", "WHEN",
    "Boundary", "Citation", "ClaimType", "Clock", "Context", "Decision", "Edge", "Event", "EventFilter",
    "Filter", "Freshness", "GateDecision", "Hit", "IngestReport", "Kind", "MemoryType", "Order", "Outcome",
    "Part", "Progress", "Provenance", "Record", "Scope", "Scored", "SearchResult", "Status", "TimeLike",
    "TraceItem", "Turn", "add_span", "as_end", "as_time", "check_choice", "check_class", "check_id", "check_json",
    "owner_of", "storable", "system_clock",
]  # fmt: skip

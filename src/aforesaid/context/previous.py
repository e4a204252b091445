"""The previous context of a session, read from the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from aforesaid.context.packer import ContextPiece, records_of
from aforesaid.engine.request import Request
from aforesaid.ingest.echo import recall_subject
from aforesaid.store.filtering import passes
from aforesaid.types import EventFilter, Filter

Digests = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Previous:
    """The session's last context: its pieces if all may still be shown, the digests of its messages, its budget.

    `largest_budget` is the largest budget of the session's contexts with recent turns so far. `guidance` has the keys
    of the rules from conversations that it showed.
    """

    pieces: tuple[ContextPiece, ...] = ()
    digests: Digests = ()
    budget_tokens: int = 0
    largest_budget: int = 0
    guidance: frozenset[str] = frozenset()

    @property
    def first(self) -> str | None:
        """The key of its first recent turn."""
        return next((record.key for record in records_of(self.pieces, "tail")), None)


def load_previous(request: Request, subject: str | None, where: Filter) -> Previous:
    """Load the session's last context. It has no pieces when one of its records is gone or hidden now."""
    if subject is None:
        return Previous()
    body = _last_body(request, subject)
    named = [(part, tuple(keys)) for part, keys in body.get("pieces", ())]
    found = {record.key: record for record in request.view.get([key for _, keys in named for key in keys])}
    allowed = replace(where, echoes=True)
    shown = all(key in found and passes(found[key], allowed) for _, keys in named for key in keys)
    pieces = (ContextPiece(part, tuple(found[key] for key in keys)) for part, keys in named) if shown else ()
    return Previous(
        tuple(pieces),
        tuple((str(digest), int(tokens)) for digest, tokens in body.get("digests", ())),
        int(body.get("budget", 0)),
        int(body.get("largest", 0)),
        frozenset(body.get("guidance", ())),
    )


def largest_budget(request: Request, owner: str, session: str) -> int:
    """The largest budget τ that a context of the session had; the default one if that is larger."""
    used = int(_last_body(request, recall_subject(owner, session)).get("largest", 0))
    return max(used, request.settings.assemble.budget_tokens)


def _last_body(request: Request, subject: str) -> Mapping[str, Any]:
    events = request.store.log.find(EventFilter(request.tenant, topic="recall", subject=subject, limit=1))
    return events[0].body if events else {}

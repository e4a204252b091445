"""What the policy in force makes of texts, records and filters. Without a policy only secrets are taken out.

before it is stored, embedded or sent    clean, classified, judged by the invariants
before it is read                        the filter narrowed, and what a class hides taken out
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from aforesaid.errors import DeniedError
from aforesaid.policy import DEFAULT_PURPOSE, Policy, allowed_classes, anchored, judge, raised, treatment
from aforesaid.policy.values import Action
from aforesaid.text.extract.reader import Readers
from aforesaid.types import BOUNDARIES, Boundary, Filter, Record, as_time

SECRET = "secret"  # the detector that no policy switches off
TELLING = ("email", "phone", "card", "iban", "ssn", "my-number", "address", "passport", "date-of-birth")
UNTIL = "until"  # the key of `meta` that holds the time a record was given of its own
CANDIDATE = "candidate"  # why a record is withheld until somebody promotes it
DENIED = "policy: "  # what the reason begins with when an invariant withholds a record


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without what must not be kept, what was taken out, and the class that the rest deserves."""

    text: str
    kinds: tuple[str, ...]
    boundary: Boundary


@dataclass(frozen=True, slots=True)
class Guard:
    """A policy, and the purpose for which somebody asks."""

    policy: Policy | None
    purpose: str = DEFAULT_PURPOSE
    readers: Readers = field(default_factory=Readers)

    def clean(self, text: str, boundary: Boundary = "internal") -> Cleaned:
        """Take out secrets and whatever else the policy redacts; words that name a person raise the class to pii."""
        found = self.readers.redact_secrets(text)
        text, kinds = found.text, list(found.kinds)
        if self.policy is None:
            return Cleaned(text, tuple(kinds), boundary)
        personal = [name for name in self.policy.detectors if name != SECRET]
        if personal:
            hidden = self.readers.redact_pii(text, personal)
            text, kinds = hidden.text, [*kinds, *hidden.kinds]
        text, named = self._without_patterns(text)
        telling = self.readers.redact_pii(text, TELLING).kinds
        return Cleaned(text, (*kinds, *named), raised(boundary, "pii") if telling else boundary)

    def _without_patterns(self, text: str) -> tuple[str, list[str]]:
        """The policy's own patterns, each in linear time."""
        if self.policy is None or not self.policy.patterns:
            return text, []
        from aforesaid.policy import compiled

        kinds: list[str] = []
        for pattern in self.policy.patterns:
            text, count = compiled(pattern.pattern).subn(lambda _, to=pattern.replace: to, text)
            kinds += [pattern.name] * count
        return text, kinds

    def judged(self, record: Record, reviewers: int = 0) -> Record:
        """The record as it may be kept: until its scope's time is up, and withheld if an invariant forbids to read it.

        DeniedError when an invariant forbids to write it.
        """
        if self.policy is None:
            return replace(record, expires=self.expiry(record)) if UNTIL in record.meta else record
        broken = self.broken(record, "write", reviewers)
        if broken:
            raise DeniedError(
                f"The policy ({self.policy.version}) does not allow this {record.kind}: {', '.join(broken)}.",
                "See `aforesaid policy show`; `aforesaid validate` tells what a text breaks.",
            )
        return replace(self.rejudged(record, reviewers), expires=self.expiry(record))

    def kept(self, record: Record) -> Record | str:
        """The record as it may be kept, if need be as history that is not durable; or why it may not."""
        try:
            return self.judged(record)
        except DeniedError as error:
            return self.kept(replace(record, durable=False)) if record.durable else error.message

    def rejudged(self, record: Record, reviewers: int = 0) -> Record:
        """The record withheld or released by what the invariants say of reading it; a candidate stays one."""
        if record.withheld and not record.withheld.startswith(DENIED):
            return record
        broken = self.broken(record, "read", reviewers)
        return replace(record, withheld=f"{DENIED}{', '.join(broken)}" if broken else "")

    def broken(self, record: Record, action: Action, reviewers: int = 0) -> tuple[str, ...]:
        """The names of the invariants that do not hold."""
        if self.policy is None:
            return ()
        found = judge(self.policy, facts_of(record, reviewers), action)
        return found.broken if found.verdict == "allow" or found.broken else ("boundary",)

    def expiry(self, record: Record) -> datetime | None:
        """When a record goes: after its scope's days, or before if it was given a time of its own."""
        if self.policy is None:
            return as_time(record.meta[UNTIL]) if UNTIL in record.meta else None
        days = anchored(self.policy.scopes)[record.scope].ttl_days
        own = [as_time(record.meta[UNTIL])] if UNTIL in record.meta else []
        return min([*own, *([record.time + timedelta(days=days)] if days is not None else [])], default=None)

    def narrowed(self, where: Filter, now: datetime) -> Filter:
        """The filter, and nothing past what the purpose may see now."""
        classes = BOUNDARIES if self.policy is None else allowed_classes(self.policy, self.purpose)
        asked = classes if where.boundaries is None else tuple(name for name in where.boundaries if name in classes)
        boundaries = None if where.boundaries is None and classes == BOUNDARIES else asked
        return replace(where, boundaries=boundaries, purpose=self.purpose, alive_at=now)

    @property
    def veils(self) -> bool:
        """Whether some class is shown only in part."""
        return self.policy is not None and any(
            treatment(self.policy, name, self.purpose) == "redact" for name in BOUNDARIES
        )

    def shown(self, record: Record) -> Record:
        """The record as the purpose may see it: without what its class hides."""
        if self.policy is None or treatment(self.policy, record.boundary, self.purpose, record.allow) != "redact":
            return record
        return replace(record, text=self.veiled(record.text, record.boundary))

    def veiled(self, text: str, boundary: Boundary) -> str:
        """A text of a class without what that class hides."""
        if self.policy is None:
            return text
        hidden = [name for name in self.policy.classes[boundary].redact if name != SECRET]
        return self.readers.redact_pii(text, hidden).text if hidden else text

    @property
    def caps(self) -> dict[str, int]:
        """The most tokens of each scope in one context, where the policy has a limit."""
        if self.policy is None:
            return {}
        limits = anchored(self.policy.scopes)
        return {scope: each.max_tokens for scope, each in limits.items() if each.max_tokens is not None}


def facts_of(record: Record, reviewers: int = 0) -> dict[str, object]:
    """What an invariant may ask of a record."""
    return {
        "scope": record.scope,
        "kind": record.kind,
        "type": record.claim_type,
        "memory_type": record.memory_type,
        "boundary": record.boundary,
        "role": record.role,
        "user": record.user,
        "project": record.project,
        "session": record.session,
        "agent": record.agent,
        "durable": record.durable,
        "confidence": record.confidence,
        "utility": record.utility,
        "reviewers": reviewers,
        "tainted": record.tainted,
        **{f"meta.{name}": value for name, value in record.meta.items()},
    }

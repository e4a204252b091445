"""Decides under a policy, and applies it to texts, records and filters (spec 9). Anything unknown is denied.

before storing, embedding or sending    clean (redact and classify), validate_record (check the invariants)
before reading                          narrow_filter (hide classes), redact_for_reader (hide parts of a text)

- Stricter wins: deny > redact > allow, and secret > pii > internal > public.
- `allow` lists hold globs of purposes. If both the class and the record have a list, both must admit the purpose.
- A slower scope limits a faster one (global > project > user > session): see `effective_limits`.
- Without a policy, only secrets are redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from aforesaid.errors import DeniedError
from aforesaid.policy.values import ACTIONS, FACTS, META, SECRET, Action, Policy, ScopeLimits
from aforesaid.text.extract.reader import Readers
from aforesaid.text.globs import admits
from aforesaid.types import BOUNDARIES, SCOPES, Boundary, Filter, Record, Scope, as_time, check_choice, check_class

Visibility = Literal["deny", "redact", "allow"]
DEFAULT_PURPOSE = "answer"
UNKNOWN_CLASS = "boundary"  # reported like a broken invariant when a record has an undefined boundary class
IDENTIFYING = ("email", "phone", "card", "iban", "ssn", "my-number", "address", "passport", "date-of-birth")
EXPIRES_META = "until"  # the key of `meta` with the record's own expiry time
CANDIDATE = "candidate"  # `withheld` value of a record that waits for promotion
DENIED_PREFIX = "policy: "  # start of `withheld` when an invariant hides a record

Limit = TypeVar("Limit", int, float)


def visibility(
    policy: Policy, boundary: str, purpose: str = DEFAULT_PURPOSE, record_allow: Iterable[str] | None = None
) -> Visibility:
    """How a reader with this purpose sees a record of this class: not at all, redacted, or in full.

    `record_allow` is the record's own list of purposes; None means that only the class's list counts.
    """
    rule = next((rule for name, rule in policy.classes.items() if name == boundary), None)
    if rule is None or not admits(rule.allow, purpose):
        return "deny"
    if record_allow is not None and not admits(record_allow, purpose):
        return "deny"
    return "redact" if rule.redact and not admits(rule.unredacted, purpose) else "allow"


def allowed_classes(policy: Policy, purpose: str = DEFAULT_PURPOSE) -> tuple[Boundary, ...]:
    """The boundary classes that a purpose may see, most open first."""
    return tuple(name for name in BOUNDARIES if visibility(policy, name, purpose) != "deny")


def strictest(classes: Iterable[str]) -> Boundary:
    """The strictest of the given classes; `secret` if none is given, because then nothing is known."""
    return max((check_class(name) for name in classes), key=BOUNDARIES.index, default=BOUNDARIES[-1])


def effective_limits(limits: Mapping[Scope, ScopeLimits]) -> dict[Scope, ScopeLimits]:
    """The limits that apply: the limit of a faster scope is at most that of every slower scope.

    A scope without a limit of its own stays unlimited: records expire, or are left out of a context, only where the
    policy says so.
    """
    days: float | None = None
    tokens: int | None = None
    found: dict[Scope, ScopeLimits] = {}
    for scope in reversed(SCOPES):
        own = limits.get(scope, ScopeLimits())
        found[scope] = lowered = ScopeLimits(_lower(own.ttl_days, days), _lower(own.max_tokens, tokens))
        days = days if lowered.ttl_days is None else lowered.ttl_days
        tokens = tokens if lowered.max_tokens is None else lowered.max_tokens
    return {scope: found[scope] for scope in SCOPES}


def broken_invariants(policy: Policy, facts: Mapping[str, object], action: Action) -> tuple[str, ...]:
    """The names of the invariants that forbid this action; empty if it is allowed.

    An invariant forbids when its rule is false or cannot be evaluated. An undefined boundary class is forbidden too.
    """
    check_choice(action, ACTIONS, "action")
    broken = tuple(each.name for each in policy.invariants if action in each.on and not each.rule.holds(facts))
    known = facts.get("boundary", BOUNDARIES[0]) in BOUNDARIES
    return broken if broken or known else (UNKNOWN_CLASS,)


def _lower(own: Limit | None, maximum: Limit | None) -> Limit | None:
    return own if own is None or maximum is None else min(own, maximum)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A redacted text, the kinds of data that were redacted, and the boundary class of the remaining text."""

    text: str
    kinds: tuple[str, ...]
    boundary: Boundary


@dataclass(frozen=True, slots=True)
class Guard:
    """Applies one policy for one purpose: redacts text, validates records, narrows filters."""

    policy: Policy | None
    purpose: str = DEFAULT_PURPOSE
    readers: Readers = field(default_factory=Readers)

    def clean(self, text: str, boundary: Boundary = "internal") -> Cleaned:
        """Redact secrets and whatever else the policy lists. Text that identifies a person gets at least class pii."""
        found = self.readers.redact_secrets(text)
        if self.policy is None:
            return Cleaned(found.text, tuple(found.kinds), boundary)
        text, kinds = found.text, list(found.kinds)
        if personal := [name for name in self.policy.detectors if name != SECRET]:
            redacted = self.readers.redact_pii(text, personal)
            text, kinds = redacted.text, [*kinds, *redacted.kinds]
        if self.policy.patterns:
            from aforesaid.policy.patterns import compile_pattern

            for pattern in self.policy.patterns:
                text, count = compile_pattern(pattern.pattern).subn(lambda _, to=pattern.replace: to, text)
                kinds += [pattern.name] * count
        identifying = self.readers.redact_pii(text, IDENTIFYING).kinds
        return Cleaned(text, tuple(kinds), strictest((boundary, "pii")) if identifying else boundary)

    def validate_record(self, record: Record, reviewers: int = 0) -> Record:
        """The record as it may be stored, with its expiry; withheld if an invariant forbids reading it.

        Raises DeniedError if an invariant forbids writing it.
        """
        if self.policy is None:
            return replace(record, expires=self.expiry(record)) if EXPIRES_META in record.meta else record
        if broken := self.broken_invariants(record, "write", reviewers):
            raise DeniedError(
                f"The policy ({self.policy.version}) does not allow this {record.kind}: {', '.join(broken)}.",
                "Read the policy with `aforesaid policy show`; check a text with `aforesaid validate`.",
            )
        return replace(self.update_withheld(record, reviewers), expires=self.expiry(record))

    def try_validate_record(self, record: Record) -> Record | str:
        """Like `validate_record`, but a denied durable record is tried again as not durable.

        Returns the reason as text if that is denied too.
        """
        try:
            return self.validate_record(record)
        except DeniedError as error:
            return self.try_validate_record(replace(record, durable=False)) if record.durable else error.message

    def update_withheld(self, record: Record, reviewers: int = 0) -> Record:
        """Withhold or release a record according to the read invariants; a candidate stays withheld."""
        if record.withheld and not record.withheld.startswith(DENIED_PREFIX):
            return record
        broken = self.broken_invariants(record, "read", reviewers)
        return replace(record, withheld=f"{DENIED_PREFIX}{', '.join(broken)}" if broken else "")

    def broken_invariants(self, record: Record, action: Action, reviewers: int = 0) -> tuple[str, ...]:
        """The names of the invariants that forbid this action on this record."""
        return () if self.policy is None else broken_invariants(self.policy, rule_facts(record, reviewers), action)

    def expiry(self, record: Record) -> datetime | None:
        """When a record expires: after its scope's days, or earlier if it has its own time; None means never."""
        times = [as_time(record.meta[EXPIRES_META])] if EXPIRES_META in record.meta else []
        if self.policy is not None:
            days = effective_limits(self.policy.scopes)[record.scope].ttl_days
            times += [record.time + timedelta(days=days)] if days is not None else []
        return min(times, default=None)

    def narrow_filter(self, where: Filter, now: datetime) -> Filter:
        """The filter limited to the classes that the purpose may see and to records that have not expired."""
        allowed = BOUNDARIES if self.policy is None else allowed_classes(self.policy, self.purpose)
        if where.boundaries is not None:
            boundaries: tuple[Boundary, ...] | None = tuple(name for name in where.boundaries if name in allowed)
        else:
            boundaries = None if allowed == BOUNDARIES else allowed
        return replace(where, boundaries=boundaries, purpose=self.purpose, alive_at=now)

    @property
    def redacts_on_read(self) -> bool:
        """Whether this purpose sees some boundary class only in part."""
        return self.policy is not None and any(
            visibility(self.policy, name, self.purpose) == "redact" for name in BOUNDARIES
        )

    def redact_for_reader(self, record: Record) -> Record:
        """The record as this purpose may see it, without what its class hides."""
        if self.policy is None or visibility(self.policy, record.boundary, self.purpose, record.allow) != "redact":
            return record
        return replace(record, text=self.redact_text(record.text, record.boundary))

    def redact_text(self, text: str, boundary: Boundary) -> str:
        """The text without what its boundary class hides from readers."""
        if self.policy is None:
            return text
        hidden = [name for name in self.policy.classes[boundary].redact if name != SECRET]
        return self.readers.redact_pii(text, hidden).text if hidden else text

    @property
    def token_limits(self) -> dict[str, int]:
        """The most tokens of each scope in one context; scopes without a limit are missing."""
        limits = {} if self.policy is None else effective_limits(self.policy.scopes)
        return {scope: each.max_tokens for scope, each in limits.items() if each.max_tokens is not None}


def rule_facts(record: Record, reviewers: int = 0) -> dict[str, object]:
    """What the rules of a policy can ask about a record, by name."""
    derived = {"type": record.claim_type, "reviewers": reviewers}
    meta = {f"{META}{name}": value for name, value in record.meta.items()}
    return {name: getattr(record, name) for name in FACTS - derived.keys()} | derived | meta

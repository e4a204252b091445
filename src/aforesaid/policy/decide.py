"""Policy decisions as pure functions: which rule wins (spec 9). Anything unknown is denied.

- Stricter wins: deny > redact > allow, and secret > pii > internal > public.
- `allow` lists hold globs of purposes. If both the class and the record have a list, both must admit the purpose.
- A slower scope limits a faster one (global > project > user > session): see `effective_limits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeVar

from aforesaid.policy.values import ACTIONS, Action, Policy, ScopeLimits
from aforesaid.text.globs import admits
from aforesaid.types import BOUNDARIES, SCOPES, Boundary, Scope, check_choice, check_class

Visibility = Literal["deny", "redact", "allow"]
DEFAULT_PURPOSE = "answer"
UNKNOWN_CLASS = "boundary"  # reported like a broken invariant when a record has an undefined boundary class

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

"""Who wins: precedence as pure functions (SPEC 9). Whatever is unknown is denied.

- deny > redact > allow, and secret > pii > internal > public.
- `allow` lists hold globs, and where a class and a record both have one, both must admit the purpose.
- A slower scope anchors a faster one (global > project > user > session): see `anchored`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from aforesaid.errors import UnknownClassError
from aforesaid.policy.values import ACTIONS, Action, Policy, ScopeLimits
from aforesaid.text.globs import admits
from aforesaid.types import BOUNDARIES, SCOPES, Boundary, Scope, check_choice

Verdict = Literal["deny", "redact", "allow"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)  # the first one said wins
DEFAULT_PURPOSE = "answer"

Limit = TypeVar("Limit", int, float)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the invariants say of an action, and the names of those that do not hold."""

    verdict: Verdict
    broken: tuple[str, ...] = ()


def admitted_by_all(lists: Iterable[Iterable[str] | None], purpose: str) -> bool:
    """Whether every list that is there admits the purpose: the most restrictive wins.

    None is a list that is not there, as of a record that inherits its class's; if none is there, nobody is admitted.
    """
    given = [globs for globs in lists if globs is not None]
    return bool(given) and all(admits(globs, purpose) for globs in given)


def allowed_classes(policy: Policy, purpose: str = DEFAULT_PURPOSE) -> tuple[Boundary, ...]:
    """The boundary classes that a purpose may see, from open to closed."""
    return tuple(name for name in BOUNDARIES if treatment(policy, name, purpose) != "deny")


def treatment(
    policy: Policy, boundary: str, purpose: str = DEFAULT_PURPOSE, record_allow: Iterable[str] | None = None
) -> Verdict:
    """How a record of that class is shown: not at all, without what the class redacts, or as it is."""
    rule = next((rule for name, rule in policy.classes.items() if name == boundary), None)
    if rule is None or not admitted_by_all((rule.allow, record_allow), purpose):
        return "deny"
    return "redact" if rule.redact and not admits(rule.unredacted, purpose) else "allow"


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """deny > redact > allow; if nobody said anything, deny."""
    said = set(verdicts)
    if not said <= set(VERDICTS):
        return "deny"
    return next((verdict for verdict in VERDICTS if verdict in said), "deny")


def strictest(classes: Iterable[str]) -> Boundary:
    """The most closed of the classes; of none at all, secret, since nothing is known."""
    ranks = [_rank(name) for name in classes]
    return BOUNDARIES[max(ranks, default=-1)]


def raised(old: str, new: str) -> Boundary:
    """The class of a record after somebody asks for a new one: it may rise, never fall."""
    return strictest((old, new))


def anchored(limits: Mapping[Scope, ScopeLimits]) -> dict[Scope, ScopeLimits]:
    """The limits that apply: a faster scope's limit is at most that of every slower scope.

    Only limits that were given take part. A faster scope without a limit of its own stays without one: a policy never
    lets records expire, or leaves them out of a context, where nobody wrote so.
    """
    days: float | None = None
    tokens: int | None = None
    found: dict[Scope, ScopeLimits] = {}
    for scope in reversed(SCOPES):
        own = limits.get(scope, ScopeLimits())
        lowered = ScopeLimits(_lowered(own.ttl_days, days), _lowered(own.max_tokens, tokens))
        days = days if lowered.ttl_days is None else lowered.ttl_days
        tokens = tokens if lowered.max_tokens is None else lowered.max_tokens
        found[scope] = lowered
    return {scope: found[scope] for scope in SCOPES}


def judge(policy: Policy, facts: Mapping[str, object], action: Action) -> Judgement:
    """Whether the invariants let this happen; a rule that is false or fails denies, as does a class nobody defined."""
    check_choice(action, ACTIONS, "action")
    broken = [i.name for i in policy.invariants if action in i.on and not i.rule.holds(facts)]
    known = facts.get("boundary", BOUNDARIES[0]) in BOUNDARIES
    return Judgement("allow" if known and not broken else "deny", tuple(broken))


def _lowered(own: Limit | None, roof: Limit | None) -> Limit | None:
    return own if own is None or roof is None else min(own, roof)


def _rank(name: str) -> int:
    for rank, known in enumerate(BOUNDARIES):
        if name == known:
            return rank
    raise UnknownClassError(f"Boundary class {name!r} is unknown.", f"Use one of: {', '.join(BOUNDARIES)}.")

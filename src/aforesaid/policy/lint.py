"""What is allowed in a policy but probably not meant: sentences for people, shown at a dry run."""

from __future__ import annotations

from collections.abc import Iterator

from aforesaid.policy.decide import effective_limits
from aforesaid.policy.problems import suggestion
from aforesaid.policy.values import FACTS, META, Policy


def policy_warnings(policy: Policy) -> tuple[str, ...]:
    """Names that no record has, limits that a slower scope lowers, and secrets that are shown."""
    return (*_names(policy), *_limits(policy), *_secrets(policy))


def _names(policy: Policy) -> Iterator[str]:
    for invariant in policy.invariants:
        for name in invariant.rule.names:
            if name not in FACTS and not name.startswith(META):
                yield (
                    f"invariant {invariant.name}: no record has {name!r}, so it is always false. "
                    f"{suggestion(name, FACTS)}"
                )


def _limits(policy: Policy) -> Iterator[str]:
    for scope, limits in effective_limits(policy.scopes).items():
        for name in ("ttl_days", "max_tokens"):
            given, applies = getattr(policy.scopes[scope], name), getattr(limits, name)
            if given != applies:
                yield f"scopes.{scope}.{name} is {given:g}, but a slower scope allows {applies:g}, which applies."


def _secrets(policy: Policy) -> Iterator[str]:
    if policy.classes["secret"].allow:
        yield f"boundary class secret is open to {', '.join(policy.classes['secret'].allow)}."

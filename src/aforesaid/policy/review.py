"""What a dry run of a policy shows: the values that change, and warnings about likely mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aforesaid.policy.enforcement import effective_limits
from aforesaid.policy.values import FACTS, META, SECTIONS, Policy
from aforesaid.policy.write import Data, as_data
from aforesaid.policy.yaml_tree import suggestion

NAME_KEYS = ("name", "detect")  # keys that name an item of a list


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """One value of a policy that changes; None means that there is no value."""

    path: str
    before: Data
    after: Data


def diff(old: Policy, new: Policy) -> tuple[PolicyChange, ...]:
    """Every value that changes, in the order of the file; empty when the two policies mean the same."""
    before, after = _values(as_data(old)), _values(as_data(new))
    paths = sorted(dict.fromkeys([*after, *before]), key=lambda path: SECTIONS.index(path.split(".")[0]))
    return tuple(
        PolicyChange(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)
    )


def policy_warnings(policy: Policy) -> tuple[str, ...]:
    """What is allowed but probably a mistake: unknown names, limits without effect, and visible secrets."""
    return tuple(_warnings(policy))


def _warnings(policy: Policy) -> Iterator[str]:
    for invariant in policy.invariants:
        for name in invariant.rule.names:
            if name not in FACTS and not name.startswith(META):
                hint = suggestion(name, FACTS)
                yield f"invariant {invariant.name}: no record has {name!r}, so it is always false. {hint}"
    for scope, limits in effective_limits(policy.scopes).items():
        for name in ("ttl_days", "max_tokens"):
            given, applies = getattr(policy.scopes[scope], name), getattr(limits, name)
            if given != applies:
                yield f"scopes.{scope}.{name} is {given:g}, but a slower scope allows {applies:g}, which applies."
    if policy.classes["secret"].allow:
        yield f"boundary class secret is open to {', '.join(policy.classes['secret'].allow)}."


def _values(data: Mapping[str, Data], prefix: str = "") -> dict[str, Data]:
    """Every value by its path. Items of a list go by their names; their order is a value of its own."""
    found: dict[str, Data] = {}
    for key, value in data.items():
        path = f"{prefix}{key}"
        if prefix and key in NAME_KEYS:
            continue
        if isinstance(value, Mapping):
            found |= _values(value, f"{path}.")
        elif isinstance(value, Sequence) and any(isinstance(item, Mapping) for item in value):
            items = {_name(item): item for item in value if isinstance(item, Mapping)}
            found[path] = tuple(items)
            for name, item in items.items():
                found |= _values(item, f"{path}.{name}.")
        else:
            found[path] = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    return found


def _name(item: Mapping[str, Data]) -> str:
    return str(next(item[key] for key in NAME_KEYS if key in item))

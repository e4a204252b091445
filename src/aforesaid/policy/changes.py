"""What changes from one policy to another, for a dry run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aforesaid.policy.values import SECTIONS, Policy
from aforesaid.policy.write import Data, as_data

NAMING = ("name", "detect")  # keys by which an item of a list goes


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """One value of a policy that is another one afterwards; None is a value that is not there."""

    path: str
    before: Data
    after: Data


def diff(old: Policy, new: Policy) -> tuple[PolicyChange, ...]:
    """Every value that changes, in the order of the file; none when the two policies mean the same."""
    before, after = _values(as_data(old)), _values(as_data(new))
    paths = sorted(dict.fromkeys([*after, *before]), key=lambda path: SECTIONS.index(path.split(".")[0]))
    return tuple(
        PolicyChange(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)
    )


def _values(data: Mapping[str, Data], prefix: str = "") -> dict[str, Data]:
    """Every value by its path; items of a list go by their names, and their order counts as a value."""
    found: dict[str, Data] = {}
    for key, value in data.items():
        path = f"{prefix}{key}"
        if prefix and key in NAMING:
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
    return str(next(item[key] for key in NAMING if key in item))

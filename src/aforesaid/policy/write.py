"""Writes a policy as canonical YAML, which reads back as the same policy, and hashes that text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from aforesaid.policy.values import Detector, Policy, ScopeLimits
from aforesaid.policy.yaml_tree import plain

Data = None | bool | int | float | str | Sequence["Data"] | Mapping[str, "Data"]

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*+")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # JSON keeps them, YAML changes them
_INDENT = "  "


def write_policy(policy: Policy) -> str:
    """The policy as YAML with every value, in a fixed order; `read_policy` reads the same policy back."""
    return "\n".join([*_block(as_data(policy), ""), ""])


def digest(policy: Policy) -> str:
    """The sha256 of the canonical text in hex: equal for files that mean the same."""
    return hashlib.sha256(write_policy(policy).encode()).hexdigest()


def as_data(policy: Policy) -> dict[str, Data]:
    """The policy as plain data in the shape of its file, without keys that have no value."""
    sections: dict[str, Data] = {
        "version": policy.version,
        "name": policy.name,
        "scopes": {
            scope: _given({"ttl_days": limits.ttl_days, "max_tokens": limits.max_tokens})
            for scope, limits in policy.scopes.items()
            if limits != ScopeLimits()
        },
        "boundary_classes": {
            name: {"allow": rule.allow, "redact": rule.redact, "unredacted": rule.unredacted}
            for name, rule in policy.classes.items()
        },
        "invariants": [{"name": i.name, "rule": i.rule.text, "on": i.on} for i in policy.invariants],
        "redact": [
            {"detect": rule.name}
            if isinstance(rule, Detector)
            else {"name": rule.name, "pattern": rule.pattern, "replace": rule.replace}
            for rule in policy.redact
        ],
        "retrieval": dict(policy.retrieval),
        "audit": _given({"retention_days": policy.audit_retention_days}),
        "observation": _given({"ttl_days": policy.observation.ttl_days, "mode": policy.observation.mode}),
        "review": dict(policy.review.items()),
    }
    return {key: value for key, value in sections.items() if value is not None and value != {}}


def _given(values: Mapping[str, Data]) -> dict[str, Data]:
    return {key: value for key, value in values.items() if value is not None}


def _block(table: Mapping[str, Data], indent: str) -> Iterator[str]:
    """The lines of a table."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield f"{indent}{_scalar(key)}:"
            yield from _block(value, indent + _INDENT)
        elif isinstance(value, Sequence) and value and isinstance(value[0], Mapping):
            yield f"{indent}{_scalar(key)}:"
            for item in value:
                lines = list(_block(item, indent + _INDENT * 2)) if isinstance(item, Mapping) else []
                yield f"{indent}{_INDENT}- {lines[0].lstrip()}"
                yield from lines[1:]
        else:
            yield f"{indent}{_scalar(key)}: {_flow(value)}"


def _flow(value: Data) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_flow(item) for item in value)}]"
    return _scalar(value)


def _scalar(value: Data) -> str:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and plain(value) == value else _quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value == int(value) and abs(value) < 1e15 else repr(value)


def _quoted(text: str) -> str:
    """The text in double quotes, with escapes that JSON and YAML share."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))

"""Writes a policy as canonical YAML, which reads back as the same policy, and hashes that text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from aforesaid.policy.values import Detector, Policy, ScopeLimits
from aforesaid.policy.yaml_tree import plain

Data = None | bool | int | float | str | Sequence["Data"] | Mapping[str, "Data"]

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*+")


def write_policy(policy: Policy) -> str:
    """The policy as YAML with every value, in a fixed order; `read_policy` reads the same policy back."""
    text: str = yaml.dump(
        as_data(policy), Dumper=_Dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=1 << 30
    )
    return text


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


class _Dumper(yaml.SafeDumper):
    """Writes text without quotes only where our reader gives the same text back."""

    def ignore_aliases(self, data: Any) -> bool:
        return True  # a policy file may not contain anchors

    def represent_text(self, text: str) -> yaml.ScalarNode:
        is_plain = _PLAIN.fullmatch(text) and plain(text) == text
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')

    def represent_number(self, value: float) -> yaml.ScalarNode:
        text = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        tag = self.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
        return self.represent_scalar(tag, text)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(float, _Dumper.represent_number)

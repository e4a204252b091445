"""Policy: what may be stored, for how long, and who may see it (spec 9). Pure: no store, no clock.

`decide`, `values` and `rules` are imported at once. Reading and writing files is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aforesaid.policy.decide import (
    DEFAULT_PURPOSE,
    Visibility,
    allowed_classes,
    broken_invariants,
    effective_limits,
    strictest,
    visibility,
)
from aforesaid.policy.rules import PolicyRule
from aforesaid.policy.values import DETECTORS, ClassRule, Detector, Invariant, Observation, Pattern, Policy, ScopeLimits
from aforesaid.text.globs import admits

if TYPE_CHECKING:
    from aforesaid.policy.document import read_policy
    from aforesaid.policy.patterns import compile_pattern
    from aforesaid.policy.problems import PolicyFileError, PolicyProblem, PolicyRuleError
    from aforesaid.policy.review import PolicyChange, diff, policy_warnings
    from aforesaid.policy.rule_parser import parse
    from aforesaid.policy.shipped import TEMPLATES, template
    from aforesaid.policy.write import digest, write_policy

_LAZY = {
    "PolicyChange": "review",
    "PolicyFileError": "problems",
    "PolicyProblem": "problems",
    "PolicyRuleError": "problems",
    "TEMPLATES": "shipped",
    "compile_pattern": "patterns",
    "diff": "review",
    "digest": "write",
    "parse": "rule_parser",
    "policy_warnings": "review",
    "read_policy": "document",
    "template": "shipped",
    "write_policy": "write",
}
__all__ = [
    "DEFAULT_PURPOSE", "DETECTORS", "TEMPLATES", "ClassRule", "Detector", "Invariant", "Observation", "Pattern",
    "Policy", "PolicyChange", "PolicyFileError", "PolicyProblem", "PolicyRule", "PolicyRuleError", "ScopeLimits",
    "Visibility", "admits", "allowed_classes", "broken_invariants", "compile_pattern", "diff", "digest",
    "effective_limits", "parse", "policy_warnings", "read_policy", "strictest", "template", "visibility",
    "write_policy",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)

"""A policy as frozen values, with the defaults for everything that a file leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from aforesaid.policy.rules import PolicyRule
from aforesaid.types import SCOPES, Boundary, Scope

Action = Literal["write", "read"]
ObservationMode = Literal["raw", "redact", "digest"]
Setting = float | int | str | bool

SECTIONS = (
    "version", "name", "scopes", "boundary_classes", "invariants", "redact", "retrieval", "audit", "observation",
    "review",
)  # fmt: skip
ACTIONS: tuple[Action, ...] = get_args(Action)
OBSERVATION_MODES: tuple[ObservationMode, ...] = get_args(ObservationMode)
SECRET = "secret"  # the detector for passwords, keys and tokens; it is always on
DETECTORS = frozenset({
    "email", "phone", "card", "iban", "ssn", "my-number", "address", "postal-code", "name", "ip", "passport",
    "date-of-birth", SECRET,
})  # fmt: skip
FACTS = frozenset({
    "scope", "kind", "type", "memory_type", "boundary", "role", "user", "project", "session", "agent", "durable",
    "confidence", "utility", "reviewers", "tainted",
})  # fmt: skip
META = "meta."  # rules may use FACTS and every name that starts with this


@dataclass(frozen=True, slots=True)
class ScopeLimits:
    """Days until the records of a scope expire, and their most tokens in one context; None means no limit."""

    ttl_days: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ClassRule:
    """Who may see a boundary class.

    `allow` holds globs of purposes that may see it, `redact` the detectors whose findings are hidden from them, and
    `unredacted` globs of purposes that see it in full.
    """

    allow: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    unredacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule that must hold when a record is written or read; otherwise the action is denied."""

    name: str
    rule: PolicyRule
    on: tuple[Action, ...] = ACTIONS


@dataclass(frozen=True, slots=True)
class Detector:
    """A built-in detector whose findings are redacted before anything is embedded, stored or sent."""

    name: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern in RE2 syntax whose matches are replaced by the literal text `replace`."""

    name: str
    pattern: str
    replace: str


@dataclass(frozen=True, slots=True)
class Observation:
    """How raw captures are stored; `ttl_days` None means the setting `govern.observation_days`."""

    ttl_days: float | None = None
    mode: ObservationMode = "redact"


OPEN, CLOSED = ClassRule(allow=("*",)), ClassRule()
DEFAULT_CLASSES: Mapping[Boundary, ClassRule] = {"public": OPEN, "internal": OPEN, "pii": OPEN, "secret": CLOSED}
DEFAULT_REDACT: tuple[Detector | Pattern, ...] = (Detector(SECRET),)
DEFAULT_REVIEW: Mapping[Scope, int] = {"session": 0, "user": 0, "project": 0, "global": 1}


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be stored, for how long, and who may see it.

    Its mappings hold every scope and class in a fixed order: missing keys get their default, unknown keys are dropped.
    """

    version: str
    name: str | None = None
    scopes: Mapping[Scope, ScopeLimits] = field(default_factory=dict)
    classes: Mapping[Boundary, ClassRule] = field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    redact: tuple[Detector | Pattern, ...] = DEFAULT_REDACT
    retrieval: Mapping[str, Setting] = field(default_factory=dict)
    audit_retention_days: float | None = None
    observation: Observation = Observation()
    review: Mapping[Scope, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        complete = {
            "scopes": {scope: self.scopes.get(scope, ScopeLimits()) for scope in SCOPES},
            "classes": {name: self.classes.get(name, rule) for name, rule in DEFAULT_CLASSES.items()},
            "review": {scope: self.review.get(scope, count) for scope, count in DEFAULT_REVIEW.items()},
            "retrieval": dict(sorted(self.retrieval.items())),
        }
        for name, value in complete.items():
            object.__setattr__(self, name, value)

    @classmethod
    def default(cls) -> Policy:
        """The behaviour without a policy."""
        return cls(version="default")

    @property
    def detectors(self) -> tuple[str, ...]:
        """The names of the built-in detectors that redact, in order."""
        return tuple(rule.name for rule in self.redact if isinstance(rule, Detector))

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The policy's own patterns, in order."""
        return tuple(rule for rule in self.redact if isinstance(rule, Pattern))

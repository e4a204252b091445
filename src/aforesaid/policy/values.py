"""A policy as frozen values; what is left out of a file stands here with its default."""

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
SECRET = "secret"  # the detector that is on unless a policy lists others
DETECTORS = frozenset({
    "email", "phone", "card", "iban", "ssn", "my-number", "address", "postal-code", "name", "ip", "passport",
    "date-of-birth", SECRET,
})  # fmt: skip
FACTS = frozenset({
    "scope", "kind", "type", "memory_type", "boundary", "role", "user", "project", "session", "agent", "durable",
    "confidence", "utility", "reviewers", "tainted",
})  # fmt: skip
META = "meta."  # what an invariant may ask: FACTS, and whatever begins with this


@dataclass(frozen=True, slots=True)
class ScopeLimits:
    """How long a scope's records live and how many of their tokens go into one context; None is no limit."""

    ttl_days: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ClassRule:
    """Who may see a boundary class: purposes that may, what is hidden from them, and purposes that see it as it is."""

    allow: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    unredacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule that has to hold whenever something is written or read, or the action is denied."""

    name: str
    rule: PolicyRule
    on: tuple[Action, ...] = ACTIONS


@dataclass(frozen=True, slots=True)
class Detector:
    """A built-in detector whose finds are redacted before anything is embedded, stored or sent."""

    name: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern in RE2 syntax whose matches are replaced, word for word, by `replace`."""

    name: str
    pattern: str
    replace: str


@dataclass(frozen=True, slots=True)
class Observation:
    """How raw captures are kept; `ttl_days` None leaves it to the setting `govern.observation_days`."""

    ttl_days: float | None = None
    mode: ObservationMode = "redact"


OPEN, CLOSED = ClassRule(allow=("*",)), ClassRule()
DEFAULT_CLASSES: Mapping[Boundary, ClassRule] = {"public": OPEN, "internal": OPEN, "pii": OPEN, "secret": CLOSED}
DEFAULT_REDACT: tuple[Detector | Pattern, ...] = (Detector(SECRET),)
DEFAULT_REVIEW: Mapping[Scope, int] = {"session": 0, "user": 0, "project": 0, "global": 1}


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be kept, for how long, and who may see it.

    Mappings hold every scope and every class in a fixed order: what is not given takes its default, other keys go.
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
        scopes = {scope: self.scopes.get(scope, ScopeLimits()) for scope in SCOPES}
        classes = {name: self.classes.get(name, rule) for name, rule in DEFAULT_CLASSES.items()}
        review = {scope: self.review.get(scope, count) for scope, count in DEFAULT_REVIEW.items()}
        object.__setattr__(self, "scopes", scopes)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "review", review)
        object.__setattr__(self, "retrieval", dict(sorted(self.retrieval.items())))

    @classmethod
    def default(cls) -> Policy:
        """How aforesaid behaves when nobody gave it a policy."""
        return cls(version="default")

    @property
    def detectors(self) -> tuple[str, ...]:
        """The built-in detectors that redact, in order."""
        return tuple(rule.name for rule in self.redact if isinstance(rule, Detector))

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The policy's own patterns that redact, in order."""
        return tuple(rule for rule in self.redact if isinstance(rule, Pattern))

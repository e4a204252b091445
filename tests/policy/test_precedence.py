"""Who wins, told as tables: verdicts, classes, scopes, globs of class and record, and invariants."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError, UnknownClassError
from aforesaid.policy.enforcement import (
    Visibility,
    allowed_classes,
    broken_invariants,
    effective_limits,
    strictest,
    visibility,
)
from aforesaid.policy.rule_parser import parse
from aforesaid.policy.values import ClassRule, Invariant, Policy, ScopeLimits
from aforesaid.text.globs import admits
from aforesaid.types import BOUNDARIES, SCOPES, Scope
from support.growth import is_linear

CLASSES = {  # old, new, and what stands
    ("public", "public"): "public", ("public", "internal"): "internal", ("public", "pii"): "pii",
    ("public", "secret"): "secret", ("internal", "public"): "internal", ("internal", "internal"): "internal",
    ("internal", "pii"): "pii", ("internal", "secret"): "secret", ("pii", "public"): "pii", ("pii", "internal"): "pii",
    ("pii", "pii"): "pii", ("pii", "secret"): "secret", ("secret", "public"): "secret",
    ("secret", "internal"): "secret", ("secret", "pii"): "secret", ("secret", "secret"): "secret",
}  # fmt: skip


def test_the_table_of_classes_is_complete() -> None:
    assert set(CLASSES) == set(itertools.product(BOUNDARIES, repeat=2))


@pytest.mark.parametrize("pair", CLASSES)
def test_a_class_may_rise_and_never_fall(pair: tuple[str, str]) -> None:
    assert strictest(pair) == strictest(reversed(pair)) == CLASSES[pair]


def test_the_strictest_of_many_of_none_and_of_an_unknown_one() -> None:
    for three in itertools.product(BOUNDARIES, repeat=3):
        assert strictest(three) == CLASSES[CLASSES[three[0], three[1]], three[2]]
    assert strictest([]) == "secret"
    for classes in (["confidential"], ["public", "Secret"], ["public", ""]):
        with pytest.raises(UnknownClassError, match="is unknown"):
            strictest(classes)


GLOBS = [  # glob, purposes that match, purposes that do not
    ("*", ["answer", "answer:task", "", "tool:a:b"], []),
    ("answer", ["answer"], ["answer:task", "Answer", "answers", "an", ""]),
    ("answer:*", ["answer:", "answer:task", "answer:task:deep"], ["answer", "Answer:task", "my-answer:x"]),
    ("tool:contact-*", ["tool:contact-mail", "tool:contact-"], ["tool:contact", "tool:mail", "a:tool:contact-x"]),
    ("*:read", ["tool:read", "a:b:read"], ["read", "tool:reads"]),
    ("tool:?", ["tool:a"], ["tool:", "tool:ab"]),
    ("a.c", ["a.c"], ["abc"]),
    ("(x|y)+", ["(x|y)+"], ["x", "xy"]),
]


@pytest.mark.parametrize(("glob", "matching", "others"), GLOBS)
def test_globs(glob: str, matching: list[str], others: list[str]) -> None:
    assert [purpose for purpose in matching if not admits([glob], purpose)] == []
    assert [purpose for purpose in others if admits([glob], purpose)] == []
    assert [purpose for purpose in matching if not admits(["nothing", glob], purpose)] == []


def test_an_empty_list_admits_nobody() -> None:
    assert not admits([], "answer")
    assert not admits([""], "answer")


def simple_match(glob: str, purpose: str) -> bool:
    """A second opinion: the textbook recursion."""
    if not glob:
        return not purpose
    if glob[0] == "*":
        return simple_match(glob[1:], purpose) or (bool(purpose) and simple_match(glob, purpose[1:]))
    return bool(purpose) and glob[0] in ("?", purpose[0]) and simple_match(glob[1:], purpose[1:])


@given(st.text("ab:*?.^$\\n\n", max_size=8), st.text("ab:*.^$\\n\n", max_size=8))
def test_globs_agree_with_the_textbook(glob: str, purpose: str) -> None:
    assert admits([glob], purpose) == simple_match(glob, purpose)


@pytest.mark.parametrize("glob", ["*a" * 100 + "b", "*" * 200 + "b"])
def test_hostile_globs_take_linear_time(glob: str) -> None:
    assert is_linear(lambda length: admits([glob], "a" * length), 2500, 20_000)


LISTS: list[tuple[str, ...]] = [(), ("*",), ("answer:*",), ("tool:*",), ("answer:task", "tool:x"), ("answer:?*",)]
PURPOSES = ["answer", "answer:task", "tool:x", "tool:y"]


@pytest.mark.parametrize(("of_class", "of_record"), list(itertools.product(LISTS, repeat=2)))
def test_class_and_record_must_both_admit(of_class: tuple[str, ...], of_record: tuple[str, ...]) -> None:
    policy = Policy("1", classes={"pii": ClassRule(of_class)})
    for purpose in PURPOSES:
        both = any(simple_match(glob, purpose) for glob in of_class) and any(
            simple_match(glob, purpose) for glob in of_record
        )
        assert visibility(policy, "pii", purpose, of_record) == ("allow" if both else "deny")


@pytest.mark.parametrize("of_class", LISTS)
def test_a_record_without_a_list_inherits_its_classs(of_class: tuple[str, ...]) -> None:
    policy = Policy("1", classes={"internal": ClassRule(of_class)})
    for purpose in PURPOSES:
        assert (visibility(policy, "internal", purpose) == "allow") == admits(of_class, purpose)
        assert ("internal" in allowed_classes(policy, purpose)) == admits(of_class, purpose)


def test_classes_a_purpose_may_see() -> None:
    assert allowed_classes(Policy.default()) == ("public", "internal", "pii")
    assert allowed_classes(Policy.default(), "whatever:else") == ("public", "internal", "pii")
    policy = Policy(
        "1", classes={"public": ClassRule(("answer",)), "pii": ClassRule(), "secret": ClassRule(("audit:*",))}
    )
    assert allowed_classes(policy, "answer") == ("public", "internal")
    assert allowed_classes(policy, "audit:keys") == ("internal", "secret")


@pytest.mark.parametrize("boundary", ["", "PII", "confidential", "*"])
def test_an_unknown_class_is_never_shown(boundary: str) -> None:
    opened = Policy("1", classes={name: ClassRule(("*",)) for name in BOUNDARIES})
    assert visibility(opened, boundary, "answer") == "deny"
    assert visibility(opened, boundary, "answer", ["*"]) == "deny"
    widened = Policy("1", classes={**opened.classes, boundary: ClassRule(("*",))})  # type: ignore[dict-item]
    assert visibility(widened, boundary, "answer") == "deny"
    assert broken_invariants(opened, {"boundary": boundary}, "read") == ("boundary",)


REDACTED = ClassRule(("answer", "compliance:*"), ("email",), ("compliance:*", "tool:*"))


@pytest.mark.parametrize(
    ("purpose", "record_allow", "expected"),
    [
        ("answer", None, "redact"),
        ("compliance:audit", None, "allow"),
        ("tool:mail", None, "deny"),  # seeing it as it is takes being admitted first
        ("answer", ("answer",), "redact"),
        ("answer", ("tool:*",), "deny"),
        ("compliance:audit", ("answer",), "deny"),
        ("compliance:audit", (), "deny"),
    ],
)
def test_what_a_class_redacts(purpose: str, record_allow: tuple[str, ...] | None, expected: Visibility) -> None:
    assert visibility(Policy("1", classes={"pii": REDACTED}), "pii", purpose, record_allow) == expected


@pytest.mark.parametrize(("fast", "slow"), list(itertools.product(SCOPES, repeat=2)))
def test_a_slower_scope_anchors_a_faster_one(fast: Scope, slow: Scope) -> None:
    if SCOPES.index(fast) >= SCOPES.index(slow):
        return
    over = effective_limits({fast: ScopeLimits(400, 9000), slow: ScopeLimits(365, 8000)})
    assert over[fast] == over[slow] == ScopeLimits(365, 8000)
    under = effective_limits({fast: ScopeLimits(30, 500), slow: ScopeLimits(365, 8000)})
    assert (under[fast], under[slow]) == (ScopeLimits(30, 500), ScopeLimits(365, 8000))
    mixed = effective_limits({fast: ScopeLimits(400, 500), slow: ScopeLimits(365, None)})
    assert mixed[fast] == ScopeLimits(365, 500)
    none_of_its_own = effective_limits({slow: ScopeLimits(365, 8000)})
    assert none_of_its_own[fast] == ScopeLimits()
    only_fast = effective_limits({fast: ScopeLimits(400, 9000)})
    assert only_fast[fast] == ScopeLimits(400, 9000) and only_fast[slow] == ScopeLimits()


LIMITS = st.builds(ScopeLimits, st.none() | st.integers(1, 9).map(float), st.none() | st.integers(0, 9))


@given(st.dictionaries(st.sampled_from(SCOPES), LIMITS))
def test_anchored_limits_never_grow_and_never_pass_a_slower_scope(limits: dict[Scope, ScopeLimits]) -> None:
    found = effective_limits(limits)
    assert list(found) == list(SCOPES)
    assert effective_limits(found) == found
    for name in ("ttl_days", "max_tokens"):
        for index, scope in enumerate(SCOPES):
            own = getattr(limits.get(scope, ScopeLimits()), name)
            slower = [getattr(limits.get(other, ScopeLimits()), name) for other in SCOPES[index:]]
            expected = None if own is None else min(limit for limit in slower if limit is not None)
            assert getattr(found[scope], name) == expected


RULES = Policy(
    "1",
    invariants=(
        Invariant("no-global-tasks", parse("!(scope == 'global' && type == 'task')")),
        Invariant("not-durable-when-tainted", parse("!(tainted && durable)"), ("write",)),
        Invariant("sure", parse("confidence >= 0.5"), ("read",)),
    ),
)
GOOD: dict[str, object] = {
    "scope": "user", "type": "fact", "tainted": False, "durable": True, "confidence": 0.9, "boundary": "pii",
}  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "on_write", "on_read"),
    [
        ({}, (), ()),
        ({"scope": "global"}, (), ()),
        ({"scope": "global", "type": "task"}, ("no-global-tasks",), ("no-global-tasks",)),
        ({"tainted": True}, ("not-durable-when-tainted",), ()),
        ({"confidence": 0.4}, (), ("sure",)),
        ({"confidence": "high"}, (), ("sure",)),  # a rule that fails denies
        ({"confidence": None}, (), ("sure",)),
        (
            {"scope": "global", "type": "task", "tainted": True, "confidence": 0},
            ("no-global-tasks", "not-durable-when-tainted"),
            ("no-global-tasks", "sure"),
        ),
    ],
)
def test_invariants_deny_and_are_named(
    facts: dict[str, object], on_write: tuple[str, ...], on_read: tuple[str, ...]
) -> None:
    assert broken_invariants(RULES, GOOD | facts, "write") == on_write
    assert broken_invariants(RULES, GOOD | facts, "read") == on_read


def test_a_fact_that_is_not_there_fails_a_comparison_that_must_hold() -> None:
    assert broken_invariants(RULES, {}, "read") == ("sure",)
    assert broken_invariants(Policy.default(), {}, "write") == ()


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(InputError, match="action 'delete' is unknown"):
        broken_invariants(RULES, GOOD, "delete")  # type: ignore[arg-type]

"""The rule language: what it reads, what it refuses and says about it, and what a rule means."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Mapping

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aforesaid.errors import PolicyError, RuleError
from aforesaid.policy.rule_parser import MAX_CHARS, MAX_DEPTH, parse
from aforesaid.policy.rules import Compare, Join, Name, Not, PolicyRule, Tree, Value
from support.growth import is_linear

FACTS: dict[str, object] = {
    "scope": "global", "type": "task", "confidence": 0.7, "reviewers": 2, "durable": True, "tainted": False,
    "user": None, "meta.team": "core", "meta.tags": ["a", 3], "meta.empty": [], "nan": float("nan"), "odd": object(),
}  # fmt: skip

TRUE = [
    "scope == 'global'",
    'scope == "global"',
    "scope != 'user'",
    "confidence > 0.5 && confidence >= 7e-1",
    "confidence < 1 && confidence <= 1",
    "reviewers == 2.0",
    "scope < 'h'",
    "scope in ['user', 'global']",
    "'a' in meta.tags && 3 in meta.tags && 3.0 in meta.tags",
    "!(scope in [])",
    "!('3' in meta.tags)",
    "durable && !tainted",
    "durable == true && tainted == false && tainted != true",
    "user == null && !user",
    "null == null",
    "meta.team == 'core'",
    "meta.tags && !meta.empty && scope && reviewers",
    "tainted || durable && scope == 'global'",
    "true || tainted && false",
    "!!durable",
    "!(scope == 'global' && type == 'fact')",
    "reviewers != '2'",
    "reviewers != true && durable != 1",
    "-1 < reviewers",
    "scope\n  ==\t'global'",
    "meta.team != 'it\\'s' && meta.team != \"a\\\\b\\n\"",
]
FALSE = [
    "scope == 'Global'",
    "type == 'task' && scope == 'user'",
    "reviewers == '2'",
    "durable == 1",
    "user != null",
    "user == false",
    "scope in ['user']",
    "true in meta.tags",
    "meta.empty",
    "false",
]
UNKNOWN_FALSE = [  # a comparison that touches an unknown name is false, whatever the sign
    "nobody",
    "nobody == 3",
    "nobody != 3",
    "3 != nobody",
    "nobody < 3",
    "nobody >= 3",
    "nobody == null",
    "nobody != null",
    "nobody == nobody",
    "nobody in [1, null, false]",
    "scope in nobody",
    "nobody == false",
]
UNKNOWN_TRUE = ["!nobody", "!(nobody == 3)", "!(nobody != 3)", "nobody || durable", "!nobody && !(nobody > 1)"]
FAILING = [  # no sign in front of them makes these true
    "scope > 3",
    "reviewers < '3'",
    "durable > false",
    "user < 1",
    "user >= null",
    "'a' in scope",
    "meta.tags == meta.tags",
    "meta.tags != 3",
    "meta.tags in [1]",
    "nan == nan",
    "nan != 1",
    "nan",
    "odd",
    "odd == 1",
]


@pytest.mark.parametrize("text", TRUE + UNKNOWN_TRUE)
def test_rules_that_hold(text: str) -> None:
    assert parse(text).holds(FACTS)


@pytest.mark.parametrize("text", FALSE + UNKNOWN_FALSE)
def test_rules_that_do_not_hold_and_whose_opposite_does(text: str) -> None:
    assert not parse(text).holds(FACTS)
    assert parse(f"!({text})").holds(FACTS)


@pytest.mark.parametrize("text", FAILING)
def test_a_failing_rule_does_not_hold_and_neither_does_its_opposite(text: str) -> None:
    for written in (text, f"!({text})", f"{text} || true", f"!({text} && false)", f"!({text}) || durable"):
        assert not parse(written).holds(FACTS), written


@pytest.mark.parametrize("text", FAILING)
def test_what_is_not_looked_at_cannot_fail(text: str) -> None:
    assert parse(f"true || {text}").holds(FACTS)
    assert parse(f"!(false && {text})").holds(FACTS)


REFUSED = [  # rule, column, and a word of the message
    ("", 1, "the end"),
    ("   ", 4, "the end"),
    ("scope =", 7, "=="),
    ("scope = 'a'", 7, "=="),
    ("a & b", 3, "&&"),
    ("a | b", 3, "||"),
    ("a and b", 3, "&&"),
    ("a or b", 3, "||"),
    ("not a", 1, "!"),
    ("a == True", 6, "true"),
    ("a == None", 6, "null"),
    ("a == b == c", 8, "chains"),
    ("1 < a < 3", 7, "chains"),
    ("!a == 3", 2, "!(a == 3)"),
    ("!!a in [1]", 3, "!(a in [1])"),
    ("scope == 'user' || 'session'", 20, "alone"),
    ("3", 1, "alone"),
    ("null", 1, "alone"),
    ("a == ", 6, "the end"),
    ("== 3", 1, "'=='"),
    ("a b", 3, "'b'"),
    ("(a", 3, "column 1"),
    ("a)", 2, "')'"),
    ("()", 2, "')'"),
    ("(a) == 3", 5, "group"),
    ("a == (b)", 6, "'('"),
    ("a == [1]", 6, "'['"),
    ("[1] == a", 1, "'['"),
    ("a in 'abc'", 6, "list"),
    ("a in (1, 2)", 6, "list"),
    ("a in [user]", 7, "'user'"),
    ("a in [1 2]", 9, "','"),
    ("a in [1,]", 9, "']'"),
    ("a in [", 7, "the end"),
    ("a in [[1]]", 7, "'['"),
    ("a in in", 6, "'in'"),
    ("in == 1", 1, "'in'"),
    ("a == 'open", 6, "closed"),
    ("a == 'x\\q'", 8, "escape"),
    ("a == 1e999", 6, "large"),
    ("a == 1.", 7, "'.'"),
    ("a == .5", 6, "'.'"),
    ("a == 3x", 7, "'x'"),
    ("a.", 2, "'.'"),
    ("a == -b", 6, "'-'"),
    ("a ; b", 3, "';'"),
    ("__import__('os')", 11, "'('"),
    ("a == 1 # no", 8, "'#'"),
    ("a == \x00", 6, "\\x00"),
]


@pytest.mark.parametrize(("text", "column", "word"), REFUSED)
def test_a_rule_that_cannot_be_read_names_the_column_and_a_remedy(text: str, column: int, word: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse(text)
    assert isinstance(caught.value, PolicyError)
    assert caught.value.message.startswith(f"Column {column}: ")
    assert word in str(caught.value)
    assert caught.value.remedy
    _, shown, caret = caught.value.message.split("\n")
    assert caret == " " * (4 + column - 1) + "^"
    assert len(shown) >= 4


def test_the_caret_of_a_long_rule_stays_under_its_column() -> None:
    text = "scope == 'user' && " * 20 + "$ && " + "durable && " * 20 + "durable"
    with pytest.raises(RuleError) as caught:
        parse(text)
    head, shown, caret = caught.value.message.split("\n")
    assert head.startswith("Column 381: '$'")
    assert shown[caret.index("^")] == "$"
    assert len(shown) < 80


def test_rules_are_written_one_way() -> None:
    assert str(parse('((a))&&((b||!(c)))&&x=="it\'s"')) == "a && (b || !c) && x == 'it\\'s'"
    assert str(parse("a && b || (c && d)")) == "a && b || c && d"
    assert str(parse("(a && b) && c")) == "(a && b) && c"
    assert str(parse("x in [ 1,'a' ,null,true ]")) == "x in [1, 'a', null, true]"
    assert parse("a  ==  1") == parse("a==1")
    assert hash(parse("a  ==  1")) == hash(parse("a==1"))


def test_rules_that_differ_only_in_the_type_of_a_literal_are_different() -> None:
    assert len({parse("a == 1"), parse("a == true"), parse("a == '1'"), parse("a == 1.0")}) == 4


def test_names_are_told_once_in_order() -> None:
    assert parse("b == 1 && (a || !b) && meta.team in c && 3 < d").names == ("b", "a", "meta.team", "c", "d")
    assert parse("true").names == ()


def test_nesting_and_length_are_bounded() -> None:
    assert parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH).holds({"a": True})
    assert parse("!" * MAX_DEPTH + "a").holds({"a": True})
    for text in ("(" * 1000, "!" * 1999 + "a", "!(" * 900 + "a", "(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1)):
        with pytest.raises(RuleError, match="nested"):
            parse(text)
    with pytest.raises(RuleError, match="over 2000"):
        parse("a" * (MAX_CHARS + 1))
    with pytest.raises(RuleError, match="Written out"):
        parse("&&".join(["a==1"] * 333))  # short enough as it is, too long with spaces
    wide = parse(" || ".join(["a"] * 400))
    assert not wide.holds({}) and wide.holds({"a": True})


@pytest.mark.parametrize(
    "piece", ["(", "!", "[", "'", '"', "\\", "a.", "a&&", "1", "-", "a in [", "'\\'", "a==", "x in [1,", "||", " "]
)
def test_hostile_rules_take_linear_time(piece: str) -> None:
    def read(length: int) -> None:
        with contextlib.suppress(RuleError):
            parse((piece * length)[:length])

    assert is_linear(read, MAX_CHARS // 8, MAX_CHARS)
    assert is_linear(read, MAX_CHARS, 1_000_000)


# --- the properties ---

PIECES = st.sampled_from(
    [
        "a",
        "b",
        "meta.x",
        "true",
        "false",
        "null",
        "in",
        "and",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "&&",
        "||",
        "!",
        "(",
        ")",
        "[",
        "]",
        ",",
        "'",
        '"',
        "\\",
        "1",
        "-2",
        "0.5",
        "1e3",
        "'x'",
        '"y"',
        "=",
        "&",
        "|",
        ".",
        "é",
        "\n",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES).map("".join)))
def test_any_text_is_a_rule_or_a_rule_error(text: str) -> None:
    try:
        rule = parse(text)
    except RuleError as error:
        assert error.remedy
        return
    assert parse(str(rule)) == rule
    assert rule.holds(FACTS) in (True, False)


NAMES = st.one_of(
    st.sampled_from([*FACTS, "nobody", "meta.nobody"]),
    st.from_regex(r"[a-z_][a-z0-9_]{0,5}(\.[a-z0-9_]{1,4}){0,2}", fullmatch=True),
).filter(lambda name: name not in {"true", "false", "null", "in", "and", "or", "not", "is"})
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=10),
    st.sampled_from(["global", "task", "core", "a", 3, 2, 0.7, True]),
)
VALUES = PLAIN.map(Value)
OPERANDS = st.one_of(NAMES.map(Name), VALUES)
COMPARES = st.one_of(
    st.builds(Compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), OPERANDS, OPERANDS),
    st.builds(
        Compare,
        st.just("in"),
        OPERANDS,
        st.one_of(NAMES.map(Name), st.lists(PLAIN, max_size=4).map(lambda values: Value(tuple(values)))),
    ),
)
LEAVES = st.one_of(COMPARES, NAMES.map(Name), st.booleans().map(Value))
TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: Join("&&", tuple(parts))),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: Join("||", tuple(parts))),
    ),
    max_leaves=12,
)


@given(TREES.filter(lambda tree: len(str(tree)) <= MAX_CHARS))
@example(Compare("==", Name("a"), Value("\\'\n\r\t\"\x00\u2028é😀")))
@example(Compare("==", Name("a"), Value(-0.0)))
@example(Compare("==", Name("a"), Value(1e22)))
@settings(max_examples=200)
def test_every_tree_is_read_back_from_its_text(tree: Tree) -> None:
    rule = PolicyRule(tree)
    again = parse(str(rule))
    assert again == rule
    assert repr(again.tree) == repr(tree)  # repr tells 1 from 1.0 and from True


FAIL = "fail"


def oracle(tree: Tree, facts: Mapping[str, object]) -> bool | str:
    """A second opinion, written the long way: True, False or FAIL."""
    if isinstance(tree, Not):
        part = oracle(tree.part, facts)
        return part if part == FAIL else not part
    if isinstance(tree, Join):
        stop = tree.sign == "||"
        for part in tree.parts:
            said = oracle(part, facts)
            if said == FAIL or said is stop:
                return said
        return not stop
    if isinstance(tree, Compare):
        sides = []
        for side in (tree.left, tree.right):
            if isinstance(side, Name):
                if side.name not in facts:
                    return False
                sides.append(facts[side.name])
            else:
                sides.append(list(side.value) if isinstance(side.value, tuple) else side.value)
        return oracle_compare(tree.sign, *sides)
    value = facts.get(tree.name, False) if isinstance(tree, Name) else tree.value
    if isinstance(value, float) and value != value:
        return FAIL
    return bool(value) if value is None or isinstance(value, (bool, int, float, str, list)) else FAIL


def oracle_compare(sign: str, left: object, right: object) -> bool | str:
    def family(value: object) -> object:
        if isinstance(value, float) and value != value:
            return FAIL
        return {type(None): 0, bool: 1, int: 2, float: 2, str: 3}.get(type(value), FAIL)

    if sign == "in":
        if family(left) == FAIL or not isinstance(right, list):
            return FAIL
        return any(family(left) == family(item) and left == item for item in right)
    if FAIL in (family(left), family(right)):
        return FAIL
    if sign == "==":
        return family(left) == family(right) and left == right
    if sign == "!=":
        return not (family(left) == family(right) and left == right)
    if family(left) != family(right) or family(left) in (0, 1):
        return FAIL
    return bool({"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign](left, right))


FACT_MAPS = st.dictionaries(
    NAMES, st.one_of(PLAIN, st.lists(PLAIN, max_size=3), st.just(float("nan")), st.just(())), max_size=4
).map(lambda more: {**FACTS, **{name: [] if value == () else value for name, value in more.items()}})


@given(TREES, FACT_MAPS)
@settings(max_examples=200)
def test_a_rule_means_what_the_oracle_says(tree: Tree, facts: dict[str, object]) -> None:
    assert PolicyRule(tree).holds(facts) is (oracle(tree, facts) is True)

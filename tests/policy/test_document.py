"""Policy files: what is read, every problem with its line, hostile files, round trips, templates and differences."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError, PolicyError, RuleError
from aforesaid.policy.document import TEMPLATES, read_policy, template
from aforesaid.policy.enforcement import broken_invariants, visibility
from aforesaid.policy.patterns import compile_pattern
from aforesaid.policy.review import PolicyChange, diff, policy_warnings
from aforesaid.policy.rule_parser import parse
from aforesaid.policy.values import DETECTORS, ClassRule, Detector, Invariant, Observation, Pattern, Policy, ScopeLimits
from aforesaid.policy.write import digest, write_policy
from aforesaid.policy.yaml_tree import PolicyFileError, PolicyRuleError
from aforesaid.types import BOUNDARIES, SCOPES
from support.growth import is_linear

FULL = """\
version: "1.2.0"
name: team
scopes:
  session: {ttl_days: 30, max_tokens: 8000}
  principle: {ttl_days: 0.5}
boundary_classes:
  internal: {allow: ["*"], redact: []}
  pii:
    allow: ["answer:*", "tool:contact-*", compliance]
    redact: [email, phone]
    unredacted: [compliance]
  secret: {allow: []}
invariants:
  - name: no-global-tasks
    rule: "!(scope == 'global' && type == 'task')"
    on: [read, write]
  - name: sure
    rule: >
      confidence >= 0.5
      || kind == 'turn'
    on: [write]
redact:
  - detect: email
  - name: ticket
    pattern: 'INC-[0-9]{6}'
    replace: "[ticket]"
  - {name: plate, pattern: '[A-Z]{2}-[0-9]{4}'}
retrieval:
  default.alpha: 0.6
  search.limit: 8
audit: {retention_days: 365}
observation: {ttl_days: 7, mode: digest}
review: {global: 2, project: 1}
"""


@pytest.fixture(params=["C", "pure"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both parsers of PyYAML: in C, and in Python where that is missing."""
    if request.param == "pure":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    return str(request.param)


def refused(text: str) -> PolicyFileError:
    with pytest.raises(PolicyFileError) as caught:
        read_policy(text)
    return caught.value


@pytest.mark.usefixtures("loader")
def test_a_policy_that_says_everything() -> None:
    assert read_policy(FULL) == Policy(
        version="1.2.0",
        name="team",
        scopes={"session": ScopeLimits(30, 8000), "global": ScopeLimits(0.5)},
        classes={
            "internal": ClassRule(("*",)),
            "pii": ClassRule(("answer:*", "tool:contact-*", "compliance"), ("email", "phone"), ("compliance",)),
        },
        invariants=(
            Invariant("no-global-tasks", parse("!(scope == 'global' && type == 'task')"), ("write", "read")),
            Invariant("sure", parse("confidence >= 0.5 || kind == 'turn'"), ("write",)),
        ),
        redact=(
            Detector("email"),
            Pattern("ticket", "INC-[0-9]{6}", "[ticket]"),
            Pattern("plate", "[A-Z]{2}-[0-9]{4}", "[redacted:plate]"),
        ),
        retrieval={"search.limit": 8, "default.alpha": 0.6},
        audit_retention_days=365,
        observation=Observation(7, "digest"),
        review={"global": 2, "project": 1},
    )


def test_what_is_left_out_keeps_its_default() -> None:
    policy = read_policy('version: "1"\n')
    assert policy == Policy("1") == replace(Policy.default(), version="1")
    assert [visibility(policy, name, "anything") for name in BOUNDARIES] == ["allow", "allow", "allow", "deny"]
    assert policy.detectors == ("secret",) and policy.patterns == ()
    assert policy.review == {"session": 0, "user": 0, "project": 0, "global": 1}
    assert read_policy('version: "1"\nscopes:\n# session: {}\nredact:\ninvariants:\n') == policy
    assert read_policy('version: "1"\nredact: []\n').redact == ()
    assert read_policy('version: "1"\nboundary_classes: {pii: {redact: [ip]}}').classes["pii"] == ClassRule(
        ("*",), ("ip",)
    )


@pytest.mark.usefixtures("loader")
def test_words_mean_what_they_say() -> None:
    policy = read_policy("version: on\nname: 'no'\nboundary_classes: {pii: {allow: [yes, off, 'true', 2026-01-01]}}\n")
    assert (policy.version, policy.name) == ("on", "no")
    assert policy.classes["pii"].allow == ("yes", "off", "true", "2026-01-01")
    assert read_policy('\ufeffversion: "1"\r\nname: x\r\n') == Policy("1", "x")


PROBLEMS = [  # text, line, column, path, a part of the message
    ("version: 1.2", 1, 10, "version", "expected text, got 1.2. Put it in quotes."),
    ("version:", 1, None, "version", "got nothing"),
    ("version: ''", 1, 10, "version", "1 to 200 characters"),
    ("version: [a]", 1, 10, "version", "got a list"),
    ("name: x", 1, 1, "version", "every policy has a version"),
    ("- a", 1, 1, "", "a table of keys and values, got a list"),
    ("just text", 1, 1, "", "a table of keys and values, got 'just text'"),
    ("version: a\nscops: {}", 2, 1, "", "Did you mean 'scopes'?"),
    ("version: a\nzzz: {}", 2, 1, "", "Use one of: audit, boundary_classes"),
    ("version: a\nscopes: 3", 2, 9, "scopes", "a table of keys and values, got 3"),
    ("version: a\nscopes: {sesion: {}}", 2, 10, "scopes", "Did you mean 'session'?"),
    ("version: a\nscopes: {session: 3}", 2, 19, "scopes.session", "a table"),
    ("version: a\nscopes: {session: {ttl_days: 0}}", 2, 30, "scopes.session.ttl_days", "over 0"),
    ("version: a\nscopes: {session: {ttl_days: -3}}", 2, 30, "scopes.session.ttl_days", "got -3"),
    ("version: a\nscopes: {session: {ttl_days: 1e300}}", 2, 30, "scopes.session.ttl_days", "up to 1000000"),
    ("version: a\nscopes: {session: {ttl_days: .inf}}", 2, 30, "scopes.session.ttl_days", "got '.inf'"),
    ("version: a\nscopes: {session: {ttl_days: .nan}}", 2, 30, "scopes.session.ttl_days", "got '.nan'"),
    ("version: a\nscopes: {session: {ttl_days: true}}", 2, 30, "scopes.session.ttl_days", "got true"),
    ("version: a\nscopes: {session: {ttl_days: '3'}}", 2, 30, "scopes.session.ttl_days", "got '3'"),
    ("version: a\nscopes: {session: {max_tokens: 1.5}}", 2, 32, "scopes.session.max_tokens", "whole number from 0"),
    ("version: a\nscopes: {session: {max_tokens: -1}}", 2, 32, "scopes.session.max_tokens", "got -1"),
    ("version: a\nscopes: {global: {}, principle: {}}", 2, 22, "scopes", "another word for global"),
    (
        "version: a\nboundary_classes:\n  pii:\n    allow: 3",
        4,
        12,
        "boundary_classes.pii.allow",
        "a list of tags, got 3.",
    ),
    ("version: a\nboundary_classes: {pii: {allow: }}", 2, None, "boundary_classes.pii.allow", "got nothing"),
    (
        "version: a\nboundary_classes: {pii: {allow: [3]}}",
        2,
        34,
        "boundary_classes.pii.allow[0]",
        "expected a tag, got 3",
    ),
    ("version: a\nboundary_classes: {pii: {allow: ['']}}", 2, 34, "boundary_classes.pii.allow[0]", "a tag of 1 to"),
    ("version: a\nboundary_classes: {pii: {alow: []}}", 2, 26, "boundary_classes.pii", "Did you mean 'allow'?"),
    ("version: a\nboundary_classes: {top: {}}", 2, 20, "boundary_classes", "internal, pii, public, secret"),
    ("version: a\nboundary_classes: {pii: {redact: [emial]}}", 2, 35, "boundary_classes.pii.redact[0]", "'email'?"),
    ("version: a\nboundary_classes: {pii: {redact: email}}", 2, 34, "boundary_classes.pii.redact", "list of detectors"),
    ("version: a\ninvariants: {}", 2, 13, "invariants", "a list of invariants, got a table"),
    ("version: a\ninvariants: [x]", 2, 14, "invariants[0]", "a table"),
    ("version: a\ninvariants: [{rule: a}]", 2, 14, "invariants[0]", "name is missing"),
    ("version: a\ninvariants: [{name: a}]", 2, 14, "invariants[0]", "rule is missing"),
    ("version: a\ninvariants: [{name: a, rule: true}]", 2, 30, "invariants[0].rule", "Put it in quotes"),
    ("version: a\ninvariants: [{name: a, rule: a, on: [red]}]", 2, 38, "invariants[0].on[0]", "Did you mean 'read'?"),
    ("version: a\ninvariants: [{name: a, rule: a, on: []}]", 2, 37, "invariants[0].on", "switch the invariant off"),
    ("version: a\ninvariants: [{name: a, rule: a}, {name: a, rule: b}]", 2, 41, "invariants[1].name", "two invariants"),
    ("version: a\nredact: email", 2, 9, "redact", "a list of redactions"),
    ("version: a\nredact: [{}]", 2, 10, "redact[0]", "name is missing"),
    ("version: a\nredact: [{detect: mail}]", 2, 19, "redact[0].detect", "Did you mean 'email'?"),
    ("version: a\nredact: [{detect: ip, replace: x}]", 2, 23, "redact[0]", "unknown key 'replace'"),
    ("version: a\nredact: [{detect: ip}, {detect: ip}]", 2, 24, "redact[1]", "'ip' is here twice"),
    ("version: a\nredact: [{name: email, pattern: a}]", 2, 17, "redact[0].name", "no name of a built-in"),
    ("version: a\nredact: [{name: A b, pattern: a}]", 2, 17, "redact[0].name", "small letters"),
    ("version: a\nretrieval: {default.alpha: 3}", 2, 28, "retrieval.default.alpha", "outside 0 … 1"),
    ("version: a\nretrieval: {search.limit: 1.5}", 2, 27, "retrieval.search.limit", "outside 1 … 10000"),
    ("version: a\nretrieval: {search.limit: [1]}", 2, 27, "retrieval.search.limit", "one value, got a list"),
    ("version: a\nretrieval: {search.limit: }", 2, None, "retrieval.search.limit", "None, outside"),
    ("version: a\nretrieval: {defalt.alpha: 1}", 2, 27, "retrieval.defalt.alpha", "Did you mean 'default.alpha'?"),
    ("version: a\nretrieval: {default: {alpha: 1}}", 2, 22, "retrieval.default", "unknown setting 'default'"),
    ("version: a\nretrieval:\n  hybrid:\n    alpha: 3", 4, 12, "retrieval.hybrid.alpha", "outside 0 … 1"),
    ("version: a\nretrieval:\n  hybrid: {k_text: 3}", 3, 12, "retrieval.hybrid", "Did you mean 'k_txt'?"),
    ("version: a\nretrieval:\n  hybrid: {k_txt: -1}", 3, 19, "retrieval.hybrid.k_txt", "outside 0 … 100000"),
    ("version: a\nretrieval:\n  rerank: 3", 3, 11, "retrieval.rerank", "a table of keys and values"),
    (
        "version: a\nretrieval:\n  pce.alpha: 0.5\n  hybrid: {alpha: 0.5}",
        4,
        19,
        "retrieval.hybrid.alpha",
        "a second time",
    ),
    ("version: a\nretrieval: {assemble.hard: 0.9}", 2, 12, "retrieval", "over 1"),
    ("version: a\naudit: 3", 2, 8, "audit", "a table"),
    ("version: a\naudit: {retention_days: 0}", 2, 25, "audit.retention_days", "over 0"),
    ("version: a\nobservation: {mode: rew}", 2, 21, "observation.mode", "Did you mean 'raw'?"),
    ("version: a\nreview: {global: 1.5}", 2, 18, "review.global", "whole number from 0 to 100"),
    ("version: a\nreview: {team: 1}", 2, 10, "review", "unknown key 'team'"),
    ("version: a\nname: x\nversion: b", 3, 1, "version", "twice; the first is on line 1"),
    ("version: a\nscopes: {user: {}, user: {}}", 2, 20, "scopes.user", "twice"),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(("text", "line", "column", "path", "part"), PROBLEMS)
def test_a_problem_is_told_with_its_line(text: str, line: int, column: int | None, path: str, part: str) -> None:
    error = refused(text)
    problem = next(problem for problem in error.problems if part in problem.message)
    assert (problem.line, problem.path) == (line, path)
    assert column is None or problem.column == column
    assert f"policy.yaml:{line}: " in error.message
    assert "the active policy stays" in error.remedy
    assert not isinstance(error, RuleError)


def test_the_message_reads_as_a_sentence() -> None:
    error = refused("version: a\nboundary_classes:\n  pii:\n    allow: 3\n")
    assert error.message == "policy.yaml:4: boundary_classes.pii.allow: expected a list of tags, got 3."
    with pytest.raises(PolicyError, match=r"^team\.yaml:1: version: every policy has a version"):
        read_policy("name: x", "team.yaml")


RULE_PROBLEMS = [
    ("version: a\ninvariants:\n  - name: a\n    rule: a = 3\n", 4, "invariants[0].rule", "Write == to compare."),
    ("version: a\ninvariants:\n  - {name: a, rule: '" + "(" * 99 + "'}", 3, "invariants[0].rule", "nested over 50"),
    ("version: a\nredact:\n  - {name: a, pattern: '(a'}", 3, "redact[0].pattern", "missing )"),
    ("version: a\nredact:\n  - {name: a, pattern: '(?=a)'}", 3, "redact[0].pattern", "Look-around"),
    ("version: a\nredact:\n  - {name: a, pattern: '(a)\\1'}", 3, "redact[0].pattern", "back-references"),
    ("version: a\nredact:\n  - {name: a, pattern: '((a{1000}){1000}){1000}'}", 3, "redact[0].pattern", "repetition"),
    ("version: a\nredact:\n  - {name: a, pattern: 'x*'}", 3, "redact[0].pattern", "empty text"),
    ("version: a\nredact:\n  - {name: a, pattern: '\\b'}", 3, "redact[0].pattern", "empty text"),
    ("version: a\nredact:\n  - {name: a, pattern: '^|x'}", 3, "redact[0].pattern", "empty text"),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(("text", "line", "path", "part"), RULE_PROBLEMS)
def test_a_bad_rule_or_pattern_is_a_rule_error_with_its_line(text: str, line: int, path: str, part: str) -> None:
    error = refused(text)
    assert isinstance(error, PolicyRuleError) and isinstance(error, RuleError)
    (problem,) = error.problems
    assert (problem.line, problem.path, problem.rule) == (line, path, True)
    assert part in problem.message


@pytest.mark.usefixtures("loader")
def test_all_problems_come_in_one_error_in_the_order_of_the_file() -> None:
    text = "version: 1\nname: [x]\naudit: 3\nreview: {global: x}\nredact: 1\nscopes: 1\ninvariants: [{name: a, rule: '='}]\n"
    error = refused(text)
    assert [problem.line for problem in error.problems] == [1, 2, 3, 4, 5, 6, 7]
    assert isinstance(error, RuleError)
    assert error.message.count("policy.yaml:") == 5 and "… and 2 more." in error.message


HOSTILE = [  # text, line, a part of the message
    ("version: a\nname: &x b\nscopes: *x", 2, "anchor &x"),
    ("version: a\nname: *x", 2, "alias *x"),
    ("version: a\nname: !!python/object/apply:os.system ['true']", 2, "tag 'tag:yaml.org,2002:python/object/apply"),
    ("version: !!str 1", 1, "tag"),
    ("version: !x 1", 1, "tag '!x'"),
    ("version: ! 1", 1, "tag"),
    ("version: a\nscopes:\n  <<: {session: {}}", 3, "merge key"),
    ("version: a\n1: b", 2, "a key must be text"),
    ("version: a\n? [a]\n: b", 2, "a key must be text"),
    ("version: a\nnull: b", 2, "a key must be text"),
    ("version: a\n---\nversion: b", 2, "second document"),
    ("version: a\nname: [", None, "not YAML"),
    ("version: a\n\tname: b", None, "not YAML"),
    ("version: a: b", 1, "not YAML"),
    ("version: 'a", None, "not YAML"),
    ("version: a\nname: \x00", 2, "'\\x00'"),
    ("version: a\nname: é\x1b", 2, "'\\x1b'"),
    ("version: a\nname: \ud800", 2, "'\\ud800'"),
    ('version: a\nname: "\\ud800"', 2, ""),
    ("", 1, "empty"),
    ("# nothing\n", 1, "empty"),
    ("---\n", 2, "got nothing"),
    ("version: a\nname: " + "[" * 9 + "]" * 9, 2, "nested over 8"),
    ("[" * 200_000, 1, "nested over 8"),
    ("{a: " * 60_000, 1, "nested over 8"),
    ("- " * 100_000, 1, "nested over 8"),
    ("version: a\n" + "#" * (256 * 1024), 1, "over 256 kB"),
    ("version: " + "é" * (130 * 1024), 1, "over 256 kB"),
    ("%YAML 9.9\n---\nversion: a", 1, "not YAML"),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(("text", "line", "part"), HOSTILE)
def test_hostile_files_are_refused(text: str, line: int | None, part: str) -> None:
    error = refused(text)
    assert part in error.message
    assert line is None or error.problems[-1].line == line
    assert len(str(error)) < 2000


@pytest.mark.parametrize(
    ("text", "large"),
    [
        (lambda count: "".join(f"key{number}: {{}}\n" for number in range(count)), 15_000),
        (lambda count: "retrieval: {" + ", ".join(f"serch.limt{number}: 1" for number in range(count)) + "}", 10_000),
        (lambda count: "name: x\n" * count, 30_000),
        (lambda count: "k" * count + ": 1", 200_000),
        (lambda count: "redact:\n" + "- {name: a, pattern: '(((('}\n" * count, 7_000),
        (lambda count: "boundary_classes: {pii: {redact: [" + "emial, " * count + "]}}", 30_000),
    ],
)
def test_a_file_full_of_problems_stops_early(text: Callable[[int], str], large: int, loader: str) -> None:
    error = refused("version: a\n" + text(large if loader == "C" else large // 8))
    assert 1 <= len(error.problems) <= 50
    assert len(str(error)) < 3000
    assert is_linear(lambda count: refused("version: a\n" + text(count)), large // 64, large // 8)


def test_patterns_run_in_linear_time_and_replace_word_for_word() -> None:
    pattern = compile_pattern("(a+)+b")
    assert pattern.search("a" * 1_000_000) is None
    assert is_linear(lambda length: pattern.search("a" * length), 100_000, 800_000)
    assert compile_pattern("INC-[0-9]{6}").findall("INC-123456 INC-1") == ["INC-123456"]
    with pytest.raises(RuleError, match="over 1000"):
        compile_pattern("a" * 1001)


# --- written and read again ---

WORDS = (
    st.text(min_size=1, max_size=12)
    .filter(str.strip)
    .filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text))
)
NASTY = st.sampled_from(["on", "null", "~", "1e5", "1.0", "0x1", "a: b", "# x", "- x", "<<", "é\u2028\x85\ufeff\x7f", "'", '"', "\\", "{", "*a", "&a", "!x", "%", "@", "😀", "a\nb", " a ", "true", ".inf", "1_000", "2026-01-01", "\x01\t"])  # fmt: skip
TEXTS = st.one_of(WORDS, NASTY)
TAGS = st.lists(TEXTS, max_size=4, unique=True).map(tuple)
DAYS = st.one_of(st.none(), st.integers(1, 10**6).map(float), st.floats(1e-300, 10**6))
SOME_DETECTORS = st.lists(st.sampled_from(sorted(DETECTORS)), max_size=4, unique=True)
RULES = st.sampled_from(
    ["a", "!(scope == 'glo\"bal' && type == 'task')", "x in ['é\\n', 1.5, null]", "tainted || b < -3"]
).map(parse)
NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True).filter(lambda name: name not in DETECTORS)
PATTERNS = st.builds(
    Pattern, NAMES, st.sampled_from(["a", "'\"\\\\x", "INC-[0-9]{6}", "\\bé\\b", "null", "# x"]), TEXTS | st.just("")
)
REDACTS = st.lists(
    st.sampled_from(sorted(DETECTORS)).map(Detector) | PATTERNS, max_size=4, unique_by=lambda rule: rule.name
)
INVARIANTS = st.lists(
    st.builds(Invariant, TEXTS, RULES, st.sampled_from([("write",), ("read",), ("write", "read")])),
    max_size=3,
    unique_by=lambda invariant: invariant.name,
)
POLICIES = st.builds(
    Policy,
    version=TEXTS,
    name=st.none() | TEXTS,
    scopes=st.dictionaries(st.sampled_from(SCOPES), st.builds(ScopeLimits, DAYS, st.none() | st.integers(0, 10**7))),
    classes=st.dictionaries(
        st.sampled_from(BOUNDARIES), st.builds(ClassRule, TAGS, SOME_DETECTORS.map(tuple), TAGS)
    ),
    invariants=INVARIANTS.map(tuple),
    redact=REDACTS.map(tuple),
    retrieval=st.fixed_dictionaries(
        {},
        optional={
            "default.alpha": st.floats(0, 1),
            "search.limit": st.integers(1, 10_000),
            "pce.use_quality": st.booleans(),
            "embed.model": st.text(max_size=5).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)),
        },
    ),
    audit_retention_days=DAYS,
    observation=st.builds(Observation, DAYS, st.sampled_from(["raw", "redact", "digest"])),
    review=st.dictionaries(st.sampled_from(SCOPES), st.integers(0, 100)),
)  # fmt: skip


@pytest.mark.usefixtures("loader")
@given(POLICIES)
def test_a_policy_is_read_back_from_its_text(policy: Policy) -> None:
    text = write_policy(policy)
    again = read_policy(text)
    assert again == policy
    assert write_policy(again) == text
    assert digest(again) == digest(policy)
    assert diff(policy, again) == ()


@given(POLICIES, POLICIES)
def test_there_is_a_difference_exactly_where_policies_differ(old: Policy, new: Policy) -> None:
    changes = diff(old, new)
    assert bool(changes) == (old != new) == (digest(old) != digest(new))
    back = {change.path: (change.after, change.before) for change in diff(new, old)}
    assert {change.path: (change.before, change.after) for change in changes} == back


@pytest.mark.usefixtures("loader")
@given(st.text(max_size=300))
def test_any_text_is_a_policy_or_a_policy_error(text: str) -> None:
    try:
        read_policy(text)
    except PolicyFileError as error:
        assert error.problems and all(problem.line >= 1 and problem.column >= 1 for problem in error.problems)


@pytest.mark.usefixtures("loader")
@given(st.data())
def test_a_damaged_policy_is_a_policy_or_a_policy_error(data: st.DataObject) -> None:
    at, length = data.draw(st.integers(0, len(FULL))), data.draw(st.integers(0, 30))
    piece = data.draw(
        st.sampled_from(
            ["", "\n", ": ", "- ", "[", "}", "'", '"', "*a", "&a ", "!!x ", "<<", "\t", "?", "1", "é", "|\n", "#"]
        )
    )
    try:
        read_policy(FULL[:at] + piece + FULL[at + length :])
    except PolicyFileError as error:
        assert error.problems


def test_the_digest_is_that_of_the_meaning_not_of_the_layout() -> None:
    policy = read_policy(FULL)
    assert digest(policy) == digest(read_policy("# a comment\n" + FULL.replace("principle", "global")))
    assert digest(policy) != digest(replace(policy, version="1.2.1"))
    assert len(digest(policy)) == 64
    assert digest(Policy("1", retrieval={"b": 1, "a": 2})) == digest(Policy("1", retrieval={"a": 2, "b": 1}))


def test_a_difference_names_paths_and_both_values() -> None:
    old = read_policy(FULL)
    pii = replace(old.classes["pii"], allow=("answer:*",))
    new = replace(
        old,
        version="1.3.0",
        scopes={**old.scopes, "session": ScopeLimits(None, 8000)},
        classes={**old.classes, "pii": pii},
        invariants=(replace(old.invariants[0], rule=parse("scope != 'global'")), old.invariants[1]),
        redact=(*old.redact[1:], old.redact[0]),
        retrieval={"search.limit": 8},
        observation=Observation(7, "raw"),
    )
    assert diff(old, new) == (
        PolicyChange("version", "1.2.0", "1.3.0"),
        PolicyChange("scopes.session.ttl_days", 30, None),
        PolicyChange("boundary_classes.pii.allow", ("answer:*", "tool:contact-*", "compliance"), ("answer:*",)),
        PolicyChange("invariants.no-global-tasks.rule", "!(scope == 'global' && type == 'task')", "scope != 'global'"),
        PolicyChange("redact", ("email", "ticket", "plate"), ("ticket", "plate", "email")),
        PolicyChange("retrieval.default.alpha", 0.6, None),
        PolicyChange("observation.mode", "digest", "raw"),
    )


def test_warnings_name_likely_mistakes() -> None:
    policy = Policy(
        "1",
        scopes={"session": ScopeLimits(400, 100), "global": ScopeLimits(365, 200)},
        classes={"secret": ClassRule(("audit",))},
        invariants=(Invariant("x", parse("!(tanted && meta.team == 'a' && durable)")),),
    )
    first, second, third = policy_warnings(policy)
    assert "'tanted'" in first and "Did you mean 'tainted'?" in first
    assert second == "scopes.session.ttl_days is 400, but a slower scope allows 365, which applies."
    assert third == "boundary class secret is open to audit."
    assert policy_warnings(Policy.default()) == ()


# --- the shipped policies ---


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_are_valid_commented_and_without_warning(name: str) -> None:
    text = template(name)
    policy = read_policy(text, f"{name}.yaml")
    assert policy.name == name
    assert policy_warnings(policy) == ()
    assert read_policy(write_policy(policy)) == policy
    assert text.count("#") >= 8
    assert "secret" in policy.detectors
    assert visibility(policy, "secret", "answer") == visibility(policy, "secret", "compliance:audit") == "deny"


def test_templates_differ_as_they_say() -> None:
    solo, team, organisation = (read_policy(template(name)) for name in TEMPLATES)
    shown = {
        purpose: [visibility(policy, "pii", purpose) for policy in (solo, team, organisation)]
        for purpose in ("answer", "answer:task", "tool:contact-mail", "tool:web", "compliance:audit")
    }
    assert shown == {
        "answer": ["allow", "redact", "redact"],
        "answer:task": ["allow", "redact", "redact"],
        "tool:contact-mail": ["allow", "redact", "deny"],
        "tool:web": ["allow", "deny", "deny"],
        "compliance:audit": ["allow", "deny", "allow"],
    }
    assert [policy.review["global"] for policy in (solo, team, organisation)] == [0, 1, 2]
    tainted = {"scope": "session", "tainted": True, "durable": True, "boundary": "public"}
    assert [bool(broken_invariants(policy, tainted, "write")) for policy in (solo, team, organisation)] == [
        False,
        False,
        True,
    ]
    assert not broken_invariants(organisation, tainted, "read")
    task = {"scope": "global", "type": "task", "boundary": "public"}
    assert [broken_invariants(policy, task, "write") for policy in (solo, team, organisation)] == [
        (), ("no-global-tasks",), ("global-is-knowledge",),
    ]  # fmt: skip
    assert [policy.scopes["session"].ttl_days for policy in (solo, team, organisation)] == [None, 180, 30]
    assert organisation.audit_retention_days == 2555


def test_an_unknown_template_is_refused() -> None:
    with pytest.raises(InputError, match="Use one of: solo, team, organisation"):
        template("../document")


def test_enforcing_a_policy_needs_no_parser() -> None:
    heavy = "('yaml', 're2', 'difflib', 'aforesaid.policy.document')"
    code = f"import sys, aforesaid.policy.repository; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

"""Reads a policy file: YAML in, a frozen `Policy` out, or one error that lists every problem with its line.

    version: "1.2.0"                # text, in quotes; required
    name: team                      # optional
    scopes:                         # any of session, user, project, global (`principle` is another word for global)
      session: {ttl_days: 30, max_tokens: 8000}   # days until records expire; most tokens in one context
    boundary_classes:               # public < internal < pii < secret; a missing class or key keeps its default
      internal: {allow: ["*"]}      # globs of the purposes that may see it
      pii:
        allow: ["answer:*", "tool:contact-*", "compliance:*"]
        redact: [email, phone]      # hidden from these purposes,
        unredacted: ["compliance:*"]  # except from these
      secret: {allow: []}
    invariants:                     # each must hold, or the action is denied
      - name: no-global-tasks
        rule: "!(scope == 'global' && type == 'task')"
        on: [write, read]           # default: both
    redact:                         # before anything is embedded, stored or sent; default: the detector `secret`
      - detect: email               # a built-in detector
      - name: ticket                # or your own pattern, in RE2 syntax
        pattern: 'INC-[0-9]{6}'
        replace: "[ticket]"         # default: [redacted:ticket]
    retrieval:                      # settings of aforesaid by their full names
      default.alpha: 0.6
    audit: {retention_days: 365}    # default: forever
    observation: {ttl_days: 30, mode: redact}     # raw | redact | digest
    review: {global: 1, project: 0}               # reviewers needed to promote into a scope

An empty section counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from aforesaid.errors import RuleError, SettingsError
from aforesaid.policy import values as v
from aforesaid.policy.patterns import MAX_CHARS as MAX_PATTERN
from aforesaid.policy.patterns import compile_pattern
from aforesaid.policy.problems import MAX_WORD, Problems, quoted, suggestion
from aforesaid.policy.rule_parser import MAX_CHARS as MAX_RULE
from aforesaid.policy.rule_parser import parse
from aforesaid.policy.yaml_tree import Leaf, ListNode, Node, Spot, Table, read_tree
from aforesaid.settings import Settings, checked
from aforesaid.types import BOUNDARIES, SCOPES, Boundary, Scope

SCOPE_WORDS: Mapping[str, Scope] = {**{scope: scope for scope in SCOPES}, "principle": "global"}
MAX_TEXT = 200  # characters of a name, a tag or a version
MAX_DAYS = 1_000_000  # the same limit as in the settings
MAX_REVIEWERS = 100
MAX_TOKENS = 10_000_000  # the largest token budget
PATTERN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
SHARES = "assemble."  # shares of one budget: they are checked together

Word = TypeVar("Word", bound=str)
Parsed = TypeVar("Parsed")


def read_policy(text: str, source: str = "policy.yaml", detectors: Collection[str] = v.DETECTORS) -> v.Policy:
    """Read a policy. Raises PolicyFileError with all problems (PolicyRuleError if a rule or pattern is among them)."""
    problems = Problems(source)
    policy = _PolicyReader(problems, frozenset(detectors)).policy(read_tree(text, problems))
    problems.check()
    return policy


class _NodeReader:
    """Reads nodes as values, one method per type. Each returns the value, or records a problem and returns None.

    A node that is None is missing from the file: no problem and no value.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def table(self, node: Node | None, path: str, keys: Collection[str] | None) -> Mapping[str, Node]:
        """The entries of a table; unknown keys are problems, unless `keys` is None."""
        if node is None:
            return {}
        if not isinstance(node, Table):
            self.wrong(node, path, "a table of keys and values")
            return {}
        if keys is None:
            return node.entries
        for key in (key for key in node.entries if key not in keys):
            self.problems.add(node.keys[key], path, f"unknown key {quoted(key)}. {suggestion(key, keys)}")
        return {key: value for key, value in node.entries.items() if key in keys}

    def items(self, node: Node | None, path: str, what: str) -> Iterator[tuple[Node, str]]:
        """Each item of a list with its path."""
        if isinstance(node, ListNode):
            yield from ((item, f"{path}[{index}]") for index, item in enumerate(node.items))
        elif node is not None:
            self.wrong(node, path, f"a list of {what}")

    def text(self, node: Node | None, path: str, what: str = "text", limit: int = MAX_TEXT) -> str | None:
        """A text that is not empty."""
        if node is None:
            return None
        if not isinstance(node, Leaf) or not isinstance(node.value, str):
            unquoted = isinstance(node, Leaf) and node.value is not None
            self.wrong(node, path, what, " Put it in quotes." if unquoted else "")
            return None
        if not node.value.strip() or len(node.value) > limit:
            self.problems.add(node, path, f"expected {what} of 1 to {limit} characters, got {quoted(node.value)}.")
            return None
        return node.value

    def choice(self, node: Node | None, path: str, choices: Collection[Word], what: str) -> Word | None:
        """One of the given words."""
        word = self.text(node, path, what)
        if node is None or word is None:
            return None
        for known in choices:
            if word == known:
                return known
        self.problems.add(node, path, f"unknown {what} {quoted(word)}. {suggestion(word, choices)}")
        return None

    def choices(self, node: Node | None, path: str, choices: Collection[Word], what: str) -> tuple[Word, ...]:
        """A list of such words, each once."""
        found = [self.choice(item, place, choices, what) for item, place in self.items(node, path, f"{what}s")]
        return tuple(dict.fromkeys(word for word in found if word is not None))

    def days(self, node: Node | None, path: str) -> float | None:
        """A number of days, more than 0."""
        what = f"a number of days over 0 and up to {MAX_DAYS}"
        return self.number(node, path, what, lambda days: 0 < days <= MAX_DAYS)

    def whole(self, node: Node | None, path: str, high: int) -> int | None:
        """A whole number in [0, high]."""
        what = f"a whole number from 0 to {high}"
        value = self.number(node, path, what, lambda value: value.is_integer() and 0 <= value <= high)
        return None if value is None else int(value)

    def number(self, node: Node | None, path: str, what: str, fits: Callable[[float], bool]) -> float | None:
        """A number that fits; true and false are not numbers."""
        if node is None:
            return None
        value = node.value if isinstance(node, Leaf) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and fits(float(value)):
            return float(value)
        self.wrong(node, path, what)
        return None

    def wrong(self, node: Node, path: str, expected: str, remedy: str = "") -> None:
        """Record that something else was expected here."""
        self.problems.add(node, path, f"expected {expected}, got {_shown(node)}.{remedy}")


def _shown(node: Node) -> str:
    """A node as an error shows it."""
    if not isinstance(node, Leaf):
        return "a list" if isinstance(node, ListNode) else "a table"
    if isinstance(node.value, str):
        return quoted(node.value)
    return "nothing" if node.value is None else str(node.value).lower()


class _PolicyReader(_NodeReader):
    """Reads a policy, one method per section. A wrong value counts as missing, since the file is refused anyway."""

    def __init__(self, problems: Problems, detectors: frozenset[str]) -> None:
        super().__init__(problems)
        self.detectors = detectors

    def policy(self, root: Node) -> v.Policy:
        rows = self.table(root, "", v.SECTIONS)
        if isinstance(root, Table) and "version" not in rows:
            self.problems.add(root, "version", 'every policy has a version, as in version: "1.0.0".')
        version = self.text(rows.get("version"), "version")
        rows = {key: node for key, node in rows.items() if not (isinstance(node, Leaf) and node.value is None)}
        audit = self.table(rows.get("audit"), "audit", ("retention_days",))
        return v.Policy(
            version=version or "",
            name=self.text(rows.get("name"), "name"),
            scopes=self.scopes(rows.get("scopes")),
            classes=self.classes(rows.get("boundary_classes")),
            invariants=tuple(self.invariants(rows.get("invariants"))),
            redact=tuple(self.redactions(rows["redact"])) if "redact" in rows else v.DEFAULT_REDACT,
            retrieval=self.retrieval(rows.get("retrieval")),
            audit_retention_days=self.days(audit.get("retention_days"), "audit.retention_days"),
            observation=self.observation(rows.get("observation")),
            review={
                scope: self.whole(row, path, MAX_REVIEWERS) or 0
                for scope, row, path in self.by_scope(rows.get("review"), "review")
            },
        )

    def by_scope(self, node: Node | None, path: str) -> Iterator[tuple[Scope, Node, str]]:
        """The entries of a table whose keys are scopes."""
        rows = self.table(node, path, SCOPE_WORDS)
        if "principle" in rows and "global" in rows:
            self.problems.add(rows["principle"], path, "principle is another word for global; keep one of them.")
        for word, row in rows.items():
            yield SCOPE_WORDS[word], row, f"{path}.{word}"

    def scopes(self, node: Node | None) -> dict[Scope, v.ScopeLimits]:
        limits: dict[Scope, v.ScopeLimits] = {}
        for scope, row, path in self.by_scope(node, "scopes"):
            given = self.table(row, path, ("ttl_days", "max_tokens"))
            days = self.days(given.get("ttl_days"), f"{path}.ttl_days")
            limits[scope] = v.ScopeLimits(days, self.whole(given.get("max_tokens"), f"{path}.max_tokens", MAX_TOKENS))
        return limits

    def classes(self, node: Node | None) -> dict[Boundary, v.ClassRule]:
        rows = self.table(node, "boundary_classes", BOUNDARIES)
        return {name: self.class_rule(name, rows.get(name)) for name in BOUNDARIES}

    def class_rule(self, name: Boundary, node: Node | None) -> v.ClassRule:
        path = f"boundary_classes.{name}"
        rows = self.table(node, path, ("allow", "redact", "unredacted"))
        allow = self.tags(rows["allow"], f"{path}.allow") if "allow" in rows else v.DEFAULT_CLASSES[name].allow
        redact = self.choices(rows.get("redact"), f"{path}.redact", self.detectors, "detector")
        return v.ClassRule(allow, redact, self.tags(rows.get("unredacted"), f"{path}.unredacted"))

    def tags(self, node: Node | None, path: str) -> tuple[str, ...]:
        found = [self.text(item, place, "a tag") for item, place in self.items(node, path, "tags")]
        return tuple(dict.fromkeys(tag for tag in found if tag is not None))

    def invariants(self, node: Node | None) -> Iterator[v.Invariant]:
        seen: set[str] = set()
        for item, path in self.items(node, "invariants", "invariants"):
            rows = self.required(item, path, ("name", "rule", "on"), ("name", "rule"))
            name = self.text(rows.get("name"), f"{path}.name")
            if name is not None and name in seen:
                self.problems.add(rows["name"], f"{path}.name", f"{quoted(name)} is the name of two invariants.")
            seen.add(name or "")
            on = self.actions(rows.get("on"), f"{path}.on")
            if (rule := self.parsed(rows.get("rule"), f"{path}.rule", "a rule", MAX_RULE, parse)) is not None:
                yield v.Invariant(name or "", rule[1], on)

    def actions(self, node: Node | None, path: str) -> tuple[v.Action, ...]:
        chosen = self.choices(node, path, v.ACTIONS, "action")
        if isinstance(node, ListNode) and not node.items:
            self.problems.add(node, path, "an empty list would switch the invariant off; remove it instead.")
        return tuple(action for action in v.ACTIONS if node is None or action in chosen)

    def parsed(
        self, node: Node | None, path: str, what: str, limit: int, parser: Callable[[str], Parsed]
    ) -> tuple[str, Parsed] | None:
        """A text and what the parser makes of it; a RuleError of the parser is a problem."""
        text = self.text(node, path, what, limit)
        if node is None or text is None:
            return None
        try:
            return text, parser(text)
        except RuleError as error:
            self.problems.add(node, path, str(error), rule=True)
            return None

    def redactions(self, node: Node) -> Iterator[v.Detector | v.Pattern]:
        seen: set[str] = set()
        for item, path in self.items(node, "redact", "redactions"):
            built_in = isinstance(item, Table) and "detect" in item.entries
            found = self.detector(item, path) if built_in else self.pattern(item, path)
            if found is not None:
                if found.name in seen:
                    self.problems.add(item, path, f"{found.name!r} is here twice.")
                seen.add(found.name)
                yield found

    def detector(self, item: Node, path: str) -> v.Detector | None:
        rows = self.table(item, path, ("detect",))
        name = self.choice(rows["detect"], f"{path}.detect", self.detectors, "detector")
        return None if name is None else v.Detector(name)

    def pattern(self, item: Node, path: str) -> v.Pattern | None:
        rows = self.required(item, path, ("name", "pattern", "replace", "detect"), ("name", "pattern"))
        name = self.text(rows.get("name"), f"{path}.name")
        if name is not None and (not PATTERN_NAME.fullmatch(name) or name in self.detectors):
            remedy = "Use small letters, digits and hyphens, and no name of a built-in detector."
            self.problems.add(rows["name"], f"{path}.name", f"{quoted(name)} cannot name a pattern. {remedy}")
        pattern = self.parsed(rows.get("pattern"), f"{path}.pattern", "a pattern", MAX_PATTERN, compile_pattern)
        node = rows.get("replace")
        empty = isinstance(node, Leaf) and node.value == ""  # the replacement is the one text that may be empty
        replacement = "" if empty else self.text(node, f"{path}.replace")
        if name is None or pattern is None:
            return None
        return v.Pattern(name, pattern[0], f"[redacted:{name}]" if replacement is None else replacement)

    def required(self, item: Node, path: str, keys: Collection[str], needed: Collection[str]) -> Mapping[str, Node]:
        """The entries of a table; a missing key of `needed` is a problem."""
        rows = self.table(item, path, keys)
        for key in needed:
            if isinstance(item, Table) and key not in rows:
                self.problems.add(item, path, f"{key} is missing.")
        return rows

    def retrieval(self, node: Node | None) -> dict[str, v.Setting]:
        known = [setting.name for setting in Settings().rows()]
        found = {name: self.setting(name, row, known) for name, row in self.table(node, "retrieval", None).items()}
        chosen = {name: value for name, value in found.items() if value is not None}
        shares = {name.removeprefix(SHARES): value for name, value in chosen.items() if name.startswith(SHARES)}
        try:
            Settings(assemble=replace(Settings().assemble, **shares))  # type: ignore[arg-type]  # each is checked above
        except SettingsError as error:
            self.problems.add(node or Spot(1, 1), "retrieval", str(error))
        return chosen

    def setting(self, name: str, row: Node, known: Collection[str]) -> v.Setting | None:
        path = f"retrieval.{name[:MAX_WORD]}"
        if name not in known:
            self.problems.add(row, path, f"unknown setting {quoted(name)}. {suggestion(name, known)}")
        elif not isinstance(row, Leaf):
            self.wrong(row, path, "one value")
        else:
            try:
                return checked(name, row.value, self.problems.source)
            except SettingsError as error:
                self.problems.add(row, path, str(error))
        return None

    def observation(self, node: Node | None) -> v.Observation:
        rows = self.table(node, "observation", ("ttl_days", "mode"))
        days = self.days(rows.get("ttl_days"), "observation.ttl_days")
        mode = self.choice(rows.get("mode"), "observation.mode", v.OBSERVATION_MODES, "mode")
        return v.Observation(days, mode or v.Observation().mode)

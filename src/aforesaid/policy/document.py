"""A policy file read: YAML in, a frozen `Policy` out, or one error that names every problem with its line.

    version: "1.2.0"                # text, in quotes; required
    name: team                      # optional
    scopes:                         # any of session, user, project, global (`principle` is another word for global)
      session: {ttl_days: 30, max_tokens: 8000}   # how long it lives; how many of its tokens go into one context
    boundary_classes:               # public < internal < pii < secret; a class or key left out keeps its default
      internal: {allow: ["*"]}      # tags of purposes that may see it, as globs
      pii:
        allow: ["answer:*", "tool:contact-*", "compliance:*"]
        redact: [email, phone]      # hidden in what they are shown,
        unredacted: ["compliance:*"]  # except from these
      secret: {allow: []}
    invariants:                     # each must hold, or the action is denied
      - name: no-global-tasks
        rule: "!(scope == 'global' && type == 'task')"
        on: [write, read]           # left out: both
    redact:                         # before anything is embedded, stored or sent; left out: the detector `secret`
      - detect: email               # a built-in detector
      - name: ticket                # or a pattern of your own, in RE2 syntax
        pattern: 'INC-[0-9]{6}'
        replace: "[ticket]"         # left out: [redacted:ticket]
    retrieval:                      # settings of aforesaid by their full names
      default.alpha: 0.6
    audit: {retention_days: 365}    # left out: for ever
    observation: {ttl_days: 30, mode: redact}     # raw | redact | digest
    review: {global: 1, project: 0}               # reviewers needed to promote into a scope

A section with nothing under it counts as left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from aforesaid.errors import RuleError, SettingsError
from aforesaid.policy import values as v
from aforesaid.policy.checks import Checks
from aforesaid.policy.nodes import Leaf, ListNode, Node, Spot, Table
from aforesaid.policy.patterns import MAX_CHARS as MAX_PATTERN
from aforesaid.policy.patterns import compile_pattern
from aforesaid.policy.problems import MAX_WORD, Problems, shortened, suggestion
from aforesaid.policy.rules import MAX_CHARS as MAX_RULE
from aforesaid.policy.rules import PolicyRule, parse
from aforesaid.settings import Settings, checked
from aforesaid.types import BOUNDARIES, SCOPES, Boundary, Scope

SCOPE_WORDS: Mapping[str, Scope] = {**{scope: scope for scope in SCOPES}, "principle": "global"}
MAX_REVIEWERS = 100
MAX_TOKENS = 10_000_000  # as far as a budget goes
PATTERN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
SHARES = "assemble."  # shares of one budget: they are checked together


def read_policy(text: str, source: str = "policy.yaml", detectors: Collection[str] = v.DETECTORS) -> v.Policy:
    """Read a policy; raises PolicyFileError (PolicyRuleError if a rule or pattern is among them) with all problems."""
    from aforesaid.policy.yaml_lines import read_tree  # and with it a YAML parser, which other callers need not pay for

    problems = Problems(source)
    root = read_tree(text, problems)
    policy = _Reader(Checks(problems), frozenset(detectors)).policy(root)
    problems.check()
    return policy


class _Reader:
    """One method a section; a value that is wrong counts as left out, since the error comes anyway."""

    def __init__(self, checks: Checks, detectors: frozenset[str]) -> None:
        self.checks = checks
        self.problems = checks.problems
        self.detectors = detectors

    def policy(self, root: Node) -> v.Policy:
        rows = self.checks.table(root, "", v.SECTIONS)
        if isinstance(root, Table) and "version" not in rows:
            self.problems.add(root, "version", 'every policy has a version, as in version: "1.0.0".')
        version = self.checks.text(rows.get("version"), "version")
        rows = {key: node for key, node in rows.items() if not (isinstance(node, Leaf) and node.value is None)}
        return v.Policy(
            version=version or "",
            name=self.checks.text(rows.get("name"), "name"),
            scopes=self.scopes(rows.get("scopes")),
            classes=self.classes(rows.get("boundary_classes")),
            invariants=tuple(self.invariants(rows.get("invariants"))),
            redact=tuple(self.redactions(rows["redact"])) if "redact" in rows else v.DEFAULT_REDACT,
            retrieval=self.retrieval(rows.get("retrieval")),
            audit_retention_days=self.retention(rows.get("audit")),
            observation=self.observation(rows.get("observation")),
            review=self.review(rows.get("review")),
        )

    def scopes(self, node: Node | None) -> dict[Scope, v.ScopeLimits]:
        limits: dict[Scope, v.ScopeLimits] = {}
        for scope, row, path in self.by_scope(node, "scopes"):
            given = self.checks.table(row, path, ("ttl_days", "max_tokens"))
            days = self.checks.days(given.get("ttl_days"), f"{path}.ttl_days")
            tokens = self.checks.whole(given.get("max_tokens"), f"{path}.max_tokens", 0, MAX_TOKENS)
            limits[scope] = v.ScopeLimits(days, tokens)
        return limits

    def review(self, node: Node | None) -> dict[Scope, int]:
        reviewers: dict[Scope, int] = {}
        for scope, row, path in self.by_scope(node, "review"):
            reviewers[scope] = self.checks.whole(row, path, 0, MAX_REVIEWERS) or 0
        return reviewers

    def by_scope(self, node: Node | None, path: str) -> Iterator[tuple[Scope, Node, str]]:
        """The entries of a table whose keys are scopes."""
        rows = self.checks.table(node, path, SCOPE_WORDS)
        if "principle" in rows and "global" in rows:
            self.problems.add(rows["principle"], path, "principle is another word for global; keep one of them.")
        for word, row in rows.items():
            yield SCOPE_WORDS[word], row, f"{path}.{word}"

    def classes(self, node: Node | None) -> dict[Boundary, v.ClassRule]:
        rows = self.checks.table(node, "boundary_classes", BOUNDARIES)
        return {name: self.class_rule(name, rows.get(name)) for name in BOUNDARIES}

    def class_rule(self, name: Boundary, node: Node | None) -> v.ClassRule:
        path, default = f"boundary_classes.{name}", v.DEFAULT_CLASSES[name]
        rows = self.checks.table(node, path, ("allow", "redact", "unredacted"))
        return v.ClassRule(
            allow=self.tags(rows["allow"], f"{path}.allow") if "allow" in rows else default.allow,
            redact=self.checks.choices(rows.get("redact"), f"{path}.redact", self.detectors, "detector"),
            unredacted=self.tags(rows.get("unredacted"), f"{path}.unredacted"),
        )

    def tags(self, node: Node | None, path: str) -> tuple[str, ...]:
        found = [self.checks.text(item, place, "a tag") for item, place in self.checks.items(node, path, "tags")]
        return tuple(dict.fromkeys(tag for tag in found if tag is not None))

    def invariants(self, node: Node | None) -> Iterator[v.Invariant]:
        seen: set[str] = set()
        for item, path in self.checks.items(node, "invariants", "invariants"):
            rows = self.required(item, path, ("name", "rule", "on"), ("name", "rule"))
            name = self.checks.text(rows.get("name"), f"{path}.name")
            if name is not None and name in seen:
                self.problems.add(rows["name"], f"{path}.name", f"{shortened(name)} is the name of two invariants.")
            seen.add(name or "")
            on = self.actions(rows.get("on"), f"{path}.on")
            if (rule := self.rule(rows.get("rule"), f"{path}.rule")) is not None:
                yield v.Invariant(name or "", rule, on)

    def rule(self, node: Node | None, path: str) -> PolicyRule | None:
        text = self.checks.text(node, path, "a rule", MAX_RULE)
        if node is None or text is None:
            return None
        try:
            return parse(text)
        except RuleError as error:
            self.problems.add(node, path, str(error), rule=True)
            return None

    def actions(self, node: Node | None, path: str) -> tuple[v.Action, ...]:
        chosen = self.checks.choices(node, path, v.ACTIONS, "action")
        if isinstance(node, ListNode) and not node.items:
            self.problems.add(node, path, "an empty list would switch the invariant off; remove it instead.")
        return tuple(action for action in v.ACTIONS if node is None or action in chosen)

    def redactions(self, node: Node) -> Iterator[v.Detector | v.Pattern]:
        seen: set[str] = set()
        for item, path in self.checks.items(node, "redact", "redactions"):
            built_in = isinstance(item, Table) and "detect" in item.entries
            found = self.detector(item, path) if built_in else self.pattern(item, path)
            if found is not None and found.name in seen:
                self.problems.add(item, path, f"{found.name!r} is here twice.")
            if found is not None:
                seen.add(found.name)
                yield found

    def detector(self, item: Node, path: str) -> v.Detector | None:
        rows = self.checks.table(item, path, ("detect",))
        name = self.checks.choice(rows["detect"], f"{path}.detect", self.detectors, "detector")
        return None if name is None else v.Detector(name)

    def pattern(self, item: Node, path: str) -> v.Pattern | None:
        rows = self.required(item, path, ("name", "pattern", "replace", "detect"), ("name", "pattern"))
        name = self.checks.text(rows.get("name"), f"{path}.name")
        if name is not None and (not PATTERN_NAME.fullmatch(name) or name in self.detectors):
            remedy = "Use small letters, digits and hyphens, and no name of a built-in detector."
            self.problems.add(rows["name"], f"{path}.name", f"{shortened(name)} cannot name a pattern. {remedy}")
        pattern = self.checks.text(rows.get("pattern"), f"{path}.pattern", "a pattern", MAX_PATTERN)
        if pattern is not None:
            try:
                compile_pattern(pattern)
            except RuleError as error:
                self.problems.add(rows["pattern"], f"{path}.pattern", str(error), rule=True)
        stand_in = self.stand_in(rows.get("replace"), f"{path}.replace")
        if name is None or pattern is None:
            return None
        return v.Pattern(name, pattern, f"[redacted:{name}]" if stand_in is None else stand_in)

    def stand_in(self, node: Node | None, path: str) -> str | None:
        """What replaces a match: any text, the empty one too."""
        return "" if isinstance(node, Leaf) and node.value == "" else self.checks.text(node, path)

    def required(self, item: Node, path: str, keys: Collection[str], needed: Collection[str]) -> Mapping[str, Node]:
        """The entries of a table that cannot do without some of its keys."""
        rows = self.checks.table(item, path, keys)
        for key in needed:
            if isinstance(item, Table) and key not in rows:
                self.problems.add(item, path, f"{key} is missing.")
        return rows

    def retrieval(self, node: Node | None) -> dict[str, v.Setting]:
        known = [setting.name for setting in Settings().rows()]
        chosen: dict[str, v.Setting] = {}
        for name, row in self.checks.table(node, "retrieval", None).items():
            value = self.setting(name, row, known)
            if value is not None:
                chosen[name] = value
        shares = {name.removeprefix(SHARES): value for name, value in chosen.items() if name.startswith(SHARES)}
        try:
            Settings(assemble=replace(Settings().assemble, **shares))  # type: ignore[arg-type]  # checked one by one
        except SettingsError as error:
            self.problems.add(node or Spot(1, 1), "retrieval", str(error))
        return chosen

    def setting(self, name: str, row: Node, known: Collection[str]) -> v.Setting | None:
        path = f"retrieval.{name[:MAX_WORD]}"
        if name not in known:
            self.problems.add(row, path, f"unknown setting {shortened(name)}. {suggestion(name, known)}")
        elif not isinstance(row, Leaf):
            self.checks.wrong(row, path, "one value")
        else:
            try:
                return checked(name, row.value, self.problems.source)
            except SettingsError as error:
                self.problems.add(row, path, str(error))
        return None

    def retention(self, node: Node | None) -> float | None:
        rows = self.checks.table(node, "audit", ("retention_days",))
        return self.checks.days(rows.get("retention_days"), "audit.retention_days")

    def observation(self, node: Node | None) -> v.Observation:
        rows = self.checks.table(node, "observation", ("ttl_days", "mode"))
        days = self.checks.days(rows.get("ttl_days"), "observation.ttl_days")
        mode = self.checks.choice(rows.get("mode"), "observation.mode", v.OBSERVATION_MODES, "mode")
        return v.Observation(days, mode or v.Observation().mode)

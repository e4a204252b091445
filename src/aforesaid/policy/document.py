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
    retrieval:                      # settings of aforesaid by their full names,
      default.alpha: 0.6
      hybrid:                       # or these of PCE, each for one setting (TABLES below)
        {alpha: 0.65, k_txt: 48, k_vec: 96, k_final: 12, recency_half_life_days: 30}
      rerank: {use_quality: true}
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
from aforesaid.policy.rule_parser import MAX_CHARS as MAX_RULE
from aforesaid.policy.rule_parser import parse
from aforesaid.policy.yaml_tree import Problems, YamlNode, quoted, read_tree, suggestion
from aforesaid.settings import Settings, checked
from aforesaid.types import BOUNDARIES, SCOPES, Boundary, Scope, check_choice

TEMPLATES = ("solo", "team", "organisation")
SCOPE_WORDS: Mapping[str, Scope] = {**{scope: scope for scope in SCOPES}, "principle": "global"}
MAX_TEXT = 200  # characters of a name, a tag or a version
MAX_DAYS = 1_000_000  # the same limit as in the settings
MAX_REVIEWERS = 100
MAX_TOKENS = 10_000_000  # the largest token budget
PATTERN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
TABLES: Mapping[str, Mapping[str, str]] = {  # PCE's tables under `retrieval`: key → our setting
    "hybrid": {
        "alpha": "pce.alpha",
        "k_txt": "pce.k_txt",
        "k_vec": "pce.k_vec",
        "k_final": "search.limit",
        "recency_half_life_days": "pce.half_life_other",
    },
    "rerank": {"use_quality": "pce.use_quality"},
}
SHARES = "assemble."  # shares of one budget: they are checked together

Word = TypeVar("Word", bound=str)
Parsed = TypeVar("Parsed")
Table = Mapping[str, YamlNode]


def read_policy(text: str, source: str = "policy.yaml") -> v.Policy:
    """Read a policy. Raises PolicyFileError with all problems (PolicyRuleError if a rule or pattern is among them)."""
    problems = Problems(source)
    policy = _PolicyReader(problems).policy(read_tree(text, problems))
    problems.check()
    return policy


def template(name: str) -> str:
    """The text of a policy template that comes with aforesaid: commented YAML, ready to edit."""
    from importlib import resources  # slow to import

    check_choice(name, TEMPLATES, "template")
    return (resources.files("aforesaid.policy") / "templates" / f"{name}.yaml").read_text(encoding="utf-8")


class _NodeReader:
    """Reads nodes as values, one method per type. Each returns the value, or records a problem and returns None.

    A node that is None is missing from the file: no problem and no value.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def table(self, node: YamlNode | None, keys: Collection[str] | None, needed: Collection[str] = ()) -> Table:
        """The entries of a table. Unknown keys are problems unless `keys` is None, and so are missing `needed` ones."""
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.wrong(node, "a table of keys and values")
            return {}
        if keys is None:
            return node.value
        for key, entry in node.value.items():
            if key not in keys:
                self.problems.add(entry.key, f"unknown key {quoted(key)}. {suggestion(key, keys)}")
        for key in needed:
            if key not in node.value:
                self.problems.add(node, f"{key} is missing.")
        return {key: entry for key, entry in node.value.items() if key in keys}

    def items(self, node: YamlNode | None, what: str) -> list[YamlNode]:
        """The items of a list."""
        if node is not None and not isinstance(node.value, list):
            self.wrong(node, f"a list of {what}")
        return node.value if node is not None and isinstance(node.value, list) else []

    def text(self, node: YamlNode | None, what: str = "text", limit: int = MAX_TEXT) -> str | None:
        """A text that is not empty."""
        if node is None:
            return None
        if not isinstance(node.value, str):
            unquoted = isinstance(node.value, int | float)
            self.wrong(node, what, " Put it in quotes." if unquoted else "")
            return None
        if not node.value.strip() or len(node.value) > limit:
            self.problems.add(node, f"expected {what} of 1 to {limit} characters, got {quoted(node.value)}.")
            return None
        return node.value

    def choice(self, node: YamlNode | None, choices: Collection[Word], what: str) -> Word | None:
        """One of the given words."""
        word = self.text(node, what)
        if node is None or word is None:
            return None
        for known in choices:
            if word == known:
                return known
        self.problems.add(node, f"unknown {what} {quoted(word)}. {suggestion(word, choices)}")
        return None

    def choices(self, node: YamlNode | None, choices: Collection[Word], what: str) -> tuple[Word, ...]:
        """A list of such words, each once."""
        found = [self.choice(item, choices, what) for item in self.items(node, f"{what}s")]
        return tuple(dict.fromkeys(word for word in found if word is not None))

    def days(self, node: YamlNode | None) -> float | None:
        """A number of days, more than 0."""
        return self.number(node, f"a number of days over 0 and up to {MAX_DAYS}", lambda days: 0 < days <= MAX_DAYS)

    def whole(self, node: YamlNode | None, high: int) -> int | None:
        """A whole number in [0, high]."""
        what = f"a whole number from 0 to {high}"
        value = self.number(node, what, lambda value: value.is_integer() and 0 <= value <= high)
        return None if value is None else int(value)

    def number(self, node: YamlNode | None, what: str, fits: Callable[[float], bool]) -> float | None:
        """A number that fits; true and false are not numbers."""
        if node is None:
            return None
        if isinstance(node.value, int | float) and not isinstance(node.value, bool) and fits(float(node.value)):
            return float(node.value)
        self.wrong(node, what)
        return None

    def parsed(
        self, node: YamlNode | None, what: str, limit: int, parser: Callable[[str], Parsed]
    ) -> tuple[str, Parsed] | None:
        """A text and what the parser makes of it; a RuleError of the parser is a problem."""
        text = self.text(node, what, limit)
        if node is None or text is None:
            return None
        try:
            return text, parser(text)
        except RuleError as error:
            self.problems.add(node, str(error), rule=True)
            return None

    def wrong(self, node: YamlNode, expected: str, remedy: str = "") -> None:
        """Record that something else was expected here."""
        match node.value:
            case list() | dict():
                got = "a list" if isinstance(node.value, list) else "a table"
            case str():
                got = quoted(node.value)
            case _:
                got = "nothing" if node.value is None else str(node.value).lower()
        self.problems.add(node, f"expected {expected}, got {got}.{remedy}")


class _PolicyReader(_NodeReader):
    """Reads a policy, one method per section. A wrong value counts as missing, since the file is refused anyway."""

    def policy(self, root: YamlNode) -> v.Policy:
        rows = self.table(root, v.SECTIONS)
        if isinstance(root.value, dict) and "version" not in rows:
            self.problems.add(replace(root, path="version"), 'every policy has a version, as in version: "1.0.0".')
        version = self.text(rows.get("version"))
        rows = {key: node for key, node in rows.items() if node.value is not None}
        audit = self.table(rows.get("audit"), ("retention_days",))
        review = self.by_scope(rows.get("review"))
        return v.Policy(
            version=version or "",
            name=self.text(rows.get("name")),
            scopes={scope: self.limits(row) for scope, row in self.by_scope(rows.get("scopes"))},
            classes=self.classes(rows.get("boundary_classes")),
            invariants=tuple(self.invariants(rows.get("invariants"))),
            redact=tuple(self.redactions(rows["redact"])) if "redact" in rows else v.DEFAULT_REDACT,
            retrieval=self.retrieval(rows.get("retrieval")),
            audit_retention_days=self.days(audit.get("retention_days")),
            observation=self.observation(rows.get("observation")),
            review={scope: self.whole(row, MAX_REVIEWERS) or 0 for scope, row in review},
        )

    def by_scope(self, node: YamlNode | None) -> list[tuple[Scope, YamlNode]]:
        """The entries of a table whose keys are scopes."""
        rows = self.table(node, SCOPE_WORDS)
        if "principle" in rows and "global" in rows:
            self.problems.add(rows["principle"].key, "principle is another word for global; keep one of them.")
        return [(SCOPE_WORDS[word], row) for word, row in rows.items()]

    def limits(self, node: YamlNode) -> v.ScopeLimits:
        rows = self.table(node, ("ttl_days", "max_tokens"))
        return v.ScopeLimits(self.days(rows.get("ttl_days")), self.whole(rows.get("max_tokens"), MAX_TOKENS))

    def classes(self, node: YamlNode | None) -> dict[Boundary, v.ClassRule]:
        classes = self.table(node, BOUNDARIES)
        found = {}
        for name in BOUNDARIES:
            rows = self.table(classes.get(name), ("allow", "redact", "unredacted"))
            allow = self.tags(rows["allow"]) if "allow" in rows else v.DEFAULT_CLASSES[name].allow
            redact = self.choices(rows.get("redact"), v.DETECTORS, "detector")
            found[name] = v.ClassRule(allow, redact, self.tags(rows.get("unredacted")))
        return found

    def tags(self, node: YamlNode | None) -> tuple[str, ...]:
        found = [self.text(item, "a tag") for item in self.items(node, "tags")]
        return tuple(dict.fromkeys(tag for tag in found if tag is not None))

    def invariants(self, node: YamlNode | None) -> Iterator[v.Invariant]:
        seen: set[str] = set()
        for item in self.items(node, "invariants"):
            rows = self.table(item, ("name", "rule", "on"), needed=("name", "rule"))
            name = self.text(rows.get("name"))
            if name is not None and name in seen:
                self.problems.add(rows["name"], f"{quoted(name)} is the name of two invariants.")
            seen.add(name or "")
            on = self.actions(rows.get("on"))
            if (rule := self.parsed(rows.get("rule"), "a rule", MAX_RULE, parse)) is not None:
                yield v.Invariant(name or "", rule[1], on)

    def actions(self, node: YamlNode | None) -> tuple[v.Action, ...]:
        chosen = self.choices(node, v.ACTIONS, "action")
        if node is not None and node.value == []:
            self.problems.add(node, "an empty list would switch the invariant off; remove it instead.")
        return tuple(action for action in v.ACTIONS if node is None or action in chosen)

    def redactions(self, node: YamlNode) -> Iterator[v.Detector | v.Pattern]:
        seen: set[str] = set()
        for item in self.items(node, "redactions"):
            built_in = isinstance(item.value, dict) and "detect" in item.value
            found = self.detector(item) if built_in else self.pattern(item)
            if found is not None:
                if found.name in seen:
                    self.problems.add(item, f"{found.name!r} is here twice.")
                seen.add(found.name)
                yield found

    def detector(self, item: YamlNode) -> v.Detector | None:
        name = self.choice(self.table(item, ("detect",))["detect"], v.DETECTORS, "detector")
        return None if name is None else v.Detector(name)

    def pattern(self, item: YamlNode) -> v.Pattern | None:
        rows = self.table(item, ("name", "pattern", "replace", "detect"), needed=("name", "pattern"))
        name = self.text(rows.get("name"))
        if name is not None and (not PATTERN_NAME.fullmatch(name) or name in v.DETECTORS):
            remedy = "Use small letters, digits and hyphens, and no name of a built-in detector."
            self.problems.add(rows["name"], f"{quoted(name)} cannot name a pattern. {remedy}")
        pattern = self.parsed(rows.get("pattern"), "a pattern", MAX_PATTERN, compile_pattern)
        node = rows.get("replace")
        empty = node is not None and node.value == ""  # the replacement is the one text that may be empty
        replacement = "" if empty else self.text(node)
        if name is None or pattern is None:
            return None
        return v.Pattern(name, pattern[0], f"[redacted:{name}]" if replacement is None else replacement)

    def retrieval(self, node: YamlNode | None) -> dict[str, v.Setting]:
        known = [setting.name for setting in Settings().rows()]
        found: dict[str, v.Setting | None] = {}
        for name, row in self.settings(node):
            if name in found:
                self.problems.add(row, f"this sets {name} a second time.")
            found[name] = self.setting(name, row, known)
        chosen = {name: value for name, value in found.items() if value is not None}
        shares = {name.removeprefix(SHARES): value for name, value in chosen.items() if name.startswith(SHARES)}
        try:
            Settings(assemble=replace(Settings().assemble, **shares))  # type: ignore[arg-type]  # each is checked above
        except SettingsError as error:
            if node is not None:
                self.problems.add(node, str(error))
        return chosen

    def settings(self, node: YamlNode | None) -> Iterator[tuple[str, YamlNode]]:
        """The names of settings and their values; PCE's tables are read as the settings that they stand for."""
        for name, row in self.table(node, None).items():
            if name not in TABLES:
                yield name, row
                continue
            for key, value in self.table(row, TABLES[name]).items():
                yield TABLES[name][key], value

    def setting(self, name: str, row: YamlNode, known: Collection[str]) -> v.Setting | None:
        if name not in known:
            self.problems.add(row, f"unknown setting {quoted(name)}. {suggestion(name, known)}")
        elif isinstance(row.value, list | dict):
            self.wrong(row, "one value")
        else:
            try:
                return checked(name, row.value, self.problems.source)
            except SettingsError as error:
                self.problems.add(row, str(error))
        return None

    def observation(self, node: YamlNode | None) -> v.Observation:
        rows = self.table(node, ("ttl_days", "mode"))
        mode = self.choice(rows.get("mode"), v.OBSERVATION_MODES, "mode")
        return v.Observation(self.days(rows.get("ttl_days")), mode or v.Observation().mode)

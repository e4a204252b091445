"""Plants a token of its own in every place where a caller of `Memory` can put text, and finds where one stays.

Verbs and their parameters are read from their signatures, so that a new one cannot be left out.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import count
from pathlib import Path
from random import Random
from string import ascii_letters, digits
from typing import Any

from aforesaid.errors import AforesaidError
from aforesaid.memory import Memory
from aforesaid.memory.handle import Handle
from aforesaid.types import Provenance, Turn
from support.clock import NOW

GROUPS = (
    *("sessions", "documents", "notes", "governance", "policy", "audit", "gate", "calibration", "maintenance"),
    "importers",
)
LEFT_OUT = {"close", "open", "watch", "indexer"}  # they end the memory, make another one, or wait for changes
LATER = ("forget", "prune", "sweep", "end", "unload", "unindex", "rollback", "reset")  # what they delete is not a leak
FREE = ("str", "Provenance", "Turn", "dict[str, Any]", "Mapping[str, str]")  # types with text in them

COUNT = count()
POLICY = 'version: "{}"\nboundary_classes: {{}}\n'


@dataclass
class Planted:
    """The tokens by the place where they were put."""

    tokens: dict[str, str] = field(default_factory=dict)

    def new(self, place: str) -> str:
        random = Random(place)
        return self.tokens.setdefault(place, "gh" + "p_" + "".join(random.choices(ascii_letters + digits, k=36)))

    def left_in(self, data: bytes) -> set[str]:
        """The places whose token is in these bytes."""
        return {place for place, token in self.tokens.items() if token.encode() in data}


def run_every_verb(memory: Memory, folder: Path, planted: Planted) -> list[str]:
    """Call every verb once plainly and once with a token in each of its parameters. Returns the names of the verbs."""
    memory.ingest([Turn("t1", "s1", "user", "I moved house in May.", NOW)], user="ana")
    verbs = sorted(_verbs(memory), key=lambda verb: verb[0].split(".")[-1].startswith(LATER))
    ordinary = _ordinary(memory, folder)
    for name, method in verbs:
        signature = inspect.signature(method)
        plain = _plain(ordinary, signature)
        if name != "forget":
            _call(method, plain)
        for parameter in signature.parameters.values():
            for value in _variants(name, parameter, planted, folder):
                _call(method, {**plain, **_unused(memory, name, plain), parameter.name: value})
    memory.ingest([Turn("t9", "s9", "user", "I moved to Lisbon in May.", NOW)], user="bea")
    return [name for name, _ in verbs]


def _verbs(memory: Memory) -> Iterator[tuple[str, Callable[..., Any]]]:
    groups = [("", memory), *((f"{name}.", getattr(memory, name)) for name in GROUPS)]
    assert len(Handle.__subclasses__()) == len(GROUPS), "a group of verbs is missing in GROUPS"
    for owner, group in groups:
        for name, method in inspect.getmembers(group, inspect.ismethod):
            if not name.startswith("_") and name not in LEFT_OUT:
                yield f"{owner}{name}", method


def _ordinary(memory: Memory, folder: Path) -> dict[str, Any]:
    """An ordinary value for every parameter that needs one."""
    claim = memory.remember("Ines is my manager.", user="ana")
    seen = memory.governance.observe("The log says port 5433.", user="ana")
    candidate = memory.governance.distill([seen.id], "The port is 5433.", user="ana")
    document, notes = folder / "AGENTS.md", folder / "notes"
    document.write_text("# Rules\n\n- Never push to main.\n", encoding="utf-8")
    notes.mkdir(exist_ok=True)
    (notes / "day.md").write_text("# Day\n\nWe met Ines.\n", encoding="utf-8")
    return {
        "text": "Tea at four.", "query": "Who is my manager?", "prompt": "Who is my manager?", "id": claim.id,
        "signal": "helpful", "turns": [Turn("t2", "s1", "user", "Tea at four.", NOW)], "session": "s1",
        "sessions": ["s1"], "sources": [seen.id], "reason": "wrong", "provenance": Provenance(who="ana"),
        "tenant": "other", "lines": [], "weights": {}, "path": document, "place": "notes/day.md:1-3", "ids": (),
        "policy": POLICY.format(1), "labels": [], "user": "ana", "reviewers": candidate.id,
        "backup": folder / "none.db", "folder": folder / "copies",
    }  # fmt: skip


def _unused(memory: Memory, name: str, plain: dict[str, Any]) -> dict[str, Any]:
    """What a verb uses up: a claim to roll back, a candidate to promote, a text that is not stored yet."""
    text = f"Tea at four at table {next(COUNT)}."
    if name == "governance.rollback":
        return {"id": memory.remember(text, user="ana").id}
    if name == "governance.promote":
        seen = memory.governance.observe(text, user="ana")
        return {"id": memory.governance.distill([seen.id], text, user="ana").id}
    return {"text": text} if "text" in plain else {}


def _plain(ordinary: dict[str, Any], signature: inspect.Signature) -> dict[str, Any]:
    """Ordinary arguments. A parameter without a default that has no value fails the test."""
    given = [p.name for p in signature.parameters.values() if p.default is p.empty or p.name in ("user", "session")]
    missing = [name for name in given if name not in ordinary]
    assert not missing, f"give {missing} an ordinary value in _ordinary"
    plain = {name: ordinary[name] for name in given}
    return {**plain, "id": ordinary["reviewers"]} if "reviewers" in signature.parameters and "id" in plain else plain


def _variants(name: str, parameter: inspect.Parameter, planted: Planted, folder: Path) -> Iterator[Any]:
    """Values of a parameter that hold a token."""
    hint, place = str(parameter.annotation), f"{name}({parameter.name})"
    if "Path" in hint:
        yield from _files(name, place, planted, folder)
    elif parameter.name == "lines":
        yield from _lines(place, planted)
    elif parameter.name == "policy":
        yield POLICY.format(planted.new(place))
    elif "Turn" in hint:
        for spec in ("id", "session", "role", "text", "bundle"):
            token = planted.new(f"{place}.{spec}")
            turn = Turn(f"x-{name}-{spec}", "s1", "user", "Tea at five.", NOW, "b")
            yield [replace(turn, **{spec: token if spec != "text" else f"it is {token}"})]
    elif "Provenance" in hint:
        for each in fields(Provenance):
            if "str" in str(each.type):
                token = planted.new(f"{place}.{each.name}")
                yield Provenance(**{"who": "ana", each.name: _shaped(str(each.type), token)})
    elif "dict[str, Any]" in hint:
        yield {planted.new(f"{place} key"): 1}
        yield {"a": planted.new(f"{place} value")}
        yield {"a": [{"b": {"c": planted.new(f"{place} nested")}}]}
    elif "Mapping[str, str]" in hint:
        yield [{"role": "user", "content": planted.new(place)}]
    elif "str" in hint and "Callable" not in hint and "float" not in hint:
        yield _shaped(hint, planted.new(place))


def _shaped(hint: str, token: str) -> Any:
    return (token,) if "Sequence" in hint or "Iterable" in hint or "tuple" in hint else token


def _files(name: str, place: str, planted: Planted, folder: Path) -> Iterator[Any]:
    """A file or folder whose name holds a token, and files that hold one in each of their parts."""
    if name == "maintenance.backup":
        yield folder / f"{planted.new(f'{place} name')}.db"
        return
    parts = ("title", "tag", "alias", "heading", "link", "text")
    given = {part: planted.new(f"{place} {part}") for part in parts}
    text = (
        f"---\ntitle: {given['title']}\ntags: [{given['tag']}]\naliases: [{given['alias']}]\n---\n"
        f"# {given['heading']}\n\n- Never push to main.\n\nSee [[{given['link']}]] and {given['text']}.\n"
    )
    there = folder / name / "inside"
    there.mkdir(parents=True, exist_ok=True)
    (there / "RULES.md").write_text(text, encoding="utf-8")
    yield there if name.startswith(("notes", "importers")) else there / "RULES.md"
    named = folder / name / planted.new(f"{place} folder") / "deep"
    named.mkdir(parents=True, exist_ok=True)
    (named / "RULES.md").write_text("# Rules\n\n- Never push to main.\n", encoding="utf-8")
    (there / f"{planted.new(f'{place} file')}.md").write_text("# Day\n\nWe met.\n", encoding="utf-8")
    yield named if name.startswith(("notes", "importers")) else named / "RULES.md"
    yield there if name.startswith(("notes", "importers")) else there / next(there.glob("gh*")).name
    if name == "importers.run":
        turns = folder / name / "chat.jsonl"
        tokens = {spec: planted.new(f"{place} line {spec}") for spec in ("session", "id", "role", "text", "title")}
        turns.write_text(json.dumps({**tokens, "time": "2026-05-01T10:00:00Z"}) + "\n", encoding="utf-8")
        yield turns


def _lines(place: str, planted: Planted) -> Iterator[Any]:
    head = json.dumps({"aforesaid": 1, "space": None, "records": 1})
    token = planted.new(f"{place} event")
    event = {"event": ["2026-05-01T10:00:00Z", "x", planted.new(f"{place} subject"), {"a": [token]}]}
    yield [head, json.dumps(event)]
    for spec in ("text", "role", "agent", "bundle", "session", "withheld", "echo_of"):
        record = {"id": f"i-{spec}", "kind": "turn", "text": "hm", "time": "2026-05-01T10:00:00+00:00", "tenant": "t"}
        yield [head, json.dumps({"record": {**record, spec: planted.new(f"{place} {spec}")}})]


def _call(method: Callable[..., Any], given: dict[str, Any]) -> None:
    with suppress(AforesaidError):
        found = method(**given)
        if inspect.isgenerator(found):
            list(found)

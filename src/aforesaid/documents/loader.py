"""Loads authored documents: parses them into nodes and stores exactly what changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aforesaid.context import render as frame
from aforesaid.context.rule_room import REMEDY, RuleRoom, rule_room
from aforesaid.engine.request import Request
from aforesaid.engine.rules import HARD, ORDER, SOFT, TIER, documents, rules_in_view, set_document
from aforesaid.engine.writer import writing
from aforesaid.errors import FormatError, InputError
from aforesaid.ingest.claims import Owner
from aforesaid.types import Edge, Filter, Provenance, Record, owner_of

if TYPE_CHECKING:
    from aforesaid.documents.deontic import Conflict
    from aforesaid.documents.nodes import Document, Node

MAX_BYTES = 1_000_000  # nobody writes longer instructions for an agent
GLOBAL = Owner("global", None, None)
LINKS = "links"  # key in the `meta` of a node: its links to other documents


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A parsed document: its nodes, their tokens in a prompt, and conflicts between its rules."""

    name: str
    document: Document
    records: tuple[Record, ...]
    tokens: tuple[int, ...]
    conflicts: tuple[Conflict, ...]
    hard_room: int

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems: conflicting rules, and hard rules that need too many tokens."""
        needed = self.cost(HARD)
        too_long = (f"{self.name}: the hard rules need {needed} tokens, {self.hard_room} are reserved for them",)
        return (*map(self.disagreement, self.conflicts), *(too_long if needed > self.hard_room else ()))

    def disagreement(self, conflict: Conflict) -> str:
        """A conflict in one line, with the lines of both rules."""
        first, second = (self.document.nodes[i].lines[0] for i in (conflict.first, conflict.second))
        return f"{self.name}:{first} and :{second} disagree: {conflict.why}"

    def cost(self, tier: int) -> int:
        """The tokens of all nodes of a tier."""
        return sum(size for node, size in zip(self.document.nodes, self.tokens, strict=True) if node.tier == tier)


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The result of loading: how many nodes are unchanged, added and removed, and conflicting rules."""

    name: str
    same: int
    added: int
    removed: int
    hard_tokens: int
    hard_room: int
    conflicts: tuple[str, ...] = ()


def read(path: str | Path) -> str:
    """Read the text of a document. Raises InputError if the file cannot be one."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"There is no file {file}.", "Give the path of a Markdown file.")
    data = file.read_bytes()
    if len(data) > MAX_BYTES:
        raise InputError(f"{file} has {len(data)} bytes, more than {MAX_BYTES}.", "Split it into several documents.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{file} is not UTF-8 text: {error.reason} at byte {error.start}.", "Save it as UTF-8."
        ) from None


def parse_document(request: Request, name: str, text: str, owner: Owner = GLOBAL) -> ParsedDocument:
    """Parse a document and find its conflicts. Stores nothing."""
    from aforesaid.documents.deontic import conflicts
    from aforesaid.documents.nodes import parse

    document = parse(text, name)
    records = tuple(_records(request, document, name, owner))
    sizes = tuple(request.count_tokens(frame.rule(record) + "\n") for record in records)
    room = rule_room(request, ()).reserved
    return ParsedDocument(name, document, records, sizes, conflicts(document.nodes), room)


def load(request: Request, name: str, text: str, owner: Owner) -> LoadReport:
    """Store the nodes that changed. Raises InputError when the hard rules need more than their share of a prompt."""
    from aforesaid.documents.nodes import content_key

    owner_key = owner_of(owner.scope, owner.user, owner.project)
    where = Filter(request.tenant, (owner_key,))
    key = content_key(text)
    authored = parse_document(request, name, text, owner)
    nodes = authored.records
    room = _hard_room(request, where, name, nodes)
    if room.problem:
        raise InputError(f"With {name}, {room.problem}.", REMEDY)
    disagreements = tuple(map(authored.disagreement, authored.conflicts))
    stored = {record.key: record for record in _stored(request, where, name)}
    if documents(request, owner_key).get(name) == key and len(stored) == len(nodes):
        return LoadReport(name, len(nodes), 0, 0, room.needed, room.reserved, disagreements)
    new = [record for record in nodes if record.key not in stored]
    moved = [replace(record, time=stored[record.key].time) for record in nodes if record.key in stored]
    gone = [key for key in stored if key not in {record.key for record in nodes}]
    embedded = request.embed(new)
    body = {"document": name, "same": len(moved), "added": len(new), "removed": len(gone)}
    with writing(request) as writer:
        request.store.delete(gone)
        writer.commit(moved)
        writer.commit(new, embedded)
        set_document(request, owner_key, name, key)
        writer.commit(edges=_link_edges(request, where), events=[request.event("load", name, body)])
    return LoadReport(name, len(moved), len(new), len(gone), room.needed, room.reserved, disagreements)


def unload(request: Request, name: str, owner: Owner) -> LoadReport:
    """Remove a document's nodes."""
    owner_key = owner_of(owner.scope, owner.user, owner.project)
    where = Filter(request.tenant, (owner_key,))
    keys = [record.key for record in _stored(request, where, name)]
    if not keys:
        raise InputError(f"No document {name!r} is loaded here.", "See memory.list(kinds=['node']).")
    with writing(request) as writer:
        request.store.delete(keys)
        set_document(request, owner_key, name, None)
        writer.commit(events=[request.event("load", name, {"document": name, "removed": len(keys)})])
    room = _hard_room(request, where, name, ())
    return LoadReport(name, 0, 0, len(keys), room.needed, room.reserved)


def _hard_room(request: Request, where: Filter, name: str, nodes: Sequence[Record]) -> RuleRoom:
    """The room of all hard rules that apply, with these nodes of a document."""
    others = [rule for rule in rules_in_view(request, _with_global(where)).hard if rule.session != name]
    return rule_room(request, [*others, *(node for node in nodes if node.meta[TIER] == HARD)])


def _with_global(where: Filter) -> Filter:
    return replace(where, owners=tuple(dict.fromkeys((*(where.owners or ()), "global"))))


def _stored(request: Request, where: Filter, name: str) -> list[Record]:
    return request.store.find(replace(where, kinds=("node",), sessions=(name,)))


def _records(request: Request, document: Document, name: str, owner: Owner) -> Iterator[Record]:
    """The record of each node. The same text under the same heading keeps its id when it moves."""
    seen: Counter[str] = Counter()
    for order, node in enumerate(document.nodes):
        digest = _digest(node)
        yield _record(request, name, node, order, seen[digest], owner)
        seen[digest] += 1


def _record(request: Request, name: str, node: Node, order: int, repeats: int, owner: Owner) -> Record:
    guard = request.guard
    cleaned = guard.clean(node.text)
    rule = node.tier in (HARD, SOFT)
    record = Record(
        id=f"{name}#{_digest(node)}" + (f"-{repeats + 1}" if repeats else ""),
        kind="node",
        text=cleaned.text,
        time=request.clock(),
        tenant=request.tenant,
        scope=owner.scope,
        user=owner.user if owner.scope == "user" else None,
        project=owner.project if owner.scope == "project" else None,
        session=name,
        boundary=cleaned.boundary,
        role=f"§ {node.heading}" if node.heading else None,
        durable=rule,
        memory_type="norm" if rule else "knowledge",
        provenance=Provenance(who="author", method="authored", file=name, lines=node.lines),
        redactions=cleaned.kinds,
        meta={TIER: node.tier, ORDER: order, **({LINKS: [*map(list, node.links)]} if node.links else {})},
    )
    return guard.validate_record(record)


def _digest(node: Node) -> str:
    content = "\x1f".join((str(node.tier), node.heading, node.text))
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _link_edges(request: Request, where: Filter) -> list[Edge]:
    """Edges for the links between all loaded documents."""
    names = tuple(name for owner in where.owners or () for name in documents(request, owner))
    nodes = request.store.find(replace(where, kinds=("node",), sessions=names))
    by_name: dict[str, list[Record]] = {}
    for node in sorted(nodes, key=lambda node: (node.session or "", node.meta[ORDER])):
        by_name.setdefault(node.session or "", []).append(node)
    return [
        Edge(node.key, target.key, "hop", node.time)
        for node in nodes
        for name, anchor in node.meta.get(LINKS, ())
        if (target := _target(by_name, name, anchor)) is not None and target.key != node.key
    ]


def _target(by_name: Mapping[str, Sequence[Record]], name: str, anchor: str) -> Record | None:
    """The node that a link means: the first under the heading that it names, else the first of the document."""
    found = by_name.get(name) or next((nodes for path, nodes in by_name.items() if _is_named(path, name)), None)
    if not found:
        return None
    return next(
        (node for node in found if anchor and anchor.lower() in (node.role or "").lower().replace(" ", "-")), found[0]
    )


def _is_named(path: str, name: str) -> bool:
    """Whether a name is the file name of a document, with or without the ending."""
    file = PurePosixPath(path)
    return name.casefold() in (file.name.casefold(), file.stem.casefold())

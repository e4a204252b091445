"""One store without what is selected: the records, all that was made of them, and every place that names them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aforesaid.deletion import fragments as cutting
from aforesaid.deletion.cascade import Consequences, consequences
from aforesaid.engine.request import Request
from aforesaid.engine.rules import documents, set_document
from aforesaid.engine.writer import writing
from aforesaid.math.vectors import Vectors
from aforesaid.retrieval.activation import contexts_with
from aforesaid.store.protocols import Store
from aforesaid.text.analyze import terms
from aforesaid.types import Filter, Record

MOST_NEEDLES = 20_000  # looked for at most; with more records, each has fewer, and then every so-manieth is looked for
LEAST_NAME_BYTES = 12  # of an id or a session to be looked for: shorter ones stand in any file by chance
EVERYTHING = 1 << 40  # as a limit


@dataclass(frozen=True, slots=True)
class Selection:
    """What to forget: what passes the filter and holds all of the words; of a `user`, also what lies with others."""

    where: Filter
    what: Mapping[str, Any]
    words: frozenset[str] = frozenset()
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Erased:
    """What was taken out of one store, and what to look for in its files."""

    plan: Consequences
    needles: dict[bytes, str]
    scrubbed: Counter[str]
    to_summarise: tuple[str, ...]


def planned(request: Request, selection: Selection, more: Sequence[str] = ()) -> Consequences:
    """What is selected, or named by these keys, and what follows when it is gone."""
    store = request.store
    found = {record.key: record for record in (*_selected(store, selection), *store.get(more))}
    return consequences(store, list(found.values()), request.clock(), selection.user)


def _unveiled(where: Filter) -> Filter:
    return replace(where, echoes=True, withheld=True, valid_at=None, alive_at=None, purpose=None)


def _selected(store: Store, selection: Selection) -> Iterator[Record]:
    """Withheld, expired and replaced records too, and echoes: nothing is hidden from forgetting."""
    where = _unveiled(selection.where)
    if selection.words:
        hits = store.text_search(sorted(selection.words), where, EVERYTHING)
        yield from (r for r in store.get([hit.key for hit in hits]) if selection.words <= set(terms(r.text)))
        return
    yield from store.find(where)
    if selection.user is not None:
        yield from store.find(replace(where, owners=None, namespace=f"user:{selection.user}"))


def erase(request: Request, selection: Selection, more: Sequence[str] = ()) -> Erased:
    """Everything in one transaction: the records, what is made of them, and every place that names them."""
    store, tenant = request.store, request.tenant
    with writing(request, check_policy=False) as writer:
        plan = planned(request, selection, more)
        keys = [record.key for record in plan.goes]
        wanted = _needles(store, plan.goes)
        writer.commit(plan.changed)
        store.delete(keys)
        writer.commit(edges=plan.links)
        owners = _emptied(store, {r.owner: Filter(tenant, (r.owner,)) for r in plan.goes})
        sessions = _emptied(store, {r.session: Filter(tenant, sessions=(r.session,)) for r in plan.goes if r.session})
        scrubbed = Counter(
            {
                "owners": len(owners),
                "settings": _drop_values(request, plan.goes, owners),
                "changed": len(plan.changed) - plan.revived,
                "holding again": plan.revived,
                "events": store.log.erase(tenant, _names(store, tenant, plan.goes, owners, sessions)),
            }
        )
        for name in (*owners, *sessions):
            wanted |= dict.fromkeys(_name_fragments(name), "name")
        body = {**selection.what, "records": len(keys)}
        writer.commit(events=[request.event("forgetting", None, body)])
        return Erased(plan, wanted, +scrubbed, _uncovered(store, plan.goes))


def _emptied(store: Store, wheres: Mapping[str, Filter]) -> list[str]:
    """Those of these names under whose filter nothing is left."""
    return [name for name, where in sorted(wheres.items()) if not store.find(_unveiled(where), limit=1)]


def _drop_values(request: Request, goes: Sequence[Record], owners: Sequence[str]) -> int:
    """Drop what is kept beside records: of owners without any, of saved contexts, of documents without nodes."""
    store, tenant = request.store, request.tenant
    contexts = contexts_with(request, {record.key for record in goes})
    for slot in contexts:
        store.values.drop(slot)
    dropped = len(contexts) + sum(store.values.drop_owner(tenant, owner) for owner in owners)
    for owner, name in sorted({(r.owner, r.session or "") for r in goes if r.kind == "node" and r.owner not in owners}):
        nodes = Filter(tenant, (owner,), kinds=("node",), sessions=(name,))
        if name in documents(request, owner) and _emptied(store, {name: nodes}):
            set_document(request, owner, name, None)
            dropped += 1
    return dropped


def _names(
    store: Store, tenant: str, goes: Sequence[Record], owners: Sequence[str], sessions: Sequence[str]
) -> list[str]:
    """By what the log may mention them: keys, and the names that nothing else has."""
    ids = {record.id for record in goes}
    taken = store.find(_unveiled(Filter(tenant, ids=tuple(sorted(ids))))) if ids else []
    ids -= {record.id for record in taken}
    people = {owner.partition(":")[2] for owner in owners} - {""}
    return sorted({record.key for record in goes} | ids | people | set(owners) | set(sessions))


def _uncovered(store: Store, goes: Sequence[Record]) -> tuple[str, ...]:
    """Sessions that lost a summary and have turns left to make one of."""
    lost = {(r.tenant, r.owner, r.session) for r in goes if r.kind == "summary" and r.session is not None}
    return tuple(
        sorted(
            session
            for tenant, owner, session in lost
            if store.find(Filter(tenant, (owner,), sessions=(session,), kinds=("turn",), withheld=True), limit=1)
        )
    )


# What to look for in the files afterwards


def _needles(store: Store, records: Sequence[Record]) -> dict[bytes, str]:
    """What to look for: keys, ids, fragments of texts, of their words, and of their vectors."""
    sample = records[:: math.ceil(len(records) / MOST_NEEDLES) or 1]
    places = max(min(cutting.PLACES, MOST_NEEDLES // max(4 * len(sample), 1)), 1)
    keys = [record.key for record in sample]
    vectors, passages = store.vectors(keys), store.passages(keys)
    found: dict[bytes, str] = {}
    for record in sample:
        found |= dict.fromkeys(cutting.word_fragments(record.text, min(places, cutting.WORDS)), "word")
        for text in _strings(record.meta):
            found |= dict.fromkeys(cutting.text_fragments(text, 1), "word")
    for record in sample:
        found |= dict.fromkeys(_vector_needles(record.key, vectors, passages, places), "vector")
        found |= dict.fromkeys(cutting.text_fragments(record.text, places), "text")
        found |= dict.fromkeys(_name_fragments(record.id), "name")
        found[record.key.encode()] = "key"
    return found


def _vector_needles(
    key: str, vectors: Mapping[str, Vectors], passages: Mapping[str, Vectors], places: int
) -> Iterator[bytes]:
    if key in vectors:
        yield from cutting.vector_fragments(vectors[key].tobytes(), places)
    if key in passages:
        yield from cutting.vector_fragments(passages[key].astype("<f2").tobytes(), places)


def _name_fragments(name: str) -> list[bytes]:
    """A name is looked for whole; the owner of a user also as records write it."""
    kind, _, person = name.partition(":")
    forms = [name.encode(), f'"{kind}":"{person}"'.encode()] if kind in ("user", "project") and person else []
    return forms or [part for part in [name.encode()] if len(part) >= LEAST_NAME_BYTES]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)

"""Deletes the selected records from one store, with everything derived from them and every mention of them."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aforesaid.deletion import fragments as cutting
from aforesaid.deletion.cascade import Consequences, consequences
from aforesaid.engine.lineage import COVERS
from aforesaid.engine.request import Request
from aforesaid.engine.rules import documents, set_document
from aforesaid.engine.writer import writing
from aforesaid.math.vectors import Vectors
from aforesaid.retrieval.activation import contexts_with
from aforesaid.retrieval.search_log import logged_queries
from aforesaid.store.protocols import Damaged, Slot, Store, ValueKind
from aforesaid.text.analyze import terms
from aforesaid.types import Filter, Record

MOST_NEEDLES = 20_000  # most byte strings to search for; with many records we take fewer of each, then a sample
LEAST_NAME_BYTES = 12  # shorter names occur in any file by chance, so we do not search for them
NO_LIMIT = 1 << 40  # as a limit


@dataclass(frozen=True, slots=True)
class Selection:
    """What to delete: records that pass the filter and contain all words; with `user`, also theirs in other scopes."""

    where: Filter
    what: Mapping[str, Any]
    words: frozenset[str] = frozenset()
    user: str | None = None
    damaged: frozenset[int] = frozenset()  # places of damaged records that were named


@dataclass(frozen=True, slots=True)
class Erased:
    """What was deleted from one store, and the byte strings to search for in its files."""

    plan: Consequences
    needles: dict[bytes, str]
    scrubbed: Counter[str]
    to_summarise: tuple[str, ...]
    unreadable: int = 0  # damaged records that were deleted without being read


def plan_deletion(request: Request, selection: Selection, more: Sequence[str] = ()) -> Consequences:
    """Plan the deletion of the selected records and of those with the keys in `more`."""
    store = request.store
    found = {record.key: record for record in (*_selected(store, selection), *store.get(more))}
    damaged = damaged_under(store, selection)
    found |= {each.key: each.record for each in damaged if each.record is not None and each.record.key == each.key}
    unreadable = [each.key for each in damaged if each.key not in found]
    above = {edge.source for edge in store.edges(unreadable, incoming=True) if edge.kind == COVERS}
    found |= {record.key: record for record in store.get(sorted(above))}
    return consequences(store, list(found.values()), request.clock(), selection.user)


def damaged_under(store: Store, selection: Selection) -> list[Damaged]:
    """The damaged records that the selection means, as far as they can still be read. Call `_selected` before."""
    where = _including_hidden(selection.where)
    found = [*store.damage(where).records]
    if selection.user is not None:
        found += store.damage(replace(where, owners=None, namespace=f"user:{selection.user}")).records
    found = [each for each in found if selection.words <= set(terms(each.text))]
    if selection.damaged:
        tenant = store.damage(_including_hidden(Filter(where.tenant))).records
        found += [each for each in tenant if each.place in selection.damaged]
    return list({each.place: each for each in found}.values())


def _including_hidden(where: Filter) -> Filter:
    return replace(where, echoes=True, withheld=True, valid_at=None, alive_at=None, purpose=None)


def _selected(store: Store, selection: Selection) -> Iterator[Record]:
    """The selected records, including withheld, expired and superseded ones and echoes."""
    where = _including_hidden(selection.where)
    if selection.words:
        hits = store.text_search(sorted(selection.words), where, NO_LIMIT)
        yield from (r for r in store.get([hit.key for hit in hits]) if selection.words <= set(terms(r.text)))
        return
    yield from store.find(where)
    if selection.user is not None:
        yield from store.find(replace(where, owners=None, namespace=f"user:{selection.user}"))


def erase(request: Request, selection: Selection, more: Sequence[str] = ()) -> Erased:
    """Delete records, everything derived from them and every mention of them, in one transaction."""
    store, tenant = request.store, request.tenant
    with writing(request, check_policy=False) as writer:
        plan = plan_deletion(request, selection, more)
        keys = [record.key for record in plan.deleted]
        unreadable = [each for each in damaged_under(store, selection) if each.key not in keys]
        needles = _needles(store, plan.deleted)
        for each in unreadable:
            needles |= {each.key.encode(): "key", **dict.fromkeys(cutting.text_fragments(each.text), "text")}
        writer.commit(plan.changed)
        store.delete(keys)
        store.delete_damaged([each.place for each in unreadable])
        writer.commit(edges=plan.links)
        owners = _emptied(store, {r.owner: Filter(tenant, (r.owner,)) for r in plan.deleted})
        sessions = _emptied(
            store, {r.session: Filter(tenant, sessions=(r.session,)) for r in plan.deleted if r.session}
        )
        scrubbed = Counter(
            {
                "owners": len(owners),
                "settings": _drop_values(request, plan.deleted, owners),
                "changed": len(plan.changed) - plan.revived,
                "valid again": plan.revived,
                "damaged records": len(unreadable),
                "events": store.log.erase(
                    tenant,
                    [
                        *_names_in_log(request, plan.deleted, owners, sessions),
                        *(name for each in unreadable for name in (each.key, each.id)),
                    ],
                ),
            }
        )
        for name in (*owners, *sessions):
            needles |= dict.fromkeys(_name_fragments(name), "name")
        body = {**selection.what, "records": len(keys) + len(unreadable)}
        writer.commit(events=[request.event("forgetting", None, body)])
        _remember_deleted(request, [*keys, *(each.key for each in unreadable)])
        return Erased(plan, needles, +scrubbed, _sessions_to_summarise(store, plan.deleted), len(unreadable))


def _remember_deleted(request: Request, keys: Sequence[str]) -> None:
    """Keep a digest of each deleted key, so that an old backup does not bring the record back."""
    head = request.store.log.head(request.tenant)
    which = f"{head.number if head else 0} {request.clock().isoformat()}"
    for key in keys:
        request.store.values.put(Slot(ValueKind.FORGOTTEN, request.tenant, name=key_digest(key)), which)


def key_digest(key: str) -> str:
    """A digest of a key: it recognises a deleted record, but cannot be used to find one."""
    return hashlib.blake2b(key.encode(), digest_size=12, person=b"forgotten").hexdigest()


def _emptied(store: Store, wheres: Mapping[str, Filter]) -> list[str]:
    """The names whose filter matches no record any more."""
    return [name for name, where in sorted(wheres.items()) if not store.find(_including_hidden(where), limit=1)]


def _drop_values(request: Request, deleted: Sequence[Record], owners: Sequence[str]) -> int:
    """Drop stored values of empty owners, saved contexts with deleted records, and documents without nodes."""
    store, tenant = request.store, request.tenant
    contexts = contexts_with(request, {record.key for record in deleted})
    for slot in contexts:
        store.values.drop(slot)
    dropped = len(contexts) + sum(store.values.drop_owner(tenant, owner) for owner in owners)
    for owner, name in sorted(
        {(r.owner, r.session or "") for r in deleted if r.kind == "node" and r.owner not in owners}
    ):
        nodes = Filter(tenant, (owner,), kinds=("node",), sessions=(name,))
        if name in documents(request, owner) and _emptied(store, {name: nodes}):
            set_document(request, owner, name, None)
            dropped += 1
    return dropped


def _names_in_log(
    request: Request, deleted: Sequence[Record], owners: Sequence[str], sessions: Sequence[str]
) -> list[str]:
    """Strings to erase from the log: keys, names that no remaining record uses, and all queries.

    A query may repeat the words of a deleted record, so none is kept.
    """
    store, tenant = request.store, request.tenant
    ids = {record.id for record in deleted}
    remaining = store.find(_including_hidden(Filter(tenant, ids=tuple(sorted(ids))))) if ids else []
    ids -= {record.id for record in remaining}
    people = {owner.partition(":")[2] for owner in owners} - {""}
    names = ids | people | set(owners) | set(sessions) | logged_queries(request)
    return sorted({record.key for record in deleted} | names)


def _sessions_to_summarise(store: Store, deleted: Sequence[Record]) -> tuple[str, ...]:
    """Sessions that lost a summary and still have turns to summarise."""
    lost = {(r.tenant, r.owner, r.session) for r in deleted if r.kind == "summary" and r.session is not None}
    return tuple(
        sorted(
            session
            for tenant, owner, session in lost
            if store.find(Filter(tenant, (owner,), sessions=(session,), kinds=("turn",), withheld=True), limit=1)
        )
    )


# Byte strings to search for in the files afterwards


def _needles(store: Store, records: Sequence[Record]) -> dict[bytes, str]:
    """Byte strings of the records: keys, ids, and fragments of texts, words and vectors."""
    sample = records[:: math.ceil(len(records) / MOST_NEEDLES) or 1]
    places = max(min(cutting.PLACES, MOST_NEEDLES // max(4 * len(sample), 1)), 1)
    keys = [record.key for record in sample]
    spaces = [(store.vectors(keys, space.name), store.passages(keys, space.name)) for space in store.spaces()]
    found: dict[bytes, str] = {}
    for record in sample:
        found |= dict.fromkeys(cutting.word_fragments(record.text, min(places, cutting.WORDS)), "word")
        for text in _strings(record.meta):
            found |= dict.fromkeys(cutting.text_fragments(text, 1), "word")
    for record in sample:
        for vectors, passages in spaces:
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
    """The bytes of a name; for an owner, also the form that records use."""
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

"""Embeds records that have no vector of the current embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import EmbedError, InputError
from aforesaid.ingest.entity_quality import with_new_quality
from aforesaid.ingest.gate import decide_record, neighbours
from aforesaid.types import Filter, Progress, Record


def reindex(request: Request, progress: Progress | None = None) -> int:
    """Embed every record that has no vector of this embedder, then switch search to these vectors.

    It can be stopped and resumed; search uses the old vectors until the end. Returns the number of embedded records.
    """
    embedder, store = request.arm.embedder, request.store
    if embedder is None:
        raise InputError("There is no embedder to reindex with.", "Set embed.provider.")
    store.add_space(embedder.name, embedder.dimensions)
    tenants = store.tenants()
    total = sum(len(store.pending(Filter(tenant=name, echoes=True), 1 << 62, embedder.name)) for name in tenants)
    done = 0
    for tenant in tenants:
        where = Filter(tenant=tenant, echoes=True)
        while page := store.pending(where, request.settings.ingest.batch, embedder.name):
            if not _embed_page(request, page, embedder.name):
                raise EmbedError(
                    f"Stopped after {done} of {total} records: {request.arm.off}", "Run it again to continue."
                )
            done += len(page)
            if progress is not None:
                progress(done, total)
    store.activate_space(embedder.name)
    for tenant in tenants:
        _decide_deferred(replace(request.engine, tenant=tenant).request(), Filter(tenant=tenant))
    return done


def embed_pending(request: Request, where: Filter) -> int:
    """Embed the records under a filter that have no vector; returns how many. Does nothing without an embedder."""
    if request.arm.embedder is None:
        return 0
    done = 0
    while page := request.store.pending(replace(where, echoes=True), request.settings.ingest.batch):
        if not _embed_page(request, page):
            return done
        done += len(page)
    if done:
        _decide_deferred(request, where)
    return done


def _embed_page(request: Request, page: Sequence[Record], space: str | None = None) -> bool:
    embedded = request.embed(page)
    if embedded is None:
        return False
    with writing(request, check_policy=False) as writer:
        writer.put_vectors([record.key for record in page], embedded, space)
    return True


def _decide_deferred(request: Request, where: Filter) -> None:
    """Decide the turns that the gate deferred because they had no vector, oldest first."""
    for record in request.store.find(replace(where, kinds=("turn",), durable=False)):
        if record.gate is None or record.gate.decision != "defer":
            continue
        vector = request.store.vectors([record.key]).get(record.key)
        if vector is None:
            continue
        [near] = neighbours(request, record, vector.reshape(1, -1))
        with writing(request, check_policy=False) as writer:
            decided = decide_record(request, record, near.durable, near.turns)
            writer.commit([with_new_quality(request, decided)])

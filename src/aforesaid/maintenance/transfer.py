"""Care of a store: moving it to another file and back, and catching up with vectors."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aforesaid.engine.request import Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import Writer, writing
from aforesaid.errors import EmbedError, FormatError, InputError
from aforesaid.ingest import gate
from aforesaid.math.vectors import Vectors, from_halves
from aforesaid.policy.enforcement import DENIED_PREFIX
from aforesaid.store.codec import record_from_json, record_to_json
from aforesaid.types import Edge, Event, EventFilter, Filter, Progress, Record, as_time

FORMAT = 1  # of the export's lines
PAGE = 500


def export_lines(request: Request, *, vectors: bool = True, progress: Progress | None = None) -> Iterator[str]:
    """The tenant's whole memory as JSON lines: a head, then spaces, records, edges, events."""
    pages = list(_exported(request))
    total = sum(map(len, pages))
    active = next((space for space in request.store.spaces() if space.active), None) if vectors else None
    space = {"name": active.name, "dimensions": active.dimensions} if active else None
    yield _line({"aforesaid": FORMAT, "tenant": request.tenant, "records": total, "space": space})
    keys: list[str] = []
    for names in pages:
        page = request.view.get(names)
        held = request.store.vectors(names) if active else {}
        parts = request.store.passages(names) if active else {}
        for record in page:
            line: dict[str, Any] = {"record": record_to_json(record)}
            if record.key in held:
                line["vector"] = _packed(held[record.key])
            if record.key in parts:
                line["passages"] = _packed(parts[record.key].astype("<f2"))
            yield _line(line)
            keys.append(record.key)
        if progress is not None:
            progress(len(keys), total)
    for offset in range(0, len(keys), PAGE):
        for edge in request.store.edges(keys[offset : offset + PAGE]):
            yield _line({"edge": [edge.source, edge.target, edge.kind, edge.time.isoformat()]})
    for event in reversed(request.store.log.find(EventFilter(request.tenant, limit=1 << 62))):
        yield _line({"event": [event.time.isoformat(), event.topic, event.subject, dict(event.body)]})


def _exported(request: Request) -> Iterator[list[str]]:
    """The keys of what may leave, page by page: under a policy what its purpose may see, and candidates."""
    guard = request.guard
    whole = Filter(tenant=request.tenant, echoes=True, withheld=True)
    if guard.policy is not None:
        whole = guard.narrow_filter(whole, request.clock())
    for offset in range(0, request.store.count(whole), PAGE):
        page = request.store.find(whole, limit=PAGE, offset=offset)
        yield [record.key for record in page if guard.policy is None or not record.withheld.startswith(DENIED_PREFIX)]


def _packed(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode()


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import took."""

    records: int
    known: int
    vectors: int
    edges: int
    events: int


def import_lines(request: Request, lines: Iterable[str], progress: Progress | None = None) -> ImportReport:
    """Take an export into this tenant; all of it or, when a line is bad, nothing. Twice is the same as once."""
    with writing(request, check_policy=False) as writer:
        return _Importer(writer, progress).run(lines)


class _ImportCounts(NamedTuple):
    record: Record
    vector: Vectors | None
    passages: Vectors | None


class _Importer:
    def __init__(self, writer: Writer, progress: Progress | None) -> None:
        self._writer, self._request = writer, writer.request
        self._progress = progress
        self._space: dict[str, Any] | None = None
        self._renamed: dict[str, str] = {}
        self._waiting: list[_ImportCounts] = []
        self._counts = dict.fromkeys(("records", "known", "vectors", "edges", "events"), 0)
        self._events_wanted = False

    def run(self, lines: Iterable[str]) -> ImportReport:
        total = number = 0
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                if number == 1:
                    total = self._head(found)
                elif "record" in found:
                    self._record(found)
                elif "edge" in found:
                    self._edge(*found["edge"])
                elif "event" in found:
                    self._event(*found["event"])
                else:
                    raise FormatError("it is neither a record, an edge nor an event.")
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise FormatError(f"Line {number} cannot be imported: {error}", "Nothing was imported.") from error
            if self._progress is not None and number % PAGE == 0:
                self._progress(min(number, total), total)
        if number == 0:
            raise FormatError("The import is empty.", "Give the output of `aforesaid export`.")
        self._flush()
        return ImportReport(**self._counts)

    def _head(self, found: dict[str, Any]) -> int:
        if found.get("aforesaid") != FORMAT:
            raise FormatError("it is not the head of a aforesaid export.")
        space, store = found["space"], self._request.store
        embedder = self._request.arm.embedder
        if space and (embedder is None or embedder.name == space["name"]):
            if not store.spaces():
                store.add_space(space["name"], space["dimensions"])
            active = next(item for item in store.spaces() if item.active)
            self._space = space if active.name == space["name"] else None
        # Events are a log: taking it twice would double it, so it is taken only into an empty one.
        self._events_wanted = not store.log.find(EventFilter(self._request.tenant, limit=1))
        return int(found["records"])

    def _record(self, found: dict[str, Any]) -> None:
        original = record_from_json(found["record"])
        record = replace(original, tenant=self._request.tenant)
        self._renamed[original.key] = record.key
        vector = parts = None
        if self._space and "vector" in found:
            dimensions = self._space["dimensions"]
            vector = np.frombuffer(base64.b64decode(found["vector"], validate=True), dtype=np.float32)
            if vector.shape != (dimensions,):
                raise FormatError(f"the vector has {vector.size} numbers.")
            if "passages" in found:
                parts = from_halves(base64.b64decode(found["passages"], validate=True), dimensions)
        self._waiting.append(_ImportCounts(record, vector, parts))
        if len(self._waiting) >= PAGE:
            self._flush()

    def _flush(self) -> None:
        store = self._request.store
        taken = [item.record for item in self._waiting]
        known = {record.key: record for record in store.get([record.key for record in taken])}
        for record in taken:
            if record.kind == "turn" and known.get(record.key, record).text != record.text:
                raise FormatError(f"turn {record.id!r} is stored here with other words.")
        new = [record for record in taken if known.get(record.key) != record]
        self._writer.commit(new)
        there = store.vectors([record.key for record in taken])
        fill = {r.key: vector for r, vector, _ in self._waiting if vector is not None and r.key not in there}
        if fill:
            parts = {r.key: matrix for r, _, matrix in self._waiting if matrix is not None}
            self._writer.put_vectors(list(fill), Embedded(np.stack(list(fill.values())), parts))
        self._counts["records"] += len(new)
        self._counts["known"] += len(self._waiting) - len(new)
        self._counts["vectors"] += len(fill)
        self._waiting = []

    def _edge(self, source: str, target: str, kind: str, time: str) -> None:
        self._flush()
        ends = self._renamed.get(source, source), self._renamed.get(target, target)
        self._writer.commit(edges=[Edge(*ends, kind, as_time(time))])
        self._counts["edges"] += 1

    def _event(self, time: str, topic: str, subject: str | None, body: dict[str, Any]) -> None:
        self._flush()
        if self._events_wanted:
            self._writer.commit(events=[Event(as_time(time), self._request.tenant, topic, subject, body)])
            self._counts["events"] += 1


def reindex(request: Request, progress: Progress | None = None) -> int:
    """Embed every record that lacks a vector of this embedder, then search those vectors; may be stopped and resumed.

    Another model's vectors serve until the last one is made. How many records were embedded.
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
                    f"Stopped after {done} of {total} records: {request.arm.off}", "Run it again to go on."
                )
            done += len(page)
            if progress is not None:
                progress(done, total)
    store.activate_space(embedder.name)
    for tenant in tenants:
        _settle(replace(request.engine, tenant=tenant).request(), Filter(tenant=tenant))
    return done


def embed_pending(request: Request, where: Filter) -> int:
    """Catch up on vectors that records under a filter still lack; how many, none while the vector arm is off."""
    if request.arm.embedder is None:
        return 0
    done = 0
    while page := request.store.pending(replace(where, echoes=True), request.settings.ingest.batch):
        if not _embed_page(request, page):
            return done
        done += len(page)
    if done:
        _settle(request, where)
    return done


def _embed_page(request: Request, page: Sequence[Record], space: str | None = None) -> bool:
    embedded = request.embed(page)
    if embedded is None:
        return False
    with writing(request, check_policy=False) as writer:
        writer.put_vectors([record.key for record in page], embedded, space)
    return True


def _settle(request: Request, where: Filter) -> None:
    """Decide the turns that the gate had to defer for want of vectors, oldest first."""
    for record in request.store.find(replace(where, kinds=("turn",), durable=False)):
        if record.gate is None or record.gate.decision != "defer":
            continue
        vector = request.store.vectors([record.key]).get(record.key)
        if vector is None:
            continue
        [near] = gate.neighbours(request, record, vector.reshape(1, -1))
        with writing(request, check_policy=False) as writer:
            writer.commit([gate.decide_record(request, record, near.durable, near.turns)])

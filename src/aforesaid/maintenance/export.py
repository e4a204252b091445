"""Export of a tenant as JSON lines, and import of such an export."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aforesaid._util.batches import batched
from aforesaid.engine.request import Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import Writer, writing
from aforesaid.errors import FormatError
from aforesaid.math.vectors import Vectors, from_halves
from aforesaid.policy.enforcement import DENIED_PREFIX
from aforesaid.store.codec import record_from_json, record_to_json
from aforesaid.store.protocols import Reader
from aforesaid.types import Edge, Event, EventFilter, Filter, Progress, Record, as_time

FORMAT = 1  # of the export's lines
PAGE = 500


def export_lines(request: Request, *, vectors: bool = True, progress: Progress | None = None) -> Iterator[str]:
    """The tenant's memory as JSON lines: a header, then records with their vectors, edges and events.

    All lines come from the state of the store at the first one. Memory does not grow with the store.
    """
    with request.store.frozen() as still:
        yield from _lines(replace(request.engine, store=still).request(), vectors, progress)


def _lines(request: Request, vectors: bool, progress: Progress | None) -> Iterator[str]:
    total = _count(request)
    active = next((space for space in request.store.spaces() if space.active), None) if vectors else None
    space = {"name": active.name, "dimensions": active.dimensions} if active else None
    yield _line({"aforesaid": FORMAT, "tenant": request.tenant, "records": total, "space": space})
    done = 0
    for page in batched(_exportable(request, request.view), PAGE):
        names = [record.key for record in page]
        vectors_by_key = request.store.vectors(names) if active else {}
        parts = request.store.passages(names) if active else {}
        for record in page:
            line: dict[str, Any] = {"record": record_to_json(record)}
            if record.key in vectors_by_key:
                line["vector"] = _base64(vectors_by_key[record.key])
            if record.key in parts:
                line["passages"] = _base64(parts[record.key].astype("<f2"))
            yield _line(line)
        done += len(page)
        if progress is not None:
            progress(done, total)
    if done < total:
        yield _line({"damaged": total - done})  # records that were left out
    for page in batched(_exportable(request, request.store), PAGE):
        for edge in request.store.edges([record.key for record in page]):
            yield _line({"edge": [edge.source, edge.target, edge.kind, edge.time.isoformat()]})
    after = None
    while events := request.store.log.find(EventFilter(request.tenant, after=after, order="oldest", limit=PAGE)):
        after = events[-1].number
        for event in events:
            yield _line({"event": [event.time.isoformat(), event.topic, event.subject, dict(event.body)]})


def _exportable(request: Request, store: Reader) -> Iterator[Record]:
    """The records to export: all, or what the policy lets this purpose see, and candidates."""
    denied = DENIED_PREFIX if request.policy is not None else None
    for record in store.scan(_filter(request)):
        if denied is None or not record.withheld.startswith(denied):
            yield record


def _filter(request: Request) -> Filter:
    where = Filter(tenant=request.tenant, echoes=True, withheld=True)
    return where if request.policy is None else request.guard.narrow_filter(where, request.clock())


def _count(request: Request) -> int:
    """How many records are exported. Only records that a policy withholds must be read for this."""
    where, store = _filter(request), request.store
    total = store.count(where) + len(store.damage(where).records)
    if request.policy is None or total == store.count(replace(where, withheld=False)):
        return total
    return sum(1 for _ in _exportable(request, store))


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode()


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import stored; `known` records were stored before."""

    records: int
    known: int
    vectors: int
    edges: int
    events: int


def import_lines(request: Request, lines: Iterable[str], progress: Progress | None = None) -> ImportReport:
    """Import an export into this tenant: all of it, or nothing when a line is bad. Importing twice changes nothing."""
    with writing(request, check_policy=False) as writer:
        return _Importer(writer, progress).run(lines)


class _Importer:
    def __init__(self, writer: Writer, progress: Progress | None) -> None:
        self._writer, self._request = writer, writer.request
        self._progress = progress
        self._space: dict[str, Any] | None = None
        self._new_keys: dict[str, str] = {}
        self._buffer: list[tuple[Record, Vectors | None, Vectors | None]] = []
        self._counts = dict.fromkeys(("records", "known", "vectors", "edges", "events"), 0)
        self._imports_events = False

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
                elif "damaged" in found:
                    total -= int(found["damaged"])
                elif "edge" in found:
                    self._edge(*found["edge"])
                elif "event" in found:
                    self._event(*found["event"])
                else:
                    raise FormatError("it is neither a record, an edge nor an event.")
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                why = str(error).rstrip(".")
                remedy = "Give the lines as `export` wrote them; nothing was imported."
                raise FormatError(f"Line {number} cannot be imported: {why}.", remedy) from error
            if self._progress is not None and number % PAGE == 0:
                self._progress(min(number, total), total)
        if number == 0:
            raise FormatError("The import is empty.", "Give the output of `aforesaid export`.")
        self._flush()
        read = self._counts["records"] + self._counts["known"]
        if read < total:
            what = f"The export ends early: it has {read} of {total} records."
            raise FormatError(what, "Export again; nothing was imported.")
        return ImportReport(**self._counts)

    def _head(self, found: dict[str, Any]) -> int:
        if found.get("aforesaid") != FORMAT:
            raise FormatError("it is not the header of an aforesaid export.")
        space, store = found["space"], self._request.store
        embedder = self._request.arm.embedder
        if space and (embedder is None or embedder.name == space["name"]):
            if not store.spaces():
                store.add_space(space["name"], space["dimensions"])
            active = next(item for item in store.spaces() if item.active)
            self._space = space if active.name == space["name"] else None
        # Importing the log twice would double its events, so they are imported only into an empty log.
        self._imports_events = not store.log.find(EventFilter(self._request.tenant, limit=1))
        return int(found["records"])

    def _record(self, found: dict[str, Any]) -> None:
        original = record_from_json(found["record"])
        record = replace(original, tenant=self._request.tenant)
        self._new_keys[original.key] = record.key
        vector = parts = None
        if self._space and "vector" in found:
            dimensions = self._space["dimensions"]
            vector = np.frombuffer(base64.b64decode(found["vector"], validate=True), dtype=np.float32)
            if vector.shape != (dimensions,):
                raise FormatError(f"the vector has {vector.size} numbers.")
            if "passages" in found:
                parts = from_halves(base64.b64decode(found["passages"], validate=True), dimensions)
        self._buffer.append((record, vector, parts))
        if len(self._buffer) >= PAGE:
            self._flush()

    def _flush(self) -> None:
        store = self._request.store
        records = [record for record, _, _ in self._buffer]
        known = {record.key: record for record in store.get([record.key for record in records])}
        for record in records:
            if record.kind == "turn" and known.get(record.key, record).text != record.text:
                raise FormatError(f"turn {record.id!r} is already stored here with a different text.")
        new = [record for record in records if known.get(record.key) != record]
        self._writer.commit(new)
        there = store.vectors([record.key for record in records])
        fill = {r.key: vector for r, vector, _ in self._buffer if vector is not None and r.key not in there}
        if fill:
            parts = {r.key: matrix for r, _, matrix in self._buffer if matrix is not None}
            self._writer.put_vectors(list(fill), Embedded(np.stack(list(fill.values())), parts))
        self._counts["records"] += len(new)
        self._counts["known"] += len(self._buffer) - len(new)
        self._counts["vectors"] += len(fill)
        self._buffer = []

    def _edge(self, source: str, target: str, kind: str, time: str) -> None:
        self._flush()
        ends = self._new_keys.get(source, source), self._new_keys.get(target, target)
        self._writer.commit(edges=[Edge(*ends, kind, as_time(time))])
        self._counts["edges"] += 1

    def _event(self, time: str, topic: str, subject: str | None, body: dict[str, Any]) -> None:
        self._flush()
        if self._imports_events:
            self._writer.commit(events=[Event(as_time(time), self._request.tenant, topic, subject, body)])
            self._counts["events"] += 1

"""Repair of a store: what the file itself still tells, then known backups; what is lost is dropped and logged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from aforesaid.engine.engine import Engine
from aforesaid.engine.writer import writing
from aforesaid.errors import StoreError
from aforesaid.governance import audit
from aforesaid.store.protocols import Damaged, StoreProblem
from aforesaid.types import BOUNDARIES, Record


def verify(engine: Engine, *, repair: bool = False) -> list[StoreProblem]:
    """Check the store and the event logs of its tenants. With `repair`, mend what can be mended, and say how.

    A damaged record is restored from its own row, else from the newest backup that has it, else dropped. An event
    `damage` names a dropped record, without its text.
    """
    store = engine.store
    problems = store.maintenance.verify(repair=repair)
    if repair and (damaged := store.damage(None).records):
        done = {f"row {each.place}": what for each, what in _mended(engine, damaged)}
        problems = [
            replace(problem, mended=True, done=done[problem.where])
            if problem.where in done and not problem.mended
            else problem
            for problem in problems
        ]
    return [*problems, *_bad_logs(engine)]


def _bad_logs(engine: Engine) -> Iterator[StoreProblem]:
    for tenant in sorted({engine.tenant, *engine.store.tenants()}):
        report = audit.verify(engine.store, tenant)
        if not report.intact:
            yield StoreProblem(report.problem, f"log of tenant {tenant}")


def _mended(engine: Engine, damaged: Sequence[Damaged]) -> Iterator[tuple[Damaged, str]]:
    """Restore each damaged record from a backup, or drop it; yield what was done."""
    found = _in_backups(engine, [each.key for each in damaged])
    for each in damaged:
        tenant = each.record.tenant if each.record else engine.tenant
        if each.key in found:
            record, backup = found[each.key]
            what = f"restored from {backup}"
            _write(engine, record.tenant, each, "restored", [_as_closed(record, each.record)])
        else:
            what = "dropped: no backup has it"
            _write(engine, tenant, each, "dropped", [])
        yield each, what


def _write(engine: Engine, tenant: str, damaged: Damaged, what: str, records: Sequence[Record]) -> None:
    """Put a record in the place of a damaged one, or only delete that one, and log it without its text."""
    request = replace(engine, tenant=tenant).request()
    time = damaged.record.time.isoformat() if damaged.record else None
    body: dict[str, Any] = {"what": what, "id": damaged.id, "key": damaged.key, "time": time}
    with writing(request, check_policy=False) as writer:
        if not records:
            writer.store.delete_damaged([damaged.place])
        writer.commit(records, events=[request.event("damage", damaged.key, body)])


def _in_backups(engine: Engine, keys: Sequence[str]) -> dict[str, tuple[Record, str]]:
    """Return the records that a known backup still has, with the path of the newest one."""
    found: dict[str, tuple[Record, str]] = {}
    copies = [copy for copy in engine.store.maintenance.copies() if copy.state == "current"]
    for copy in sorted(copies, key=lambda copy: Path(copy.path).stat().st_mtime, reverse=True):
        try:
            with closing(copy.open()) as store:
                for record in store.get([key for key in keys if key not in found]):
                    found[record.key] = (record, copy.path)
        except StoreError:  # a damaged backup: the next one may help
            continue
    return found


def _as_closed(record: Record, damaged: Record | None) -> Record:
    """Return a restored record, as closed as the damaged one: a privacy class may rise, never fall."""
    if damaged is None:
        return record
    closed = max(record.boundary, damaged.boundary, key=BOUNDARIES.index)
    return replace(record, boundary=closed, withheld=record.withheld or damaged.withheld)

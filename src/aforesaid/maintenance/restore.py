"""Restores a backup. What was forgotten since the backup was made stays forgotten."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from aforesaid.deletion.erase import Selection, erase, key_digest
from aforesaid.engine.engine import Engine
from aforesaid.engine.vector_arm import EmbedderInUse
from aforesaid.engine.writer import writing
from aforesaid.errors import StoreCorruptError
from aforesaid.settings import Settings
from aforesaid.store.protocols import Store, ValueKind
from aforesaid.store.sqlite.restore import Restoration, name_for_old, restoration
from aforesaid.types import Clock, Filter, as_time


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What a restore did. `forgotten` counts records of the backup that were deleted again.

    `kept` is where the old store is now. `old_readable` is False when the old store was damaged, so that it is not
    known what was forgotten in it.
    """

    store: str
    backup: str
    records: int
    forgotten: int = 0
    kept: str | None = None
    old_readable: bool = True
    dry_run: bool = False


def restore(path: Path, backup: Path, settings: Settings, clock: Clock, *, dry_run: bool = False) -> RestoreReport:
    """Replace the store by a backup that was checked. Nobody may use the store meanwhile."""
    with restoration(path, backup, settings.store, dry_run=dry_run) as work:
        if problems := work.store.maintenance.verify():
            what = f"{backup} is damaged: {problems[0].what} ({problems[0].where})."
            raise StoreCorruptError(what, "Restore another backup; nothing was changed.")
        kept = name_for_old(work.path, as_time(clock(), "The time of the clock"))
        forgotten = sum(_forget_again(work, settings, clock, tenant) for tenant in work.store.tenants())
        records = sum(work.store.maintenance.stats(tenant).records for tenant in work.store.tenants())
        report = RestoreReport(
            str(work.path), str(backup), records, forgotten, old_readable=work.previous.readable, dry_run=dry_run
        )
        if dry_run:
            return report
        report = replace(report, kept=str(kept) if kept else None)
        work.take_over(backup.resolve(), kept)
        _log(work.store, settings, clock, report)
        work.put_in_place(kept)
        return report


def _engine(store: Store, settings: Settings, clock: Clock, tenant: str) -> Engine:
    return Engine(store, EmbedderInUse(None), settings, clock, tenant)


def _forget_again(work: Restoration, settings: Settings, clock: Clock, tenant: str) -> int:
    """Delete the records that the old store had forgotten after the backup was made; returns how many."""
    known = work.store.values.items(ValueKind.FORGOTTEN, tenant)
    gone = {slot: which for slot, which in work.previous.deletions.items() if slot.kind is ValueKind.FORGOTTEN}
    since = {slot.name for slot, which in gone.items() if slot.tenant == tenant and known.get(slot) != which}
    everything = Filter(tenant, echoes=True, withheld=True)
    keys = [each.key for each in work.store.scan(everything) if key_digest(each.key) in since] if since else []
    if not keys:
        return 0
    request = _engine(work.store, settings, clock, tenant).request()
    erased = erase(request, Selection(Filter(tenant, keys=()), {"by": ["restore"]}), keys)
    work.store.maintenance.scan(erased.needles)  # rewrites the file if anything is left
    return len(erased.plan.deleted)


def _log(store: Store, settings: Settings, clock: Clock, report: RestoreReport) -> None:
    body = {"records": report.records, "forgotten": report.forgotten, "old_readable": report.old_readable}
    for tenant in store.tenants():
        request = _engine(store, settings, clock, tenant).request()
        with writing(request, check_policy=False) as writer:
            writer.commit(events=[request.event("restore", None, body)])

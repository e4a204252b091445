"""Provable deletion: select → plan → delete, in backups too → search the raw files for traces → receipt.

The receipt and the log hold counts, never a text or a person's name (spec 9, 11.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aforesaid.deletion.erase import Erased, Selection, damaged_under, erase, plan_deletion
from aforesaid.deletion.unfinished import Unfinished, all_unfinished
from aforesaid.engine.door import guarded_store
from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import StoreBusyError, StoreError
from aforesaid.store.protocols import Copy, Scan, Slot, Trace, ValueKind

JOB = "forget"  # runs once at a time for a store
MOST_SHOWN = 50  # records that a dry run lists


@dataclass(frozen=True, slots=True)
class ForgetPreview:
    """A record that would be deleted."""

    id: str
    kind: str
    derived: bool


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """What was deleted and how it was proven. Holds no text and no names.

    `scrubbed` counts deletions besides records. The sessions in `to_summarise` lost summaries that also covered other
    turns; `compact` makes new ones. `would` lists the records of a dry run.
    """

    time: datetime
    records: int
    what: Mapping[str, Any]
    kinds: Mapping[str, int] = field(default_factory=dict)
    derived: int = 0
    scrubbed: Mapping[str, int] = field(default_factory=dict)
    to_summarise: tuple[str, ...] = ()
    proof: Scan | None = None
    dry_run: bool = False
    would: tuple[ForgetPreview, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether all files were searched and no trace was found."""
        return self.proof is not None and not self.proof.found

    @property
    def remedy(self) -> str:
        """What to do when a trace was found."""
        files = sorted({trace.file for trace in self.proof.found}) if self.proof is not None else []
        if any(file.endswith(("-wal", "-shm")) for file in files):
            return (
                "Another process, or an export, still reads the store. "
                "Close it: the last one to close deletes the write-ahead log."
            )
        return f"Delete {', '.join(files)}, or run `aforesaid verify`." if files else ""


def forget(request: Request, selection: Selection, *, dry_run: bool = False) -> ForgetReceipt:
    """Delete the selected records and everything derived from them, here and in our backups, and prove it."""
    if dry_run:
        return _dry_run(request, selection)
    store = request.store
    with store.exclusive(JOB, request.settings.store.lock_timeout_ms) as alone:
        if not alone:
            raise StoreBusyError("Another process is forgetting in this store.", "Wait until it has ended.")
        with store.transaction():
            done = erase(request, selection)
            receipt = _receipt(request, selection, done)
            keys = tuple(record.key for record in done.plan.deleted)
            left = Unfinished(_next_slot(request), selection, keys, receipt_body(receipt))
            left.save(request)
        return _finish(request, left, receipt, dict(done.needles))


def resume(request: Request) -> int:
    """Finish the deletions of processes that were killed; returns how many. Leaves those that are still running."""
    if not request.store.values.items(ValueKind.FORGETTING, request.tenant):
        return 0
    with request.store.exclusive(JOB) as alone:
        found = all_unfinished(request) if alone else []
        for left in found:
            logged = {name: left.receipt[name] for name in ("records", "kinds", "derived", "scrubbed")}
            receipt = ForgetReceipt(request.clock(), what={**left.selection.what, "resumed": True}, **logged)
            needles = {key.encode(): "key" for key in left.keys or ()}
            _finish(request, left, receipt, needles)
        return len(found)


def _next_slot(request: Request) -> Slot:
    head = request.store.log.head(request.tenant)
    return Slot(ValueKind.FORGETTING, request.tenant, name=f"{head.number if head else 0:012d}")


def _finish(request: Request, left: Unfinished, receipt: ForgetReceipt, needles: dict[bytes, str]) -> ForgetReceipt:
    """Delete in the backups, search all files, and log the receipt. May be repeated after a kill."""
    scrubbed, scans, unopened = Counter(receipt.scrubbed), list[Scan](), dict[str, Copy]()
    for copy in request.store.maintenance.copies() if left.keys is not None else ():
        if copy.state == "missing":
            copy.drop(False)
            scrubbed["backups not found"] += 1
        elif copy.state == "current" and (scan := _erase_copy(request, left, copy, needles)) is not None:
            scans.append(scan)
            scrubbed["backups cleaned"] += 1
        else:
            unopened[copy.path] = copy
    left = left.with_backups_done(request)
    scan = _merged(request.store.maintenance.scan(needles, sorted(unopened)), scans)
    for path, copy in unopened.items():
        if copy.state == "old" and any(_belongs(trace, path) for trace in scan.found):
            copy.drop(True)
            scrubbed["backups deleted"] += 1
            scan = replace(scan, found=tuple(trace for trace in scan.found if not _belongs(trace, path)))
    receipt = replace(receipt, scrubbed=dict(scrubbed), proof=scan)
    with writing(request, check_policy=False) as writer:
        writer.commit(events=[request.event("forget", None, receipt_body(receipt))])
        request.store.values.drop(left.slot)
    return receipt


def receipt_body(receipt: ForgetReceipt) -> dict[str, Any]:
    """A receipt for the log, without paths and without sessions, which may be deleted later."""
    proof = receipt.proof or Scan()
    return {
        **receipt.what,
        "records": receipt.records,
        "kinds": dict(receipt.kinds),
        "derived": receipt.derived,
        "scrubbed": dict(receipt.scrubbed),
        "files": len(proof.files),
        "bytes": proof.bytes,
        "needles": proof.needles,
        "found": len(proof.found),
        "proven": receipt.proven,
    }


def _receipt(request: Request, selection: Selection, done: Erased) -> ForgetReceipt:
    kinds = Counter(record.kind for record in done.plan.deleted)
    return ForgetReceipt(
        request.clock(),
        len(done.plan.deleted) + done.unreadable,
        dict(selection.what),
        dict(sorted(kinds.items())),
        done.plan.derived,
        dict(done.scrubbed),
        done.to_summarise,
    )


def _dry_run(request: Request, selection: Selection) -> ForgetReceipt:
    with request.store.snapshot():
        plan = plan_deletion(request, selection)
        keys = {record.key for record in plan.deleted}
        unreadable = sum(each.key not in keys for each in damaged_under(request.store, selection))
    selected = len(plan.deleted) - plan.derived
    would = [
        ForgetPreview(record.id, record.kind, place >= selected)
        for place, record in enumerate(plan.deleted[:MOST_SHOWN])
    ]
    receipt = _receipt(request, selection, Erased(plan, {}, Counter(), (), unreadable))
    return replace(receipt, dry_run=True, would=tuple(would))


def _erase_copy(request: Request, left: Unfinished, copy: Copy, needles: dict[bytes, str]) -> Scan | None:
    """Delete the same in a backup, with what was derived there, and add its needles; None when it cannot be opened."""
    try:
        with closing(copy.open()) as store:
            guarded = guarded_store(store, request.readers)
            needles |= erase(replace(request.engine, store=guarded).request(), left.selection, left.keys or ()).needles
            return store.maintenance.scan(needles)
    except StoreError:
        return None


def _merged(scan: Scan, others: Sequence[Scan]) -> Scan:
    """Combine the scan of our files with those of the backups."""
    files = {file: size for each in (*others, scan) for file, size in each.files.items()}
    found = tuple(trace for each in (scan, *others) for trace in each.found)
    return replace(scan, files=files, found=found, rewritten=any(each.rewritten for each in (scan, *others)))


def _belongs(trace: Trace, path: str) -> bool:
    """Whether a trace is in a backup or in a file that belongs to it."""
    return trace.file.startswith(path) and Path(trace.file).parent == Path(path).parent

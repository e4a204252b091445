"""Applies a policy to a tenant and to its stored records.

check every record → (a dry run ends here) → one transaction: check what changed meanwhile, write, adopt the policy
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from aforesaid._util.batches import batched
from aforesaid.engine.request import NO_POLICY, Request
from aforesaid.engine.writer import log_event, writing
from aforesaid.errors import ConflictError
from aforesaid.policy.enforcement import Guard
from aforesaid.policy.repository import AdoptedPolicy, active_policy, adopt
from aforesaid.policy.values import Policy
from aforesaid.store.protocols import Access
from aforesaid.types import Boundary, Filter, Progress, Record

if TYPE_CHECKING:
    from aforesaid.policy.review import PolicyChange

PAGE = 500
MAX_PASSES = 5  # most passes before the transaction; each has fewer records to check, unless others write faster


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """What a policy changes in the rules and in the tenant's records. `adopted` is None after a dry run."""

    adopted: AdoptedPolicy | None
    changes: tuple[PolicyChange, ...]
    warnings: tuple[str, ...]
    records: int
    withheld: int
    released: int
    expiring: int
    unclean: int


@dataclass(frozen=True, slots=True)
class PolicyValidation:
    """A text after redaction, what was redacted, its privacy class, and the invariants it breaks."""

    text: str
    found: tuple[str, ...]
    boundary: Boundary
    write: tuple[str, ...]
    read: tuple[str, ...]

    @property
    def allowed(self) -> bool:
        """Whether it may be stored."""
        return not self.write


@dataclass(frozen=True, slots=True)
class RevisionReport:
    """Stored records that contain text to redact, by kind, and how many were redacted (`mended`)."""

    records: int
    unclean: int
    mended: int
    kinds: dict[str, int]


def apply(
    request: Request,
    policy: Policy,
    *,
    expected: str | None = None,
    dry_run: bool = False,
    by: str = "",
    progress: Progress | None = None,
) -> PolicyReport:
    """Adopt a policy and update every record's access to it, in one transaction. A dry run only reports.

    Records are checked before the transaction, so that others can read and write meanwhile; the transaction checks
    only what they changed. On any failure the old policy stays and nothing changes.
    Privacy classes rise where personal data is found, invariants withhold records, times to live begin. `unclean`
    records contain text that the policy redacts in new records; they stay unchanged until `revise` redacts them.
    Raises ConflictError when the current policy version is not `expected`.
    """
    from aforesaid.policy.review import diff, policy_warnings

    before, adopted = _current_policy(request, expected), None
    review = _RecordReview(request, Guard(policy, readers=request.readers), progress)
    review.catch_up(1 if dry_run else MAX_PASSES)
    if not dry_run:
        with writing(request, check_policy=False) as writer:  # `expected` is the check here
            before = _current_policy(request, expected)
            review.check_changed()
            review.write_access()
            adopted = adopt(request.store, request.tenant, policy, request.clock(), by)
            body = {"number": adopted.number, "version": adopted.version, "digest": adopted.digest, "by": by}
            withheld = review.tally()["withheld"]
            current = request.engine.request()  # so that the event names the new policy
            writer.commit(events=[current.event("policy", adopted.version, {**body, "withheld": withheld})])
    changes = diff(before.policy if before else Policy.default(), policy)
    return PolicyReport(adopted, changes, policy_warnings(policy), len(review.fingerprints), **review.tally())


def _current_policy(request: Request, expected: str | None) -> AdoptedPolicy | None:
    """The current policy; ConflictError when its version is not `expected`."""
    found = active_policy(request.store, request.tenant)
    here = found.version if found else NO_POLICY
    if expected is not None and expected != here:
        raise ConflictError(f"The current policy is {here}, not {expected}.", "See it with `aforesaid policy show`.")
    return found


class Verdict(NamedTuple):
    """A record's access before and under the new policy, and whether its text needs redaction."""

    before: Access
    after: Access
    unclean: bool


@dataclass(slots=True)
class _RecordReview:
    """Checks a tenant's records against a policy. Holds the verdicts of the records that change."""

    request: Request
    guard: Guard
    progress: Progress | None = None
    fingerprints: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def check_changed(self) -> int:
        """Check the records that are new or changed since the last pass; returns how many."""
        store, everything = self.request.store, _all_records(self.request)
        there = store.fingerprints(everything)
        self.fingerprints = {
            key: fingerprint for key, fingerprint in there.items() if self.fingerprints.get(key) == fingerprint
        }
        self.verdicts = {key: verdict for key, verdict in self.verdicts.items() if key in self.fingerprints}
        fresh = [key for key in there if key not in self.fingerprints]
        for keys in batched(fresh, PAGE):
            with store.snapshot():  # so that a record and its fingerprint match
                self.fingerprints |= store.fingerprints(replace(everything, keys=tuple(keys)))
                page = store.get(keys)
            for record in page:
                verdict = _check_record(self.guard, record)
                if verdict.unclean or verdict.after != verdict.before:
                    self.verdicts[record.key] = verdict
            if self.progress is not None:
                self.progress(len(self.fingerprints), len(there))
        return len(fresh)

    def catch_up(self, passes: int) -> None:
        """Repeat the check until at most a page of records changed, or `passes` passes are done."""
        while passes and self.check_changed() > PAGE:
            passes -= 1

    def write_access(self) -> None:
        """Write the access of all records that change."""
        changed = {key: verdict.after for key, verdict in self.verdicts.items() if verdict.after != verdict.before}
        for keys in batched(changed, PAGE):
            self.request.store.update_access({key: changed[key] for key in keys})

    def tally(self) -> Counter[str]:
        """How many records are withheld, released, expiring and unclean."""
        counts = Counter(withheld=0, released=0, expiring=0, unclean=0)
        for before, after, unclean in self.verdicts.values():
            counts["withheld"] += bool(after.withheld) and not before.withheld
            counts["released"] += bool(before.withheld) and not after.withheld
            counts["expiring"] += after.expires not in (None, before.expires)
            counts["unclean"] += unclean
        return counts


def _check_record(guard: Guard, record: Record) -> Verdict:
    cleaned = guard.clean(record.text, record.boundary)
    raised = record if cleaned.boundary == record.boundary else replace(record, boundary=cleaned.boundary)
    return Verdict(
        Access(record.boundary, record.withheld, record.expires),
        Access(cleaned.boundary, guard.update_withheld(raised).withheld, guard.expiry(record)),
        cleaned.text != record.text,
    )


def validate(request: Request, text: str, record: Record) -> PolicyValidation:
    """Check a text as if it were stored in this record; stores nothing."""
    guard = request.guard
    cleaned = guard.clean(text, record.boundary)
    draft = replace(record, text=cleaned.text, boundary=cleaned.boundary)
    broken: list[tuple[str, ...]] = [guard.broken_invariants(draft, action) for action in ("write", "read")]
    return PolicyValidation(cleaned.text, cleaned.kinds, cleaned.boundary, *broken)


def revise(request: Request, *, mend: bool = False, progress: Progress | None = None) -> RevisionReport:
    """Check every stored record with the current detectors; with `mend`, redact what they find.

    A redacted record is embedded again, and its old text is overwritten in the file.
    """
    guard = request.guard
    keys = list(request.store.fingerprints(_all_records(request)))
    seen = unclean = mended = 0
    kinds: Counter[str] = Counter()
    for page_keys in batched(keys, PAGE):
        page = request.store.get(page_keys)
        dirty = []
        for record in page:
            cleaned = guard.clean(record.text, record.boundary)
            if cleaned.text != record.text or cleaned.boundary != record.boundary:
                found = (*record.redactions, *cleaned.kinds)
                clean = replace(record, text=cleaned.text, boundary=cleaned.boundary, redactions=found)
                dirty.append((record, guard.update_withheld(clean)))
                unclean += cleaned.text != record.text
                kinds.update(cleaned.kinds)
        if mend and dirty:
            mended += _write_clean(request, dirty)
        seen += len(page)
        if progress is not None:
            progress(seen, len(keys))
    if mended:
        log_event(request, "revise", None, {"records": mended, "kinds": dict(kinds)})
    return RevisionReport(seen, unclean, mended, dict(kinds))


def _write_clean(request: Request, dirty: Sequence[tuple[Record, Record]]) -> int:
    """Write the clean record of each (original, clean) pair unless the original changed; returns how many."""
    embedded = request.embed([clean for _, clean in dirty])
    with writing(request) as writer:
        there = {record.key: record for record in request.store.get([record.key for record, _ in dirty])}
        same = [place for place, (record, _) in enumerate(dirty) if there.get(record.key) == record]
        records = [dirty[place][1] for place in same]
        writer.commit(records, embedded.select(same) if embedded else None)
        request.store.maintenance.scrub()
    return len(records)


def _all_records(request: Request) -> Filter:
    return Filter(request.tenant, echoes=True, withheld=True)

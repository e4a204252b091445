"""A policy put in force, and what it makes of what is there already.

text → read and checked → every record judged → dry run ends here → what changed meanwhile judged, all written, adopted
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aforesaid.engine.request import NO_POLICY, Request
from aforesaid.engine.writer import commit, writing
from aforesaid.errors import ConflictError
from aforesaid.policy import Policy
from aforesaid.policy.enforcement import Guard
from aforesaid.policy.repository import Adopted, active_policy, adopt
from aforesaid.store.protocols import Access
from aforesaid.types import Boundary, Filter, Progress, Record

if TYPE_CHECKING:
    from aforesaid.policy import PolicyChange

PAGE = 500
LOOKS = 5  # before the transaction: each is shorter than the last, unless somebody writes faster than we judge
TALLIED = ("withheld", "released", "expiring", "unclean")


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """What a policy changes: in the rules, and among the records of the tenant; `adopted` is None after a dry run."""

    adopted: Adopted | None
    changes: tuple[PolicyChange, ...]
    doubts: tuple[str, ...]
    records: int
    withheld: int
    released: int
    expiring: int
    unclean: int


@dataclass(frozen=True, slots=True)
class Validation:
    """What the policy makes of a text: what is left, what was found, its class, the invariants it breaks."""

    text: str
    found: tuple[str, ...]
    boundary: Boundary
    write: tuple[str, ...]
    read: tuple[str, ...]

    @property
    def allowed(self) -> bool:
        """Whether it may be kept."""
        return not self.write


@dataclass(frozen=True, slots=True)
class Revision:
    """What a look at stored records found: how many hold what should go, by kind, and how many were mended."""

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
    """Put a policy in force with every record judged by it, both at once; a dry run only tells.

    Others go on reading and writing while records are judged. The transaction at the end judges what they wrote
    meanwhile, and writes; whatever fails before it is through, the policy before stays, and nothing was changed.
    Classes rise where personal data is found, invariants withhold, times to live begin. `unclean` records hold words
    that the policy takes out of new ones; they stay as they are until `revise` mends them.
    `expected` is the version that the caller believes in force: another one is ConflictError, and nothing changes.
    """
    from aforesaid.policy import diff, policy_warnings

    before, taken = _before(request, expected), None
    docket = _Docket(request, Guard(policy, readers=request.readers), progress)
    docket.catch_up(1 if dry_run else LOOKS)
    if not dry_run:
        with writing(request, check_policy=False) as writer:  # `expected` is the check here
            before = _before(request, expected)
            docket.look()
            docket.settle()
            taken = adopt(request.store, request.tenant, policy, request.clock(), by)
            body = {"number": taken.number, "version": taken.version, "digest": taken.digest, "by": by}
            withheld = docket.tally()["withheld"]
            adopted = request.engine.request()  # the event names the policy that it is about
            writer.commit(events=[adopted.event("policy", taken.version, {**body, "withheld": withheld})])
    changes = diff(before.policy if before else Policy.default(), policy)
    tally = docket.tally()
    return PolicyReport(taken, changes, policy_warnings(policy), len(docket.marks), *(tally[name] for name in TALLIED))


def _before(request: Request, expected: str | None) -> Adopted | None:
    """The policy in force, if it is the one that was expected."""
    found = active_policy(request.store, request.tenant)
    here = found.version if found else NO_POLICY
    if expected is not None and expected != here:
        raise ConflictError(
            f"The policy in force is {here}, not {expected}.", "Look at what changed with `aforesaid policy show`."
        )
    return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """A record's standing as it is and as the policy wants it, and whether it holds words that are to go."""

    before: Access
    after: Access
    unclean: bool

    @property
    def withheld(self) -> bool:
        """Whether nobody may see it any more."""
        return bool(self.after.withheld) and not self.before.withheld

    @property
    def released(self) -> bool:
        """Whether it may be seen again."""
        return bool(self.before.withheld) and not self.after.withheld

    @property
    def expiring(self) -> bool:
        """Whether it has another time to live."""
        return self.after.expires not in (None, self.before.expires)


@dataclass(slots=True)
class _Docket:
    """The records of a tenant before a policy: their marks when they were looked at, and the verdicts that matter."""

    request: Request
    guard: Guard
    progress: Progress | None = None
    marks: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def look(self) -> int:
        """Judge what is new or has changed since the last look; how many there were."""
        store, everything = self.request.store, _everything(self.request)
        there = store.fingerprints(everything)
        self.marks = {key: mark for key, mark in there.items() if self.marks.get(key) == mark}
        self.verdicts = {key: said for key, said in self.verdicts.items() if key in self.marks}
        fresh = [key for key in there if key not in self.marks]
        for keys in _slices(fresh):
            with store.snapshot():  # a record and its mark of the same moment
                self.marks |= store.fingerprints(replace(everything, keys=tuple(keys)))
                page = store.get(keys)
            for record in page:
                verdict = _judged(self.guard, record)
                if verdict.unclean or verdict.after != verdict.before:
                    self.verdicts[record.key] = verdict
            if self.progress is not None:
                self.progress(len(self.marks), len(there))
        return len(fresh)

    def catch_up(self, looks: int) -> None:
        """Look again and again, until little can be left to judge."""
        while looks and self.look() > PAGE:
            looks -= 1

    def settle(self) -> None:
        """Write the standings that change."""
        changed = {key: said.after for key, said in self.verdicts.items() if said.after != said.before}
        for keys in _slices(list(changed)):
            self.request.store.update_access({key: changed[key] for key in keys})

    def tally(self) -> Counter[str]:
        """How many records are withheld, released and so on."""
        return Counter(name for said in self.verdicts.values() for name in TALLIED if getattr(said, name))


def _judged(guard: Guard, record: Record) -> Verdict:
    cleaned = guard.clean(record.text, record.boundary)
    raised = record if cleaned.boundary == record.boundary else replace(record, boundary=cleaned.boundary)
    return Verdict(
        Access(record.boundary, record.withheld, record.expires),
        Access(cleaned.boundary, guard.update_withheld(raised).withheld, guard.expiry(record)),
        cleaned.text != record.text,
    )


def validate(request: Request, text: str, record: Record) -> Validation:
    """What would become of a text as such a record; nothing is stored."""
    guard = request.guard
    cleaned = guard.clean(text, record.boundary)
    drafted = replace(record, text=cleaned.text, boundary=cleaned.boundary)
    broken: list[tuple[str, ...]] = [guard.broken_invariants(drafted, action) for action in ("write", "read")]
    return Validation(cleaned.text, cleaned.kinds, cleaned.boundary, *broken)


def revise(request: Request, *, mend: bool = False, progress: Progress | None = None) -> Revision:
    """Look at every stored record with the detectors of today; with `mend`, take out what they find.

    A mended record gets a new vector; what was there before is overwritten in the file.
    """
    guard = request.guard
    keys = list(request.store.fingerprints(_everything(request)))
    seen = unclean = mended = 0
    kinds: dict[str, int] = {}
    for page in _pages(request, keys):
        dirty = []
        for record in page:
            cleaned = guard.clean(record.text, record.boundary)
            if cleaned.text != record.text or cleaned.boundary != record.boundary:
                found = (*record.redactions, *cleaned.kinds)
                clean = replace(record, text=cleaned.text, boundary=cleaned.boundary, redactions=found)
                dirty.append((record, guard.update_withheld(clean)))
                unclean += cleaned.text != record.text
                for kind in cleaned.kinds:
                    kinds[kind] = kinds.get(kind, 0) + 1
        if mend and dirty:
            mended += _mend(request, dirty)
        seen += len(page)
        if progress is not None:
            progress(seen, len(keys))
    if mended:
        commit(request, events=[request.event("revise", None, {"records": mended, "kinds": kinds})])
    return Revision(seen, unclean, mended, kinds)


def _mend(request: Request, dirty: Sequence[tuple[Record, Record]]) -> int:
    """Write the clean ones of (as it was read, clean), unless it was changed or forgotten meanwhile; how many."""
    embedded = request.embed([clean for _, clean in dirty])
    with writing(request) as writer:
        there = {record.key: record for record in request.store.get([record.key for record, _ in dirty])}
        same = [place for place, (record, _) in enumerate(dirty) if there.get(record.key) == record]
        records = [dirty[place][1] for place in same]
        writer.commit(records, embedded.select(same) if embedded else None)
        request.store.maintenance.scrub()
    return len(records)


def _everything(request: Request) -> Filter:
    return Filter(request.tenant, echoes=True, withheld=True)


def _pages(request: Request, keys: Sequence[str]) -> Iterator[list[Record]]:
    """The records with these keys, so many at a time; one that was forgotten meanwhile is left out."""
    for some in _slices(keys):
        yield request.store.get(some)


def _slices(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), PAGE):
        yield keys[start : start + PAGE]

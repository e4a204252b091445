"""A policy put in force, and what it makes of what is there already.

text → read and checked → compared with the one in force → dry run ends here → adopted, every record judged anew
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.engine import Engine
from recollect.errors import ConflictError
from recollect.guard import Guard
from recollect.policies import Adopted, adopt, adopted
from recollect.policy import Policy
from recollect.types import Boundary, Filter, Record

if TYPE_CHECKING:
    from recollect.policy import Change

PAGE = 500
TALLIED = ("records", "withheld", "released", "expiring", "unclean")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """What a policy changes: in the rules, and among the records of the tenant; `adopted` is None after a dry run."""

    adopted: Adopted | None
    changes: tuple[Change, ...]
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
    engine: Engine,
    policy: Policy,
    *,
    expected: str | None = None,
    dry_run: bool = False,
    by: str = "",
    progress: Progress | None = None,
) -> PolicyReport:
    """Put a policy in force and judge every record by it, all in one transaction; a dry run only tells.

    Classes rise where personal data is found, invariants withhold, times to live begin. `unclean` records hold words
    that the policy takes out of new ones; they stay as they are until `revise` mends them.
    `expected` is the version that the caller believes in force: another one is ConflictError, and nothing changes.
    """
    from recollect.policy import diff, doubts

    with engine.store.transaction():
        before = adopted(engine.store, engine.tenant)
        here = before.version if before else "none"
        if expected is not None and expected != here:
            raise ConflictError(
                f"The policy in force is {here}, not {expected}.", "Look at what changed with `recollect policy show`."
            )
        tally = _judge_all(engine, Guard(policy), dry_run, progress)
        taken = None if dry_run else adopt(engine.store, engine.tenant, policy, engine.clock(), by)
        if taken is not None:
            body = {"number": taken.number, "version": taken.version, "digest": taken.digest, "by": by}
            engine.store.append([engine.event("policy", taken.version, {**body, "withheld": tally["withheld"]})])
    changes = diff(before.policy if before else Policy.default(), policy)
    return PolicyReport(taken, changes, doubts(policy), *(tally[name] for name in TALLIED))


def _judge_all(engine: Engine, guard: Guard, dry_run: bool, progress: Progress | None) -> Counter[str]:
    """Every record of the tenant as the policy wants it, and what that changes."""
    tally: Counter[str] = Counter()
    total = engine.store.count(_everything(engine))
    for page in _pages(engine):
        judged = [_judged(guard, record, tally) for record in page]
        changed = [after for after, record in zip(judged, page, strict=True) if after != record]
        if changed and not dry_run:
            engine.store.put(changed)
        if progress is not None:
            progress(tally["records"], total)
    return tally


def _judged(guard: Guard, record: Record, tally: Counter[str]) -> Record:
    cleaned = guard.clean(record.text, record.boundary)
    after = replace(guard.rejudged(replace(record, boundary=cleaned.boundary)), expires=guard.expiry(record))
    tally.update(
        records=1,
        withheld=int(bool(after.withheld) and not record.withheld),
        released=int(bool(record.withheld) and not after.withheld),
        expiring=int(after.expires is not None and after.expires != record.expires),
        unclean=int(cleaned.text != record.text),
    )
    return after


def validate(engine: Engine, text: str, record: Record) -> Validation:
    """What would become of a text as such a record; nothing is stored."""
    guard = engine.guard
    cleaned = guard.clean(text, record.boundary)
    drafted = replace(record, text=cleaned.text, boundary=cleaned.boundary)
    broken: list[tuple[str, ...]] = [guard.broken(drafted, action) for action in ("write", "read")]
    return Validation(cleaned.text, cleaned.kinds, cleaned.boundary, *broken)


def revise(engine: Engine, *, mend: bool = False, progress: Progress | None = None) -> Revision:
    """Look at every stored record with the detectors of today; with `mend`, take out what they find.

    A mended record gets a new vector; what was there before is overwritten in the file.
    """
    guard = engine.guard
    total = engine.store.count(_everything(engine))
    seen = unclean = mended = 0
    kinds: dict[str, int] = {}
    for page in _pages(engine):
        dirty = []
        for record in page:
            cleaned = guard.clean(record.text, record.boundary)
            if cleaned.text != record.text or cleaned.boundary != record.boundary:
                found = (*record.redactions, *cleaned.kinds)
                dirty.append(replace(record, text=cleaned.text, boundary=cleaned.boundary, redactions=found))
                unclean += cleaned.text != record.text
                for kind in cleaned.kinds:
                    kinds[kind] = kinds.get(kind, 0) + 1
        if mend and dirty:
            mended += _mend(engine, [guard.rejudged(record) for record in dirty])
        seen += len(page)
        if progress is not None:
            progress(seen, total)
    if mended:
        engine.store.append([engine.event("revise", None, {"records": mended, "kinds": kinds})])
    return Revision(seen, unclean, mended, kinds)


def _mend(engine: Engine, records: Sequence[Record]) -> int:
    embedded = engine.embed(records)
    with engine.store.transaction():
        engine.store.put(records)
        if embedded is not None:
            engine.ready_space()
            keys = [record.key for record in records]
            engine.store.put_vectors(keys, embedded.vectors, passages=embedded.passages)
        engine.store.scrub()
    return len(records)


def _everything(engine: Engine) -> Filter:
    return Filter(engine.tenant, echoes=True, withheld=True)


def _pages(engine: Engine) -> Iterator[list[Record]]:
    """All records of the tenant; their number and order stay the same while they are rewritten."""
    total = engine.store.count(_everything(engine))
    for offset in range(0, total, PAGE):
        yield engine.store.find(_everything(engine), limit=PAGE, offset=offset)

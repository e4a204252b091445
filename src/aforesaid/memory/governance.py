"""`memory.governance`: knowledge that is reviewed: observed, distilled, promoted, rolled back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aforesaid.engine.request import Request
from aforesaid.engine.writer import log_event
from aforesaid.errors import NotFoundError, ProvenanceError
from aforesaid.governance import promotion
from aforesaid.ingest.claims import Claim
from aforesaid.memory.handle import Handle
from aforesaid.memory.lookup import SAFE_CHARS, choose
from aforesaid.memory.visibility import find_visible, optional_id, record_owner, time_or_now, visible
from aforesaid.policy.enforcement import CANDIDATE
from aforesaid.policy.values import ObservationMode
from aforesaid.retrieval import activation
from aforesaid.text.globs import check_globs
from aforesaid.types import (
    MEMORY_TYPES,
    Boundary,
    ClaimType,
    Filter,
    MemoryType,
    Provenance,
    Record,
    Scope,
    TimeLike,
    check_choice,
    check_class,
    check_id,
)


@dataclass(frozen=True, slots=True)
class SweepReport:
    """How many expired records and active contexts were deleted."""

    records: int
    contexts: int


class GovernanceHandle(Handle):
    """Reviewed knowledge of one tenant."""

    def observe(
        self,
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        scope: Scope | None = None,
        source: Provenance | None = None,
        mode: ObservationMode | None = None,
        ttl_days: float | None = None,
        boundary: Boundary = "internal",
        tainted: bool = True,
        time: TimeLike | None = None,
    ) -> Record:
        """Store an observation, such as the output of a tool, for a limited time. Return its record.

        Args:
            session: The session it was seen in.
            source: Where it comes from.
            mode: What to keep: `raw` (without secrets), `redact` (without personal data) or `digest` (a hash only);
                the policy's choice if left out.
            ttl_days: When it expires; the policy's or the settings' choice if left out.
            time: When it was seen; now if left out.
        """
        owner, moment = record_owner(user, project, scope), time_or_now(self._engine.clock, time, "time")
        optional_id(session, "session")
        check_class(boundary)
        return self._engine.run(
            lambda request: promotion.observe(
                request, text, owner, moment, session=session, source=source, boundary=boundary, mode=mode,
                ttl_days=ttl_days, tainted=tainted,
            )
        )  # fmt: skip

    def distill(
        self,
        sources: Sequence[str],
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        type: ClaimType = "fact",
        memory_type: MemoryType = "knowledge",
        boundary: Boundary = "internal",
        time: TimeLike | None = None,
    ) -> Record:
        """Store and return a claim made from observations or turns. It stays hidden until it is promoted.

        It inherits the strictest privacy class and any "untrusted" mark of its sources.

        Args:
            sources: Ids or keys of the records it is made from.

        Raises:
            NotFoundError: No record that this caller may see has one of the ids.
        """
        claim = Claim(
            text,
            record_owner(user, project, scope),
            type,
            check_class(boundary),
            time_or_now(self._engine.clock, time, "time"),
            {},
            memory_type=_checked(memory_type),
        )

        def work(request: Request) -> Record:
            who = {"user": user, "project": project}
            found = [find_visible(request, name, **who, least_chars=SAFE_CHARS) for name in sources]
            return promotion.distill(request, claim, found)

        return self._engine.run(work)

    def candidates(self, *, user: str | None = None, project: str | None = None, limit: int = 50) -> list[Record]:
        """List the candidates that wait for promotion, newest first."""
        return _candidates(self._engine.request(), user, project)[:limit]

    def promote(
        self, id: str, *, user: str | None = None, project: str | None = None, reviewers: Sequence[str] = ()
    ) -> Record:
        """Make a candidate durable, so that search finds it. Return its record.

        Args:
            id: The candidate's id, its handle, or at least 8 characters of its id.

        Raises:
            NotFoundError: No candidate has that id.
            DeniedError: The policy does not allow the promotion.
        """
        names = [check_id(name, "reviewer") for name in reviewers]

        def work(request: Request) -> Record:
            found = choose(_candidates(request, user, project), id)
            if found is None:
                raise NotFoundError(f"No candidate is called {id!r}.", "See memory.governance.candidates().")
            [candidate] = request.store.get([found.key])
            return promotion.promote(request, candidate, names)

        return self._engine.run(work)

    def upsert(
        self,
        text: str,
        *,
        provenance: Provenance,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        type: ClaimType = "fact",
        memory_type: MemoryType = "knowledge",
        boundary: Boundary = "internal",
        reviewers: Sequence[str] = (),
        allow: Sequence[str] | None = None,
        tainted: bool = False,
        time: TimeLike | None = None,
    ) -> Record:
        """Store a claim with its source, and return its record. The same text again adds evidence to it.

        Args:
            provenance: Where it comes from: who, sources, a file or a url.

        Raises:
            ProvenanceError: The provenance names no source.
            DeniedError: The policy does not allow this claim.
        """
        if replace(provenance, method=None) == Provenance():
            raise ProvenanceError("The claim does not say where it comes from.", "Give who=NAME, file=PATH or url=URL.")
        claim = Claim(
            text,
            record_owner(user, project, scope),
            type,
            check_class(boundary),
            time_or_now(self._engine.clock, time, "time"),
            {},
            provenance=replace(provenance, method=provenance.method or "upsert"),
            allow=check_globs(allow) if allow is not None else None,
            tainted=tainted,
            reviewers=len(set(reviewers)),
            memory_type=_checked(memory_type),
        )
        return self._engine.run(lambda request: promotion.upsert(request, claim, reviewers))

    def rollback(
        self, id: str, *, reason: str, user: str | None = None, project: str | None = None, by: str = ""
    ) -> promotion.RollbackReport:
        """End a claim without deleting it. What it had replaced is valid again; what was derived from it is stale.

        Args:

        Returns:
            The records that changed.
        """

        def work(request: Request) -> promotion.RollbackReport:
            found = find_visible(request, id, user=user, project=project, least_chars=SAFE_CHARS)
            [claim] = request.store.get([found.key])
            return promotion.rollback(request, claim, reason, by)

        return self._engine.run(work)

    def active(
        self, id: str, *, user: str | None = None, project: str | None = None, now: TimeLike | None = None
    ) -> activation.ActiveContext:
        """Return a list that `Memory.activate` saved, as far as this caller may see it. This counts as a use.

        Args:
            id: The id of the list.
            now: The current time; the clock's if left out.

        Raises:
            ContextGoneError: It expired, was used up, or never existed.
        """
        moment = time_or_now(self._engine.clock, now)

        def work(request: Request) -> activation.ActiveContext:
            where = visible(request, user=user, project=project, now=moment)
            return activation.recall(request, id, where, moment)

        return self._engine.run(work)

    def sweep(self, now: TimeLike | None = None) -> SweepReport:
        """Delete expired records and active contexts, and return how many. Records derived from them stay.

        Args:
            now: The current time; the clock's if left out.
        """
        request, moment = self._engine.request(), time_or_now(self._engine.clock, now)
        store = request.store
        everything = Filter(request.tenant, echoes=True, withheld=True)
        expired = [each.key for each in store.scan(everything) if each.expires is not None and each.expires <= moment]
        with store.transaction():
            if expired:
                store.delete(expired)
                log_event(request, "sweep", None, {"records": len(expired)})
            return SweepReport(len(expired), activation.sweep(request, moment))


def _candidates(request: Request, user: str | None, project: str | None) -> list[Record]:
    where = visible(request, user=user, project=project)
    waiting = replace(where, withheld=True, kinds=("claim",), durable=False)
    return [each for each in request.view.find(waiting, order="newest") if each.withheld == CANDIDATE]


def _checked(memory_type: MemoryType) -> MemoryType:
    check_choice(memory_type, MEMORY_TYPES, "memory_type")
    return memory_type

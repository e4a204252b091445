"""Knowledge the governed way: seen, distilled, promoted, activated, rolled back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.engine.writer import commit
from aforesaid.errors import InputError, ProvenanceError
from aforesaid.ingest import claims as claiming
from aforesaid.memory.base import Base, Records, Time, as_name
from aforesaid.policy.enforcement import CANDIDATE
from aforesaid.policy.intents import IntentName
from aforesaid.policy.values import ObservationMode
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
    as_time,
    check_choice,
    check_class,
    check_id,
)

if TYPE_CHECKING:
    from aforesaid.governance import promotion as flow
    from aforesaid.retrieval import activation as active
else:
    active, flow = Lazy("aforesaid.retrieval.activation"), Lazy("aforesaid.governance.promotion")


@dataclass(frozen=True, slots=True)
class Swept:
    """What was over and is gone: records whose time was up, and active contexts."""

    records: int
    contexts: int


class Governing(Base):
    """The verbs of governance."""

    def observe(
        self,
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        scope: Scope = "user",
        source: Provenance | None = None,
        mode: ObservationMode | None = None,
        ttl_days: float | None = None,
        boundary: Boundary = "internal",
        tainted: bool = True,
        time: Time | None = None,
    ) -> Record:
        """Keep something seen for a while: `raw` (without secrets), `redact` (without personal data) or `digest`."""
        capture = flow.Capture(
            text,
            claiming.Owner(scope, as_name(user, "user"), as_name(project, "project")),
            self._moment(time),
            as_name(session, "session"),
            source,
            check_class(boundary),
            mode,
            ttl_days,
            tainted,
        )
        return self._engine.run(lambda request: flow.observe(request, capture))

    def distill(
        self,
        sources: Sequence[str],
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope = "user",
        type: ClaimType = "fact",  # noqa: A002 - the word people use
        memory_type: MemoryType = "knowledge",
        boundary: Boundary = "internal",
        time: Time | None = None,
    ) -> Record:
        """A candidate made from observations or turns; nobody finds it until it is promoted."""
        found = [self.get(name, user=user, project=project) for name in sources]
        owner = claiming.Owner(scope, as_name(user, "user"), as_name(project, "project"))
        claim = claiming.Claim(text, owner, type, check_class(boundary), self._moment(time), {})
        check_choice(memory_type, MEMORY_TYPES, "memory_type")
        return self._engine.run(lambda request: flow.distill(request, replace(claim, memory_type=memory_type), found))

    def candidates(self, *, user: str | None = None, project: str | None = None, limit: int = 50) -> Records:
        """What waits to be promoted, newest first."""
        where = replace(self.where(user=user, project=project), withheld=True, kinds=("claim",), durable=False)
        found = self._engine.request().view.find(where, order="newest")
        return [record for record in found if record.withheld == CANDIDATE][:limit]

    def promote(
        self,
        id: str,  # noqa: A002 - the word people use
        *,
        user: str | None = None,
        project: str | None = None,
        reviewers: Sequence[str] = (),
    ) -> Record:
        """Make a candidate durable; it must say where it comes from, and a global one needs a reviewer."""
        waiting = {record.id: record.key for record in self.candidates(user=user, project=project, limit=1 << 30)}
        if id not in waiting:
            raise InputError(f"No candidate is called {id!r}.", "See `aforesaid candidates`.")
        [candidate] = self.store.get([waiting[id]])
        return self._engine.run(
            lambda request: flow.promote(request, candidate, [check_id(name, "reviewer") for name in reviewers])
        )

    def upsert(
        self,
        text: str,
        *,
        provenance: Provenance,
        user: str | None = None,
        project: str | None = None,
        scope: Scope = "user",
        type: ClaimType = "fact",  # noqa: A002 - the word people use
        memory_type: MemoryType = "knowledge",
        boundary: Boundary = "internal",
        reviewers: Sequence[str] = (),
        allow: Sequence[str] | None = None,
        tainted: bool = False,
        time: Time | None = None,
    ) -> Record:
        """Store a claim that is distilled already; the same words again are the same claim with more evidence."""
        if replace(provenance, method=None) == Provenance():
            raise ProvenanceError("The claim does not say where it comes from.", "Give who, sources, a file or a url.")
        check_choice(memory_type, MEMORY_TYPES, "memory_type")
        claim = claiming.Claim(
            text,
            claiming.Owner(scope, as_name(user, "user"), as_name(project, "project")),
            type,
            check_class(boundary),
            self._moment(time),
            {},
            provenance=replace(provenance, method=provenance.method or "upsert"),
            allow=check_globs(allow) if allow is not None else None,
            tainted=tainted,
            reviewers=len(set(reviewers)),
            memory_type=memory_type,
        )
        return self._engine.run(lambda request: flow.upsert(request, claim, reviewers))

    def rollback(
        self,
        id: str,  # noqa: A002 - the word people use
        *,
        reason: str,
        user: str | None = None,
        project: str | None = None,
        by: str = "",
    ) -> flow.Rollback:
        """End a claim without deleting it; what it had replaced holds again, what was made of it is marked stale."""
        [claim] = self.store.get([self.get(id, user=user, project=project).key])
        return self._engine.run(lambda request: flow.rollback(request, claim, reason, by))

    def activate(
        self,
        query: str,
        *,
        intent: IntentName = "resume_task",
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int | None = None,
        ttl_minutes: float | None = None,
        max_uses: int | None = None,
        now: Time | None = None,
    ) -> active.ActiveContext:
        """What an intent wants to know, ranked by `pce` and saved until it expires or is used up."""
        engine, moment = self._engine.request(), self._moment(now)
        where = self.where(user=user, project=project, session=session, now=moment)
        size = engine.settings.search.limit if limit is None else limit
        minutes = engine.settings.govern.context_minutes if ttl_minutes is None else ttl_minutes
        return active.activate(engine, active.ActivationRequest(query, intent, where, size, moment, minutes, max_uses))

    def active(
        self,
        id: str,  # noqa: A002 - the word people use
        *,
        user: str | None = None,
        project: str | None = None,
        now: Time | None = None,
    ) -> active.ActiveContext:
        """A saved active context, as far as the caller may see it now; each reading counts as a use."""
        moment = self._moment(now)
        return self._engine.run(
            lambda request: active.recall(request, id, self.where(user=user, project=project, now=moment), moment)
        )

    def sweep(self, now: Time | None = None) -> Swept:
        """Delete for good what has expired: observations, whatever a policy limits in time, and active contexts."""
        moment = self._moment(now)
        everything = Filter(self.tenant, echoes=True, withheld=True)
        alive = {record.key for record in self.store.find(replace(everything, alive_at=moment))}
        over = [record.key for record in self.store.find(everything) if record.key not in alive]
        request = self._engine.request()
        with self.store.transaction():
            if over:  # what was made of them has a life of its own, and stays
                self.store.delete(over)
                commit(request, events=[request.event("sweep", None, {"records": len(over)})])
            return Swept(len(over), active.sweep(request, moment))

    def _moment(self, time: Time | None) -> datetime:
        return as_time(time) if time is not None else self._engine.clock()

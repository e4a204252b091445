"""Older turns of a session → summaries: cluster by cluster, with every source kept and linked (spec 8).

eligible turns → clusters, torn nowhere → a summary each, or none → summary, vector and links in one transaction
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from aforesaid.context.recent_turns import groups, message, recent
from aforesaid.engine.lineage import COVERS, taken_up
from aforesaid.engine.request import PolicyChanged, Request
from aforesaid.engine.rules import elevate
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.errors import AforesaidError
from aforesaid.math import packing, preservation
from aforesaid.math.clusters import TRIVIAL, cluster_index
from aforesaid.types import AGENT_ROLES, BOUNDARIES, Edge, Filter, Progress, Provenance, Record

if TYPE_CHECKING:
    from aforesaid.compaction.summarize.base import Summarizer, SummaryDraft, SummarySource, Tightness

TIGHTER: tuple[Tightness, ...] = ("normal", "aggressive", "bounded")  # tried in turn until a summary is shorter
UNMEASURED = 0.5  # confidence of a summary that no embedder could compare with its sources


@dataclass(frozen=True, slots=True)
class Summarised:
    """One summary that was made: of how many records, how far they shrank, how, and how much of them it keeps."""

    id: str
    sources: int
    tokens_before: int
    tokens_after: int
    method: str
    confidence: float
    align: float | None
    cover: float | None


@dataclass(frozen=True, slots=True)
class CompactReport:
    """What a compaction did to a session; `declined` clusters could not be made shorter and stay as they are."""

    session: str
    turns: int
    summaries: tuple[Summarised, ...]
    elevated: int
    declined: int
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class ScoredDraft:
    """A draft with how much of its sources it keeps."""

    draft: SummaryDraft
    vector: np.ndarray | None
    align: float | None
    cover: float | None

    @property
    def confidence(self) -> float:
        """How far the summary can stand for its sources."""
        if self.align is None or self.cover is None:
            return UNMEASURED
        kept = preservation.embedding_confidence(self.align, self.cover)
        return preservation.confidence(kept, self.draft.decoder_confidence)


def compact(
    request: Request,
    where: Filter,
    session: str,
    *,
    abstractive: Summarizer | None = None,
    progress: Progress | None = None,
) -> CompactReport:
    """Summarise a session's older turns, then its summaries once there are many; raw turns stay as they are."""
    turns = eligible(request, where, session)
    clusters = _clusters(turns, request.settings.compact.cluster_turns)
    work = _CompactionRun(request, where, session, abstractive)
    try:
        for done, cluster in enumerate(clusters, 1):
            work.take(cluster)
            if progress is not None:
                progress(done, len(clusters))
        work.take_summaries()
    except PolicyChanged:
        work.degraded = "another policy came into force; the rest is left for the next time"
    return CompactReport(session, len(turns), tuple(work.made), work.elevated, work.declined, work.degraded)


def due(request: Request, where: Filter, session: str) -> bool:
    """Whether the session has enough new tokens since the last time (compact.trigger_tokens; 0: never)."""
    least = request.settings.compact.trigger_tokens
    if least == 0:
        return False
    spent = 0
    for turn in reversed(eligible(request, where, session)):
        spent += request.count_tokens(turn.text)
        if spent >= least:
            return True
    return False


def eligible(request: Request, where: Filter, session: str) -> list[Record]:
    """Turns of the session that no summary covers, oldest first, without the tail that a prompt shows as it is.

    Turns that name the purposes they are for stay by themselves: a summary would tell them to others.
    """
    rows = request.settings.assemble
    here = replace(where, sessions=(session,), kinds=("turn",))
    found = sorted(request.store.find(here), key=lambda turn: (turn.time, turn.id))
    whole = groups(found)
    target = packing.tail_target(rows.budget_tokens, rows.tail)

    def cost(turn: Record) -> int:
        return request.count_tokens("{role}: {content}\n".format(**message(turn)))

    tail = {turn.key for turn in recent(whole, rows.tail_turns, rows.budget_tokens, cost, target, None).records}
    covered = taken_up(request.store, [turn.key for turn in found])
    return [turn for turn in found if turn.key not in tail and turn.key not in covered and turn.allow is None]


def _clusters(turns: Sequence[Record], size: int) -> list[list[Record]]:
    """⌊i·c/n⌋ for the first turn of each group, so that no bundle is torn (spec 8)."""
    clusters: dict[int, list[Record]] = {}
    place = 0
    for group in groups(turns):
        clusters.setdefault(cluster_index(place, len(turns), size), []).extend(group)
        place += len(group)
    return list(clusters.values())


class _CompactionRun:
    """One run over a session: what was made, and what the last summary said."""

    def __init__(self, request: Request, where: Filter, session: str, abstractive: Summarizer | None) -> None:
        from aforesaid.compaction.summarize.extractive import ExtractiveSummarizer

        self._request, self._where, self._session, self._abstractive = request, where, session, abstractive
        self._extractive = ExtractiveSummarizer(request.arm.embed, request.count_tokens)
        self._of_summaries = ExtractiveSummarizer(request.arm.embed, request.count_tokens, dated=False)
        self.made: list[Summarised] = []
        self.elevated = self.declined = 0
        self.degraded = ""
        last = self._summaries()[-1:]
        self._previous = last[0].text if last else ""

    def _summaries(self) -> list[Record]:
        here = replace(self._where, sessions=(self._session,), kinds=("summary",))
        return sorted(self._request.store.find(here), key=lambda record: (record.time, record.id))

    def take(self, cluster: Sequence[Record]) -> None:
        """Summarise a cluster; what a person laid down as a rule is kept word for word beside it."""
        from aforesaid.compaction.guidance import is_standing_rule

        own = [turn for turn in cluster if turn.role not in AGENT_ROLES and not turn.tainted]
        kept = [turn for turn in own if is_standing_rule(turn.text)]
        self.elevated += elevate(self._request, kept)
        self._summarise(cluster, [turn for turn in cluster if turn not in kept])

    def take_summaries(self) -> None:
        """Once a full cluster of summaries lies side by side, they get a summary of their own."""
        size = max(self._request.settings.compact.cluster_turns, 2)  # one alone would be summarised for ever
        while True:
            found = self._summaries()
            covered = taken_up(self._request.store, [record.key for record in found])
            free = [record for record in found if record.key not in covered]
            if len(free) <= size or not self._summarise(free[:size]):
                return

    def _summarise(self, sources: Sequence[Record], told: Sequence[Record] = ()) -> bool:
        """Cover the sources with a summary of those that are to be told: all of them, unless said otherwise."""
        count = self._request.count_tokens
        before = sum(count(record.text) for record in sources)
        judged = self._judged(told or sources, before)
        if judged is None:
            self.declined += 1
            return False
        method = TRIVIAL if len(sources) == 1 else judged.draft.method
        record = self._request.guard.try_validate_record(_record(sources, judged, method, self._who(judged.draft)))
        if isinstance(record, str):  # the policy lets nobody keep it
            self.declined += 1
            return False
        if not _written(self._request, record, sources, judged.vector):
            return False
        self._previous = record.text
        after = count(record.text)
        self.made.append(
            Summarised(record.id, len(sources), before, after, method, record.confidence, judged.align, judged.cover)
        )
        return True

    def _who(self, draft: SummaryDraft) -> str:
        model = self._abstractive if draft.method == "abstractive" and self._abstractive else self._extractive
        return model.name

    def _judged(self, sources: Sequence[Record], before: int) -> ScoredDraft | None:
        """The first draft that keeps enough and is shorter than its sources: tighter each time, at last none."""
        texts = self._sources(sources)
        for tightness in TIGHTER:
            for draft in self._drafts(sources, texts, tightness):
                judged = self._compared(draft, sources)
                if judged.draft.method == "abstractive" and not _preserved(judged, self._request):
                    continue
                if draft.text and (len(sources) == 1 or self._request.count_tokens(draft.text) < before):
                    return judged
        return None

    def _drafts(
        self, sources: Sequence[Record], texts: Sequence[SummarySource], tightness: Tightness
    ) -> list[SummaryDraft]:
        """A model's draft where one is allowed and answers, then the extractive one, which is always there."""
        cap, previous = self._request.settings.compact.cap_tokens, self._previous
        drafts = []
        if self._abstractive is not None and len(sources) > 1 and _worth_a_model(sources, self._request):
            try:
                drafts.append(self._abstractive.summarize(texts, cap, previous, tightness=tightness))
            except AforesaidError as error:
                self.degraded = f"{self._abstractive.name}: {error.message}"
                self._abstractive = None  # the rest goes without it: a service that is down would be asked every time
        own = self._of_summaries if sources[0].kind == "summary" else self._extractive
        drafts.append(own.summarize(texts, cap, "" if own is self._of_summaries else previous, tightness=tightness))
        return drafts

    @staticmethod
    def _sources(records: Sequence[Record]) -> list[SummarySource]:
        from aforesaid.compaction.summarize import SummarySource

        return [SummarySource(record.text, record.role, record.time) for record in records]

    def _compared(self, draft: SummaryDraft, sources: Sequence[Record]) -> ScoredDraft:
        vectors = self._request.store.vectors([record.key for record in sources])
        own = self._request.arm.embed([draft.text]) if draft.text else None
        if own is None or not vectors:
            return ScoredDraft(draft, None if own is None else own[0], None, None)
        matrix = np.stack(list(vectors.values()))
        align = preservation.alignment(own[0], matrix)
        return ScoredDraft(draft, own[0], align, preservation.source_coverage(own[0], matrix))


def _worth_a_model(sources: Sequence[Record], request: Request) -> bool:
    """Whether the mean G of a cluster allows a model (spec 8); summaries have passed it before."""
    scores = [record.gate.score for record in sources if record.gate is not None]
    return bool(scores) and fmean(scores) >= request.settings.compact.abstractive_gate


def _preserved(judged: ScoredDraft, request: Request) -> bool:
    """A model's summary that cannot be compared with its sources is not trusted."""
    return judged.align is not None and preservation.accept_abstractive(judged.align, request.settings.compact.align)


def _record(sources: Sequence[Record], judged: ScoredDraft, method: str, who: str) -> Record:
    first, last = sources[0], sources[-1]
    keys = tuple(record.key for record in sources)
    digest = hashlib.blake2b("\x1f".join(keys).encode(), digest_size=8).hexdigest()
    return Record(
        id=f"summary-{digest}",
        kind="summary",
        text=judged.draft.text,
        time=last.time,
        tenant=first.tenant,
        scope=first.scope,
        user=first.user,
        project=first.project,
        session=first.session,
        agent=first.agent,
        boundary=max((record.boundary for record in sources), key=BOUNDARIES.index),
        durable=True,
        memory_type="knowledge",
        confidence=judged.confidence,
        provenance=Provenance(who=who, method=method, sources=keys),
        tainted=any(record.tainted for record in sources),
        meta={
            "first": first.meta.get("first", first.time.isoformat()),
            "last": last.meta.get("last", last.time.isoformat()),
            "decay_rate": float(preservation.decay_rate(judged.confidence)),
        },
    )


def _written(request: Request, record: Record, sources: Sequence[Record], vector: np.ndarray | None) -> bool:
    """Summary, vector and links at once; False when somebody else took up one of the sources, or it is gone."""
    keys = [source.key for source in sources]
    event = request.event(
        "compact", record.session, {"summary": record.id, "sources": len(keys), "confidence": record.confidence}
    )
    edges = [Edge(record.key, key, COVERS, request.clock()) for key in keys]
    embedded = Embedded(vector.reshape(1, -1), {}) if vector is not None else None
    with writing(request) as writer:
        if taken_up(request.store, keys) or len(request.store.get(keys)) < len(keys):
            return False
        writer.commit([record], embedded, edges, [event])
    return True

"""Summarises the older turns of a session, cluster by cluster. All sources are kept and linked (spec 8).

eligible turns → clusters that keep bundles together → a summary each, or none → one transaction each
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from aforesaid.context.previous import largest_budget
from aforesaid.context.recent_turns import groups, last_turns, recent
from aforesaid.context.render import turn_tokens
from aforesaid.engine.lineage import COVERS, already_summarised
from aforesaid.engine.request import PolicyChanged, Request
from aforesaid.engine.rules import save_guidance, standing_rules
from aforesaid.engine.thresholds import with_thresholds
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.errors import AforesaidError
from aforesaid.math import packing, summaries
from aforesaid.math.summaries import cluster_index
from aforesaid.text.sentences import sentences
from aforesaid.types import BOUNDARIES, Edge, Filter, Progress, Provenance, Record

if TYPE_CHECKING:
    from aforesaid.compaction.summarize import Summarizer, SummaryDraft, Tightness

TIGHTER: tuple[Tightness, ...] = ("normal", "aggressive", "bounded")  # tried in this order
UNMEASURED = 0.5  # confidence of a summary without embeddings to compare


@dataclass(frozen=True, slots=True)
class Summarised:
    """A new summary: the number of sources, tokens before and after, method, and how much it preserves."""

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
    """The result of a compaction. `declined` counts clusters that could not be shortened and stay as they are."""

    session: str
    turns: int
    summaries: tuple[Summarised, ...]
    elevated: int
    declined: int
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class ScoredDraft:
    """A draft of the summariser `who`, its vector, how much of its sources it preserves, and its confidence."""

    who: str
    draft: SummaryDraft
    vector: np.ndarray | None
    align: float | None = None
    cover: float | None = None
    confidence: float = UNMEASURED


def compact(
    request: Request,
    where: Filter,
    session: str,
    *,
    abstractive: Summarizer | None = None,
    progress: Progress | None = None,
) -> CompactReport:
    """Summarise the older turns of a session, and then its summaries if there are many. Turns are not changed."""
    turns = eligible(request, where, session)
    clusters = _clusters(turns, request.settings.compact.cluster_turns)
    run = _CompactionRun(request, where, session, abstractive)
    try:
        for done, cluster in enumerate(clusters, 1):
            run.summarise_turns(cluster)
            if progress is not None:
                progress(done, len(clusters))
        run.summarise_summaries()
    except PolicyChanged:
        run.degraded = "the policy changed; the rest is left for the next run"
    return CompactReport(session, len(turns), tuple(run.made), run.elevated, run.declined, run.degraded)


def due(request: Request, where: Filter, session: str) -> bool:
    """Whether the session has enough tokens to compact (compact.trigger_tokens; 0: never)."""
    trigger = request.settings.compact.trigger_tokens
    if trigger == 0:
        return False
    tokens = 0
    for turn in reversed(eligible(request, where, session)):
        tokens += request.count_tokens(turn.text)
        if tokens >= trigger:
            return True
    return False


def eligible(request: Request, where: Filter, session: str) -> list[Record]:
    """Turns of the session that have no summary yet, oldest first, without the recent turns that a prompt shows.

    The recent turns are those of the largest budget that the session used. Turns that are limited to certain purposes
    are left out: a summary would show them for other purposes too.
    """
    rows = request.settings.assemble
    here = replace(where, sessions=(session,), kinds=("turn",))
    found = sorted(request.store.find(here), key=lambda turn: (turn.time, turn.id))
    cost, grouped = partial(turn_tokens, request.count_tokens), groups(found)
    budget = max((largest_budget(request, owner, session) for owner in where.owners or ()), default=rows.budget_tokens)
    least = sum(map(cost, last_turns(grouped, rows.tail_turns)))
    limit = packing.tail_budget(budget, 0, 0, least, rows.tail)
    tail = {turn.key for turn in recent(grouped, rows.tail_turns, limit, cost).records}
    covered = already_summarised(request.store, [turn.key for turn in found])
    return [turn for turn in found if turn.key not in tail and turn.key not in covered and turn.allow is None]


def _clusters(turns: Sequence[Record], size: int) -> list[list[Record]]:
    """⌊i·c/n⌋ for the first turn of each group, so that bundles stay together (spec 8)."""
    clusters: dict[int, list[Record]] = {}
    place = 0
    for group in groups(turns):
        clusters.setdefault(cluster_index(place, len(turns), size), []).extend(group)
        place += len(group)
    return list(clusters.values())


class _CompactionRun:
    """One compaction of a session: the summaries so far, and the text of the last one."""

    def __init__(self, request: Request, where: Filter, session: str, abstractive: Summarizer | None) -> None:
        from aforesaid.compaction.summarize.extractive import ExtractiveSummarizer

        self._request, self._abstractive = request, abstractive
        self._here = replace(where, sessions=(session,), kinds=("summary",))
        self._extractive = ExtractiveSummarizer(request.arm.embed, request.count_tokens)
        self._of_summaries = ExtractiveSummarizer(request.arm.embed, request.count_tokens, dated=False)
        self.made: list[Summarised] = []
        self.elevated = self.declined = 0
        self.degraded = ""
        last = self._summaries()[-1:]
        self._previous = last[0].text if last else ""

    def _summaries(self) -> list[Record]:
        return sorted(self._request.store.find(self._here), key=lambda record: (record.time, record.id))

    def summarise_turns(self, cluster: Sequence[Record]) -> None:
        """Summarise a cluster without the rules that the user laid down: they are guidance, word for word.

        Ingest saves guidance; turns that were stored while it did not (`readers.rules`) get theirs here.
        """
        rules = standing_rules(self._request, cluster)
        if rules:
            with writing(self._request) as writer:
                self.elevated += save_guidance(writer, rules)
        self._summarise(cluster, [turn for turn in cluster if turn not in rules])

    def summarise_summaries(self) -> None:
        """Summarise summaries, once there is more than a full cluster of them."""
        size = max(self._request.settings.compact.cluster_turns, 2)  # with a size of 1 this would never end
        while True:
            found = self._summaries()
            covered = already_summarised(self._request.store, [record.key for record in found])
            free = [record for record in found if record.key not in covered]
            if len(free) <= size or not self._summarise(free[:size]):
                return

    def _summarise(self, sources: Sequence[Record], included: Sequence[Record] = ()) -> bool:
        """Store a summary that covers `sources`, made of `included` (by default all of them)."""
        count = self._request.count_tokens
        before = sum(count(record.text) for record in sources)
        best = self._best_draft(included or sources, before)
        record = self._request.guard.try_validate_record(_record(sources, best)) if best else None
        if best is None or not isinstance(record, Record):  # no draft is good enough, or the policy denies it
            self.declined += 1
            return False
        if not _commit(self._request, record, sources, best.vector):
            return False
        self._previous = record.text
        after, method = count(record.text), _method(sources, best)
        self.made.append(
            Summarised(record.id, len(sources), before, after, method, record.confidence, best.align, best.cover)
        )
        return True

    def _best_draft(self, sources: Sequence[Record], before: int) -> ScoredDraft | None:
        """The first draft that preserves enough and is shorter than its sources, tighter each time; None if none is."""
        for tightness in TIGHTER:
            drafts = [self._score(who, draft, sources) for who, draft in self._drafts(sources, tightness)]
            for scored in drafts:
                draft = scored.draft
                if draft.method == "abstractive" and not self._preserved(scored, drafts[-1], sources):
                    continue
                if draft.text and (len(sources) == 1 or self._request.count_tokens(draft.text) < before):
                    return scored
        return None

    def _drafts(self, sources: Sequence[Record], tightness: Tightness) -> Iterator[tuple[str, SummaryDraft]]:
        """The draft of the model, if allowed and available, then the extractive draft; each with its summariser."""
        from aforesaid.compaction.summarize import SummarySource

        cap, model = self._request.settings.compact.cap_tokens, self._abstractive
        texts = [SummarySource(record.text, record.role, record.time) for record in sources]
        if model is not None and len(sources) > 1 and _model_allowed(sources, self._request):
            try:
                yield model.name, model.summarize(texts, cap, self._previous, tightness=tightness)
            except AforesaidError as error:
                self.degraded = f"{model.name}: {error.message}"
                self._abstractive = None  # not asked again in this run
        if sources[0].kind == "summary":
            yield self._of_summaries.name, self._of_summaries.summarize(texts, cap, tightness=tightness)
        else:
            yield self._extractive.name, self._extractive.summarize(texts, cap, self._previous, tightness=tightness)

    def _score(self, who: str, draft: SummaryDraft, sources: Sequence[Record]) -> ScoredDraft:
        vectors = self._request.view.vectors([record.key for record in sources])
        own = self._request.arm.embed([draft.text]) if draft.text else None
        if own is None or not vectors:
            return ScoredDraft(who, draft, None if own is None else own[0])
        matrix = np.stack(list(vectors.values()))
        align, cover = summaries.alignment(own[0], matrix), summaries.source_coverage(own[0], matrix)
        near = summaries.embedding_confidence(align, cover)
        confident = summaries.confidence(near, draft.decoder_confidence, self._request.settings.compact)
        return ScoredDraft(who, draft, own[0], align, cover, confident)

    def _preserved(self, written: ScoredDraft, extract: ScoredDraft, sources: Sequence[Record]) -> bool:
        """Whether a model's summary preserves enough (spec 8).

        It must be near its sources as a whole and sentence by sentence, and align about as well as a summary made of
        the sources' own sentences. Without embeddings to compare, it does not count.
        """
        request = with_thresholds(self._request)
        rows = request.settings.compact
        if written.align is None or extract.align is None:
            return False
        if request.scale is None:  # literal thresholds: the seed's test only
            return summaries.accept_abstractive(written.align, rows.align)
        said = request.arm.embed(sentences(written.draft.text))
        if said is None:
            return False
        vectors = request.view.vectors([record.key for record in sources])
        supported = summaries.support(said, np.stack(list(vectors.values())), request.scale.centre)
        return summaries.preserves(written.align, extract.align, supported, request.scale.draft_gap, rows)


def _method(sources: Sequence[Record], best: ScoredDraft) -> str:
    return summaries.cluster_method(len(sources), best.draft.method)


def _model_allowed(sources: Sequence[Record], request: Request) -> bool:
    """Whether the mean gate score of a cluster allows a model (spec 8)."""
    scores = [record.gate.score for record in sources if record.gate is not None]
    return bool(scores) and fmean(scores) >= request.settings.compact.abstractive_gate


def _record(sources: Sequence[Record], draft: ScoredDraft) -> Record:
    first, last = sources[0], sources[-1]
    keys = tuple(record.key for record in sources)
    digest = hashlib.blake2b("\x1f".join(keys).encode(), digest_size=8).hexdigest()
    return Record(
        id=f"summary-{digest}",
        kind="summary",
        text=draft.draft.text,
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
        confidence=draft.confidence,
        provenance=Provenance(who=draft.who, method=_method(sources, draft), sources=keys),
        tainted=any(record.tainted for record in sources),
        meta={
            "first": first.meta.get("first", first.time.isoformat()),
            "last": last.meta.get("last", last.time.isoformat()),
            "decay_rate": float(summaries.decay_rate(draft.confidence)),
        },
    )


def _commit(request: Request, record: Record, sources: Sequence[Record], vector: np.ndarray | None) -> bool:
    """Store summary, vector and links. False when a source was summarised or deleted meanwhile."""
    keys = [source.key for source in sources]
    event = request.event(
        "compact", record.session, {"summary": record.id, "sources": len(keys), "confidence": record.confidence}
    )
    edges = [Edge(record.key, key, COVERS, request.clock()) for key in keys]
    embedded = Embedded(vector.reshape(1, -1), {}) if vector is not None else None
    with writing(request) as writer:
        if already_summarised(request.store, keys) or len(request.store.get(keys)) < len(keys):
            return False
        writer.commit([record], embedded, edges, [event])
    return True

"""Finds the few memories to add to a prompt: close to it, not shown before, within a small budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath

from aforesaid.context import assemble as assembling
from aforesaid.context.prompt import query_of
from aforesaid.engine.request import Request
from aforesaid.engine.rules import guidance_in_view
from aforesaid.engine.writer import log_event
from aforesaid.ingest.echo import recall_subject
from aforesaid.retrieval.search import Page, search
from aforesaid.settings.rows import HookRows
from aforesaid.store.protocols import Reader
from aforesaid.text.analyze import query_terms, terms
from aforesaid.text.extract.question import asking_share, ends_asking
from aforesaid.types import Context, EventFilter, Filter, Hit, Record

MIN_SHARED_WORDS = 2  # least number of shared words that count: one alone is chance
NEAR = -0.22  # least (cos − b) / (1 − b) of a related record; unrelated texts reach −0.23 to −0.68
FAR = -0.5  # the same for records with shared words; below, the words mean something else
NEAR_UNKNOWN = 0.35  # least cosine for models without a measured background
MOSTLY = 0.8  # a text with this share of questions has no other content
REPLY_REACH = 8  # turns after a question that may hold the answer: an agent may use tools first
MAX_SHOWN = 500  # earlier contexts of the session to read
NO_TAIL = {"assemble.tail_turns": 0, "assemble.tail": 0, "assemble.fill": 1}  # the host has the session's turns itself
RESET = "hook compact"  # event topic: the host shortened its context


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """The request for a recall. `skip_files` are lower-case names of rule files that the agent reads itself."""

    prompt: str
    where: Filter
    session: str | None
    budget_tokens: int
    now: datetime
    skip_files: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Floor:
    """The least cosine of a relevant record, the least with shared words, and the least share of shared words."""

    near: float
    far: float
    words: float


def recall(request: Request, wanted: RecallRequest) -> Context:
    """Return a context with the memories to add to the prompt; it may be empty."""
    empty = Context("", (), 0, wanted.budget_tokens, (), (), None)
    query = query_of(wanted.prompt)
    if not query:
        return empty
    hits = search(request, query, wanted.where, Page(request.settings.hooks.candidates), wanted.now)
    shown, since = _shown(request, wanted)
    rules = guidance_in_view(request, wanted.where)
    shown |= {source for rule in rules if rule.key in shown for source in _sources(rule)}
    fresh = (hit for hit in hits if hit.record.key not in shown and not _in_context(hit.record, wanted, since))
    rows = request.settings.hooks
    near = [hit.record for hit in relevant(fresh, query, floor_of(rows, request.arm.background))]
    keys = with_answers(request.view, near, wanted.where) if hits.confidence >= rows.min_confidence else ()
    new = [
        rule.key
        for rule in rules
        if not _sources(rule).isdisjoint(keys) or (rule.key not in shown and not _said_here(rule, wanted, since))
    ]
    if not keys and not new:
        return empty
    where = replace(wanted.where, keys=(*keys, *new))
    without_tail = replace(request, settings=request.settings.changed(NO_TAIL, "recall"))
    context = assembling.ContextRequest(query, where, wanted.session, wanted.budget_tokens, wanted.now)
    return assembling.assemble(without_tail, context)


def floor_of(rows: HookRows, background: float) -> Floor:
    """The thresholds of relevance: from the setting, else from the model's cosine of unrelated texts (`background`)."""
    if rows.min_cosine or not background:
        near = rows.min_cosine or NEAR_UNKNOWN
        return Floor(near, min(near, 0.0), rows.min_words)
    return Floor(background + NEAR * (1 - background), background + FAR * (1 - background), rows.min_words)


def relevant(hits: Iterable[Hit], query: str, floor: Floor) -> list[Hit]:
    """The hits that are close in meaning, or that contain the query's words and are not far."""
    words = frozenset(query_terms(query))
    return [hit for hit in hits if hit.parts.get("cos", -1.0) >= floor.near or _shares(hit, words, floor)]


def _shares(hit: Hit, words: frozenset[str], floor: Floor) -> bool:
    shared = words & frozenset(terms(hit.record.text))
    enough = len(shared) >= MIN_SHARED_WORDS and len(shared) >= floor.words * len(words)
    return enough and hit.parts.get("cos", floor.far) >= floor.far


def with_answers(store: Reader, records: Sequence[Record], where: Filter) -> tuple[str, ...]:
    """The keys of the records. A stored question comes with its answer, and is left out without one."""
    questions = [record.key for record in records if record.kind == "turn" and only_asks(record.text)]
    around = store.around(questions, where, REPLY_REACH) if questions else {}
    later = {record.key: record for record in store.get([key for beside in around.values() for key in beside.after])}
    keys: dict[str, None] = {}
    for record in records:
        keys_of_record = [record.key]
        if record.key in questions:
            after = (later[key] for key in around[record.key].after if key in later) if record.key in around else ()
            reply = next((turn for turn in after if turn.bundle is None), None)
            keys_of_record = [record.key, reply.key] if reply is not None and not only_asks(reply.text) else []
        keys |= dict.fromkeys(keys_of_record)
    return tuple(keys)


def _sources(rule: Record) -> frozenset[str]:
    """The keys of the turns that guidance was made from; it is shown instead of them."""
    return frozenset(rule.provenance.sources if rule.provenance else ())


def _said_here(rule: Record, wanted: RecallRequest, since: datetime | None) -> bool:
    """Whether the model sees the turn that a rule was made from: it is of this session, and not shortened away."""
    same_session = wanted.session is not None and rule.meta.get("session") == wanted.session
    return same_session and (since is None or rule.time > since)


def only_asks(text: str) -> bool:
    """Whether a text is almost only a question."""
    return ends_asking(text) and asking_share(text) >= MOSTLY


def _in_context(record: Record, wanted: RecallRequest, since: datetime | None) -> bool:
    """Whether to skip a record: the model sees it anyway (this session, files of the host), or it is tool output."""
    if record.kind == "turn" and record.bundle is not None:
        return True
    if record.provenance is not None and record.provenance.file is not None:
        return record.kind == "node" and PurePath(record.provenance.file).name.lower() in wanted.skip_files
    same_session = wanted.session is not None and record.session == wanted.session
    return same_session and (since is None or record.time > since)


def _shown(request: Request, wanted: RecallRequest) -> tuple[frozenset[str], datetime | None]:
    """The keys shown in this session since the host last shortened its context, and the time of that."""
    if wanted.session is None or not wanted.where.owners:
        return frozenset(), None
    subject = recall_subject(wanted.where.owners[0], wanted.session)
    resets = request.store.log.find(EventFilter(request.tenant, topic=RESET, subject=subject, limit=1))
    after = resets[0].number if resets else None
    events = request.store.log.find(
        EventFilter(request.tenant, topic="recall", subject=subject, after=after, limit=MAX_SHOWN)
    )
    keys = frozenset(key for event in events for part in ("keys", "guidance") for key in event.body.get(part, ()))
    return keys, resets[0].time if resets else None


def note_reset(request: Request, owner: str, session: str) -> None:
    """Log that the host shortens its context now, so that shown records may be recalled again."""
    log_event(request, RESET, recall_subject(owner, session), {})

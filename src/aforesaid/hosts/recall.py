"""A prompt → what is worth adding to it: near enough, not in the host's own context already, inside a small budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath

from aforesaid.context import assemble as assembling
from aforesaid.engine.writer import commit
from aforesaid.hosts.prompt import asked
from aforesaid.hosts.types import HookOwner, HostEvent
from aforesaid.ingest.echo import recall_subject
from aforesaid.memory import Memory
from aforesaid.store.protocols import Reader
from aforesaid.text.analyze import query_terms, terms
from aforesaid.text.extract.question import asking_share, ends_asking
from aforesaid.types import EventFilter, Filter, Hit, Record, owner_of

FEWEST_SHARED = 2  # words of a prompt that a record must hold for them to count: one alone is chance
NEAR = -0.22  # (cos − b) / (1 − b) from which a record has to do with a prompt; strangers reach −0.23 to −0.68
FAR = -0.5  # from which shared words count: below, they are used for something else
NEAR_UNKNOWN = 0.35  # the cosine for a model whose background nobody measured
MOSTLY = 0.8  # share of a text in questions from which it says nothing beside them
REPLY_REACH = 8  # turns behind a question among which its answer is looked for: an agent may use tools first
MOST_SHOWN = 500  # contexts of a session that are looked through for what was added before
NO_TAIL = {"assemble.tail_turns": 0, "assemble.tail": 0, "assemble.fill": 1}  # the host has the session's turns itself
COMPACTED = "hook compact"  # the topic of the event that a host is about to shorten its context
OWN_FILES = frozenset({"agents.md", "claude.md", "claude.local.md"})  # which hosts read themselves


@dataclass(frozen=True, slots=True)
class Floor:
    """The cosine from which a record counts, the one from which its words may count, and their least share."""

    near: float
    far: float
    words: float


def recall(memory: Memory, event: HostEvent, who: HookOwner) -> str:
    """What to add to the prompt; nothing when nothing has to do with it."""
    prompt = asked(event.prompt)
    if not prompt:
        return ""
    rows = memory.settings.hooks
    hits = memory.search(prompt, user=who.user, project=who.project, limit=rows.candidates)
    engine = memory._engine  # the verb cannot be told which records it may use
    shown, since = _shown(memory, event, who)
    fresh = (hit for hit in hits if hit.record.key not in shown and not _in_context(hit.record, event, since))
    near = [hit.record for hit in relevant(fresh, prompt, floor_of(memory))]
    now = engine.clock()
    where = memory.where(user=who.user, project=who.project, now=now)
    request = engine.request()
    keys = telling(request.view, near, where)
    if not keys:
        return ""
    wanted = assembling.ContextRequest(prompt, replace(where, keys=keys), event.session, rows.budget_tokens, now)
    context = assembling.assemble(replace(request, settings=request.settings.changed(NO_TAIL, "hook")), wanted)
    return "\n".join(filter(None, (context.system, context.recall)))


def floor_of(memory: Memory) -> Floor:
    """How near is near: by the setting, else by what the model gives to texts that have nothing in common."""
    rows, background = memory.settings.hooks, memory._engine.arm.background
    if rows.min_cosine or not background:
        near = rows.min_cosine or NEAR_UNKNOWN
        return Floor(near, min(near, 0.0), rows.min_words)
    return Floor(background + NEAR * (1 - background), background + FAR * (1 - background), rows.min_words)


def relevant(hits: Iterable[Hit], prompt: str, floor: Floor) -> list[Hit]:
    """The hits that have to do with a prompt: near in meaning, or holding its words and not far."""
    wanted = frozenset(query_terms(prompt))
    return [hit for hit in hits if _near(hit, floor) or _shares(hit, wanted, floor)]


def telling(store: Reader, records: Sequence[Record], where: Filter) -> tuple[str, ...]:
    """The keys of what tells something: a question asked before comes with its answer, and without one not at all."""
    questions = [record.key for record in records if record.kind == "turn" and only_asks(record.text)]
    around = store.around(questions, where, REPLY_REACH) if questions else {}
    later = {record.key: record for record in store.get([key for beside in around.values() for key in beside.after])}
    replies: dict[str, str] = {}
    for key, beside in around.items():
        spoken = (later[after] for after in beside.after if after in later and later[after].bundle is None)
        reply = next(spoken, None)
        if reply is not None and not only_asks(reply.text):
            replies[key] = reply.key
    kept = ((record.key, *((replies[record.key],) if record.key in replies else ())) for record in records
            if record.key not in questions or record.key in replies)  # fmt: skip
    return tuple(dict.fromkeys(key for keys in kept for key in keys))


def only_asks(text: str) -> bool:
    """Whether a text is a question and hardly anything else."""
    return ends_asking(text) and asking_share(text) >= MOSTLY


def _near(hit: Hit, floor: Floor) -> bool:
    return hit.parts.get("cos", -1.0) >= floor.near


def _shares(hit: Hit, wanted: frozenset[str], floor: Floor) -> bool:
    shared = wanted & frozenset(terms(hit.record.text))
    enough = len(shared) >= FEWEST_SHARED and len(shared) >= floor.words * len(wanted)
    return enough and hit.parts.get("cos", floor.far) >= floor.far


def _in_context(record: Record, event: HostEvent, since: datetime | None) -> bool:
    """Whether the model sees it anyway, or should not: this session's turns, what tools said, the host's own files."""
    if record.kind == "turn" and record.bundle is not None:
        return True
    if record.provenance is not None and record.provenance.file is not None:
        return record.kind == "node" and PurePath(record.provenance.file).name.lower() in OWN_FILES
    return record.session == event.session and (since is None or record.time > since)


def _shown(memory: Memory, event: HostEvent, who: HookOwner) -> tuple[frozenset[str], datetime | None]:
    """What was added in this session since its context was last shortened, and when that was."""
    store, tenant = memory.store, memory.tenant
    subject = recall_subject(owner_of("user", who.user, None), event.session)
    cuts = store.log.find(EventFilter(tenant, topic=COMPACTED, subject=subject, limit=1))
    after = cuts[0].number if cuts else None
    added = store.log.find(EventFilter(tenant, topic="recall", subject=subject, after=after, limit=MOST_SHOWN))
    return frozenset(key for each in added for key in each.body.get("keys", ())), cuts[0].time if cuts else None


def note_compaction(memory: Memory, event: HostEvent, who: HookOwner) -> None:
    """Remember that the host shortens its context now: what it held may be recalled again."""
    subject = recall_subject(owner_of("user", who.user, None), event.session)
    memory._engine.run(lambda request: commit(request, events=[request.event(COMPACTED, subject, {})]))

"""Rules, tail and hits → context: what must go in, then the best recalled history that still fits, framed as data.

C(q) = I1 ∪ I2* ∪ E* ∪ T_recent ∪ Proj(V_rest, q),   Σ tokens ≤ τ, always

A session's contexts grow at the end for as long as they fit, so that a model's prompt cache holds: rules come first,
turns and recalled history stay where they were first shown, and what is new comes last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from aforesaid.context import render as frame
from aforesaid.context.packer import ContextPacker, ContextPiece, Count, Mandatory
from aforesaid.context.recent_turns import base, groups, message, recent
from aforesaid.engine.kept_values import raise_most_uses
from aforesaid.engine.lineage import covered_by
from aforesaid.engine.request import Request
from aforesaid.engine.rules import RulesInView, rules_in_view
from aforesaid.engine.writer import writing
from aforesaid.errors import AforesaidError, InputError, StoreError, StoreReadOnlyError
from aforesaid.ingest.echo import recall_subject
from aforesaid.math import packing
from aforesaid.retrieval.search import Page, search
from aforesaid.settings import Settings
from aforesaid.store.filtering import passes
from aforesaid.types import USES, Context, EventFilter, Filter, Part, Record, SearchResult, TraceItem

LEAST_CONSIDERED = 50  # hits looked at however small the budget: a short one may fit where the best do not
MAX_TAIL_TURNS = 500  # how far back a tail may reach, however large the budget
Digests = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a context is asked for; `messages` are the caller's own, not stored yet."""

    query: str
    where: Filter
    session: str | None
    budget_tokens: int
    now: datetime
    messages: tuple[Mapping[str, str], ...] = ()

    @property
    def subject(self) -> str | None:
        """Under which name the session's contexts are noted; None when there is no session to remember them for."""
        return recall_subject(self.where.owners[0], self.session) if self.session and self.where.owners else None


@dataclass(frozen=True, slots=True)
class Previous:
    """The session's last context: its pieces, if all of them may still be shown, and what its messages were like."""

    pieces: tuple[ContextPiece, ...] = ()
    digests: Digests = ()

    @property
    def first(self) -> str | None:
        """The key of the turn that its tail began with."""
        return next((record.key for piece in self.pieces if piece.part == "tail" for record in piece.records), None)


def assemble(request: Request, wanted: ContextRequest) -> Context:
    """The context for a prompt: never more than the budget, with a trace of what was left out and why.

    If the store fails, the caller's own messages come back unchanged, and the context says so.
    """
    if wanted.budget_tokens < 1:
        raise InputError(f"budget_tokens is {wanted.budget_tokens}.", "Give at least 1.")
    try:
        return _assembled(request, wanted)
    except InputError:
        raise
    except AforesaidError as error:
        return without_memory(request.count_tokens, wanted.messages, wanted.budget_tokens, error)


def _assembled(request: Request, wanted: ContextRequest) -> Context:
    count, rows = request.count_tokens, request.settings.assemble
    previous = _previous(request, wanted)
    rules = rules_in_view(request, wanted.where)
    turns = _recent_turns(request, wanted)
    must = _mandatory(request, wanted, rules, turns, previous)
    known = {record.key for record in (*rules.records, *must.tail.records, *_said(turns, wanted.messages))}
    known |= {key for rule in must.rules.elevated if rule.provenance for key in rule.provenance.sources}
    where = replace(wanted.where, exclude=(*wanted.where.exclude, *sorted(known)))
    found = search(request, wanted.query, where, Page(considered(request.settings, wanted.budget_tokens)), wanted.now)
    fill = rows.fill if wanted.subject else 1.0
    covers = _covers(request, found, previous)
    caps = request.guard.token_limits
    draft = ContextPacker(must, found, covers, wanted.budget_tokens, fill, rows.fresh, count, caps)
    made = draft.continued(previous.pieces) or draft.afresh()
    digests = _digests(made.context, count)
    unnoted = _note(request, wanted, previous, made.pieces, digests)
    kept = min(_kept(previous.digests, digests), made.context.tokens)
    return replace(made.context, kept_tokens=kept, degraded=_joined(made.context.degraded, unnoted))


def _covers(request: Request, found: SearchResult, previous: Previous) -> dict[str, frozenset[str]]:
    """What the summaries that may be shown stand for: they and their turns do not both appear."""
    shown = (record for piece in previous.pieces if piece.part == "recall" for record in piece.records)
    records = (*shown, *(hit.record for hit in found.hits))
    summaries = [record.key for record in records if record.kind == "summary"]
    return covered_by(request.store, summaries) if summaries else {}


def without_memory(
    count: Count, messages: tuple[Mapping[str, str], ...], budget: int, error: AforesaidError
) -> Context:
    """The caller's own messages and nothing else, with the reason."""
    bare = Context("", messages, 0, budget, (), (), None)
    tokens = count(bare.text) if bare.text else 0
    return replace(bare, tokens=tokens, degraded=f"memory is out of reach: {error.message} {error.remedy}".strip())


def considered(settings: Settings, budget: int) -> int:
    """How many hits are worth looking at: a large budget holds more of them."""
    rows = settings.assemble
    return min(LEAST_CONSIDERED + budget // rows.tokens_a_hit, rows.candidates)


def _recent_turns(request: Request, wanted: ContextRequest) -> list[Record]:
    if wanted.session is None:
        return []
    here = replace(wanted.where, sessions=(wanted.session,), kinds=("turn",), echoes=True)
    limit = max(request.settings.assemble.tail_turns, MAX_TAIL_TURNS)
    return request.view.find(here, order="newest", limit=limit)[::-1]


def _said(turns: Sequence[Record], messages: Sequence[Mapping[str, str]]) -> list[Record]:
    """The turns that the caller hands over anyway."""
    said = {(each["role"], each["content"]) for each in messages}
    return [turn for turn in turns if tuple(message(turn).values()) in said]


def _mandatory(
    request: Request, wanted: ContextRequest, rules: RulesInView, turns: Sequence[Record], previous: Previous
) -> Mandatory:
    """Hard rules whole, the last m turns, soft rules in their order, older turns: each into what is left (spec 6)."""
    rows, total, count = request.settings.assemble, wanted.budget_tokens, request.count_tokens

    def cost(turn: Record) -> int:
        return _cost(message(turn), count)

    handed = _said(turns, wanted.messages)
    talk = groups([turn for turn in turns if turn not in handed])
    own = sum(_cost(said, count) for said in wanted.messages)
    least = sum(cost(turn) for group in talk[len(talk) - base(talk, rows.tail_turns) :] for turn in group)
    hard, hard_tokens = rules.hard, count(frame.rules(rules.hard, ()) + "\n") if rules.hard else 0
    lacking = [f"the messages handed over need {own} of {total} tokens"] if own > total else []
    if hard_tokens + own > total and hard:
        lacking.append(f"the hard rules need {hard_tokens} of {max(total - own, 0)} tokens and are left out")
        hard, hard_tokens = (), 0
    soft, soft_tokens = _soft(
        rules.soft, packing.soft_budget(total, min(hard_tokens + own, total), least, rows.soft), count
    )
    elevated, elevated_tokens = _elevated(
        request, wanted, rules.elevated, total - own - hard_tokens - soft_tokens - least
    )
    room = total - own - hard_tokens - soft_tokens - elevated_tokens
    tail = recent(talk, rows.tail_turns, room, cost, packing.tail_target(total, rows.tail), previous.first)
    if tail.missing:
        lacking.append(f"{len(tail.missing)} of the last {rows.tail_turns} turns do not fit in {total} tokens")
    trace = (
        *(_traced(record, hard, "hard rule", count) for record in rules.hard),
        *(_traced(record, soft, "soft rule", count) for record in rules.soft),
        *(_traced(record, elevated, "asked for before", count, "guidance") for record in rules.elevated),
        *(TraceItem(turn.id, "tail", False, cost(turn), "does not fit", key=turn.key) for turn in tail.missing),
        *(TraceItem(turn.id, "tail", True, cost(turn), "recent", key=turn.key) for turn in tail.records),
    )
    return Mandatory(RulesInView(hard, soft, elevated), tail, wanted.messages, trace, "; ".join(lacking))


def _soft(rules: Sequence[Record], budget: float, count: Count) -> tuple[tuple[Record, ...], int]:
    """The longest prefix of the soft rules that the budget holds, and its cost."""
    title = count(frame.GUIDANCE + "\n")
    costs = [count(frame.rule(record) + "\n") for record in rules]
    taken = packing.soft_prefix(costs, max(budget - title, 0))
    return tuple(rules[:taken]), title + sum(costs[:taken]) if taken else 0


def _elevated(
    request: Request, wanted: ContextRequest, rules: Sequence[Record], room: int
) -> tuple[tuple[Record, ...], int]:
    """What people asked for in talk and the query comes near to (cos > θ1), the newest that fit ρ·τ, and their cost."""
    if not rules:
        return (), 0
    count, rows = request.count_tokens, request.settings
    spent = count(frame.ASKED + "\n")
    most = min(packing.share_tokens(wanted.budget_tokens, rows.assemble.elevated), room)
    query = request.arm.embed_query(wanted.query)
    vectors = request.store.vectors([record.key for record in rules]) if query is not None else {}
    taken: list[Record] = []
    for record in reversed(rules):
        vector = vectors.get(record.key)
        cost = count(frame.rule(record) + "\n")
        near = query is None or vector is None or float(vector @ query) > rows.libra.theta1
        if near and spent + cost <= most:
            taken.append(record)
            spent += cost
    return tuple(reversed(taken)), spent if taken else 0


def _traced(record: Record, taken: Sequence[Record], what: str, count: Count, part: Part = "rules") -> TraceItem:
    fits = record in taken
    tokens = count(frame.rule(record) + "\n")
    reason = what if fits else f"{what}: does not fit" if part == "rules" else f"{what}: does not fit, or far from it"
    return TraceItem(record.id, part, fits, tokens, reason, key=record.key)


def _cost(said: Mapping[str, str], count: Count) -> int:
    return count(f"{said['role']}: {said['content']}\n")


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _previous(request: Request, wanted: ContextRequest) -> Previous:
    """The session's last context, as far as it may be shown now: nothing of it when a part of it is gone or hidden."""
    if wanted.subject is None:
        return Previous()
    events = request.store.log.find(EventFilter(request.tenant, topic="recall", subject=wanted.subject, limit=1))
    body = events[0].body if events else {}
    named = [(part, tuple(keys)) for part, keys in body.get("pieces", ())]
    digests = tuple((str(digest), int(tokens)) for digest, tokens in body.get("digests", ()))
    found = {record.key: record for record in request.view.get([key for _, keys in named for key in keys])}
    allowed = replace(wanted.where, echoes=True)
    if any(key not in found or not passes(found[key], allowed) for _, keys in named for key in keys):
        return Previous((), digests)
    return Previous(tuple(ContextPiece(part, tuple(found[key] for key in keys)) for part, keys in named), digests)


def _digests(context: Context, count: Count) -> Digests:
    """Every message as a digest and its tokens: enough to see what stayed, and no text is kept."""
    return tuple(
        (hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(), count(part + "\n"))
        for part in context.parts
    )


def _kept(old: Digests, new: Digests) -> int:
    """Tokens of the leading messages that are the same as before."""
    kept = 0
    for before, now in zip(old, new, strict=False):
        if before != now:
            break
        kept += now[1]
    return kept


def _note(
    request: Request, wanted: ContextRequest, previous: Previous, pieces: Sequence[ContextPiece], digests: Digests
) -> str:
    """Remember what this session was shown, so that its echo is recognised, and count the use of what is new to it.

    A read-only store remembers nothing; if another fault keeps it from being noted, that is said, and nothing else.
    """
    if wanted.subject is None:
        return ""
    keys = [record.key for piece in pieces if piece.part == "recall" for record in piece.records]
    shown = {record.key for piece in previous.pieces if piece.part == "recall" for record in piece.records}
    body = {
        "keys": keys,
        "pieces": [[piece.part, [record.key for record in piece.records]] for piece in pieces],
        "digests": [list(digest) for digest in digests],
    }
    try:
        with writing(request, check_policy=False) as writer:
            new = [key for key in keys if key not in shown]
            used = [replace(r, meta={**r.meta, USES: r.meta.get(USES, 0) + 1}) for r in request.store.get(new)]
            writer.commit(used)
            _raise_most_uses(request, used)
            writer.commit(events=[replace(request.event("recall", wanted.subject, body), time=wanted.now)])
    except StoreReadOnlyError:
        return ""
    except StoreError as error:
        return f"not noted as shown: {error.message}"
    return ""


def _raise_most_uses(request: Request, used: Sequence[Record]) -> None:
    for owner in {record.owner for record in used}:
        raise_most_uses(request, owner, max(int(r.meta[USES]) for r in used if r.owner == owner))

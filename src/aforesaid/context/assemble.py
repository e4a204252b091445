"""Builds a context: rules and recent turns first, then the best search hits that fit, framed as data.

C(q) = I1 ∪ I2* ∪ E* ∪ T_recent ∪ Proj(V_rest, q),   Σ tokens ≤ τ, always

Within a session a context only grows at its end while it fits, so that the model's prompt cache stays valid: rules come
first, turns and recalled history keep their position, and new pieces come last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from aforesaid.context import marks
from aforesaid.context import render as frame
from aforesaid.context.packer import ContextPacker, Count, Mandatory, records_of
from aforesaid.context.previous import Digests, Previous, load_previous
from aforesaid.context.recent_turns import groups, last_turns, recent
from aforesaid.context.rule_room import rule_room
from aforesaid.engine.kept_values import raise_most_uses
from aforesaid.engine.lineage import covered_by
from aforesaid.engine.request import Request
from aforesaid.engine.rules import RulesInView, rules_in_view
from aforesaid.engine.thresholds import with_thresholds
from aforesaid.engine.token_counter import TokenCounter
from aforesaid.engine.writer import writing
from aforesaid.errors import AforesaidError, InputError, StoreError, StoreReadOnlyError
from aforesaid.ingest.echo import recall_subject
from aforesaid.math import packing
from aforesaid.retrieval.search import Page, search
from aforesaid.retrieval.snippets import order_snippets, snippet_budget
from aforesaid.settings import Settings
from aforesaid.types import USES, Context, Filter, Part, Record, SearchResult, TraceItem

LEAST_CONSIDERED = 50  # hits to try even with a small budget: a short one may fit when the best do not
MAX_TAIL_TURNS = 500  # limit of recent turns, for any budget
DEFAULT = "default"  # the profile whose contexts grow at the end; the others are built anew for each query
PREFIX_PROFILES = frozenset({"libra", "libra-two-pass", "libra-single"})  # the first hit that does not fit ends these


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """The request for a context. `messages` are the caller's own and not stored yet."""

    query: str
    where: Filter
    session: str | None
    budget_tokens: int
    now: datetime
    messages: tuple[Mapping[str, str], ...] = ()
    profile: str = DEFAULT
    min_confidence: float = 0.0

    @property
    def subject(self) -> str | None:
        """The event subject under which this session's contexts are logged; None without a session."""
        return recall_subject(self.where.owners[0], self.session) if self.session and self.where.owners else None


def assemble(request: Request, spec: ContextRequest) -> Context:
    """Build the context for a prompt within the budget, with a trace of what was left out and why.

    If the store fails, the context holds only the caller's messages and gives the reason in `degraded`.
    """
    if spec.budget_tokens < 1:
        raise InputError(f"budget_tokens is {spec.budget_tokens}.", "Give at least 1.")
    try:
        return _build(request, spec)
    except InputError:
        raise
    except AforesaidError as error:
        return without_memory(request.engine.counter, spec.messages, spec.budget_tokens, error)


def _build(request: Request, spec: ContextRequest) -> Context:
    count, rows = request.count_tokens, request.settings.assemble
    previous = load_previous(request, spec.subject, spec.where)
    rules = rules_in_view(request, spec.where)
    turns = _recent_turns(request, spec)
    mandatory = _mandatory(request, spec, rules, turns, previous)
    found = _search_the_rest(request, spec, rules, turns, mandatory)
    covers = _covered_by_summaries(request, found, previous)
    grows = spec.profile == DEFAULT
    packer = ContextPacker(
        mandatory, found, covers, spec.budget_tokens, count,
        fill=rows.fill if grows and spec.subject else 1.0,
        fresh=rows.fresh,
        caps=request.guard.token_limits,
        snippets=snippet_budget(request.settings),
        by_time=grows,
        prefix=spec.profile in PREFIX_PROFILES,
        least_confidence=max(spec.min_confidence, rows.least_confidence if grows else 0.0),
    )  # fmt: skip
    packed = (packer.extend(previous.pieces) if grows else None) or packer.start_new()
    digests = _digests(packed.context, count)
    guidance = frozenset(rule.key for rule in mandatory.rules.elevated)
    with_tail = spec.budget_tokens if rows.tail_turns or rows.tail else 0
    largest = max(previous.largest_budget, with_tail)
    current = Previous(packed.pieces, digests, spec.budget_tokens, largest, guidance)
    problem = _log_shown(request, spec, previous, current)
    unchanged = min(_unchanged_tokens(previous.digests, digests), packed.context.tokens)
    degraded = "; ".join(filter(None, (packed.context.degraded, problem)))
    return replace(packed.context, kept_tokens=unchanged, degraded=degraded, counted_by=request.counted_by)


def _search_the_rest(
    request: Request, spec: ContextRequest, rules: RulesInView, turns: Sequence[Record], mandatory: Mandatory
) -> SearchResult:
    """Search for the query without the records that the context already has."""
    present = (*rules.records, *mandatory.tail.records, *_in_messages(turns, spec.messages))
    known = {record.key for record in present}
    known |= {key for rule in mandatory.rules.elevated if rule.provenance for key in rule.provenance.sources}
    where = replace(spec.where, exclude=(*spec.where.exclude, *sorted(known)))
    rows = request.settings
    limit = rows.search.limit if spec.profile == "pce" else hits_to_consider(rows, spec.budget_tokens)
    found = search(request, spec.query, where, Page(limit), spec.now, spec.profile, spec.session)
    return replace(found, hits=tuple(order_snippets(found.hits, spec.profile, rows, request.count_tokens)))


def _covered_by_summaries(request: Request, found: SearchResult, previous: Previous) -> dict[str, frozenset[str]]:
    """The records that each shown or found summary covers: a summary and its turns must not both appear."""
    records = [*records_of(previous.pieces, "recall"), *(hit.record for hit in found.hits)]
    summaries = [record.key for record in records if record.kind == "summary"]
    return covered_by(request.store, summaries) if summaries else {}


def without_memory(
    counter: TokenCounter, messages: tuple[Mapping[str, str], ...], budget: int, error: AforesaidError
) -> Context:
    """A context with only the caller's messages, and the reason in `degraded`."""
    parts = tuple(frame.speech(each["role"], each["content"]) for each in messages)
    bare = Context("", messages, 0, budget, (), (), None, parts=parts, counted_by=counter.name)
    tokens = counter.count(bare.text) if bare.text else 0
    return replace(bare, tokens=tokens, degraded=f"memory is out of reach: {error.message} {error.remedy}".strip())


def hits_to_consider(settings: Settings, budget: int) -> int:
    """The number of hits to try; more for a larger budget."""
    rows = settings.assemble
    return min(LEAST_CONSIDERED + budget // rows.tokens_a_hit, rows.candidates)


def _recent_turns(request: Request, spec: ContextRequest) -> list[Record]:
    if spec.session is None:
        return []
    here = replace(spec.where, sessions=(spec.session,), kinds=("turn",), echoes=True)
    limit = max(request.settings.assemble.tail_turns, MAX_TAIL_TURNS)
    return request.view.find(here, order="newest", limit=limit)[::-1]


def _in_messages(turns: Sequence[Record], messages: Sequence[Mapping[str, str]]) -> list[Record]:
    """The turns that are among the caller's messages."""
    given = {(each["role"], each["content"]) for each in messages}
    return [turn for turn in turns if not given.isdisjoint(_as_given(turn))] if given else []


def _as_given(turn: Record) -> list[tuple[str, str]]:
    """A turn as a caller may have it: as it was stored, or as an earlier context showed it."""
    shown = frame.message(turn)
    return [(turn.role or "user", turn.text), (shown["role"], turn.text), (shown["role"], shown["content"])]


def _mandatory(
    request: Request, spec: ContextRequest, rules: RulesInView, turns: Sequence[Record], previous: Previous
) -> Mandatory:
    """Fill the budget in this order: hard rules, the last m turns, soft rules, elevated rules, older turns (spec 6)."""
    rows, total, count = request.settings.assemble, spec.budget_tokens, request.count_tokens
    cost = partial(frame.turn_tokens, count)
    given = _in_messages(turns, spec.messages)
    stored = groups([turn for turn in turns if turn not in given])
    own = sum(count(frame.speech(each["role"], each["content"]) + "\n") for each in spec.messages)
    last = last_turns(stored, rows.tail_turns)
    least = sum(map(cost, last))
    wanted = rule_room(request, rules.hard, total)
    hard, hard_tokens = (rules.hard, wanted.needed) if wanted.needed <= total - own else ((), 0)
    soft_budget = packing.soft_budget(total, min(hard_tokens + own, total), least, rows.soft)
    soft, soft_tokens = _soft(rules.soft, soft_budget, count)
    room = total - own - hard_tokens - soft_tokens
    asked = _unheard(rules.elevated, (*given, *last))
    shown_before = previous.guidance if spec.profile == DEFAULT else frozenset()
    elevated, elevated_tokens = _elevated(request, spec, asked, shown_before, room - least)
    limit = packing.tail_budget(total, own + hard_tokens + elevated_tokens, soft_tokens, least, rows.tail)
    keeps_start = spec.profile == DEFAULT and total <= previous.budget_tokens
    tail = recent(stored, rows.tail_turns, limit, cost, previous.first if keeps_start else None)
    asked, elevated = _unheard(asked, tail.records), _unheard(elevated, tail.records)
    problems = []
    if own > total:
        problems.append(f"the messages handed over need {own} of {total} tokens")
    if rules.hard and not hard:
        problems.append(f"the hard rules need {wanted.needed} of {max(total - own, 0)} tokens and are left out")
    elif wanted.problem:
        problems.append(wanted.problem)
    if not packing.mandatory_fits(total, own + hard_tokens, least):
        problems.append(f"{len(tail.missing)} of the last {rows.tail_turns} turns do not fit in {total} tokens")
    trace = (
        *(_traced(record, hard, "hard rule", count) for record in rules.hard),
        *(_traced(record, soft, "soft rule", count) for record in rules.soft),
        *(_traced(record, elevated, "asked for before", count, "guidance") for record in asked),
        *(TraceItem(turn.id, "tail", False, cost(turn), "does not fit", key=turn.key) for turn in tail.missing),
        *(
            TraceItem(turn.id, "tail", True, cost(turn), f"recent{frame.disarmed(turn)}", key=turn.key)
            for turn in tail.records
        ),
    )
    return Mandatory(RulesInView(hard, soft, elevated), tail, spec.messages, trace, "; ".join(problems))


def _soft(rules: Sequence[Record], budget: float, count: Count) -> tuple[Sequence[Record], int]:
    """The longest prefix of the soft rules that fits the budget, and its tokens."""
    title = count(marks.GUIDANCE + "\n")
    costs = [count(frame.rule(record) + "\n") for record in rules]
    taken = packing.longest_prefix(costs, max(budget - title, 0))
    return rules[:taken], title + sum(costs[:taken]) if taken else 0


def _unheard(rules: Sequence[Record], turns: Sequence[Record]) -> Sequence[Record]:
    """Elevated rules, without those whose own turn is among these: nothing appears twice."""
    heard = {turn.key for turn in turns}
    return [rule for rule in rules if rule.provenance is None or heard.isdisjoint(rule.provenance.sources)]


def _elevated(
    request: Request, spec: ContextRequest, rules: Sequence[Record], shown: frozenset[str], room: int
) -> tuple[Sequence[Record], int]:
    """The elevated rules that fit ρ·τ, and their tokens: those near the query (cos > θ1), newest first; then the rest.

    "We always use pnpm here" is far from "install lodash", and still holds: `default` shows every rule that fits. The
    other profiles show those near the query only. A rule that the session's last context showed stays, like recalled
    history, so that the prompt cache stays valid.
    """
    if not rules:
        return (), 0
    count = request.count_tokens
    costs = {rule.key: count(frame.rule(rule) + "\n") for rule in rules}
    spent = count(marks.ASKED + "\n")
    most = min(packing.share_tokens(spec.budget_tokens, request.settings.assemble.elevated), room)
    if spec.profile == DEFAULT and spent + sum(costs.values()) <= most:
        return rules, spent + sum(costs.values())
    near = _near_rules(request, spec.query, rules) | shown
    far = [rule for rule in rules if rule.key not in near] if spec.profile == DEFAULT else []
    taken: set[str] = set()
    for record in (*reversed([rule for rule in rules if rule.key in near]), *reversed(far)):
        if spent + costs[record.key] <= most:
            taken.add(record.key)
            spent += costs[record.key]
    return [rule for rule in rules if rule.key in taken], spent if taken else 0


def _near_rules(request: Request, query: str, rules: Sequence[Record]) -> frozenset[str]:
    """The keys of the rules with cos > θ1; without embeddings, of all."""
    request = with_thresholds(request)
    vector = request.arm.embed_query(query)
    if vector is None:
        return frozenset(rule.key for rule in rules)
    vectors, least = request.view.vectors([rule.key for rule in rules]), request.settings.libra.theta1
    return frozenset(rule.key for rule in rules if rule.key not in vectors or float(vectors[rule.key] @ vector) > least)


def _traced(record: Record, taken: Sequence[Record], what: str, count: Count, part: Part = "rules") -> TraceItem:
    fits = record in taken
    missing = "does not fit" if part == "rules" else "does not fit, or is far from the query"
    reason = what if fits else f"{what}: {missing}"
    reason += frame.disarmed(record) if part == "guidance" else ""
    return TraceItem(record.id, part, fits, count(frame.rule(record) + "\n"), reason, key=record.key)


def _digests(context: Context, count: Count) -> Digests:
    """The digest and tokens of each message: enough to compare contexts without storing text."""
    return tuple(
        (hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(), count(part + "\n"))
        for part in context.parts
    )


def _unchanged_tokens(old: Digests, new: Digests) -> int:
    """Tokens of the leading messages that did not change."""
    kept = 0
    for before, now in zip(old, new, strict=False):
        if before != now:
            break
        kept += now[1]
    return kept


def _log_shown(request: Request, spec: ContextRequest, previous: Previous, current: Previous) -> str:
    """Log the shown records, so that echoes are recognised later, and count a use of each newly shown record.

    Returns "", or the problem when the store could not be written. A read-only store logs nothing.
    """
    if spec.subject is None:
        return ""
    keys = [record.key for record in records_of(current.pieces, "recall")]
    shown = {record.key for record in records_of(previous.pieces, "recall")}
    body = {
        "keys": keys,
        "budget": current.budget_tokens,
        "largest": current.largest_budget,
        "pieces": [[piece.part, [record.key for record in piece.records]] for piece in current.pieces],
        "digests": [list(digest) for digest in current.digests],
        "guidance": sorted(current.guidance),
    }
    try:
        with writing(request, check_policy=False) as writer:
            new = [key for key in keys if key not in shown]
            used = [replace(r, meta={**r.meta, USES: r.uses + 1}) for r in request.store.get(new)]
            writer.commit(used)
            for record in used:
                raise_most_uses(request, record.owner, record.uses)
            writer.commit(events=[replace(request.event("recall", spec.subject, body), time=spec.now)])
    except StoreReadOnlyError:
        return ""
    except StoreError as error:
        return f"not noted as shown: {error.message}"
    return ""

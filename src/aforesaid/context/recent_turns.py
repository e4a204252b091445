"""Which recent turns of a session (its tail) a context has; turns of a bundle stay together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aforesaid.types import Record

Cost = Callable[[Record], int]
Group = tuple[Record, ...]
TOOL = "tool"  # the role of a result, which means nothing without the call before it
ROOM_AFTER_CUT = 0.6  # share of the target that a tail is cut to: it then grows for some turns before the next cut


@dataclass(frozen=True, slots=True)
class Tail:
    """Recent turns, oldest first, and the mandatory turns that do not fit."""

    records: tuple[Record, ...]
    missing: tuple[Record, ...] = ()


def groups(turns: Sequence[Record]) -> list[Group]:
    """Group turns in order. A group never splits a bundle, or a tool's result from the turn before it.

    Calls may run in parallel, so a bundle includes all turns between its first and its last.
    """
    last = {turn.bundle: i for i, turn in enumerate(turns) if turn.bundle is not None}
    found: list[list[Record]] = []
    end = -1
    for i, turn in enumerate(turns):
        if i <= end or (found and turn.bundle is None and turn.role == TOOL):
            found[-1].append(turn)
        else:
            found.append([turn])
        end = max(end, last[turn.bundle] if turn.bundle is not None else -1)
    return [tuple(group) for group in found]


def base(turns: Sequence[Group], least: int) -> int:
    """T_base: how many groups from the end hold the last m turns (spec 6)."""
    held = 0
    for taken, group in enumerate(reversed(turns)):
        if held >= least:
            return taken
        held += len(group)
    return len(turns) if least > 0 else 0


def last_turns(turns: Sequence[Group], least: int) -> list[Record]:
    """The turns of T_base."""
    return [turn for group in turns[len(turns) - base(turns, least) :] for turn in group]


def recent(turns: Sequence[Group], least: int, limit: float, cost: Cost, start: str | None = None) -> Tail:
    """T_recent: the longest suffix of groups that costs no more than the limit (spec 6).

    Mandatory turns that do not fit are `missing`. With a `start`, the tail starts at that turn again while it fits, so
    that the prompt cache stays valid. When it must be cut, it is cut shorter, to leave room.
    """
    costs = [sum(map(cost, group)) for group in turns]
    mandatory = base(turns, least)
    places = [i for i, group in enumerate(turns) if group[0].key == start]
    if places and sum(costs[places[0] :]) <= limit and len(turns) - places[0] >= mandatory:
        taken = len(turns) - places[0]
    else:
        taken = _suffix(costs, limit if start is None else limit * ROOM_AFTER_CUT, mandatory, limit)
    records = tuple(record for group in turns[len(turns) - taken :] for record in group)
    missing = tuple(record for group in turns[len(turns) - mandatory : len(turns) - taken] for record in group)
    return Tail(records, missing)


def _suffix(costs: Sequence[int], target: float, mandatory: int, limit: float) -> int:
    """How many of the last fit: mandatory ones into the limit, further ones into the target."""
    spent, taken = 0, 0
    for cost in reversed(costs):
        spent += cost
        if spent > (limit if taken < mandatory else target):
            break
        taken += 1
    return taken

"""The recent tail: whole groups, the last turns always, and a beginning that stays where it is."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.context.recent_turns import Tail, base, groups, recent
from aforesaid.math.packing import tail_budget
from aforesaid.types import Record
from support.clock import NOW

kinds = st.tuples(st.sampled_from([None, None, "a", "b", "c"]), st.sampled_from(["user", "assistant", "tool"]))
talks = st.lists(kinds, max_size=25).map(lambda rows: [turn(i, *row) for i, row in enumerate(rows)])
sizes = st.integers(0, 40)


def turn(number: int, bundle: str | None = None, role: str = "user") -> Record:
    time = NOW + timedelta(minutes=number)
    return Record(f"t{number}", "turn", f"turn {number}", time, session="s", role=role, bundle=bundle)


def cost(record: Record) -> int:
    return 1 + int(record.id[1:]) % 5


def ids(tail: Tail) -> list[str]:
    return [record.id for record in tail.records]


@pytest.mark.parametrize(
    ("bundles", "expected"),
    [
        ([None, None, None], [1, 1, 1]),
        ([None, "a", "a", None], [1, 2, 1]),
        (["a", "b", "a", "b", None], [4, 1]),
        (["a", None, "a", "b", "b"], [3, 2]),
        ([], []),
    ],
)
def test_bundles_reach_from_their_first_turn_to_their_last(bundles: list[str | None], expected: list[int]) -> None:
    assert [len(group) for group in groups([turn(i, bundle) for i, bundle in enumerate(bundles)])] == expected


def test_a_result_stays_with_its_call() -> None:
    found = groups([turn(0), turn(1, role="assistant"), turn(2, role="tool"), turn(3, role="tool"), turn(4)])
    assert [len(group) for group in found] == [1, 3, 1]


@given(talks)
def test_groups_lose_nothing_and_tear_nothing(talk: list[Record]) -> None:
    found = groups(talk)
    assert [record for group in found for record in group] == talk
    for bundle in {record.bundle for record in talk if record.bundle}:
        assert len({i for i, group in enumerate(found) if any(r.bundle == bundle for r in group)}) == 1
    assert not any(group[0].role == "tool" and group[0].bundle is None for group in found[1:])


@given(talks, st.integers(0, 8))
def test_the_base_is_the_shortest_suffix_with_the_last_turns(talk: list[Record], least: int) -> None:
    found = groups(talk)
    taken = base(found, least)
    held = sum(map(len, found[len(found) - taken :]))
    assert held >= min(least, len(talk))
    if taken:
        assert sum(map(len, found[len(found) - taken + 1 :])) < least


@given(talks, st.integers(0, 8), sizes, st.sampled_from([0, 0.25, 0.5, 1]), st.integers(0, 24))
def test_a_tail_is_a_whole_suffix_inside_its_room(
    talk: list[Record], least: int, room: int, share: float, start: int
) -> None:
    found = groups(talk)
    for begun in (None, turn(start).key):
        must = [record for group in found[len(found) - base(found, least) :] for record in group]
        limit = tail_budget(room, 0, 0, sum(map(cost, must)), share)
        tail = recent(found, least, limit, cost, begun)
        suffixes = [[record for group in found[i:] for record in group] for i in range(len(found) + 1)]
        assert list(tail.records) in suffixes
        tokens = sum(map(cost, tail.records))
        assert tokens <= room
        assert {r.key for r in must} <= {r.key for r in (*tail.records, *tail.missing)}
        if sum(map(cost, must)) <= room:
            assert tail.missing == ()
            assert tokens <= max(share * room, sum(map(cost, must)))


def test_a_tail_begins_where_it_began_until_it_must_be_cut() -> None:
    begun: str | None = None
    beginnings = []
    for length in range(1, 60):
        tail = recent(groups([turn(i) for i in range(length)]), 4, 60, cost, begun)
        begun = tail.records[0].key
        beginnings.append(tail.records[0].id)
        assert sum(map(cost, tail.records)) <= 60
    assert beginnings[:10] == ["t0"] * 10
    changes = sum(a != b for a, b in pairwise(beginnings))
    assert changes <= 59 * 3 / (60 * 0.4) + 1, "each cut leaves room for several turns"

"""What holds of every context, whatever was loaded, said, summarised and asked (spec 6, 8, L7.10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from aforesaid.context.recent_turns import base, groups
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.engine.lineage import covered_by
from aforesaid.engine.rules import rules_in_view
from aforesaid.math.tokens import safe_tokens
from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Context, Turn
from support.clock import NOW
from support.requests import request_for

WORDS = ["tea", "Lisbon", "the train", "a cat", "京都", "rent", "Figo", "the shop", "deploy"]
sayings = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(lambda words: " ".join(words) + ".")
turns = st.tuples(st.sampled_from(["user", "assistant", "tool"]), sayings, st.sampled_from([None, None, "a", "b", "c"]))
talks = st.lists(turns, max_size=30)
rules = st.lists(
    st.sampled_from(
        ["- Never push.", "- Run the tests.", "- Use tabs.", "Always write a changelog.", "> Be kind.", "Tea."]
    ),
    max_size=8,
)
asks = st.lists(
    st.tuples(st.sampled_from(WORDS), st.integers(1, 700), st.sampled_from(sorted(PROFILES))), min_size=1, max_size=4
)
TIGHT = Settings().changed(
    {"compact.cluster_turns": 4, "compact.cap_tokens": 30, "search.thresholds": "literal"}, "test"
)


@pytest.mark.parametrize("kind", ["dict", "sqlite"])
@example_settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(old=talks, now=talks, written=rules, questions=asks, compacted=st.booleans())
def test_every_context(
    kind: str, old: list, now: list, written: list[str], questions: list[tuple[str, int, str]], compacted: bool
) -> None:
    with TemporaryDirectory() as folder:
        store = DictStore() if kind == "dict" else SQLiteStore(Path(folder) / "m.db")
        with Memory(store, HashEmbedder(32), settings=TIGHT, clock=lambda: NOW) as memory:
            say(memory, "old", old)
            memory.documents.load("AGENTS.md", text="\n\n".join(written), user="ana")
            raw = {record.key: record.text for record in memory.list(user="ana", kinds=["turn"], limit=99)}
            if compacted:
                memory.sessions.compact("old", user="ana")
            for i, (query, budget, profile) in enumerate(questions):
                say(memory, "now", now[i::4], start=100 + 20 * i)
                for session in ("now", None):
                    check(
                        memory,
                        memory.assemble(query, user="ana", session=session, budget_tokens=budget, profile=profile),
                    )
            kept = {record.key: record.text for record in memory.list(user="ana", kinds=["turn"], limit=200)}
            assert kept.items() >= raw.items(), "raw history is immutable"
            assert memory.maintenance.verify() == []


def say(memory: Memory, session: str, said: list[tuple[str, str, str | None]], start: int = 0) -> None:
    memory.ingest(
        [
            Turn(f"{session}{start + i}", session, role, text, NOW + timedelta(minutes=start + i), bundle)
            for i, (role, text, bundle) in enumerate(said)
        ],
        user="ana",
    )


def check(memory: Memory, context: Context) -> None:
    assert context.tokens == (safe_tokens(context.text) if context.text else 0) <= context.budget_tokens
    keys = [record.key for record in context.records]
    assert len(keys) == len(set(keys)), "nothing appears twice"
    parts: dict[str, set[str]] = {"rules": set(), "guidance": set(), "tail": set(), "recall": set()}
    for item in context.trace:
        if item.taken:
            parts[item.part].add(item.key)
    assert sum(map(len, parts.values())) == len(set().union(*parts.values())) == len(keys), "a partition"
    everything = rules_in_view(request_for(memory), memory.where(user="ana"))
    hard = {record.key for record in everything.hard}
    assert hard <= parts["rules"] or "hard rules need" in context.degraded, "hard rules are whole or told"
    soft = [record.key in parts["rules"] for record in everything.soft]
    assert soft == sorted(soft, reverse=True), "soft rules are a prefix"
    tail_checks(memory, context, parts["tail"])
    covers = covered_by(memory.store, keys)
    assert not any(below & set(keys) for below in covers.values()), "a summary and its turns never both appear"
    frames = [each["content"] for each in context.messages if each["content"].startswith("<recalled-history")]
    assert context.recall.count("</recalled-history>") == sum(each in context.recall for each in frames)
    assert {each["role"] for each in context.messages} <= {"user", "assistant"}


def tail_checks(memory: Memory, context: Context, tail: set[str]) -> None:
    if not any(item.part == "tail" for item in context.trace):
        return
    here = replace(memory.where(user="ana", session="now"), kinds=("turn",), echoes=True)
    whole = groups(memory.store.find(here))
    shown = [group for group in whole if any(turn.key in tail for turn in group)]
    assert all(turn.key in tail for group in shown for turn in group), "no bundle is torn"
    assert shown == whole[len(whole) - len(shown) :], "the tail is a suffix"
    assert len(shown) >= base(whole, 4) or "do not fit" in context.degraded, "the last turns are there or told"

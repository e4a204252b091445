"""Each format by itself: what a value of a foreign file becomes, and what is left of it and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from aforesaid.importers.formats import transcript
from aforesaid.importers.formats.chatgpt import ChatGPT, visible_branch
from aforesaid.importers.formats.claude_code import ClaudeCode
from aforesaid.importers.formats.codex import Codex
from aforesaid.importers.formats.growing_file import parse_value
from aforesaid.importers.formats.items import (
    OWN_TOOLS,
    ImportedClaim,
    ImportOptions,
    Invalid,
    Item,
    ItemParser,
    Skipped,
    Title,
)
from aforesaid.importers.formats.json_values import parse_time
from aforesaid.importers.formats.jsonl import Jsonl
from aforesaid.importers.formats.mem0 import Mem0
from aforesaid.importers.formats.openclaw import OpenClaw
from aforesaid.importers.formats.transcript import cut, without_injected
from aforesaid.types import Turn
from samples.import_files import (
    CHAT,
    CLAUDE_CODE,
    CODEX,
    MEM0,
    OPENCLAW,
    ROLLOUT,
    SESSION,
    claude,
    codex,
    conversation,
    spoken,
)


def fed(parser: ItemParser, values: Iterable[Any]) -> list[Item]:
    return [item for number, value in enumerate(values, 1) for item in parse_value(parser, value, number)]


def turns(items: Iterable[Item]) -> list[Turn]:
    return [item for item in items if isinstance(item, Turn)]


def left(items: Iterable[Item]) -> Counter[str]:
    return Counter(item.reason for item in items if isinstance(item, Skipped))


def test_claude_code() -> None:
    found = fed(ClaudeCode("stem", ImportOptions()), CLAUDE_CODE)
    assert [(turn.id, turn.role, turn.text) for turn in turns(found)] == [
        ("u-0001", "user", "Our staging server listens on port 7443 now."),
        ("u-0003", "assistant", "I will look at the configuration."),
        ("u-0004#0", "assistant", 'Read({"file_path": "/home/ana/shop/conf.toml"})'),
        ("u-0005#0", "tool", "port = 7443"),
        ("u-0006", "user", "Good. Never deploy on Fridays."),
        ("u-0010", "user", "/review the port change"),
        ("u-0011", "user", "/clear"),
        ("u-0017", "user", "And keep the old port open."),
    ]
    assert {turn.session for turn in turns(found)} == {SESSION}
    assert [turn.bundle for turn in turns(found)][2:4] == ["toolu_1", "toolu_1"]
    assert turns(found)[0].time == datetime(2026, 3, 5, 10, 0, 1, tzinfo=UTC)
    assert left(found) == {
        "bookkeeping": 2, "thinking": 1, "injected context": 2, "image": 1, "API error": 1, "meta line": 1,
        "sidechain": 1, "unknown kind": 1, "empty": 2, "system message": 1, "compaction summary": 1,
    }  # fmt: skip
    assert [item for item in found if isinstance(item, Title)] == [Title("stem", "Moving the shop to a new port")]


def test_claude_code_takes_more_when_asked() -> None:
    found = turns(fed(ClaudeCode("stem", ImportOptions(thinking=True, sidechains=True)), CLAUDE_CODE))
    aside = next(turn for turn in found if turn.id == "u-0009")
    assert (aside.session, aside.role) == (f"{SESSION}/a1", "assistant"), (
        "what an agent asks of another is nobody's word"
    )
    assert next(turn for turn in found if turn.id == "u-0002#0").text == "They moved it."
    bare = fed(ClaudeCode("stem", ImportOptions(tools=False)), CLAUDE_CODE)
    assert all("#" not in turn.id for turn in turns(bare))
    assert left(bare)["tool call or result"] == 2


def test_a_line_without_id_session_or_time() -> None:
    bare = {"type": "user", "message": {"role": "user", "content": "Hello there"}}
    first, second = turns(fed(ClaudeCode("stem", ImportOptions()), [claude(1, "user", "x"), bare]))
    assert (second.session, second.time) == ("stem", first.time)
    again = turns(fed(ClaudeCode("stem", ImportOptions()), [claude(1, "user", "x"), bare]))[1]
    assert again.id == second.id != first.id
    assert turns(fed(ClaudeCode("stem", ImportOptions()), [bare]))[0].time is None


def test_codex() -> None:
    found = fed(Codex("stem", ImportOptions()), CODEX)
    assert [(turn.role, turn.text, turn.bundle) for turn in turns(found)] == [
        ("user", "The nightly job writes to the bucket ledger-eu.", None),
        ("assistant", 'shell({"command":["ls"]})', "call_1"),
        ("tool", "job.py\nREADME.md", "call_1"),
        ("assistant", "apply_patch(*** Begin Patch)", "call_2"),
        ("tool", "Done!", "call_2"),
        ("assistant", "The job is in job.py.", None),
    ]
    assert {turn.session for turn in turns(found)} == {ROLLOUT}
    assert len({turn.id for turn in turns(found)}) == 6
    assert left(found) == {
        "bookkeeping": 3, "system message": 1, "injected context": 1, "event that repeats a message": 1, "thinking": 1,
        "compaction summary": 1, "unknown kind": 1,
    }  # fmt: skip
    assert [turn.id for turn in turns(fed(Codex("other", ImportOptions()), CODEX))] == [
        turn.id for turn in turns(found)
    ]
    thought = turns(fed(Codex("stem", ImportOptions(thinking=True)), CODEX))
    assert any(turn.text == "Check the bucket." for turn in thought)


def test_codex_forks_sub_agents_and_old_rollouts() -> None:
    fork = [CODEX[0], codex(1, {"id": "parent"}, "session_meta"), codex(2, spoken("user", "Hi again"))]
    assert turns(fed(Codex("stem", ImportOptions()), fork))[0].session == ROLLOUT
    aside = [codex(0, {"id": "s", "source": {"subagent": "review"}}, "session_meta"), codex(1, spoken("user", "Look"))]
    assert left(fed(Codex("stem", ImportOptions()), aside)) == {"bookkeeping": 1, "sidechain": 1}
    assert turns(fed(Codex("stem", ImportOptions(sidechains=True)), aside))[0].role == "assistant"
    old = [
        {"id": "old-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        spoken("user", "An old one"),
    ]
    [turn] = turns(fed(Codex("stem", ImportOptions()), old))
    assert (turn.session, turn.text) == ("old-1", "An old one")


def test_chatgpt_takes_the_branch_that_was_shown() -> None:
    found = fed(ChatGPT("conversations", ImportOptions()), [conversation()])
    assert [(turn.id, turn.role, turn.text, turn.bundle) for turn in turns(found)] == [
        ("q1", "user", "My sister Rita lives in Porto.", None),
        ("new", "assistant", "Porto is lovely in spring.", None),
        ("q2", "user", "How far is this from Lisbon?", None),
        ("call", "assistant", 'web.search({"q": "Porto"})', "call"),
        ("res", "tool", "313 kilometres by road", "call"),
        ("a2", "assistant", "About 313 kilometres.", None),
    ]
    assert left(found) == {"other branch": 1, "image": 1, "thinking": 1, "system message": 1, "custom instructions": 1}
    assert turns(found)[-1].time == turns(found)[-2].time, "a message without a time has that of the one before"
    assert found[0] == Title("c0ffee00-0000-4000-8000-000000000001", "Distances in Portugal")
    every = turns(fed(ChatGPT("conversations", ImportOptions(branches=True)), [conversation()]))
    assert "Porto is in Spain." in [turn.text for turn in every]


def test_chatgpt_trees_that_are_broken() -> None:
    loop = {"a": {"parent": "b"}, "b": {"parent": "a"}}
    assert sorted(visible_branch(loop, "a")) == ["a", "b"]
    assert visible_branch({}, None) == []
    known = conversation()
    assert visible_branch(known["mapping"], "gone") == visible_branch(known["mapping"], known["current_node"])
    for mapping in ({}, None, [], {"x": None}, {"x": {"message": {}}}):
        assert not turns(fed(ChatGPT("c", ImportOptions()), [{"mapping": mapping, "title": None}]))
    nameless = conversation(conversation_id=None)
    session = turns(fed(ChatGPT("c", ImportOptions()), [{}, nameless]))[0].session
    assert session == turns(fed(ChatGPT("c", ImportOptions()), [nameless]))[0].session, (
        "wherever it stands in the export"
    )


def test_mem0() -> None:
    found = fed(Mem0("m", ImportOptions()), [*MEM0, {"id": "m-4"}])
    claims = [item for item in found if isinstance(item, ImportedClaim)]
    assert [(claim.text, claim.user) for claim in claims] == [
        ("Prefers tea over coffee", "ana"),
        ("Works at a bakery in Porto", "ana"),
    ]
    assert claims[0].time == datetime(2025, 11, 2, 17, tzinfo=UTC)
    assert claims[1].time == datetime(2026, 1, 1, tzinfo=UTC), "the words are as old as the last change"
    assert claims[0].meta == {"mem0": {"id": "m-1", "categories": ["preferences"]}}
    assert left(found) == {"empty": 1}
    assert [item.message for item in found if isinstance(item, Invalid)] == ["it has no memory."]


def test_openclaw_sessions() -> None:
    found = fed(OpenClaw("stem", ImportOptions()), OPENCLAW)
    assert [(turn.id, turn.role, turn.bundle) for turn in turns(found)] == [
        ("b1", "user", None), ("b2", "assistant", None), ("b2#2", "assistant", "t1"), ("b3#0", "tool", "t1"),
    ]  # fmt: skip
    assert {turn.session for turn in turns(found)} == {"claw-0001-session"}
    assert left(found) == {"bookkeeping": 3, "thinking": 1, "compaction summary": 1}


def test_generic_messages() -> None:
    found = fed(Jsonl("chat", ImportOptions()), CHAT)
    assert [(turn.role, turn.text, turn.bundle) for turn in turns(found)] == [
        ("user", "The printer is on floor three.", None),
        ("assistant", "find({})", "x1"),
        ("tool", "printer-3", "x1"),
        ("assistant", "It is printer-3.", None),
    ]
    assert left(found) == {"system message": 1}
    both = turns(fed(Jsonl("chat", ImportOptions()), [{"messages": CHAT}, {"id": "second", "messages": CHAT}]))
    assert {turn.session for turn in both} == {"chat-1", "second"}
    assert isinstance(fed(Jsonl("chat", ImportOptions()), [{"foo": 1}])[0], Invalid)


@pytest.mark.parametrize(
    ("value", "year"),
    [("2026-01-01T00:00:00Z", 2026), (1767225600, 2026), (1767225600000, 2026), (1767225600.5, 2026), (10**400, None),
     (float("nan"), None), (True, None), ("soon", None), (None, None), ([], None), (-1e300, None)],
)  # fmt: skip
def test_times(value: Any, year: int | None) -> None:
    found = parse_time(value)
    assert (found.year if found else None) == year


def test_a_long_result_is_cut_between_words_and_never_inside_a_secret() -> None:
    long = "word " * 2000
    short = cut(long, 1000)
    assert short.startswith("word word")
    assert short.endswith("more characters]")
    assert len(short) < 1100
    assert "\nword" not in short
    key = "AKIAIOSFODNN7EXAMPLQ"
    for at in range(985, 1000):
        assert key[:8] not in cut("x" * at + " " + key + " " + "y" * 5000, 1000)
        assert key[:8] not in cut("x" * at + "," + key + "," + "y" * 5000, 1000)
    assert cut("short", 1000) == "short"


def test_reminders_go_and_what_only_looks_like_one_stays() -> None:
    assert without_injected("a <system-reminder>x</system-reminder> b") == ("a  b", 1)
    assert without_injected("say <system-reminder> to me") == ("say <system-reminder> to me", 0)
    assert without_injected("</system-reminder> first") == ("</system-reminder> first", 0)


def test_unknown_blocks_are_counted() -> None:
    assert [part.kind for part in transcript.parts_of(["x", 1, None, {"type": 5}, {"type": "image"}, []])] == [
        "text", "unknown", "unknown", "unknown", "image", "unknown",
    ]  # fmt: skip
    assert transcript.parts_of({"type": "text"}) == ()


def test_what_our_own_tools_told_is_nothing_new() -> None:
    recalled = "Ana moors her boat in Horta."
    used = {"type": "tool_use", "id": "toolu_9", "name": "mcp__aforesaid__memory_search", "input": {"query": "boat"}}
    other = {"type": "tool_use", "id": "toolu_8", "name": "mcp__files__search", "input": {"query": "boat"}}
    talk = [
        claude(1, "assistant", [used, other]),
        claude(2, "user", [{"type": "tool_result", "tool_use_id": "toolu_9", "content": recalled}]),
        claude(3, "user", [{"type": "tool_result", "tool_use_id": "toolu_8", "content": "boat.md"}]),
        claude(4, "assistant", "It is in Horta."),
    ]
    found = fed(ClaudeCode("s", ImportOptions()), talk)
    assert [turn.text for turn in turns(found)] == [
        'mcp__files__search({"query": "boat"})', "boat.md", "It is in Horta.",
    ]  # fmt: skip
    assert left(found) == {"our own tools": 2}
    rollout = [
        codex(1, {"type": "function_call", "name": "memory_search", "arguments": "{}", "call_id": "c1"}),
        codex(2, {"type": "function_call_output", "call_id": "c1", "output": recalled}),
        codex(3, {"type": "function_call", "name": "aforesaid.memory_get", "arguments": "{}", "call_id": "c2"}),
        codex(4, {"type": "function_call_output", "call_id": "c2", "output": recalled}),
        codex(5, spoken("assistant", "In Horta.")),
    ]
    assert [turn.text for turn in turns(fed(Codex("s", ImportOptions()), rollout))] == ["In Horta."]
    session = [
        {"type": "message", "id": "m1", "message": {"role": "assistant", "content": [
            {"type": "toolCall", "id": "t1", "name": "memory_search", "arguments": {}}]}},
        {"type": "message", "id": "m2", "message": {"role": "toolResult", "toolCallId": "t1", "content": recalled}},
    ]  # fmt: skip
    assert turns(fed(OpenClaw("s", ImportOptions()), session)) == []


def test_the_names_of_our_own_tools_are_all_there() -> None:
    tools = pytest.importorskip("aforesaid.surfaces.mcp.tools")
    assert {verb.tool_name for verb, _ in tools.TOOLS} == OWN_TOOLS

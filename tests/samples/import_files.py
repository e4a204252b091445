"""Small files as other programs write them; every name, id and word in them is invented."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SESSION = "5f0c2a4e-0000-4000-8000-000000000001"
ROLLOUT = "019a0000-0000-7000-8000-0000000000aa"
REMINDER = "<system-reminder>\nThe todo list is empty.\n</system-reminder>"


def lines(values: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def claude(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    """One line of a Claude Code transcript."""
    return {
        "parentUuid": None if number == 1 else f"u-{number - 1:04d}",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/shop",
        "sessionId": SESSION,
        "version": "2.1.325",
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"u-{number:04d}",
        "timestamp": f"2026-03-05T10:{number // 60:02d}:{number % 60:02d}.000Z",
        **more,
    }


CLAUDE_CODE: list[dict[str, Any]] = [
    {"type": "summary", "summary": "Moving the shop to a new port", "leafUuid": "u-0009"},
    {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {}, "isSnapshotUpdate": False},
    claude(1, "user", "Our staging server listens on port 7443 now."),
    claude(2, "assistant", [{"type": "thinking", "thinking": "They moved it.", "signature": "x"}]),
    claude(3, "assistant", [{"type": "text", "text": "I will look at the configuration."}]),
    claude(4, "assistant", [
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/home/ana/shop/conf.toml"}},
    ]),
    claude(5, "user", [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "port = 7443"}]},
    ], toolUseResult={"type": "text"}),
    claude(6, "user", [
        {"type": "text", "text": f"Good. Never deploy on Fridays.\n{REMINDER}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
    ]),
    claude(7, "assistant", "Prompt is too long", isApiErrorMessage=True),
    claude(8, "user", "Caveat: ignore this", isMeta=True),
    claude(9, "user", "Look for all uses of the old port.", isSidechain=True, agentId="a1"),
    claude(10, "user", "<command-name>/review</command-name>\n<command-args>the port change</command-args>"),
    claude(11, "user", "<command-name>/clear</command-name><command-args></command-args>"),
    claude(12, "user", "<local-command-stdout>Cleared</local-command-stdout>"),
    claude(13, "assistant", [{"type": "fancy_new_block", "data": 1}]),
    claude(14, "user", None),
    claude(15, "assistant", []),
    {"type": "system", "subtype": "compact_boundary", "sessionId": SESSION, "uuid": "s-1"},
    claude(17, "attachment", None, attachment={"type": "queued_command", "prompt": "And keep the old port open."}),
    claude(18, "attachment", None, attachment={"type": "hook_additional_context", "content": ["Be kind."]}),
    claude(16, "user", "This session is being continued from a previous one.", isCompactSummary=True),
]  # fmt: skip


def codex(number: int, payload: Any, kind: str = "response_item") -> dict[str, Any]:
    """One line of a Codex rollout."""
    return {"timestamp": f"2026-04-01T08:00:{number:02d}.500Z", "type": kind, "payload": payload}


def spoken(role: str, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "role": role,
        "content": [{"type": "input_text" if role == "user" else "output_text", "text": text}],
    }


CODEX: list[dict[str, Any]] = [
    codex(0, {"id": ROLLOUT, "timestamp": "2026-04-01T08:00:00Z", "cwd": "/home/ana/shop", "source": "cli"}, "session_meta"),
    codex(1, spoken("developer", "You are a coding agent.")),
    codex(2, spoken("user", "<environment_context>\n  <cwd>/home/ana/shop</cwd>\n</environment_context>")),
    codex(3, spoken("user", "The nightly job writes to the bucket ledger-eu.")),
    codex(3, {"type": "user_message", "message": "The nightly job writes to the bucket ledger-eu."}, "event_msg"),
    codex(4, {"model": "gpt-5-codex", "effort": "high"}, "turn_context"),
    codex(5, {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Check the bucket."}], "content": None}),
    codex(6, {"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "call_1"}),
    codex(7, {"type": "function_call_output", "call_id": "call_1", "output": "job.py\nREADME.md"}),
    codex(8, {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch", "call_id": "call_2"}),
    codex(9, {"type": "custom_tool_call_output", "call_id": "call_2", "output": {"content": "Done!", "success": True}}),
    codex(10, spoken("assistant", "The job is in job.py.")),
    codex(11, {"message": "They talked about a bucket."}, "compacted"),
    codex(12, {"type": "ghost_snapshot", "ghost_commit": {}}),
    codex(13, {"type": "something_new"}),
]  # fmt: skip


def node(key: str, parent: str | None, role: str, content: Any, at: float | None, **more: Any) -> dict[str, Any]:
    """One node of a ChatGPT conversation."""
    message = {
        "id": key, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at, "content": content,
        "status": "finished_successfully", "recipient": "all", "metadata": {}, **more,
    }  # fmt: skip
    return {"id": key, "parent": parent, "children": [], "message": message}


def said(*parts: Any) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(parts)}


def conversation(**more: Any) -> dict[str, Any]:
    """A conversation with a regenerated answer, a tool call, a picture, a thought and hidden messages."""
    nodes = [
        {"id": "root", "parent": None, "children": ["sys"], "message": None},
        node("sys", "root", "system", said(""), None, metadata={"is_visually_hidden_from_conversation": True}),
        node("ctx", "sys", "user", {"content_type": "user_editable_context", "user_profile": "Ana"}, None),
        node("q1", "ctx", "user", said("My sister Rita lives in Porto."), 1740000000.5),
        node("old", "q1", "assistant", said("Porto is in Spain."), 1740000001.0),
        node("new", "q1", "assistant", said("Porto is lovely in spring."), 1740000002.0),
        node("q2", "new", "user", {"content_type": "multimodal_text", "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "How far is this from Lisbon?",
        ]}, 1740000010.0),
        node("th", "q2", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "Look it up."}]}, 1740000011.0),
        node("call", "th", "assistant", {"content_type": "code", "language": "json", "text": "{\"q\": \"Porto\"}"},
             1740000012.0, recipient="web.search"),
        node("res", "call", "tool", {"content_type": "tether_quote", "text": "313 kilometres by road"}, 1740000013.0),
        node("a2", "res", "assistant", said("About 313 kilometres."), None),
    ]  # fmt: skip
    return {
        "title": "Distances in Portugal",
        "create_time": 1740000000.0,
        "update_time": 1740000020.0,
        "mapping": {each["id"]: each for each in nodes},
        "current_node": "a2",
        "conversation_id": "c0ffee00-0000-4000-8000-000000000001",
        **more,
    }


MEM0 = [
    {"id": "m-1", "memory": "Prefers tea over coffee", "user_id": "ana", "created_at": "2025-11-02T09:00:00-08:00",
     "updated_at": None, "metadata": {"x": 1}, "categories": ["preferences"]},
    {"id": "m-2", "memory": "Works at a bakery in Porto", "user_id": "ana", "created_at": "2025-11-03T09:00:00Z",
     "updated_at": "2026-01-01T00:00:00Z", "metadata": None, "categories": None},
    {"id": "m-3", "memory": "", "user_id": "bob", "created_at": "2025-11-03T09:00:00Z"},
]  # fmt: skip

OPENCLAW: list[dict[str, Any]] = [
    {"type": "session", "version": 3, "id": "claw-0001-session", "timestamp": "2026-02-06T07:49:00.000Z", "cwd": "/w"},
    {"type": "model_change", "id": "aa", "timestamp": "2026-02-06T07:49:01.000Z", "modelId": "m"},
    {"type": "message", "id": "b1", "parentId": "aa", "timestamp": "2026-02-06T07:49:03.491Z",
     "message": {"role": "user", "content": [{"type": "text", "text": "Water the tomatoes on Mondays."}]}},
    {"type": "message", "id": "b2", "parentId": "b1", "timestamp": "2026-02-06T07:49:05.000Z",
     "message": {"role": "assistant", "content": [
         {"type": "thinking", "thinking": "A reminder."}, {"type": "text", "text": "I will note it."},
         {"type": "toolCall", "id": "t1", "name": "write", "arguments": {"path": "memory/today.md"}}]}},
    {"type": "message", "id": "b3", "parentId": "b2", "timestamp": "2026-02-06T07:49:06.000Z",
     "message": {"role": "toolResult", "toolCallId": "t1", "content": [{"type": "text", "text": "written"}]}},
    {"type": "compaction", "id": "b4", "summary": "They talked.", "timestamp": "2026-02-06T07:50:00.000Z"},
    {"type": "custom", "id": "b5", "data": {}},
]  # fmt: skip

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "The printer is on floor three.", "time": "2026-05-01T10:00:00Z"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "x1", "function": {"name": "find", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "x1", "content": "printer-3"},
    {"role": "assistant", "content": [{"type": "text", "text": "It is printer-3."}]},
]


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path

"""Events as Claude Code and Codex send them; every name, path and word in them is invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samples.import_files import ROLLOUT, SESSION

PROMPT = "which port does the staging server use?"
STRANGER = "write a haiku about autumn leaves"


def claude_event(name: str, transcript: Path, cwd: Path, **more: Any) -> dict[str, Any]:
    extra: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup", "model": "claude-opus"},
        "UserPromptSubmit": {"prompt": PROMPT},
        "PostToolUse": {
            "tool_name": "Read",
            "tool_input": {"file_path": "/home/ana/shop/conf.toml"},
            "tool_response": {"type": "text"},
            "tool_use_id": "toolu_1",
        },
        "Stop": {"stop_hook_active": False, "last_assistant_message": "The job is in job.py."},
        "PreCompact": {"trigger": "auto", "custom_instructions": ""},
        "SessionEnd": {"reason": "prompt_input_exit"},
    }
    common = {
        "session_id": SESSION,
        "transcript_path": str(transcript),
        "cwd": str(cwd),
        "permission_mode": "default",
        "hook_event_name": name,
    }
    return {**common, **extra.get(name, {}), **more}


def codex_event(name: str, transcript: Path, cwd: Path, **more: Any) -> dict[str, Any]:
    extra: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "where does the nightly job write its output?"},
        "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "job.py"},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "The job is in job.py."},
        "PreCompact": {"trigger": "auto"},
    }
    common = {
        "session_id": ROLLOUT,
        "transcript_path": str(transcript),
        "cwd": str(cwd),
        "model": "gpt-5-codex",
        "permission_mode": "default",
        "turn_id": "turn-1",
        "hook_event_name": name,
    }
    return {**common, **extra.get(name, {}), **more}


EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")

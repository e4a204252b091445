"""OpenClaw session transcripts, and the memory files of its workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from aforesaid.importers.formats.items import Item, Reason, Skipped, Title
from aforesaid.importers.formats.json_values import as_id, as_object, as_text, parse_time, positional_id
from aforesaid.importers.formats.transcript import Part, TranscriptParser, parts_of, text_in

SKIPPED_LINES = {
    **dict.fromkeys(
        ("session", "custom", "custom_message", "label", "model_change", "thinking_level_change", "leaf"),
        Reason.BOOKKEEPING,
    ),
    **dict.fromkeys(("compaction", "branch_summary"), Reason.SUMMARY),
}
CURATED = ("MEMORY.md", "USER.md")
DAILY = "memory"


class OpenClaw(TranscriptParser):
    """Parses one session. Its first line names the session."""

    def parse(self, value: Any, number: int) -> Iterable[Item]:
        """The items of a line."""
        line = as_object(value)
        self._time = parse_time(line.get("timestamp")) or self._time
        kind = as_text(line.get("type"))
        if kind == "session":
            self._session = as_id(line.get("id")) or self._session
        if kind == "session_info" and as_text(line.get("name")).strip():
            return [Title(self._session, as_text(line.get("name")).strip())]
        if kind != "message":
            return [Skipped(SKIPPED_LINES.get(kind, Reason.UNKNOWN))]
        return self._message(line, as_object(line.get("message")), number)

    def _message(self, line: Mapping[str, Any], message: Mapping[str, Any], number: int) -> Iterable[Item]:
        role, content = as_text(message.get("role")), message.get("content")
        if role == "toolResult":
            parts: tuple[Part, ...] = (Part("result", text_in(content), as_id(message.get("toolCallId"))),)
        elif role in ("user", "assistant"):
            parts = parts_of(content)
        else:
            return [Skipped(Reason.SYSTEM if role == "system" else Reason.UNKNOWN)]
        parts = self._mark_own_results(parts)
        return self._items(as_id(line.get("id")) or positional_id(number, f"{role} {parts}"), role, parts)


def memory_files(folder: Path) -> list[Path]:
    """The memory files of a workspace. People edit them by hand, so they are indexed in place, not copied."""
    daily = sorted((folder / DAILY).glob("**/*.md")) if (folder / DAILY).is_dir() else []
    return [file for name in CURATED if (file := folder / name).is_file()] + daily

"""OpenClaw's session transcripts, and the files of its workspace that stay the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from aforesaid.importers.formats.blocks import Part, Recalls, SourceMessage, items_of, parts_of, text_in
from aforesaid.importers.formats.items import (
    BOOKKEEPING,
    SUMMARY,
    SYSTEM,
    UNKNOWN,
    Item,
    Left,
    Title,
    Wanted,
    mapping,
    moment,
    name_of,
    placed_id,
    words,
)

KEPT = frozenset(("custom", "custom_message", "label", "model_change", "thinking_level_change", "leaf"))
SUMMARIES = frozenset(("compaction", "branch_summary"))
CURATED = ("MEMORY.md", "USER.md")
DAILY = "memory"


class OpenClaw:
    """The lines of one session; the first one names it."""

    def __init__(self, session: str, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted
        self._time: datetime | None = None
        self._recalls = Recalls()

    def feed(self, value: Any, number: int) -> Iterable[Item]:
        """What a line holds."""
        line = mapping(value)
        self._time = moment(line.get("timestamp")) or self._time
        kind = words(line.get("type"))
        if kind == "session":
            self._session = name_of(line.get("id")) or self._session
            return [Left(BOOKKEEPING)]
        if kind == "session_info" and words(line.get("name")).strip():
            return [Title(self._session, words(line.get("name")).strip())]
        if kind != "message":
            return [Left(SUMMARY if kind in SUMMARIES else BOOKKEEPING if kind in KEPT else UNKNOWN)]
        return self._message(line, mapping(line.get("message")), number)

    def _message(self, line: Mapping[str, Any], said: Mapping[str, Any], number: int) -> Iterable[Item]:
        role, content = words(said.get("role")), said.get("content")
        if role == "toolResult":
            parts: tuple[Part, ...] = (Part("result", text_in(content), name_of(said.get("toolCallId"))),)
        elif role in ("user", "assistant"):
            parts = parts_of(content)
        else:
            return [Left(SYSTEM if role == "system" else UNKNOWN)]
        parts = self._recalls.told(parts)
        own = name_of(line.get("id")) or placed_id(number, f"{role} {parts}")
        return items_of(SourceMessage(own[:480], self._session, role, self._time, parts), self._wanted)


def memory_files(folder: Path) -> list[Path]:
    """The memory files of a workspace, which are edited by hand and read where they are."""
    daily = sorted((folder / DAILY).glob("**/*.md")) if (folder / DAILY).is_dir() else []
    return [file for name in CURATED if (file := folder / name).is_file()] + daily

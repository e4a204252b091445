"""The tier of a note: a topic brief, curated memory, a daily log, or a plain note (spec 10, O1, O5).

T3 topic      memory/topics/*.md, and any folder named topics
T4 curated    MEMORY.md, USER.md
T2 log        a file name that starts with a date: memory/2026-05-03.md, 2026-05-03-standup.md, 20260503.md
note          everything else

Front matter overrides this (`tier: curated`).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Literal, TypeAlias, get_args

Tier: TypeAlias = Literal["topic", "curated", "note", "log"]
TIERS: tuple[Tier, ...] = get_args(Tier)  # the preferred ones first, for equal scores

TIER = "tier"  # the key of `meta`
CURATED_NAMES = frozenset({"memory.md", "user.md"})
TOPIC_FOLDERS = frozenset({"topics"})
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)|(\d{4})(\d\d)(\d\d)(?!\d)|(\d{4})年(\d{1,2})月(\d{1,2})日")
_FRONT_MATTER: dict[str, Tier] = {
    "t2": "log", "log": "log", "logs": "log", "daily": "log", "journal": "log",
    "t3": "topic", "topic": "topic", "topics": "topic", "brief": "topic",
    "t4": "curated", "curated": "curated", "memory": "curated",
    "note": "note", "notes": "note",
}  # fmt: skip


def tier_of(path: str, front_matter: str = "") -> Tier:
    """The tier that the front matter names, else the tier by the note's path in its folder."""
    if named := _FRONT_MATTER.get(front_matter.strip().lower()):
        return named
    file = PurePosixPath(path)
    if file.name.lower() in CURATED_NAMES:
        return "curated"
    if any(folder.lower() in TOPIC_FOLDERS for folder in file.parts[:-1]):
        return "topic"
    return "log" if day_of(path) else "note"


def day_of(path: str) -> datetime | None:
    """The start of the day that a file name begins with; None without a valid date."""
    found = _DATE.match(PurePosixPath(path).name)
    if not found:
        return None
    year, month, day = (int(part) for part in found.groups() if part is not None)
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None

"""What front matter says of a note: title, tags, other names, tier, class, day, and whether others had a hand in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from aforesaid.notes.files.blocks import Block
from aforesaid.types import BOUNDARIES, Boundary

MAX_CHARS = 20_000  # of front matter that is read; what is longer is text
MAX_TAGS = 50
MAX_WORDS = 200  # characters of a title, a tag or a name
DAYS = ("updated", "modified", "date", "created")  # the first that is a date tells how old the note is
SOURCES = ("source", "url")  # a web clip: somebody else's words
_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter as it was understood; whatever was not, is left at nothing."""

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    tier: str = ""
    boundary: Boundary | None = None
    day: datetime | None = None
    foreign: bool = False


def front_of(lines: Sequence[str], blocks: Sequence[Block]) -> FrontMatter:
    """The front matter of a file; broken YAML is no front matter, and no error."""
    if not blocks or blocks[0].kind != "front matter":
        return FrontMatter()
    values = _yaml("\n".join(lines[1 : blocks[0].end - 1]))
    boundary = str(values.get("boundary", "")).strip().lower()
    days = (_day(values.get(name)) for name in DAYS)
    return FrontMatter(
        title=_words(values.get("title")),
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in _listed(values.get("tags", values.get("tag"))))),
        aliases=_listed(values.get("aliases", values.get("alias"))),
        tier=_words(values.get("tier")),
        boundary=next((name for name in BOUNDARIES if name == boundary), None),
        day=next((day for day in days if day is not None), None),
        foreign=any(_WEB.match(_words(values.get(name))) for name in SOURCES),
    )


def _yaml(text: str) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = yaml.load(text[:MAX_CHARS], loader) if len(text) <= MAX_CHARS else None
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError):
        return {}
    return {str(name).lower(): value for name, value in found.items()} if isinstance(found, dict) else {}


def _words(value: Any) -> str:
    """A scalar on one line; lists and mappings are none."""
    if isinstance(value, (list, tuple, dict, set)) or value is None:
        return ""
    return " ".join(str(value).split())[:MAX_WORDS]


def _listed(value: Any) -> tuple[str, ...]:
    """A list of words, however it was written: a YAML list, or words with commas or blanks between."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    if not isinstance(value, (list, tuple)):
        value = [value]
    return tuple(words for item in list(value)[:MAX_TAGS] if (words := _words(item)))


def _day(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return datetime(value.year, value.month, value.day, tzinfo=UTC) if isinstance(value, date) else None

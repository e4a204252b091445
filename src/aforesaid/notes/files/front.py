"""Front matter of a note: title, tags, aliases, tier, privacy class, date, and whether it is a web clip."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from aforesaid.notes.files.blocks import Block
from aforesaid.types import BOUNDARIES, Boundary

MAX_CHARS = 20_000  # longer front matter is not parsed
MAX_TAGS = 50
MAX_VALUE_CHARS = 200  # of a title, a tag or an alias
DATE_KEYS = ("updated", "modified", "date", "created")  # the first one with a date counts
SOURCE_KEYS = ("source", "url")  # with a web address, the note is a clip of somebody else's text
_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values that could be parsed; the others are empty."""

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    tier: str = ""
    boundary: Boundary | None = None
    day: datetime | None = None
    foreign: bool = False


def front_of(lines: Sequence[str], blocks: Sequence[Block]) -> FrontMatter:
    """The front matter of a file. Invalid YAML counts as none."""
    if not blocks or blocks[0].kind != "front matter":
        return FrontMatter()
    values = _yaml("\n".join(lines[1 : blocks[0].end - 1]))
    boundary = str(values.get("boundary", "")).strip().lower()
    days = (_day(values.get(name)) for name in DATE_KEYS)
    return FrontMatter(
        title=_scalar(values.get("title")),
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in _list(values.get("tags", values.get("tag"))))),
        aliases=_list(values.get("aliases", values.get("alias"))),
        tier=_scalar(values.get("tier")),
        boundary=next((name for name in BOUNDARIES if name == boundary), None),
        day=next(filter(None, days), None),
        foreign=any(_WEB.match(_scalar(values.get(name))) for name in SOURCE_KEYS),
    )


def _yaml(text: str) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = yaml.load(text[:MAX_CHARS], loader) if len(text) <= MAX_CHARS else None
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError):
        return {}
    return {str(name).lower(): value for name, value in found.items()} if isinstance(found, dict) else {}


def _scalar(value: Any) -> str:
    """A scalar as one line of text; empty for lists and mappings."""
    if isinstance(value, (list, tuple, dict, set)) or value is None:
        return ""
    return " ".join(str(value).split())[:MAX_VALUE_CHARS]


def _list(value: Any) -> tuple[str, ...]:
    """A list of texts: a YAML list, or one text separated by commas or spaces."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    if not isinstance(value, (list, tuple)):
        value = [value]
    return tuple(text for item in list(value)[:MAX_TAGS] if (text := _scalar(item)))


def _day(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return datetime(value.year, value.month, value.day, tzinfo=UTC) if isinstance(value, date) else None

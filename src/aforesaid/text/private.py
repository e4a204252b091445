"""`<private>…</private>`: what a person wants nobody to keep. It goes before anything else looks at a text."""

from __future__ import annotations

import re
from typing import Any

OPENS = r"(?:<|&lt;|\\u003c)"  # as it is typed, in HTML, and in JSON inside a text
CLOSES = r"(?:>|&gt;|\\u003e)"
TAG = re.compile(rf"{OPENS}\s{{0,8}}(/?)\s{{0,8}}private(?:\s[^<>&\\]{{0,100}})?{CLOSES}", re.IGNORECASE)
GAP = " "  # halves never join to a new tag


def without_private(text: str) -> str:
    """The text without private parts; one that is never closed hides everything behind it."""
    return _shown(text, 0)[0]


def without_private_in(value: Any) -> Any:
    """A JSON value with every text in it cleaned; what is opened in one block of a message goes on in the next."""
    return _cleaned(value, 0)[0]


def _shown(text: str, depth: int) -> tuple[str, int]:
    """The open parts of a text that begins so deep inside private ones, and how deep it ends."""
    kept: list[str] = []
    position, found = 0, False
    for tag in TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        position, found = tag.end(), True
    if not found:
        return ("" if depth else text), depth
    return GAP.join([*kept, *([] if depth else [text[position:]])]).strip(), depth


def _cleaned(value: Any, depth: int) -> tuple[Any, int]:
    if isinstance(value, str):
        return _shown(value, depth)
    if isinstance(value, list):
        items = []
        for item in value:
            clean, depth = _block(item, depth)
            items.append(clean)
        return items, depth
    if isinstance(value, dict):
        return {name: _cleaned(held, 0)[0] for name, held in value.items()}, 0
    return value, depth


def _block(item: Any, depth: int) -> tuple[Any, int]:
    """One of several blocks: only its words can be inside what an earlier one opened, its type and ids never are."""
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return _cleaned(item, depth if isinstance(item, str) else 0)[0], depth
    words, deep = _shown(item["text"], depth)
    return {**_cleaned({name: held for name, held in item.items() if name != "text"}, 0)[0], "text": words}, deep

"""Removes `<private>…</private>` parts from a text before anything else reads it."""

from __future__ import annotations

import re
from typing import Any

OPENS = r"(?:<|&lt;|\\u003c)"  # as it is typed, in HTML, and in JSON inside a text
CLOSES = r"(?:>|&gt;|\\u003e)"
TAG = re.compile(rf"{OPENS}\s{{0,8}}(/?)\s{{0,8}}private(?:\s[^<>&\\]{{0,100}})?{CLOSES}", re.IGNORECASE)
GAP = " "  # halves never join to a new tag


def without_private(text: str) -> str:
    """The text without private parts. A part that is never closed runs to the end of the text."""
    return _shown(text, 0)[0]


def without_private_in(value: Any) -> Any:
    """A JSON value without private parts in its texts. A part may end in a later block of a message."""
    return _cleaned(value, 0)[0]


def _shown(text: str, depth: int) -> tuple[str, int]:
    """The public parts of a text, and the nesting depth at its end; `depth` is the depth at its start."""
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
    """One of several blocks. An earlier block can hide its text, but never its type or ids."""
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return _cleaned(item, depth if isinstance(item, str) else 0)[0], depth
    words, deep = _shown(item["text"], depth)
    return {**_cleaned({name: held for name, held in item.items() if name != "text"}, 0)[0], "text": words}, deep

"""Settings as people write them in a line: "DB_HOST=db1", "port: 8080"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.statements.values import DraftStatement
from aforesaid.text.extract.statements.words import word_set

PROJECT = "settings"
_ASSIGNED = re.compile(
    r"(?<![\w$.-])([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6}|[A-Z]{3,30}) ?= ?([^\s,;`\"']{1,120})"
)
_KEYED = re.compile(
    r"^[-*+ \t]{0,6}`?([A-Za-z][\w.-]{0,40}(?: [\w.-]{1,30}){0,2})`?: +[`\"]?"
    r"([0-9][\w.%:/-]{0,60}|https?://\S{1,120}|true|false|yes|no|on|off|enabled|disabled|"
    r"[a-z0-9-]+(?:[._/:-][a-z0-9-]+){1,12})[`\"]?[.!]?$"
)
_NO_KEYS = word_set(
    """note update edit ps re tip warning question answer example subject from to cc date time step user assistant
    system human ai source url link website title reference author name total result output input q a fyi page
    chapter version"""
)
_WHERE = re.compile(r"\b(staging|prod(?:uction)?|dev(?:elopment)?|local|test|ci)\b", re.I)


def lines(sentence: str) -> Iterator[DraftStatement]:
    """The settings that a line or sentence assigns, by name."""
    if "=" in sentence:
        where = _place(sentence)
        for found in _ASSIGNED.finditer(sentence):
            yield DraftStatement(f"{PROJECT} {where}".strip(), found[1].lower(), found[2].rstrip("."), "is", False)
    elif ": " in sentence and (match := _KEYED.match(sentence)):
        name = match[1].lower()
        if name not in _NO_KEYS and not name.startswith("step "):
            yield DraftStatement(PROJECT, name, match[2].rstrip("."), "is", False)


def _place(sentence: str) -> str:
    found = _WHERE.search(sentence)
    return found[1].lower()[:4] if found else ""

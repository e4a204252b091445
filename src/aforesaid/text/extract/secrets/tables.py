"""Passwords in a Markdown table whose header names the column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.secrets.labelled import STAND_IN, is_mixed
from aforesaid.text.extract.spans import Span, TextView

MIN_CELL = 5  # characters of a password in a cell
HEADER = re.compile(r"\|?[^\n|]{0,60}\|[^\n]{0,300}")
LABEL = re.compile(r"\s*[*_`]*(?:password|passwort|pass|pw|pwd|secret|token|api key|パスワード|密码)[*_`]*\s*")
RULE = re.compile(r"\n[ \t]*\|?[ \t:|-]{3,300}(?=\n)")
CELL = re.compile(r"[^|\n]*+")


def table_secrets(view: TextView) -> Iterator[Span]:
    """The cells below a header that says password, secret or token."""
    if "|" not in view.text or "---" not in view.text:
        return
    for rule in RULE.finditer(view.small):
        header = view.small[view.small.rfind("\n", 0, rule.start()) + 1 : rule.start()]
        columns = [number for number, cell in enumerate(header.split("|")) if LABEL.fullmatch(cell)]
        if columns and HEADER.fullmatch(header):
            yield from _cells(view.text, rule.end() + 1, columns)


def _cells(text: str, start: int, columns: list[int]) -> Iterator[Span]:
    while start < len(text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        if "|" not in line or RULE.match(
            text, start + len(line)
        ):  # the table ends, or the next one has its header here
            return
        place = start
        for number, cell in enumerate(line.split("|")):
            value = cell.strip(" \t`*")
            if number in columns and len(value) >= MIN_CELL and is_mixed(value) and not STAND_IN.fullmatch(value):
                at = place + cell.index(value)
                yield Span("password", at, at + len(value))
            place += len(cell) + 1
        start += len(line) + 1

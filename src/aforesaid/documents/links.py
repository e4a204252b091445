"""Links from one authored document to others: Markdown links, references and [[wiki links]]."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
_LINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n|#]{0,300})(?:#(?P<anchor>[^\[\]\n|]{1,300}))?(?:\|[^\[\]\n]{0,300})?\]\]"
    r"|(?<!!)\[(?P<text>[^\[\]]{0,500})\](?:\(\s{0,9}(?:<(?P<bare>[^<>\n]{1,500})>|(?P<href>[^\s()<>]{1,500}))"
    r"(?:\s{1,9}[\"'(][^\"'()\n]{0,300}[\"')])?\s{0,9}\)|\[(?P<label>[^\[\]]{0,300})\])?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}:|//")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another document: path or name, anchor, line (from 1), and the index of its node."""

    target: str
    anchor: str | None
    line: int
    node: int


def links_in(sources: Iterable[tuple[int, str, int]], references: Mapping[str, str], path: str) -> Iterator[Link]:
    """The links in source texts, each given with the index of its node and its first line."""
    for node, source, line in sources:
        if "[" not in source:
            continue
        plain = _INLINE_CODE.sub(lambda found: " " * len(found[0]), source)
        at = 0
        for found in _LINK.finditer(plain):
            line += plain.count("\n", at, found.start())
            at = found.start()
            if link := _resolve(found, references, path):
                yield Link(*link, line, node)


def _resolve(found: re.Match[str], references: Mapping[str, str], path: str) -> tuple[str, str | None] | None:
    if found["wiki"] is not None:
        name = found["wiki"].strip()
        return (name, found["anchor"]) if name else None
    href = found["bare"] or found["href"] or references.get(_label(found["label"] or found["text"]))
    if not href or _SCHEME.match(href):
        return None
    target, _, anchor = href.partition("#")
    target = unquote(target.partition("?")[0])
    if not target:
        return None
    folder = posixpath.dirname(path.replace("\\", "/"))
    return posixpath.normpath(posixpath.join(folder, target)), unquote(anchor) or None


def _label(text: str) -> str:
    """A link label for lookup: without case, with single spaces."""
    return " ".join(text.split()).lower().upper()

"""Finds links to other files in Markdown: `[text](path.md#anchor)`, `[text][label]` and `[[Name#Heading|alias]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
_LINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n|#]{0,300})(?:#(?P<anchor>[^\[\]\n|]{1,300}))?(?:\|[^\[\]\n]{0,300})?\]\]"
    r"|(?<!!)\[(?P<text>[^\[\]]{0,500})\](?:\(\s{0,9}(?:<(?P<bare>[^<>\n]{1,500})>|(?P<href>[^\s()<>]{1,500}))"
    r"(?:\s{1,9}[\"'(][^\"'()\n]{0,300}[\"')])?\s{0,9}\)|\[(?P<label>[^\[\]]{0,300})\])?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}:|//")


class FileLink(NamedTuple):
    """A link to a relative path or, if `wiki`, to a name. The anchor is empty if there is none."""

    target: str
    anchor: str
    wiki: bool


def links_in(text: str, references: Mapping[str, str]) -> Iterator[FileLink]:
    """The links in a text without code. `references` are the targets of labels. Leaves out images and web addresses."""
    for found in _LINK.finditer(text) if "[" in text else ():
        if found["wiki"] is not None:
            target, anchor, wiki = found["wiki"].strip(), (found["anchor"] or "").strip(), True
        else:
            href = found["bare"] or found["href"] or references.get(link_label(found["label"] or found["text"])) or ""
            path, _, anchor = ("" if _SCHEME.match(href) else href).partition("#")
            target, anchor, wiki = unquote(path.partition("?")[0]), unquote(anchor), False
        if target:
            yield FileLink(target, anchor, wiki)


def without_inline_code(text: str) -> str:
    """The text with code between backticks blanked out."""
    return _INLINE_CODE.sub(lambda found: " " * len(found[0]), text) if "`" in text else text


def link_label(text: str) -> str:
    """A link label for lookup: without case, with single spaces."""
    return " ".join(text.split()).lower().upper()

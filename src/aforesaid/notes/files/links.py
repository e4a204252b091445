"""Links, headings and tags in a note's lines, and which note a link means.

`[[Note#Heading|alias]]`, `[text](path.md#anchor)` and `[text][label]` are read, outside code. A name alone means, as in
Obsidian: the path from the root if there is such a file, else one beside the note, else the one with the shortest path.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from aforesaid.notes.files.blocks import Block

MAX_LINKS = 200  # of one chunk; more is a table of contents that says nothing by its links
MAX_TAGS = 50
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
_LINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n|#]{0,300})(?:#(?P<spot>[^\[\]\n|]{1,300}))?(?:\|[^\[\]\n]{0,300})?\]\]"
    r"|\[(?P<text>[^\[\]\n]{0,500})\](?:\([ \t]{0,9}(?:<(?P<bare>[^<>\n]{1,500})>|(?P<href>[^\s()<>]{1,500}))"
    r"(?:[ \t]{1,9}[\"'(][^\"'()\n]{0,300}[\"')])?[ \t]{0,9}\)|\[(?P<label>[^\[\]\n]{0,300})\])?"
)
_DEFINED = re.compile(r"[ \t]{0,3}\[([^\[\]\n]{1,300})\]:[ \t]*<?([^\s<>]{1,500})>?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}:|//")
_TAG = re.compile(r"(?<![\w#/&\[(])#([\w/-]{0,100}[^\W\d_][\w/-]{0,100})")
_BLOCK_ID = re.compile(r"(?<!\S)\^([A-Za-z0-9-]{1,60})[ \t]*$")
_NOT_SLUG = re.compile(r"[^\w]+")

Link = tuple[str, str]  # where to, and the heading or block there ("" for the whole note)


@dataclass(frozen=True, slots=True)
class ChunkLinks:
    """What stands in a chunk: links as they are to be resolved, headings and block ids as anchors, tags."""

    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteProse:
    """A note without its code, and with what its reference links mean."""

    lines: Sequence[str]
    headings: Mapping[int, str]
    definitions: Mapping[str, str]
    folder: str = ""


def prose_of(lines: Sequence[str], blocks: Sequence[Block], path: str) -> NoteProse:
    """The lines of a note with code blanked, ready to be looked at chunk by chunk."""
    plain = [_CODE.sub(lambda found: " " * len(found[0]), line) if "`" in line else line for line in lines]
    for block in blocks:
        if block.kind in ("fence", "front matter"):
            plain[block.start : block.end] = [""] * (block.end - block.start)
    headings = {block.start: block.words for block in blocks if block.kind == "heading"}
    definitions = {_label(found[1]): found[2] for line in plain if "]:" in line and (found := _DEFINED.match(line))}
    return NoteProse(plain, headings, definitions, posixpath.dirname(path))


def marks_in(prose: NoteProse, first: int, last: int) -> ChunkLinks:
    """What stands in the lines from first to last (from 1, both included)."""
    links: dict[Link, None] = {}
    anchors: dict[str, None] = {}
    tags: dict[str, None] = {}
    for at in range(first - 1, last):
        line = prose.lines[at]
        if at in prose.headings:
            anchors[slug(prose.headings[at])] = None
        if "[" in line:
            links |= dict.fromkeys(link for found in _LINK.finditer(line) if (link := _link(found, prose)))
        if "#" in line:
            tags |= dict.fromkeys(_TAG.findall(line))
        if "^" in line and (found := _BLOCK_ID.search(line)):
            anchors[f"^{found[1].lower()}"] = None
    return ChunkLinks(tuple(links)[:MAX_LINKS], tuple(filter(None, anchors)), tuple(tags)[:MAX_TAGS])


def _link(found: re.Match[str], prose: NoteProse) -> Link | None:
    if found["wiki"] is not None:
        name, spot = found["wiki"].strip(), (found["spot"] or "").strip()
        return (name, _anchor(spot.rpartition("#")[2])) if name else None
    href = found["bare"] or found["href"] or prose.definitions.get(_label(found["label"] or found["text"]))
    if not href or _SCHEME.match(href):
        return None
    target, _, spot = href.partition("#")
    target = unquote(target.partition("?")[0])
    if not target or target.startswith("/") or "\x00" in target:
        return None
    path = posixpath.normpath(posixpath.join(prose.folder, target))
    return None if path.startswith("..") else (f"./{path}", _anchor(unquote(spot)))  # ./ marks a path from the root


def _anchor(spot: str) -> str:
    return f"^{spot[1:].lower()}" if spot.startswith("^") else slug(spot)


def slug(words: str) -> str:
    """A heading as links name it: lower case, everything that is no letter or digit a hyphen."""
    return _NOT_SLUG.sub("-", words.strip().lower()).strip("-")


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class Names:
    """Every note of a root by the names that links may use."""

    paths: frozenset[str]
    folded: Mapping[str, str] = field(default_factory=dict)
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def target(self, link: str, source: str) -> str | None:
        """The path that a link of a note means, or None."""
        bare = link.removeprefix("./")
        folder = posixpath.dirname(source)
        for path in (bare, f"{bare}.md"):
            if exact := self.folded.get(path.casefold()):
                return exact
        wanted = bare.casefold().removesuffix(".md")
        last = wanted.rpartition("/")[2]
        found = self.by_name.get(last, ())
        if not link.startswith("./") and "/" in wanted:
            found = tuple(path for path in found if f"/{_stemmed(path)}".endswith(f"/{wanted}"))
        beside = [path for path in found if posixpath.dirname(path) == folder]
        return min(beside or found, key=_shortest, default=None)


def names_of(paths: Iterable[str], aliases: Mapping[str, Sequence[str]] | None = None) -> Names:
    """The names of notes: their file names with and without the ending, and what their front matter calls them."""
    every = sorted(paths)
    names: dict[str, list[str]] = {}
    for path in every:
        name = path.rpartition("/")[2].casefold()
        names.setdefault(name, []).append(path)
        if stem := name.rpartition(".")[0]:
            names.setdefault(stem, []).append(path)
    for path, others in sorted((aliases or {}).items()):
        for name in others:
            names.setdefault(name.casefold(), []).append(path)
    folded = {path.casefold(): path for path in reversed(every)}
    return Names(frozenset(every), folded, {name: tuple(dict.fromkeys(found)) for name, found in names.items()})


def _stemmed(path: str) -> str:
    return path.casefold().removesuffix(".md")


def _shortest(path: str) -> tuple[int, int, str]:
    return path.count("/"), len(path), path

"""Links, anchors and tags in the lines of a note, and the note that a link means.

Reads `[[Note#Heading|alias]]`, `[text](path.md#anchor)` and `[text][label]` outside of code. A bare name means the same
as in Obsidian: the path from the root if there is such a file, else a note in the same folder, else the shortest path.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from aforesaid.notes.files.blocks import Block

MAX_LINKS = 200  # of a chunk; a chunk with more is a table of contents
MAX_TAGS = 50
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
_LINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n|#]{0,300})(?:#(?P<anchor>[^\[\]\n|]{1,300}))?(?:\|[^\[\]\n]{0,300})?\]\]"
    r"|\[(?P<text>[^\[\]\n]{0,500})\](?:\([ \t]{0,9}(?:<(?P<bare>[^<>\n]{1,500})>|(?P<href>[^\s()<>]{1,500}))"
    r"(?:[ \t]{1,9}[\"'(][^\"'()\n]{0,300}[\"')])?[ \t]{0,9}\)|\[(?P<label>[^\[\]\n]{0,300})\])?"
)
_DEFINED = re.compile(r"[ \t]{0,3}\[([^\[\]\n]{1,300})\]:[ \t]*<?([^\s<>]{1,500})>?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}:|//")
_TAG = re.compile(r"(?<![\w#/&\[(])#([\w/-]{0,100}[^\W\d_][\w/-]{0,100})")
_BLOCK_ID = re.compile(r"(?<!\S)\^([A-Za-z0-9-]{1,60})[ \t]*$")
_NOT_SLUG = re.compile(r"[^\w]+")

Link = tuple[str, str]  # target, and heading or block in it ("" for the whole note)


@dataclass(frozen=True, slots=True)
class ChunkMarkup:
    """The unresolved links, anchors (headings and block ids) and tags of a chunk."""

    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteProse:
    """The lines of a note without code, and the targets of its reference links."""

    lines: Sequence[str]
    headings: Mapping[int, str]
    definitions: Mapping[str, str]
    folder: str = ""


def prose_of(lines: Sequence[str], blocks: Sequence[Block], path: str) -> NoteProse:
    """The lines of a note with code blanked out."""
    plain = [_CODE.sub(lambda found: " " * len(found[0]), line) if "`" in line else line for line in lines]
    for block in blocks:
        if block.kind in ("fence", "front matter"):
            plain[block.start : block.end] = [""] * (block.end - block.start)
    headings = {block.start: block.words for block in blocks if block.kind == "heading"}
    definitions = {_label(found[1]): found[2] for line in plain if "]:" in line and (found := _DEFINED.match(line))}
    return NoteProse(plain, headings, definitions, posixpath.dirname(path))


def markup_in(prose: NoteProse, first: int, last: int) -> ChunkMarkup:
    """The markup in lines `first` to `last` (from 1, both included)."""
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
    return ChunkMarkup(tuple(links)[:MAX_LINKS], tuple(filter(None, anchors)), tuple(tags)[:MAX_TAGS])


def _link(found: re.Match[str], prose: NoteProse) -> Link | None:
    if found["wiki"] is not None:
        name, anchor = found["wiki"].strip(), (found["anchor"] or "").strip()
        return (name, _anchor(anchor.rpartition("#")[2])) if name else None
    href = found["bare"] or found["href"] or prose.definitions.get(_label(found["label"] or found["text"]))
    if not href or _SCHEME.match(href):
        return None
    target, _, anchor = href.partition("#")
    target = unquote(target.partition("?")[0])
    if not target or target.startswith("/") or "\x00" in target:
        return None
    path = posixpath.normpath(posixpath.join(prose.folder, target))
    return None if path.startswith("..") else (f"./{path}", _anchor(unquote(anchor)))  # ./ means a path from the root


def _anchor(anchor: str) -> str:
    return f"^{anchor[1:].lower()}" if anchor.startswith("^") else slug(anchor)


def slug(words: str) -> str:
    """A heading as links write it: lower case, with hyphens for everything but letters and digits."""
    return _NOT_SLUG.sub("-", words.strip().lower()).strip("-")


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class NoteNames:
    """The notes of a root by the names that links may use."""

    paths: frozenset[str]
    folded: Mapping[str, str] = field(default_factory=dict)
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def target(self, link: str, source: str) -> str | None:
        """The path that a link in the note `source` means, or None."""
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
        return min(beside or found, key=_path_order, default=None)


def names_of(paths: Iterable[str], aliases: Mapping[str, Sequence[str]] | None = None) -> NoteNames:
    """The names of notes: file names with and without the ending, and aliases in front matter."""
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
    return NoteNames(frozenset(every), folded, {name: tuple(dict.fromkeys(found)) for name, found in names.items()})


def _stemmed(path: str) -> str:
    return path.casefold().removesuffix(".md")


def _path_order(path: str) -> tuple[int, int, str]:
    return path.count("/"), len(path), path

"""Links, anchors and tags in the lines of a note, and the note that a link means.

A bare name means the same as in Obsidian: the path from the root if there is such a file, else a note in the same
folder, else the shortest path.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aforesaid.notes.files.blocks import Block
from aforesaid.text.links import FileLink, link_label, links_in, without_inline_code

MAX_LINKS = 200  # of a chunk; a chunk with more is a table of contents
MAX_TAGS = 50
_DEFINED = re.compile(r"[ \t]{0,3}\[([^\[\]\n]{1,300})\]:[ \t]*<?([^\s<>]{1,500})>?")
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
    plain = [without_inline_code(line) for line in lines]
    for block in blocks:
        if block.kind in ("fence", "front matter"):
            plain[block.start : block.end] = [""] * (block.end - block.start)
    headings = {block.start: block.words for block in blocks if block.kind == "heading"}
    definitions = {link_label(found[1]): found[2] for line in plain if "]:" in line and (found := _DEFINED.match(line))}
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
        found = (_link(link, prose.folder) for link in links_in(line, prose.definitions))
        links |= dict.fromkeys(filter(None, found))
        if "#" in line:
            tags |= dict.fromkeys(_TAG.findall(line))
        if "^" in line and (block_id := _BLOCK_ID.search(line)):
            anchors[f"^{block_id[1].lower()}"] = None
    return ChunkMarkup(tuple(links)[:MAX_LINKS], tuple(filter(None, anchors)), tuple(tags)[:MAX_TAGS])


def _link(found: FileLink, folder: str) -> Link | None:
    """A link with its target as a name, or as `./` and a path from the root. None if it leads out of the root."""
    if found.wiki:
        return found.target, _anchor(found.anchor.rpartition("#")[2])
    path = posixpath.normpath(posixpath.join(folder, found.target))
    return None if path.startswith(("..", "/")) or "\x00" in path else (f"./{path}", _anchor(found.anchor))


def _anchor(anchor: str) -> str:
    return f"^{anchor[1:].lower()}" if anchor.startswith("^") else slug(anchor)


def slug(words: str) -> str:
    """A heading as links write it: lower case, with hyphens for everything but letters and digits."""
    return _NOT_SLUG.sub("-", words.strip().lower()).strip("-")


class NoteNames:
    """The notes of a root by the names that links may use: path, file name with or without its ending, alias."""

    def __init__(self, paths: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> None:
        every = sorted(paths)
        self._by_path = {path.casefold(): path for path in reversed(every)}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in every:
            name = path.rpartition("/")[2].casefold()
            self._by_name[name].append(path)
            if stem := name.rpartition(".")[0]:
                self._by_name[stem].append(path)
        for path, others in aliases.items():
            for name in others:
                self._by_name[name.casefold()].append(path)

    def target(self, link: str, source: str) -> str | None:
        """The path that a link in the note `source` means, or None."""
        bare = link.removeprefix("./").casefold()
        if exact := self._by_path.get(bare) or self._by_path.get(f"{bare}.md"):
            return exact
        wanted = bare.removesuffix(".md")
        found = self._by_name.get(wanted.rpartition("/")[2], [])
        if not link.startswith("./") and "/" in wanted:
            found = [path for path in found if f"/{path.casefold().removesuffix('.md')}".endswith(f"/{wanted}")]
        beside = [path for path in found if posixpath.dirname(path) == posixpath.dirname(source)]
        return min(beside or found, key=lambda path: (path.count("/"), len(path), path), default=None)

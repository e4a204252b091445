"""Parses authored Markdown into nodes: hard rules, soft rules and lore (spec 7).

Front matter and list items are hard rules (tier 1). Quotes, and paragraphs with a command, are soft rules (tier 2). The
rest is lore (tier 0). The outermost block decides: a list in a quote belongs to the quote, a quote or code in a list
item to the item. A nested list item is its own node, and text of its parent after it is another node of the parent.
Headings are no nodes but the context of what follows. Comments, thematic breaks and link definitions are left out.

The text of a node is its source lines, without list and quote markers; code, tables and front matter are unchanged.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from aforesaid.text.links import links_in, without_inline_code

if TYPE_CHECKING:
    from markdown_it.token import Token

Tier = Literal[0, 1, 2]
Kind = Literal["front matter", "list item", "quote", "paragraph", "code", "table", "html"]
PARSER = "1"  # increase it when the same text would give other nodes
MAX_NESTING = 40  # deeper levels of lists and quotes belong to the last one
PATH_SIGN = " › "
_NEWLINE = re.compile(r"\r\n?")
_YAML = re.compile(r"\s*(?:#[^\n]*\n\s*)*[\w\"'][^:\n]{0,100}:(?:\s|$)")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)[ \t]*")
_QUOTE_MARK = re.compile(r"[ \t]*>[ \t]?")
_BLOCKS: dict[str, Kind] = {"fence": "code", "code_block": "code", "table_open": "table", "html_block": "html"}
_CODE = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a document: its tier and the reason for it, its lines (from 1, both included) and its headings."""

    tier: Tier
    text: str
    lines: tuple[int, int]
    kind: Kind
    heading: str
    reason: str
    links: tuple[tuple[str, str], ...] = ()  # to other documents: path or name, and anchor


@dataclass(frozen=True, slots=True)
class Document:
    """The nodes of a document in order."""

    nodes: tuple[Node, ...]


def parse(text: str, path: str = "") -> Document:
    """Parse a Markdown text. Relative links are resolved against the path of the document."""
    text = _NEWLINE.sub("\n", text.removeprefix("\ufeff"))
    tokens, references = _tokens(text)
    reader = _Reader(text.split("\n"), [token.map for token in tokens if token.type in _CODE and token.map])
    reader.read(tokens)
    folder = posixpath.dirname(path.replace("\\", "/"))
    return Document(tuple(replace(node, links=reader.links(node, references, folder)) for node in reader.nodes))


def content_key(text: str) -> str:
    """A digest of the text and the parser version. If it is the same, the nodes are the same."""
    return hashlib.sha256(f"{PARSER}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _tokens(text: str) -> tuple[list[Token], dict[str, str]]:
    """The block tokens of a text and its link definitions. `---` starts front matter only if YAML follows."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table").disable(["inline", "text_join"])
    if text.startswith("---") and _YAML.match(text, text.find("\n") + 1):
        parser.use(front_matter_plugin)
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = parser.parse(text, environment)
    return tokens, {label: found["href"] for label, found in environment.get("references", {}).items()}


@dataclass(slots=True)
class _Reader:
    """Walks over the blocks of a document and collects nodes."""

    lines: list[str]
    code: list[list[int]]
    nodes: list[Node] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    code_lines: set[int] = field(default_factory=set)

    def read(self, tokens: list[Token]) -> None:
        """Read the outermost blocks in order."""
        self.code_lines = {line for start, end in self.code for line in range(start, end)}
        at = 0
        while at < len(tokens):
            end = _closing(tokens, at)
            self._block(tokens[at : end + 1])
            at = end + 1

    def links(self, node: Node, references: Mapping[str, str], folder: str) -> tuple[tuple[str, str], ...]:
        """The links of a node outside of code, with paths from the root."""
        if node.kind == "code":
            return ()
        first, last = node.lines
        prose = "\n".join("" if at in self.code_lines else self.lines[at] for at in range(first - 1, last))
        return tuple(
            (link.target if link.wiki else posixpath.normpath(posixpath.join(folder, link.target)), link.anchor)
            for link in links_in(without_inline_code(prose), references)
        )

    def _block(self, tokens: list[Token]) -> None:
        block, kind = tokens[0], tokens[0].type
        if block.map is None or kind == "hr":
            return
        start, end = block.map
        if kind == "heading_open":
            self._heading(int(block.tag[1:]), tokens[1].content)
        elif kind == "front_matter":
            self._add(1, "front matter", start + 1, end - 1, "front matter")
        elif kind in ("bullet_list_open", "ordered_list_open"):
            for first, last, markers in _item_runs(tokens, end):
                self._add(1, "list item", first, last, "list item", markers)
        elif kind == "blockquote_open":
            self._add(2, "quote", start, end, "block quote")
        elif kind == "paragraph_open":
            self._add(0, "paragraph", start, end, "paragraph without a command")
        else:
            name = _BLOCKS.get(kind, "paragraph")
            self._add(0, name, start, end, name)

    def _heading(self, level: int, text: str) -> None:
        name = " ".join(_without_comments(text).split())
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        if name:
            self.headings.append((level, name))

    def _add(self, tier: Tier, kind: Kind, start: int, end: int, reason: str, markers: int = 0) -> None:
        """Add the node of the lines from `start` up to `end` (from 0, end excluded), unless it is empty."""
        end = min(end, len(self.lines))
        while start < end and not self.lines[start].strip():
            start += 1
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        text = self._text(kind, start, end, markers)
        if not text.strip():
            return
        if kind == "paragraph" and _has_command(text):
            tier, reason = 2, "paragraph with a command"
        heading = PATH_SIGN.join(name for _, name in self.headings)
        self.nodes.append(Node(tier, text, (start + 1, end), kind, heading, reason))

    def _text(self, kind: Kind, start: int, end: int, markers: int) -> str:
        lines = self.lines[start:end]
        if kind in ("code", "table", "front matter"):
            return "\n".join(lines)
        if kind == "quote":
            lines = [_QUOTE_MARK.sub("", line, count=1) for line in lines]
        elif kind == "list item":
            lines = _without_markers(lines, markers)
        else:
            lines = [line.strip() for line in lines]
        text = "\n".join(lines)
        if any(at in self.code_lines for at in range(start, end)):
            return text
        return "\n".join(line.rstrip() for line in _without_comments(text).split("\n")).strip("\n")


def _has_command(paragraph: str) -> bool:
    from aforesaid.text.extract.imperatives import is_directive  # compiling its patterns takes a tenth of a second

    return is_directive(paragraph)


def _closing(tokens: list[Token], at: int) -> int:
    """The index of the token that closes the block opened at an index."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += tokens[end].nesting
        if depth <= 0:
            return end
    return len(tokens) - 1


def _item_runs(tokens: list[Token], end: int) -> Iterator[tuple[int, int, int]]:
    """The runs of lines that belong to one list item: start, end, and the number of markers in the first line."""
    open_items: list[int] = []  # the last line of each item around the current token
    markers = quoted = 0
    line = tokens[0].map[0] if tokens[0].map else 0
    for token in tokens:
        quoted += token.nesting if token.type in ("blockquote_open", "blockquote_close") else 0
        if quoted or token.type not in ("list_item_open", "list_item_close"):
            continue
        if token.type == "list_item_open" and token.map:
            begin = token.map[0]
            if open_items and begin > line:
                yield line, begin, markers
            markers = markers + 1 if open_items and begin == line and markers else 1
            line = begin
            open_items.append(min(token.map[1], end))
        elif open_items:
            last = open_items.pop()
            if last > line:
                yield line, last, markers
                line, markers = last, 0


def _without_markers(lines: list[str], markers: int) -> list[str]:
    """The lines of a list item without its markers and their indent."""
    if not markers:  # text of an item after a nested item
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        return [line[indent:] for line in lines]
    first = lines[0]
    for _ in range(markers):
        first = _ITEM_MARK.sub("", first, count=1)
    width = len(lines[0]) - len(first)
    return [first, *(_dedent(line, width) for line in lines[1:])]


def _dedent(line: str, width: int) -> str:
    """A line without leading white space up to a width. A tab reaches to the next tab stop."""
    column = at = 0
    while column < width and line[at : at + 1] in (" ", "\t"):
        column += 1 if line[at] == " " else 4 - column % 4
        at += 1
    return line[at:]


def _without_comments(text: str) -> str:
    """A text without its HTML comments, except those in code."""
    kept, at, begin, ticks = [], 0, 0, 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        ticks += text.count("`", at, start)
        at = end + 3
        if ticks % 2 == 0:
            kept.append(text[begin:start])
            begin = at
    return "".join((*kept, text[begin:])) if kept else text

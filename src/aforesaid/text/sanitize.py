"""Shortens a message for a summariser: payloads become short marks that name what was there and its size.

Payloads are data URIs, base64 and hex, dumps, long code, JSON, logs, stack traces, tables and minified lines. Prose
stays as it is. A mark is always shorter than what it replaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby

READ_CHARS = 300_000  # of a longer text we read the start and the end
MOST_CHARS = 20_000  # of one message: about the context of a small model
LINE_CHARS = 4_000  # the longest line that may still be a paragraph
FENCE_LINES = 12  # a longer fence is a file, not an example
FENCE_CHARS = 1_200
HEX_CHARS = 129  # digests are kept; they have at most 128 digits
BLOB_CHARS = 120  # longer than any word, name or key that people type
PACKED_CHARS = 400  # a line this long and this dense is written by a machine
TAIL_SHARE = 4  # a quarter of a cut text is its end, because conclusions stand there
CUT_ROOM = 40  # characters for the mark of a cut
PASSES = 4  # cutting a text can open a fence; the next pass then sees it

MARK = re.compile(r"\[[^\[\]\n]{1,40}, \d[\d.]{0,9} (?:B|kB|MB|lines|characters)\]")
_DATA_URI = re.compile(r"data:(?P<type>[\w/+.-]{0,60})(?:;[\w=-]{1,40}){0,3},[A-Za-z0-9+/=%_.~-]{64,}+")
_RUN = re.compile(rf"[A-Za-z0-9+/_=-]{{{BLOB_CHARS},}}+")
_HEX = re.compile(r"(?:0x)?[0-9A-Fa-f]+")
_FENCE = re.compile(r"\s{0,12}(?P<mark>`{3,}|~{3,})\s{0,9}(?P<info>[\w+#.-]{0,20})")

# A kind of line, the fewest in a row that make a payload, and what such a line looks like.
_KINDS: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    ("hex dump", 3, re.compile(r"\s{0,8}(?:0x)?[0-9a-fA-F]{4,16}[:|]?\s{1,4}(?:[0-9a-fA-F]{2,8}\s{1,3}){4,}")),
    ("base64", 3, re.compile(r"\s{0,8}(?=[^\n]{0,75}[0-9+/])(?=[^\n]{0,75}[A-Z])[A-Za-z0-9+/_-]{40,}+={0,2}\s{0,4}$")),
    (
        "stack trace",
        5,
        re.compile(
            r"\s{1,12}at [\w$.<>\[\]/ @-]{1,200}[(:]|\s{1,8}File \"[^\"\n]{1,300}\", line \d|\s{4,12}\S|"
            r"Traceback \(most recent|\s{0,8}\d{1,4}: 0x|goroutine \d|Caused by: "
        ),
    ),
    (
        "log",
        8,
        re.compile(
            r"\s{0,4}[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[.,\] ]|"
            r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{10,13}[.\] ])|"
            r"\s{0,4}[\[(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b[\])]?[:\s]|"
            r"(?:\d{1,3}\.){3}\d{1,3} - "
        ),
    ),
    (
        "json",
        10,
        re.compile(
            r"\s{0,80}(?:[{}\[\]],?\s{0,4}$|[{}\[\]]\s{0,4}[{}\[\]\"]|\"[^\"\n]{0,200}\"\s{0,4}(?::|,?\s{0,4}$))"
        ),
    ),
    ("markup", 12, re.compile(r"\s{0,80}</?[A-Za-z!][^\n]{0,400}>?")),
    (
        "code",
        14,
        re.compile(
            r"\s{0,80}(?:[^\n]{0,400}[;{}]\s{0,4}$|\s{2,}\S|[})\]]+[;,]?\s{0,4}$|//|/\*|\*/|#include|@\w|"
            r"(?:def|class|import|from|return|elif|else|try|except|for|while|if|const|let|var|function|public|private|"
            r"static|func|fn|use|package)\b[^\n]{0,400}[:;{(\w]\s{0,4}$)"
        ),
    ),
)
# What a third of the lines of such a payload must hold: nested lists and pasted chats look like it line by line.
_SURE = {
    "stack trace": re.compile(r"\s{1,12}at |\s{1,8}File \"|\s{0,8}\d{1,4}: 0x"),
    "log": re.compile(
        r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|debug|info|warn|error)\b|\w=\S|HTTP/|0x|/\w{1,40}/|"
        r"\d{1,3}(?:\.\d{1,3}){3}|\w\[\d|\w\.\w{1,40}\.\w"
    ),
    "markup": re.compile(r"</\w|/>|=\"|<!"),
    "code": re.compile(r"[;{}]\s{0,4}$|\b(?:def|class|import|return|const|function|func|fn)\b|[)\]]:?\s{0,4}$|[=(]"),
}
_CELLS = re.compile(r"[\t,;|]")
TABLE_LINES = 20
TABLE_CELLS = 3


def sanitised(text: str, most_chars: int = MOST_CHARS) -> str:
    """The text with payloads replaced by marks, and long lines and texts cut.

    A second run changes nothing. The result is never longer than the text, nor than `most_chars` if that is 80 or more.
    """
    for _ in range(PASSES):
        readable = _cut(_without_blobs(text), READ_CHARS, keep_end=True)
        cleaned = _cut(_without_blocks(readable), most_chars, keep_end=True)
        if cleaned == text:
            break
        text = cleaned
    return text


def without_fences(text: str) -> str:
    """The text without its code fences; unchanged when it holds nothing else."""
    if "```" not in text and "~~~" not in text:
        return text
    kept = "\n".join("\n".join(lines) for fenced, lines in _fences(text.split("\n")) if not fenced)
    return kept if kept.strip() else text


def _without_blobs(text: str) -> str:
    if len(text) < BLOB_CHARS and "data:" not in text:
        return text
    text = _DATA_URI.sub(lambda match: _mark(f"data {match['type']}".strip(), _size(len(match[0]))), text)
    text = _RUN.sub(_blob, text)
    return "\n".join(line if len(line) < PACKED_CHARS else _short_line(line) for line in text.split("\n"))


def _blob(match: re.Match[str]) -> str:
    run = match[0]
    if _HEX.fullmatch(run):
        return _mark("hex", _size(len(run))) if len(run) >= HEX_CHARS else run
    letters = run[:2000]
    joints = sum(map(letters.count, "/_-"))
    kinds = (any(map(str.isdigit, letters)), any(map(str.isupper, letters)), any(map(str.islower, letters)))
    if sum(kinds) >= 2 and joints <= len(letters) // 10:
        return _mark("base64", _size(len(run)))
    return _mark("blob", _size(len(run))) if len(run) > PACKED_CHARS else run


def _short_line(line: str) -> str:
    sample = line[:LINE_CHARS]
    if sample.isascii() and not MARK.search(sample):
        signs = sum(map(sample.count, "{}[]();=:,\"'<>"))
        if line.lstrip()[:1] in ("{", "[") and sample.count('"') + sample.count(":") > len(sample) // 25:
            return _mark("json", _size(len(line)))
        if signs > len(sample) // 8 and sample.count(" ") < len(sample) // 12:
            return _mark("minified code", _size(len(line)))
    return _cut(line, LINE_CHARS, keep_end=False)


def _without_blocks(text: str) -> str:
    if "\n" not in text:
        return text
    parts: list[str] = []
    for fenced, lines in _fences(text.split("\n")):
        parts += _fence(lines) if fenced else _outside(lines)
    return "\n".join(parts)


def _fences(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines in runs: (True, the lines of a fence) or (False, the lines between fences)."""
    held: list[str] = []
    opened = ""
    for line in lines:
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found and not opened:
            if held:
                yield False, held
            held, opened = [], found["mark"]
        elif found and found["mark"].startswith(opened) and not found["info"]:
            yield True, [*held, line]
            held, opened = [], ""
            continue
        held.append(line)
    if held:
        yield bool(opened), held


def _fence(lines: list[str]) -> list[str]:
    found = _FENCE.match(lines[0])
    inside = len(lines) - 2
    if inside <= FENCE_LINES and sum(map(len, lines)) <= FENCE_CHARS:
        return lines
    language = found["info"].strip(".-") if found else ""
    kind = language if language in ("json", "log", "text", "csv") else f"{language} code".strip()
    return _shorter(lines, _mark(kind, f"{max(inside, 1)} lines"))


def _outside(lines: list[str]) -> list[str]:
    for kind, least, pattern in _KINDS:
        lines = _collapsed(lines, kind, least, _looks_like(pattern))
    return _collapsed(lines, "table", TABLE_LINES, _cells)


def _looks_like(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda line: pattern.match(line) is not None and MARK.match(line.strip()) is None


def _cells(line: str) -> int:
    """The number of cells of a table row; 0 for other lines."""
    count = len(_CELLS.findall(line))
    return count if count >= TABLE_CELLS else 0


def _collapsed(lines: list[str], kind: str, least: int, key: Callable[[str], int]) -> list[str]:
    """The lines with a mark for every run of at least `least` lines with the same key that is not 0."""
    if len(lines) < least:
        return lines
    kept: list[str] = []
    for found, group in groupby(lines, key=key):
        block = list(group)
        if found and len(block) >= least and _is_surely(kind, block):
            kept += _shorter(block, _mark(kind, f"{len(block)} lines"))
        else:
            kept += block
    return kept


def _is_surely(kind: str, block: list[str]) -> bool:
    sure = _SURE.get(kind)
    return sure is None or 3 * sum(sure.search(line) is not None for line in block) > len(block)


def _shorter(lines: list[str], mark: str) -> list[str]:
    return [mark] if len(mark) < sum(map(len, lines)) + len(lines) - 1 else lines


def _cut(text: str, most: int, *, keep_end: bool) -> str:
    """The text, or its start (and its end) around a mark that gives the number of missing characters."""
    if len(text) <= most:
        return text
    room = max(most - CUT_ROOM, 0)
    tail = room // TAIL_SHARE if keep_end else 0
    start = _to_word(text[: room - tail])
    end = text[len(text) - tail :] if tail else ""
    mark = _mark("cut", f"{len(text) - len(start) - len(end)} characters")
    return f"{start} {mark} {end}".strip() if start or end else mark


def _to_word(text: str) -> str:
    """The text up to its last space, so that the cut splits no word; unchanged if the last space is far away."""
    space = max(text.rfind(" ", len(text) - 60), text.rfind("\n", len(text) - 60))
    return text[:space].rstrip() if space > 0 else text.rstrip()


def _mark(what: str, size: str) -> str:
    return f"[{what[:40]}, {size}]"


def _size(chars: int) -> str:
    for unit, scale in (("MB", 1_000_000), ("kB", 1_000)):
        if chars >= scale:
            value = chars / scale
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{chars} B"

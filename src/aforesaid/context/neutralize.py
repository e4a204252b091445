"""Makes recalled text safe inside a prompt: it cannot close its frame or pose as another speaker.

text → remove hidden and control characters → one kind of line end → skeleton (how the text looks to a reader)
     → replace one character of each structural attack; orders to the model are only reported
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from aforesaid.context.attack_patterns import ORDERS, ORDERS_UNSPACED, SPEECH, STRUCTURE
from aforesaid.context.hidden import UNSEEN
from aforesaid.context.skeleton import Skeleton, skeletons

LINE_END = "⏎"  # replaces line ends where a text must be on one line
DISARMED = {"<": "‹", "[": "⟦", ":": "∶", "#": "♯", "!": "ǃ", "`": "ˋ"}  # Unicode normalisation does not undo these
_PLAIN = re.compile(r"[\t\n\r -~]*+")  # printable ASCII: it has no hidden characters
_STRUCTURE = tuple((kind, what, re.compile(pattern)) for kind, what, pattern in STRUCTURE)
_KEY = re.compile(r"\n([ \t]*+)[a-z]+:")  # as YAML and Python write `user: …`
_MAPPING = re.compile(r"[ \t]*+(?:- )?[\w.-]+ ?:(?:\s|$)|[ \t]+\S")  # a line that may stand beside such a key


def neutralised(text: str) -> str:
    """The text without invisible characters, with tags, role markers and imitations of our own lines disarmed.

    Lines and their indentation stay as they are; every line end becomes a line feed. Empty lines around the text go.
    """
    return _disarmed(text).text


def neutralised_line(text: str) -> str:
    """The same on one line, for names, paths and messages."""
    lines = _disarmed(text).text.split("\n")
    return f" {LINE_END} ".join(part.strip() for part in lines if part.strip())


def attempts(text: str) -> tuple[str, ...]:
    """The kinds of attacks in a text, without repetition."""
    found = _disarmed(text)
    ordered = any(ORDERS.search(flat) or (not flat.isascii() and ORDERS_UNSPACED.search(flat)) for flat in found.seen)
    return (*found.attempts, "orders") if ordered else found.attempts


class _Disarmed(NamedTuple):
    text: str
    attempts: tuple[str, ...]
    seen: tuple[str, ...]  # its skeletons, each on one line


@lru_cache(maxsize=1024)  # the packer renders a text several times until a context fits
def _disarmed(text: str) -> _Disarmed:
    found: list[str] = []

    def drop(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0]
        found.append("hidden characters" if match["hidden"] else "control characters")
        return "\ufffd" if match["broken"] else ""

    clean = text if _PLAIN.fullmatch(text) else UNSEEN.sub(drop, text)
    lines = "\n".join(["", *clean.splitlines()])  # patterns see a line end before each line
    looks = tuple(skeletons(lines))
    replaced: dict[int, tuple[int, str]] = {}  # start → end and replacement
    for look in looks:
        for kind, what, pattern in _STRUCTURE:
            for match in pattern.finditer(look.seen):
                if what == SPEECH and _is_key(lines, look, match):
                    continue
                found.append(kind)
                start, end = _place(lines, look, match.start(1))
                replaced[start] = max(replaced.get(start, (0, "")), (end, DISARMED[match[1]]))
    parts, done = [], 0
    for start, (end, replacement) in sorted(replaced.items()):
        if start >= done:
            parts += [lines[done:start], replacement]
            done = end
    safe = "".join([*parts, lines[done:]])
    flat = tuple(" ".join(look.seen.split()) for look in looks)
    return _Disarmed(_trimmed(safe), tuple(dict.fromkeys(found)), flat)


def _place(text: str, look: Skeleton, at: int) -> tuple[int, int]:
    """Where a character of the skeleton comes from: one character of the text, or a whole escape."""
    start = look.origin[at]
    after = bisect_right(look.origin, start)
    return start, look.origin[after] if after < len(look.origin) else len(text)


def _is_key(text: str, look: Skeleton, match: re.Match[str]) -> bool:
    """Whether a line that starts like a speaker's is a YAML key or a name with its type: indented or among others."""
    start, (_, end) = look.origin[match.start()], _place(text, look, match.start(1))
    key = _KEY.match(text, start)
    if key is None or key.end() != end:
        return False
    if key[1]:
        return True
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text.find("\n", end) + 1
    return _MAPPING.match(before) is not None or (after > 0 and _MAPPING.match(text, after) is not None)


def _trimmed(text: str) -> str:
    """The text without empty lines at its start and end; the first line keeps its indentation."""
    lines = text.split("\n")
    full = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[full[0] : full[-1] + 1]) if full else ""

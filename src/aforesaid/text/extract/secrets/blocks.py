"""Private keys that stand in blocks of several lines: PEM, OpenSSH, PGP, PuTTY."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from aforesaid.text.extract.spans import Span

PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BREAK = r"(?:[\s>|]|\\[nr])*+"  # also as it is written inside JSON, and quoted in a mail
PEM_BODY = re.compile(  # headers, full lines, and a last line that is padded or ends the text
    rf"(?:{_BREAK}[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{0,200}}+){{0,5}}(?:{_BREAK}[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:{_BREAK}[A-Za-z0-9+/]{{0,63}}+(?:={{1,2}}|(?=\s{{0,9}}\Z)))?"
)
PUTTY = re.compile(r"Private-Lines: ?\d{1,3}(?:[\s>]|\\[nr])++((?:[A-Za-z0-9+/=]{4,64}+(?:[\s>]|\\[nr])*+)++)")


def private_keys(text: str) -> Iterator[Span]:
    """PEM blocks from BEGIN to END, or to the end of what looks like their body when the END is missing."""
    if "Private-Lines" in text:
        yield from (Span("private-key", *_trimmed(text, *match.span(1))) for match in PUTTY.finditer(text))
    if "PRIVATE KEY" not in text:
        return
    begins = [match.span() for match in PEM_BEGIN.finditer(text)]
    ends = [match.span() for match in PEM_END.finditer(text)]
    end_starts = [start for start, _ in ends]
    for index, (start, body) in enumerate(begins):
        following = begins[index + 1][0] if index + 1 < len(begins) else len(text)
        at = bisect_right(end_starts, body - 1)
        if at < len(ends) and ends[at][0] < following:
            yield Span("private-key", start, ends[at][1])
        elif cut := PEM_BODY.match(text, body, following):
            yield Span("private-key", start, cut.end())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the "Private" of the line behind it and without white space at its end."""
    found = text[start:end]
    for tail in ("Private", ""):
        found = found.rstrip(" \t\r\n>").removesuffix(tail)
    return start, start + len(found.rstrip(" \t\r\n>"))

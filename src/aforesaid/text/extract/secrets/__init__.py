"""Finds secrets in text without a model and replaces them by a digest (spec 9)."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator

from aforesaid.text.extract.secrets.formats import SHAPES
from aforesaid.text.extract.secrets.labelled import named_secrets
from aforesaid.text.extract.spans import Redacted, Span, TextView, find_spans, merged, redact

REDACTED = re.compile(r"\[secret:[a-z0-9-]{1,40}:[0-9a-f]{8}\]")
DATA_URI = re.compile(r"data:[\w/+.-]{1,60};base64,[A-Za-z0-9+/=]*+")
PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BREAK = r"(?:\s|\\[nr])*+"  # also as it is written inside JSON
PEM_BODY = re.compile(  # headers, full lines, and a last line that is padded or ends the text
    rf"(?:{_BREAK}[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{0,200}}+){{0,5}}(?:{_BREAK}[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:{_BREAK}[A-Za-z0-9+/]{{0,63}}+(?:={{1,2}}|(?=\s{{0,9}}\Z)))?"
)


def find_secrets(text: str) -> list[Span]:
    """The secrets of a text in order, without overlaps; a redaction is never found again."""
    view = TextView(_masked(text))
    return merged([*_private_keys(view.text), *find_spans(SHAPES, view), *named_secrets(view)])


def redact_secrets(text: str) -> Redacted:
    """The text with each secret as `[secret:<kind>:<8 hex digits of its sha256>]`; a second time changes nothing."""
    return redact(text, find_secrets, _mark)


def _mark(kind: str, value: str) -> str:
    return f"[secret:{kind}:{hashlib.sha256(value.encode(errors='surrogatepass')).hexdigest()[:8]}]"


def _masked(text: str) -> str:
    """The text with redactions and data URIs overwritten by `<`, which no rule reads as part of a secret."""
    for hint, pattern in (("[secret:", REDACTED), (";base64,", DATA_URI)):
        if hint in text:
            text = pattern.sub(lambda match: "<" * len(match[0]), text)
    return text


def _private_keys(text: str) -> Iterator[Span]:
    """PEM blocks from BEGIN to END, or to the end of what looks like their body when the END is missing."""
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

"""Credentials in HTTP headers: cookies, digests, and the headers that carry a token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.secrets.labelled import STAND_IN, is_jumbled, is_random
from aforesaid.text.extract.spans import Span, TextView

MIN_COOKIE = 16  # characters of a cookie that identifies a session

COOKIES = re.compile(r"(?:cookie[\"']?\s{0,2}[:=]|\s(?:-b|--cookie)\s)\s{0,2}[\"']?([^\n\"']{3,4000})")
PAIR = re.compile(r"([\w.%-]{1,80})=([^;\s,\"']{1,4000})")
SESSION = re.compile(r"sess|sid|auth|token|jwt|csrf|xsrf|remember|logged|login|sso|user|key|id")
RESPONSE = re.compile(r"digest\s[^\n]{0,300}?\bresponse=[\"']?([0-9a-f]{32,64})")


def header_secrets(view: TextView) -> Iterator[Span]:
    """The cookies and digests of a text."""
    small = view.small
    if "cookie" in small or " -b " in small:
        for header in COOKIES.finditer(small):
            for pair in PAIR.finditer(small, *header.span(1)):
                value = view.text[pair.start(2) : pair.end(2)]
                if _is_session(pair[1], value):
                    yield Span("cookie", *pair.span(2))
    if "response=" in small:
        yield from (Span("authorization", *match.span(1)) for match in RESPONSE.finditer(small))


def _is_session(name: str, value: str) -> bool:
    if len(value) < MIN_COOKIE or STAND_IN.fullmatch(value):
        return False
    return is_random(value) or (SESSION.search(name) is not None and is_jumbled(value))

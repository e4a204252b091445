"""Finds secrets in text without a model and replaces them by a digest (spec 9).

    formats    keys of providers, passwords in URLs             labelled   `password = …`, "the token is …"
    blocks     private keys of several lines                    spoken     "log in as admin with …"
    seeds      seed phrases of wallets                          codes      one-time codes and PINs
    headers    cookies and digests                              commands   `mysql -p…`, `curl -u …`

A text is folded first, so that full-width letters and invisible characters hide nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator

from aforesaid.text.extract.secrets.blocks import private_keys
from aforesaid.text.extract.secrets.codes import one_time_codes
from aforesaid.text.extract.secrets.commands import COMMANDS, FLAGS
from aforesaid.text.extract.secrets.folded import fold, joined
from aforesaid.text.extract.secrets.formats import KEYS, NAMED_KEY, SHAPES
from aforesaid.text.extract.secrets.headers import header_secrets
from aforesaid.text.extract.secrets.labelled import is_random, named_secrets
from aforesaid.text.extract.secrets.seeds import seed_phrases
from aforesaid.text.extract.secrets.spoken import spoken_secrets
from aforesaid.text.extract.secrets.tables import table_secrets
from aforesaid.text.extract.spans import DIGITS, LONG_WORD, Redacted, Span, TextView, find_spans, holds, merged, redact

REDACTED = re.compile(r"\[secret:[a-z0-9-]{1,40}:[0-9a-f]{8}\]")
LONG = re.compile(rf"\S{{{LONG_WORD},}}+")
LONG_RUN = re.compile(r"[A-Za-z0-9_-]{16}")  # every key has one
DATA_URI = re.compile(r"data:[\w/+.-]{1,60};base64,[A-Za-z0-9+/=]*+")


def find_secrets(text: str) -> list[Span]:
    """The secrets of a text in order, without overlaps; a redaction is never found again."""
    folded = fold(_masked(text))
    view = TextView(folded.text)
    return merged(map(folded.original, [*_certain(view), *_likely(view)]))


def find_certain_secrets(text: str) -> list[Span]:
    """The secrets of a text that their form alone gives away, such as the key of a provider or a private key."""
    folded = fold(_masked(text))
    return merged(map(folded.original, _certain(TextView(folded.text))))


def redact_secrets(text: str, key: bytes = b"") -> Redacted:
    """The text with each secret as `[secret:<kind>:<8 hex digits>]`; a second time changes nothing.

    The digits are an HMAC-SHA256 of the secret: equal secrets compare equal, and without the key no guess of a weak
    password can be checked.
    """
    return redact(text, find_secrets, lambda kind, value: f"[secret:{kind}:{digest(value, key)}]")


def digest(value: str, key: bytes) -> str:
    """Eight hex digits of the HMAC-SHA256 of a secret."""
    return hmac.new(key, value.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()[:8]


def _certain(view: TextView) -> Iterator[Span]:
    yield from private_keys(view.text)
    if view.has_long_word:
        yield from _keys(view.text)
        yield from _broken_keys(view.text)
    yield from find_spans(SHAPES, view)
    yield from seed_phrases(view)


def _keys(text: str) -> Iterator[Span]:
    """The keys of providers. They have no white space, so each long word is looked at alone."""
    for match in LONG.finditer(text):
        if _may_hold_key(match[0]):
            for span in find_spans(KEYS, TextView(match[0])):
                yield Span(span.kind, match.start() + span.start, match.start() + span.end)


def _may_hold_key(word: str) -> bool:
    """Whether a long word is more than small letters; a key may have no digit by chance."""
    return (holds(word, DIGITS) or word[1:].lower() != word[1:]) and LONG_RUN.search(word) is not None


def _likely(view: TextView) -> Iterator[Span]:
    if " -" in view.text or " /" in view.text:
        yield from find_spans(FLAGS, view)
    yield from find_spans(COMMANDS, view)
    yield from header_secrets(view)
    yield from named_secrets(view)
    yield from spoken_secrets(view)
    yield from one_time_codes(view)
    yield from table_secrets(view)


def _broken_keys(text: str) -> Iterator[Span]:
    """Keys that a line break cuts in two. Behind a key that may be whole the next line must look like a part of it."""
    for word in joined(text):
        if len(word.text) < LONG_WORD or not _may_hold_key(word.text):
            continue
        for span in map(word.original, find_spans(KEYS, TextView(word.text))):
            first, broken, rest = text[span.start : span.end].partition("\n")
            is_whole = any(found.start == 0 for found in find_spans(KEYS, TextView(first)))
            if broken and span.kind != NAMED_KEY and (not is_whole or is_random(rest.strip("> \t"))):
                yield span


def _masked(text: str) -> str:
    """The text with redactions and data URIs overwritten by `<`, which no rule reads as part of a secret."""
    for hint, pattern in (("[secret:", REDACTED), (";base64,", DATA_URI)):
        if hint in text:
            text = pattern.sub(lambda match: "<" * len(match[0]), text)
    return text

"""Secrets in text: found without a model, and replaced by a digest (SPEC 9)."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recollect.text.secret_rules import KEYWORD, KEYWORD_HINTS, NEARBY, PIN, PROVIDERS, SCHEMES, Rule
from recollect.text.secret_values import STAND_IN, Setting, is_jumbled, is_random, is_secret

REDACTED = re.compile(r"\[secret:[a-z0-9-]{1,40}:[0-9a-f]{8}\]")
DATA_URI = re.compile(r"data:[\w/+.-]{1,60};base64,[A-Za-z0-9+/=]*+")
PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+)++(?:(?:\s|\\[nr])*+[A-Za-z0-9+/]*+={1,2})?")
PASSES = 4  # a redaction could uncover a further one; so far the second pass has found nothing in any test
MIN_HEADER = 8  # characters of a credential in a header
CUT = re.compile(r"&\w{1,30}=|(?<=[!-~])[\u3000-\u9fff\uff00-\uffef]")  # the next parameter of a query; Japanese after a value
LAST = re.compile(r"[ \t.,;:!?)\]}]*(?:\n|\Z)|(?:です|だ|。|で、)")
REST_OF_LINE = re.compile("[^\"'`\\n「」『』“”]*+")
REST_OF_RUN = re.compile("[^\\s\"'`<>「」『』“”]*+")
NOT_NEARBY = re.compile(r"\b(?:commit|sha\d*|hash|digest|md5|checksum|uuid|id|revision|branch|count|limit)\b|://")
MAX_VALUE = 200  # characters of a value that the rules look at; what belongs to it beyond is redacted with it


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret in a text: what it is, and where."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what they were, in order."""

    text: str
    kinds: tuple[str, ...] = ()


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text in order, none touching another; what is redacted already is never found again."""
    found = [*_private_keys(text), *_shaped(text), *_named(text)]
    if not found:
        return ()
    guarded = [match.span() for pattern in (REDACTED, DATA_URI) for match in pattern.finditer(text)]
    return tuple(_joined(found, sorted(guarded)))


def redact_secrets(text: str) -> Redacted:
    """The text with each secret as `[secret:<kind>:<8 hex digits of its sha256>]`; a second time changes nothing."""
    kinds: list[str] = []
    for _ in range(PASSES):
        found = find_secrets(text)
        if not found:
            break
        kinds += [secret.kind for secret in found]
        text = _replaced(text, found)
    return Redacted(text, tuple(kinds))


def _replaced(text: str, found: Iterable[Secret]) -> str:
    parts, position = [], 0
    for secret in found:
        digest = hashlib.sha256(text[secret.start : secret.end].encode(errors="surrogatepass")).hexdigest()[:8]
        parts += [text[position : secret.start], f"[secret:{secret.kind}:{digest}]"]
        position = secret.end
    return "".join([*parts, text[position:]])


def _joined(found: list[Secret], guarded: list[tuple[int, int]]) -> Iterator[Secret]:
    """Overlapping finds as one, named after the first rule that found it; what overlaps a guarded span is dropped."""
    starts = [start for start, _ in guarded]
    order = {id(secret): rank for rank, secret in enumerate(found)}
    current: Secret | None = None
    for secret in sorted(found, key=lambda s: (s.start, s.end, s.kind)):
        before = bisect_right(starts, secret.end - 1)
        if before and guarded[before - 1][1] > secret.start:
            continue
        if current is None or secret.start >= current.end:
            if current is not None:
                yield current
            current = secret
            continue
        kind = min((current, secret), key=lambda s: order[id(s)]).kind
        rank = min(order[id(current)], order[id(secret)])
        current = Secret(kind, current.start, max(current.end, secret.end))
        order[id(current)] = rank
    if current is not None:
        yield current


def _private_keys(text: str) -> Iterator[Secret]:
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
            yield Secret("private-key", start, ends[at][1])
        elif cut := PEM_BODY.match(text, body, following):
            yield Secret("private-key", start, cut.end())


def _shaped(text: str) -> Iterator[Secret]:
    """Keys of providers, passwords in urls and authorization headers."""
    for rule in PROVIDERS:
        yield from (Secret(rule.kind, *match.span(1)) for match in _matches(rule, text))
    for rule in SCHEMES:
        for match in _matches(rule, text):
            value = match[1]
            if STAND_IN.fullmatch(value) and not value.isalnum():
                continue
            if rule.kind == "url-password" or (len(value) >= MIN_HEADER and is_jumbled(value)):
                yield Secret(rule.kind, *match.span(1))


def _matches(rule: Rule, text: str) -> Iterator[re.Match[str]]:
    return rule.pattern.finditer(text) if any(hint in text for hint in rule.hints) else iter(())


def _named(text: str) -> Iterator[Secret]:
    """Values that a word such as password or token stands in front of."""
    small = text.lower()
    if len(small) != len(text):  # a few capitals grow when lowered; positions must stay the same
        small = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    if any(hint in small for hint in KEYWORD_HINTS):
        covered = 0
        for match in KEYWORD.finditer(small):
            if match.end() >= covered and (secret := _judged(text, match)):
                covered = secret.end  # a word inside a value that is taken already names nothing
                yield secret
        for match in NEARBY.finditer(small):
            run = text[slice(*match.span("run"))]
            if not NOT_NEARBY.search(match["gap"]) and is_random(run) and sum(map(str.isdigit, run)) >= 3:
                yield Secret("token", match.start("run"), match.end("run"))
    if "pin" in small or "暗証" in small:
        yield from (Secret("pin", *match.span(1)) for match in PIN.finditer(small))


def _judged(text: str, match: re.Match[str]) -> Secret | None:
    """The value behind a keyword, if it is a secret."""
    quoted = match["quoted"] is not None
    start, end = match.span("quoted" if quoted else "plain")
    value = text[start:end]
    if len(value) == MAX_VALUE:
        rest = (REST_OF_LINE if quoted else REST_OF_RUN).match(text, end)
        end = rest.end() if rest else end
    else:
        cut = None if quoted else CUT.search(value)
        value = (value[: cut.start()] if cut else value).rstrip("\\" if quoted else ".,;:)]}\\")
        end = start + len(value)
    joint, spoken, short = match["assigned"], match["spoken"], match["short"] is not None
    setting = Setting(
        password=match["secret"] is None,
        how="assigned" if joint is not None else "spoken" if spoken is not None and not short else "beside",
        strict=short or (spoken or "").rstrip().endswith(" to"),
        quoted=quoted,
        tight=joint == "=",
        last=LAST.match(text, end) is not None,
    )
    if not is_secret(value, setting):
        return None
    return Secret("password" if setting.password else _kind(match["secret"]), start, end)


def _kind(keyword: str) -> str:
    if "token" in keyword or "トークン" in keyword:
        return "token"
    return "api-key" if "key" in keyword or "キー" in keyword else "secret"

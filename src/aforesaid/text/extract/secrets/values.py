"""Decides whether the value behind a word such as "password" is a secret, a placeholder or ordinary text."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Literal, NamedTuple

from aforesaid.text.patterns import word_list, words

MIN_PASSWORD, MIN_WORD, MIN_SECRET = 4, 5, 8  # shorter values are words, counts or slips
RANDOM_CHARS, RANDOM_BITS = 20, 3.5  # random base64 carries 4 bits a character and more at this length, words about 3

STAND_IN = re.compile(
    r"[<\[{].*|\(.*\)|[€£¥]\d.*|\$(?:[{(\d].*|[a-z_]+|[A-Z_][A-Z0-9_]*)|%(?:\w|\(.*|[A-Z_]+%)|[|>][-+]?|\*{2}.*|:\*.*|\*\w+|!\w+|&\w+"
    r"|\?+|#\{.*|#[0-9a-fA-F]{3,8}|[xX]{3,}|[.…•_-]{2,}|arn:.*|\d{1,3}(?:[-/.:]\d{1,3})?[+%]?|\d{4}-\d\d-\d\d.*"
    r"|(?i:(?:your|my|the|some|insert|enter|put|replace|change)[_ -]?(?:\w{1,20}[_ -]){0,3}(?:here|me|key|token))"
    r"|(?i:(?:your|insert|enter|replace)[_-].*|(?:my|your)[_ -]?(?:password|secret)|changeit|example\w*|placeholder)"
    r"|(?i:dummy|sample|fake|redacted|removed|hidden|masked|todo|tbd|n/a|test|testing|foo|bar|baz|none|null|nil)"
    r"|(?i:undefined|true|false|yes|no|empty|unset|missing|unknown)"
)
CODE = re.compile(  # a reference, an expression or a place, not a literal
    r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+(?:[(\[].*)?|[A-Za-z_$][\w$.:]*[(\[].*|[A-Za-z_]+_[A-Za-z_]*|\(.*"
    r"|[\w.-]*://.*|@.*|[~.]{0,2}/[\w.-]+(?:/[\w.-]+)*/?|[\w.-]+(?:/[\w.-]+){2,}|[\w.+-]+@[\w-]+\.[\w.]+"
)
ALGORITHM = re.compile(
    r"(?i)(?:sha|md|argon|pbkdf|bcrypt|aes|rsa|base|utf|oauth|http|ipv|tls|ssl|iso|rfc|v)[-_]?\d[\w.-]{0,12}"
)
NAMED_FOR = re.compile(r"(?i)[a-z_.-]*(?:pass|secret|token|key|pwd|cred)[a-z_.-]*:?")  # db_password, resetToken
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+){0,2}")
STATE = re.compile(rf"(?i:{words(word_list('not passwords'))}|\w{{2,}}(?:ed|ing|able|ible|less|ful|ent|ory|ary|ous))")
SENTENCE = re.compile(r"\b(?:a|an|and|are|be|enter|for|in|is|must|not|of|or|should|the|to|use|with|you|your)\b")
JAPANESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")
UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Setting(NamedTuple):
    """Where a value stands: behind which word, how it is joined to it, in quotes or not, last in its line or not."""

    password: bool  # else a secret, token or key
    how: Literal["assigned", "spoken", "beside"]
    strict: bool  # what stands before it is often said of other things: a word will not do
    quoted: bool
    tight: bool  # key=value
    last: bool  # nothing follows on its line


def is_secret(value: str, setting: Setting) -> bool:
    """Whether a value is a secret, given where it stands."""
    bare = value.rstrip("!?.")
    if len(value) < MIN_PASSWORD or (JAPANESE.match(value) and not setting.quoted):
        return False
    if STAND_IN.fullmatch(value) or STAND_IN.fullmatch(bare) or ALGORITHM.fullmatch(bare):
        return False
    if is_random(value):
        return True
    if NAMED_FOR.fullmatch(value) or (not setting.quoted and CODE.fullmatch(value)):
        return False
    if setting.how == "beside" and not (len(value) > MIN_WORD and (setting.quoted or is_mixed(value))):
        return False
    if setting.strict and not is_mixed(value):
        return False
    return _is_password(value, bare, setting) if setting.password else _is_token(value, setting)


def _is_password(value: str, bare: str, setting: Setting) -> bool:
    if " " in value:
        return _is_passphrase(value)
    if STATE.fullmatch(bare):
        return False
    if not WORD.fullmatch(bare) or bare.count("-") + bare.count("'") > 1:
        return True  # digits or signs in it, or many words joined
    if setting.quoted:
        return True
    return len(value) >= MIN_WORD and (setting.tight or setting.last) and bare.isalpha()


def _is_passphrase(value: str) -> bool:
    words = value.split()
    return 3 <= len(words) <= 8 and all(w.isalpha() and w.islower() for w in words) and not SENTENCE.search(value)


def _is_token(value: str, setting: Setting) -> bool:
    if " " in value or not is_mixed(value):
        return False
    return len(value) > (MIN_WORD if setting.quoted else MIN_SECRET - 1) and sum(map(str.isdigit, value)) >= 2


def is_mixed(value: str) -> bool:
    """Whether it has both digits and letters."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_jumbled(value: str) -> bool:
    """Whether it has digits among letters, or capitals among small ones: no word of a language."""
    return is_mixed(value) or (value[1:].lower() != value[1:] and value.upper() != value)


def is_random(value: str) -> bool:
    """Whether it looks like a random key: long, mixed, and with high entropy; not like an id."""
    if len(value) < RANDOM_CHARS or " " in value or not is_mixed(value) or UUID.fullmatch(value):
        return False
    if not re.fullmatch(r"[A-Za-z0-9+/_=.~:-]+", value) or value.count("-") + value.count("/") > len(value) / 8:
        return False
    both_cases = value.lower() != value and value.upper() != value
    return (both_cases or len(value) >= 32) and _bits(value) >= RANDOM_BITS


def _bits(value: str) -> float:
    """Shannon's entropy of its characters, −Σ p·log₂ p."""
    counts = Counter(value).values()
    return -math.fsum(n / len(value) * math.log2(n / len(value)) for n in counts)

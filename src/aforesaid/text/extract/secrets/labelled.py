"""Secrets behind a word that names them: `password = …`, "my PIN is …", a random string near "token"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.secrets.values import Setting, is_random, is_secret
from aforesaid.text.extract.spans import Span, TextView

MAX_VALUE = 200  # characters of a value that are looked at; what belongs to it beyond is redacted with it
LOOK_BACK = 60  # characters before a random string in which a word makes it a secret
MIN_DIGITS = 3  # in a random string: names in code have one or two

_PASSWORDS = "password|passwd|passphrase|passcode|pwd|contraseña|passwort|パスワード|パスフレーズ|暗証番号"
_SHORT = "pass(?<![a-z]pass)|pw(?<![a-z]pw)"  # also a verb, and short for other things
_SECRETS = (
    "secret(?:[ _-]?access)?(?:[ _-]?key)?|token|トークン|api[ _-]?key|apiキー|access[ _-]?key|アクセスキー|"
    "private[ _-]?key|auth[ _-]?key|encryption[ _-]?key|signing[ _-]?key|credentials?|秘密鍵"
)
HINTS = ("pass", "pw", "contrase", "パス", "暗証", "secret", "token", "トークン", "key", "キー", "credential", "秘密鍵")

# All of these see lower-cased text. What follows the word is looked at, not eaten: values may hold words themselves.
_STAGE = "prod|production|dev|staging|test|live|base|key|value|old|new|default|root|admin|user|db"
_NAME_END = rf"(?:[_-](?:{_STAGE})){{0,2}}\d{{0,2}}(?![a-z0-9_-])[\"'`\\\]]{{0,3}}(?:\s\([^()\n]{{1,30}}\))?"
_TYPE = r"(?:(?:str|string|&str|secretstr|optional\[str\])(?: \| none)?\s{0,2}=\s{0,2})?"
_ASSIGNED = rf"(?P<assigned>\s{{0,3}}(?:=>|:=|==?|:|＝|：|は|が|>)\s{{0,3}}){_TYPE}"
_FOR = r"(?:\s(?:for|to|of|on|at|i|we|you|that)\s[a-z0-9 .'/_-]{1,40}?)?"
_SPOKEN = rf"(?P<spoken>(?:'s|{_FOR}\s(?:is|was|are|ist|to|:))(?:\s(?:now|still|just|simply|set to))?\s?:?\s{{1,2}})"
_QUOTED = r"\\?[\"'`「『“](?![<\[{])(?P<quoted>[^\"'`\n「」『』“”]{1,200})"
_PLAIN = r"(?P<plain>[^\s\"'`<>「」『』“”]{1,200})"
_NO_SENTENCE = r"(?:(?<==)|(?![a-z]{1,40}[ \t]{1,9}\S|[\u3000-\u9fff\uff00-\uffef]))"  # a word that more words follow
_DIGIT = r"(?=[^\s\"'`<>]{0,199}\d)"
_NEAR = (
    rf"\s(?:[\"'`「『“](?P<near_quoted>[^\s\"'`「」『』“”]{{5,200}})|{_DIGIT}(?P<near>[^\s\"'`<>「」『』“”]{{5,200}}))"
)
PASSWORD = re.compile(
    rf"(?:(?:{_PASSWORDS})|(?P<short>{_SHORT}))"
    rf"(?={_NAME_END}(?:(?:{_ASSIGNED}|{_SPOKEN})(?:{_QUOTED}|(?![\[{{]){_NO_SENTENCE}{_PLAIN})|{_NEAR}))"
)
SECRET = re.compile(
    rf"(?P<word>{_SECRETS})(?={_NAME_END}(?:{_ASSIGNED}|{_SPOKEN})(?:{_QUOTED}|(?![\[{{]){_DIGIT}{_PLAIN}))"
)
PIN = re.compile(
    r"(?:pin(?<![a-z]pin)(?: number| code)?|(?:alarm|door|gate|entry|safe|locker) code)"
    r"(?:\s(?:is|was)\s|\s?[:：は]\s?)(\d{4,8})(?![\w.-])"
)
RUN = re.compile(r"[a-z0-9+_]{20,}+")
NAMED = re.compile(rf"(?:{_PASSWORDS}|{_SECRETS})s?(?P<gap>[^\n<>]{{1,40}})\Z")
OTHER = re.compile(r"\b(?:commit|sha\d*|hash|digest|md5|checksum|uuid|id|revision|branch|count|limit)\b|://|[/-]\Z")

CUT = re.compile(r"[&;]\w{1,30}=|(?<=[!-~])[\u3000-\u9fff\uff00-\uffef]")  # the next parameter; Japanese after a value
LAST = re.compile(r"[ \t.,;:!?)\]}]*(?:\n|\Z)|(?:です|だ|。|で、)")
REST_OF_LINE = re.compile(r"[^\"'`\n「」『』“”]*+")
REST_OF_RUN = re.compile(r"[^\s\"'`<>「」『』“”]*+")


def named_secrets(view: TextView) -> Iterator[Span]:
    """The values that a word such as password, token or PIN stands in front of."""
    text, small = view.text, view.small
    if "pin" in small or " code" in small:
        yield from (Span("pin", *match.span(1)) for match in PIN.finditer(small))
    if any(hint in small for hint in HINTS):
        yield from _values(text, small, PASSWORD)
        yield from _values(text, small, SECRET)
        yield from _strays(text, small)


def _values(text: str, small: str, words: re.Pattern[str]) -> Iterator[Span]:
    """The secrets right behind the words. A word inside a value that was found already is skipped."""
    position = 0
    while match := words.search(small, position):
        secret = _judged(text, match)
        position = secret.end if secret else match.end()
        if secret:
            yield secret


def _judged(text: str, match: re.Match[str]) -> Span | None:
    """The value behind a word, if it is a secret."""
    name, joint, spoken = match.lastgroup or "", match["assigned"], match["spoken"]  # the value is the last group
    password, quoted = match.re is PASSWORD, "quoted" in name
    short, to = password and match["short"] is not None, spoken is not None and spoken.rstrip().endswith(" to")
    if (short and joint is None and (spoken is None or to)) or (
        joint and joint.strip() == ">" and not _is_opened(text, match.start())
    ):
        return None
    start, end = match.span(name)
    value = text[start:end]
    cut = None if quoted else CUT.search(value)
    value = (value[: cut.start()] if cut else value).rstrip("\\" if quoted else ".,;:)]}\\")
    setting = Setting(
        password=password,
        how="assigned" if joint is not None else "spoken" if spoken is not None else "beside",
        strict=short or to,
        quoted=quoted,
        tight=joint == "=",
        last=LAST.match(text, start + len(value)) is not None,
    )
    if not is_secret(value, setting):
        return None
    if len(value) < MAX_VALUE:
        end = start + len(value)
    elif rest := (REST_OF_LINE if quoted else REST_OF_RUN).match(text, end):
        end = rest.end()
    return Span("password" if password else _kind(match["word"]), start, end)


def _is_opened(text: str, word: int) -> bool:
    """Whether the word stands in an opening tag, as in <password>."""
    tag = text.rfind("<", max(0, word - LOOK_BACK), word)
    return tag >= 0 and not text.startswith("</", tag)


def _kind(word: str) -> str:
    if "token" in word or "トークン" in word:
        return "token"
    return "api-key" if "key" in word or "キー" in word else "secret"


def _strays(text: str, small: str) -> Iterator[Span]:
    """Random strings a few words behind such a word: "our API key for staging, …"."""
    for match in RUN.finditer(small):
        start, end = match.span()
        run = text[start : min(end, start + MAX_VALUE)]
        if is_random(run) and sum(map(str.isdigit, run)) >= MIN_DIGITS:
            named = NAMED.search(small[max(0, start - LOOK_BACK) : start])
            if named and not OTHER.search(named["gap"]):
                yield Span("token", start, end)

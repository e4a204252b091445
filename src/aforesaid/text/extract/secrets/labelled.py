"""Secrets behind a word that names them: `password = …`, "my PIN is …", a random string near "token".

`is_secret` decides whether the value behind such a word is a secret, a placeholder or ordinary text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from aforesaid.text.extract.spans import Span, TextView, windows
from aforesaid.text.patterns import word_list, words

MAX_VALUE = 200  # characters of a value that are checked; the rest of a longer value is redacted too
LABEL = 16  # characters of a label before the hint in it: mot de passe
LOOK_AHEAD = 460  # characters behind a word such as "password" that are searched for its value
LOOK_BACK = 60  # characters before a random string that are searched for a word such as "token"
MIN_DIGITS = 3  # in a random string: names in code have one or two

_ENGLISH = "password|pass[ -]word|p@ssword|passwd|passphrase|passcode|pwd|bindpw|requirepass"
_FOREIGN = (  # what follows these must not be a word, because their languages have words for "wrong" and "expired" too
    "passwort|kennwort|mot de passe|contraseña|contrasena|senha|palavra-passe|parola d'ordine|wachtwoord|hasło|heslo|"
    "lösenord|adgangskode|passord|salasana|şifrem?|mật khẩu|kata sandi|jelszó|парол[ьяюе]м?|密码|密碼|口令|パスワード|"
    "パスフレーズ|暗証番号|비밀번호|비번|كلمة المرور|كلمة السر|סיסמה|κωδικός|पासवर्ड"
)
_PASSWORDS = f"{_ENGLISH}|{_FOREIGN}"
_SHORT = (  # words that have other meanings too
    r"pass(?<![a-z]pass)|pw(?<![a-z]pw)|p/w(?<![a-z]p/w)|mdp(?<![a-z]mdp)|clave(?<![a-z]clave)|パス(?=は|が)"
)
_SECRETS = (
    "secret(?:[ _-]?access)?(?:[ _-]?key)?|token|トークン|api[ _-]?key|apiキー|access[ _-]?key|アクセスキー|"
    "private[ _-]?key|auth[ _-]?key|encryption[ _-]?key|signing[ _-]?key|credentials?|秘密鍵|bearer|"
    "(?:admin|app|service|account|master|storage|subscription|pre-?shared|deploy|webhook)[ _-]?key|"
    "\\bpsk|(?<=[a-z0-9][_-])key"
)
PASSWORD_HINTS = (
    *(
        "passw",
        "passp",
        "passc",
        "passe",
        "passo",
        "pass:",
        "pass=",
        "pass ",
        "pass_",
        'pass"',
        "pass'",
        "pass-",
        "p@ss",
        "pw",
        "p/w",
    ),
    *("contrase", "kennwort", "mdp", "clave", "senha", "parola", "wachtwoord", "heslo", "salasana", "sandi"),
)
SECRET_HINTS = ("secret", "token", "トークン", "key", "キー", "credential", "秘密鍵", "bearer", "psk")
FOREIGN_HINTS = (  # looked for only in texts that are not ASCII
    *("パス", "暗証"),
    *(
        "hasło",
        "lösenord",
        "adgang",
        "şifre",
        "khẩu",
        "jelszó",
        "парол",
        "密码",
        "密碼",
        "口令",
        "비밀번호",
        "비번",
        "كلمة",
    ),
    *("סיסמה", "κωδικός", "पासवर्ड"),
)

# All of these see lower-cased text. What follows the word is looked at, not eaten: values may hold words themselves.
_STAGE = "prod|production|dev|staging|test|live|base|key|value|old|new|default|root|admin|user|db"
_NAME_END = (
    rf"(?:[_-](?:{_STAGE})){{0,2}}\d{{0,2}}(?![a-z0-9_-])[\"'`\\\]*]{{0,4}}(?:</\w{{1,9}}>)?(?:\s\([^()\n]{{1,30}}\))?"
)
_TYPE = r"(?:(?:str|string|&str|secretstr|optional\[str\])(?: \| none)?\s{0,2}=\s{0,2})?"
_NESTED = r"[\"']?[\s,{]{1,9}[\"']?(?:value|default|content)[\"']?\s{0,2}[:=]\s{0,2}"  # name="password" value="…"
_ASSIGNED = (
    rf"(?P<assigned>\s{{0,3}}(?:=>|:=|==?|:|＝|：|は|が|是|为|為|는|은|%3d|>)\*{{0,2}}"
    rf"(?:\s{{0,3}}|\n[ \t]{{4,12}})|{_NESTED}){_TYPE}"
)
_DASHED = r"\s{0,2}(?:-|–|—|→|->)\s{1,2}"
_FOR = (
    r"(?:\s(?:for|to|of|on|at|i|we|you|that|für|von|de|del|du|des|di|della|pour|van|voor|do|da|till|от|к)"
    r"\s[^\n:=\"'<>]{1,40}?)?"
)
_SPOKEN = (
    rf"(?P<spoken>(?:'s|(?:\sitself)?{_FOR}(?:\s(?:is|was|are|ist|lautet|war|est|c'est|es|era|é|è|är|er|jest|"
    rf"(?:(?:has\s)?(?:been\s)?(?:changed|reset|updated)\s)?to|—|–|→)|\s?:))"
    rf"(?:\s(?:now|still|just|simply|set to|changed to))?\s?:?\s{{1,2}})"
)
_QUOTED = r"\\?[\"'`「『“„«](?![<\[{])(?P<quoted>[^\"'`\n「」『』“”„«»]{1,200})"
_PLAIN = r"(?P<plain>[^\s\"'`<>「」『』“”„«»]{1,200})"
_NO_SENTENCE = r"(?:(?<==)|(?![a-z]{1,40}[ \t]{1,9}\S|[\u3000-\u9fff\uff00-\uffef]))"  # a word that more words follow
_DIGIT = r"(?=[^\s\"'`<>]{0,199}\d)"
_NEAR = (
    rf"(?:\s|{_DASHED})(?:[\"'`「『“](?P<near_quoted>[^\n\"'`「」『』“”]{{5,200}})|"
    rf"{_DIGIT}(?P<near>[^\s\"'`<>「」『』“”]{{5,200}}))"
)
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
PASSWORD = re.compile(
    rf"(?:(?:{_ENGLISH})|(?P<foreign>{_FOREIGN})|(?P<short>{_SHORT}))"
    rf"(?={_NAME_END}(?:(?:{_ASSIGNED}|{_SPOKEN})(?:{_QUOTED}|(?![\[{{]){_NO_SENTENCE}{_PLAIN})|{_NEAR}))"
)
SECRET = re.compile(
    rf"(?P<word>{_SECRETS})(?={_NAME_END}(?:(?:{_ASSIGNED}|{_SPOKEN})(?:{_QUOTED}|(?![\[{{]){_DIGIT}{_PLAIN})"
    rf"|\s(?P<near>{_UUID})))"
)
RUN = re.compile(r"[a-z0-9+_]{20,}+")
NAMED = re.compile(rf"(?:{_PASSWORDS}|{_SECRETS})s?(?P<gap>[^\n<>]{{1,40}})\Z")
OTHER = re.compile(r"\b(?:commit|sha\d*|hash|digest|md5|checksum|uuid|id|revision|branch|count|limit)\b|://|[/-]\Z")

CUT = re.compile(r"[&;]\w{1,30}=|(?<=[!-~])[\u3000-\u9fff\uff00-\uffef]")  # the next parameter; Japanese after a value
LAST = re.compile(r"[ \t.,;:!?)\]}]*(?:\n|\Z)|(?:です|だ|。|で、)")
REST_OF_LINE = re.compile(r"[^\"'`\n「」『』“”]*+")
REST_OF_RUN = re.compile(r"[^\s\"'`<>「」『』“”]*+")

# What a value looks like.
MIN_PASSWORD, MIN_WORD, MIN_SECRET = 4, 5, 8  # shorter values are words, counts or slips
HEX_BITS = 3.0  # hexadecimal digits carry 4 bits at most, and 3.6 at 32 digits
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
SENTENCE = re.compile(r"\b(?:a|an|and|are|at|be|by|can|for|from|has|in|is|it|not|of|on|or|that|the|to|was|will|with)\b")
DEMAND = re.compile(  # what a form says about a password
    r"\b(?:characters?|chars|confirm|digits?|enter|field|forgot|input|least|letters?|max|min|minimum|more|must|new|repeat|"
    r"required|reset|should|than|type|use|you|your)\b"
)
JAPANESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")
HEX = re.compile(r"(?i)(?:0x)?[0-9a-f]+")
UUID = re.compile(rf"(?i){_UUID}")


def named_secrets(view: TextView) -> Iterator[Span]:
    """The values that a word such as password, token or PIN stands in front of."""
    text, small = view.text, view.small
    passwords = PASSWORD_HINTS if small.isascii() else PASSWORD_HINTS + FOREIGN_HINTS
    for place in windows(small, passwords, LABEL, LOOK_AHEAD):
        yield from _values(text, small, PASSWORD, *place)
    for place in view.near(SECRET_HINTS, LOOK_AHEAD):
        yield from _values(text, small, SECRET, *place)
    for place in view.near((*passwords, *SECRET_HINTS), LOOK_BACK) if view.has_long_word else ():
        yield from _strays(text, small, *place)


def _values(text: str, small: str, words: re.Pattern[str], position: int, stop: int) -> Iterator[Span]:
    """The secrets right behind the words. A word inside a value that was found already is skipped."""
    while match := words.search(small, position, stop):
        secret = _judged(text, match)
        position = secret.end if secret else match.end()
        if secret:
            yield secret


def _judged(text: str, match: re.Match[str]) -> Span | None:
    """The value behind a word, if it is a secret."""
    name, joint, spoken = match.lastgroup or "", match["assigned"], match["spoken"]  # the value is the last group
    password, quoted = match.re is PASSWORD, "quoted" in name
    foreign = password and match["foreign"] is not None
    short, to = password and match["short"] is not None, spoken is not None and spoken.rstrip().endswith(" to")
    if (short and joint is None and (to or (spoken is None and not _is_signed(match)))) or (
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
        no_word=foreign,
        quoted=quoted,
        tight=joint == "=",
        last=LAST.match(text, start + len(value)) is not None,
    )
    if not is_secret(value, setting) or (not password and match["word"] == "key" and not is_random(value)):
        return None
    if len(value) < MAX_VALUE:
        end = start + len(value)
    elif rest := (REST_OF_LINE if quoted else REST_OF_RUN).match(text, end):
        end = rest.end()
    return Span("password" if password else _kind(match["word"]), start, end)


def _is_signed(match: re.Match[str]) -> bool:
    """Whether "pw" stands right before a value with signs in it."""
    value = match[match.lastgroup or 0].rstrip(".,;:?)")
    return match["short"] == "pw" and not value.isalnum() and CODE.fullmatch(value) is None


def _is_opened(text: str, word: int) -> bool:
    """Whether the word stands in an opening tag, as in <password>."""
    tag = text.rfind("<", max(0, word - LOOK_BACK), word)
    return tag >= 0 and not text.startswith("</", tag)


def _kind(word: str) -> str:
    if "token" in word or "トークン" in word:
        return "token"
    return "api-key" if "key" in word or "キー" in word else "secret"


def _strays(text: str, small: str, position: int, stop: int) -> Iterator[Span]:
    """Random strings a few words behind such a word: "our API key for staging, …"."""
    for match in RUN.finditer(small, position, stop):
        start, end = match.span()
        run = text[start : min(end, start + MAX_VALUE)]
        if is_random(run):
            named = NAMED.search(small[max(0, start - LOOK_BACK) : start])
            digits = MIN_DIGITS if named and len(named["gap"]) > 2 else 1
            if named and not OTHER.search(named["gap"]) and sum(map(str.isdigit, run)) >= digits:
                yield Span("token", start, end)


class Setting(NamedTuple):
    """The context of a value: its label, how they are joined, quotes, and whether the line ends after it."""

    password: bool  # else a secret, token or key
    how: Literal["assigned", "spoken", "beside"]
    strict: bool  # the label is ambiguous, so the value must mix digits and letters
    no_word: bool  # the label is not English, so a word without quotes says something about the password
    quoted: bool
    tight: bool  # key=value
    last: bool  # nothing follows on its line


def is_secret(value: str, setting: Setting) -> bool:
    """Whether a value is a secret in this context."""
    bare = value.rstrip("!?.")
    if len(value) < MIN_PASSWORD or (JAPANESE.match(value) and not setting.quoted):
        return False
    if STAND_IN.fullmatch(value) or STAND_IN.fullmatch(bare) or ALGORITHM.fullmatch(bare):
        return False
    if is_random(value) or (not setting.password and UUID.fullmatch(value)):
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
        return _is_passphrase(value, setting)
    if setting.no_word and not setting.quoted and WORD.fullmatch(bare):
        return False
    if STATE.fullmatch(bare):
        return False
    if not WORD.fullmatch(bare) or bare.count("-") + bare.count("'") > 1:
        return True  # digits or signs in it, or many words joined
    if setting.quoted:
        return True
    return len(value) >= MIN_WORD and (setting.tight or setting.last) and bare.isalpha()


def _is_passphrase(value: str, setting: Setting) -> bool:
    words, small = value.split(), value.lower()
    if not 2 <= len(words) <= 8 or (DEMAND.search(small) and not setting.tight):
        return False
    plain = all(word.isalpha() and word.islower() for word in words)
    return len(words) >= 3 and not SENTENCE.search(small) if plain else any(map(str.isdigit, value))


def _is_token(value: str, setting: Setting) -> bool:
    if " " in value:
        return setting.quoted and is_mixed(value) and _is_passphrase(value, setting)
    if not is_mixed(value):
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
    return (both_cases or len(value) >= 32) and _bits(value) >= (HEX_BITS if HEX.fullmatch(value) else RANDOM_BITS)


def _bits(value: str) -> float:
    """Shannon's entropy of its characters, −Σ p·log₂ p."""
    counts = Counter(value).values()
    return -math.fsum(n / len(value) * math.log2(n / len(value)) for n in counts)

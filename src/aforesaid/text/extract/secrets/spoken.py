"""Passwords that a sentence gives away without a label before them: "log in as admin with …", "… is the password"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from aforesaid.text.extract.secrets.labelled import ALGORITHM, CODE, STAND_IN, is_mixed, is_random
from aforesaid.text.extract.spans import Span, TextView

NEAR = 240  # characters around a word such as "password" in which a pattern of the table fits
MIN_SPOKEN = 5  # characters of a password that nothing but its form gives away

_V = r"[\"'`“„«]?([^\s\"'`“”„»<>()\[\]]{5,100})"  # the value
_NAME = r"[\w.@+-]{2,64}"  # of a user
_PASSWORD = (
    r"(?:password|passphrase|passcode|passwort|kennwort|pw|pwd|pin|mot de passe|contraseña|senha|wachtwoord|пароль)"
)
_KEY = r"(?:api[ -]?key|token|secret(?:[ -]key)?|access[ -]?key|key)"
_WHOSE = r"(?:the|my|your|our|his|her|their|its|a|mein|dein|das|mon|ton|le)"
_LOGIN = r"(?:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?in|login|connect(?:ed)?|ssh(?:ed)?(?: in)?)"
_ACCOUNT = (
    r"(?:credentials?|creds|logins?|zugangsdaten|anmeldedaten|identifiants|credenciales|credenciais|credenziali|"
    r"basic auth|ログイン情報|账号|帳號|логин)"
)


def is_strong(value: str) -> bool:
    """Whether a value looks like a password by itself: letters with digits or signs, and no name, path or number."""
    bare = value.rstrip(".,;:!?)")
    if (
        VERSIONED.fullmatch(bare)
        or len(bare) < MIN_SPOKEN
        or STAND_IN.fullmatch(bare)
        or CODE.fullmatch(bare)
        or ALGORITHM.fullmatch(bare)
    ):
        return False
    return is_random(bare) or (is_mixed(bare) and NAME_WITH_NUMBER.fullmatch(bare) is None)


NAME_WITH_NUMBER = re.compile(
    r"\d+(?:[.,:/-]\d+)*[a-z]{0,3}|[A-Z]{2,6}-?\d{1,6}|v?\d+(?:\.\d+)+\w*"
)  # 300ms, PROJ-12, 1.2.3

VERSIONED = re.compile(r"[\w./-]+@v?\d[\w.]*")  # actions/checkout@v4
PASSWORDS = ("passw", "passp", "passc", "kennwort", " pw", "pwd", " pin", "contraseña", "senha", "пароль", "mot de p")
Judge = Callable[[str], bool]
TABLE: tuple[tuple[tuple[str, ...], re.Pattern[str], Judge], ...] = tuple(
    (hints, re.compile(pattern), judge)
    for hints, pattern, judge in (
        (
            (
                "login",
                "log in",
                "log on",
                "logged in",
                "sign in",
                "signed in",
                "log-in",
                "sign-in",
                "connect as",
                "connect with",
                "ssh ",
            ),
            rf"(?<![a-z]){_LOGIN}\s(?:[a-z]{{2,12}}\s){{0,3}}?(?:as|with|using|to \S{{1,40}} (?:as|with))\s"
            rf"(?:user(?:name)?\s)?{_NAME}\s?(?:,|/|:|\sand|\swith|\susing)\s?(?:(?:the\s)?{_PASSWORD}\s)?{_V}",
            is_strong,
        ),
        (
            (
                "credential",
                "creds",
                "login",
                "daten",
                "identifiants",
                "creden",
                "basic auth",
                "ログイン",
                "账号",
                "帳號",
                "логин",
            ),
            rf"(?<![a-z]){_ACCOUNT}(?:\s(?:for|to|of)\s[a-z0-9 ._-]{{1,30}}?)?\s?"
            rf"(?:is|are|was|were|sind|sont|son|:|：)\s{{0,2}}{_NAME}\s?[/:|]\s?{_V}",
            is_strong,
        ),
        (
            (" pass ", " pass:", " pass=", " pw", "p/w"),
            rf"(?<![a-z])(?:user(?:name)?|login|account|e?-?mail|wi-?fi|wlan|ssid)\s?[:=]?\s{_NAME}\s?[,/;|]?\s?(?:and\s)?"
            rf"(?:pass|pw|pwd|p/w)\s?[:=]?\s{_V}",
            is_strong,
        ),
        (
            PASSWORDS,
            rf"(?<![a-z])(?:use|used|using|try|tried|enter|typed?|set|put|nimm|verwende|utilise)\s{_V}[\"'`“”]?\s(?:as|als|comme|como)\s"
            rf"(?:{_WHOSE}\s)?(?:[a-z-]{{2,12}}\s){{0,2}}{_PASSWORD}(?![a-z])",
            is_strong,
        ),
        (
            PASSWORDS,
            rf"(?<![^\s\"'`(]){_V}[\"'`“”]?\s(?:is|was|ist|est|es)\s{_WHOSE}\s(?:[a-z-]{{2,12}}\s){{0,3}}{_PASSWORD}(?![a-z])",
            is_strong,
        ),
        (
            ("key", "token", "secret "),
            rf"(?<![^\s\"'`(]){_V}[\"'`“”]?\s(?:is|was)\s{_WHOSE}\s(?:[a-z-]{{2,12}}\s){{0,3}}{_KEY}(?![a-z])",
            is_random,
        ),
        (
            ("credentials", "logins", "login"),
            rf"(?<![^\s\"'`(]){_NAME}\s?[/:]\s?{_V}\s(?:is|are|was|were)\s{_WHOSE}\s(?:[a-z-]{{2,12}}\s){{0,2}}(?:credentials|logins?)",
            is_strong,
        ),
        (
            ("unlock", "decrypt"),
            rf"(?<![a-z])(?:unlocks?|unlocked|decrypts?|decrypted)\s(?:[a-z]{{2,12}}\s){{0,3}}?with\s(?:(?:the\s)?{_PASSWORD}\s)?{_V}",
            is_strong,
        ),
        (
            ("key to", "key for", "key of", "combination"),
            rf"(?<![a-z])(?:key|combination)\s(?:to|for|of)\s(?:[a-z0-9-]{{1,20}}\s){{1,4}}?(?:is|was)\s{_V}",
            is_strong,
        ),
        (
            PASSWORDS,
            rf"(?<![a-z]){_PASSWORD}(?:\s[a-z]{{2,12}}){{0,3}}\s?[?.!,]\s(?:(?:and|but|now|then)\s){{0,2}}it(?:['’]s|\sis)\s(?:now\s)?{_V}",
            is_strong,
        ),
        (
            PASSWORDS,
            rf"(?<![a-z]){_PASSWORD}\swas\s\S{{4,100}}\s(?:(?:and|but)\s)?(?:now\sit(?:['’]s|\sis)|it(?:['’]s|\sis)\snow|is\snow)\s{_V}",
            is_strong,
        ),
    )
)


def spoken_secrets(view: TextView) -> Iterator[Span]:
    """The passwords that sentences give away."""
    if not view.digit:
        return  # every value here has one
    for hints, pattern, judge in TABLE:
        for place in view.near(hints, NEAR):
            for match in pattern.finditer(view.small, *place):
                start, end = match.span(1)
                value = view.text[start:end].rstrip(".,;:")
                if judge(value):
                    yield Span("password" if judge is is_strong else "token", start, start + len(value))

"""Passwords in commands: behind the flag that the program gives them, in SQL, in a pipe to a login."""

from __future__ import annotations

import re

from aforesaid.text.extract.secrets.labelled import CODE, NAMED_FOR, STAND_IN
from aforesaid.text.extract.spans import SpanRow, Table, TextView

_VALUE = r"(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|([^\s\"'|;&<>()]{1,200}))"
_ARGS = r"[^\n|;&]{0,200}?"  # what stands between a program and the flag
_USER = r"[\w.@\\-]{1,64}"
_QUOTE = r"[\"']?"

MIN_GIVEN = 3  # characters of a password in a command
FLAG = re.compile(r"--?[a-z][\w-]*")  # the value was left out


def _is_given(_: TextView, match: re.Match[str]) -> bool:
    """Whether a value is given, and not a variable, a placeholder or the next flag."""
    value = match[match.lastindex or 0].strip()
    if len(value) < MIN_GIVEN or STAND_IN.fullmatch(value) or FLAG.fullmatch(value):
        return False
    return not NAMED_FOR.fullmatch(value)


def _is_literal(view: TextView, match: re.Match[str]) -> bool:
    """The same where the value may also be an expression of a program."""
    return _is_given(view, match) and not CODE.fullmatch(match[match.lastindex or 0])


def _row(hints: str, pattern: str, *, literal: bool = False) -> SpanRow:
    filled = pattern.replace("VALUE", _VALUE).replace("ARGS", _ARGS).replace("USER", _USER).replace("QUOTE", _QUOTE)
    accept = _is_literal if literal else _is_given
    return SpanRow("password", re.compile(filled), accept, tuple(hints.split(",")), group=None)


FLAGS: Table = (
    _row("mysql,mariadb", r"(?:mysql|mariadb)[a-z-]{0,8}\sARGS(?<=\s)-p(?=\S)VALUE"),
    _row(
        "login",
        r"\b(?:\w{2,10})\b[^\n|;&]{0,40}?\blogin\sARGS(?<=\s)-p[ =]?VALUE",
    ),
    _row("mongo,twine,cqlsh,influx", r"(?:mongo|twine|cqlsh|influx)[a-z]{0,8}\sARGS(?<=\s)-p[ =]?VALUE"),
    _row("sshpass", r"sshpass\s+-p[ =]?VALUE"),
    _row("sqlcmd,bcp ,zip ", r"\b(?:sqlcmd|bcp|zip|unzip)\sARGS(?<=\s)-P[ =]?VALUE"),
    _row("7z,rar ", r"\b(?:7z[az]?|rar|unrar)\sARGS(?<=\s)-p(?=\S)VALUE"),
    _row("redis-cli", r"redis-cli\sARGS(?<=\s)-a[ =]VALUE"),
    _row("ldap", r"ldap[a-z]{3,8}\sARGS(?<=\s)-w[ =]?VALUE"),
    _row("snmp", r"snmp[a-z]{2,12}\sARGS(?<=\s)-A\s?VALUE"),
    _row("snmp", r"snmp[a-z]{2,12}\sARGS(?<=\s)-X\s?VALUE"),
    _row("smbclient,rpcclient", r"(?:smb|rpc)client\sARGS(?<=\s)-U\s?QUOTEUSER%VALUE"),
    _row("freerdp,rdesktop,mstsc", r"(?:freerdp|rdesktop|mstsc)\sARGS(?<=\s)/p:VALUE"),
    _row("net use", r"net useARGS\s/user:USER\s+VALUE"),
    _row("htpasswd", r"htpasswd\s+-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s+\S{1,100}\s+USER\s+VALUE"),
    _row("ssh-keygen", r"ssh-keygen\sARGS(?<=\s)-[NP]\s+VALUE"),
    _row("openssl", r"openssl\sARGS\bpass:VALUE"),
    _row("keytool", r"-(?:store|key|src|dest)(?:store)?pass\s+VALUE"),
    _row(
        "curl,wget,http ,xh ",
        r"\b(?:curl|wget|http|xh)\sARGS(?<=\s)(?:-[uaU]|--user|--auth|--proxy-user)[ =]\"USER:([^\"\n]{1,100})\"",
    ),
    _row(
        "curl,wget,http ,xh ",
        r"\b(?:curl|wget|http|xh)\sARGS(?<=\s)(?:-[uaU]|--user|--auth|--proxy-user)[ =]'USER:([^'\n]{1,100})'",
    ),
    _row(
        "curl,wget,http ,xh ",
        r"\b(?:curl|wget|http|xh)\sARGS(?<=\s)(?:-[uaU]|--user|--auth|--proxy-user)[ =]USER:([^\s\"']{1,100})",
    ),
    _row(
        "--",
        r"\s--(?:[a-z]{1,20}-){0,2}(?:password|passwd|passphrase|pass|token|secret|api-?key)[ =]VALUE",
        literal=True,
    ),
)

COMMANDS: Table = (
    _row("wpa_passphrase", r"wpa_passphrase\s+\S{1,64}\s+VALUE"),
    _row("echo ", r"\becho\s+(?:-n\s+)?VALUE\s{0,2}\|[^\n|]{0,60}?(?:sudo\s+-S|--(?:password-stdin|with-token|stdin))"),
    _row("chpasswd", r"\becho\s+(?:-[ne]\s+)?QUOTEUSER:([^\s\"'|]{1,100})QUOTE\s{0,2}\|\s{0,2}(?:sudo\s+)?chpasswd"),
    _row("--password-command", r"--password-command[ =]QUOTE(?:echo|printf)\s([^\s\"']{3,100})"),
    _row(
        "dentified,DENTIFIED",
        r"(?i:identified)\s+(?i:with\s+\w+\s+)?(?i:by)\s+(?i:password\s+)?[\"']([^\"'\n]{1,100})[\"']",
    ),
    _row(
        "assword,ASSWORD",
        r"(?i:\b(?:alter|create|set)\s+(?:user|role|login|password)\b[^\n;]{0,100}?\bpassword)\s{0,2}=?\s{0,2}\(?'([^'\n]{1,100})'",
    ),
    _row("ecure,ECURE", r"(?i:convertto-securestring)\s+(?i:-string\s+)?VALUE"),
    _row("send ", r"(?i:password)\b[^\n]{0,20}?\bsend\s+(?:--\s+)?\"([^\"\\\n]{1,100})\\[rn]"),
    _row("ENV ,ARG ", r"(?:ENV|ARG)\s+\w{0,40}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|API_KEY)\w{0,20}[ =]VALUE"),
    _row(
        "auth=(,auth = (", r"\bauth\s?=\s?\(\s{0,2}[\"'][^\"'\n]{1,64}[\"']\s{0,2},\s{0,2}[\"']([^\"'\n]{1,100})[\"']"
    ),
)

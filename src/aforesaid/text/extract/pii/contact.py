"""Mail addresses and IP addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from aforesaid.text.extract.spans import SpanFinder, SpanRow, Table, TextView
from aforesaid.text.patterns import word_list, words

MAX_LOCAL = 64  # characters in front of the @ (RFC 5321)
MAX_DOMAIN = 250

_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-'"
LOCAL = _LOCAL + "".join(chr(code) for code in range(0xC0, 0x250) if code not in (0xD7, 0xF7))
# Any two letters are taken as a country. Longer ends are listed: `x@self.weight` is a product of matrices.
ENDS = word_list("mail domains")
ASCII_DOMAIN = re.compile(
    rf"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?\.){{1,8}}(?i:{words(ENDS)}|[a-z]{{2}}|xn--[a-z0-9-]{{2,59}})"
    r"(?![A-Za-z0-9(\[]|-[A-Za-z0-9]|\.[A-Za-z0-9])"
)
ANY_DOMAIN = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?:[A-Za-z]{2,12}|[а-яё]{2,10}|[α-ω]{2,10}|みんな|中国|中國|公司|香港"
    r"|台灣|台湾|한국)"
    r"(?![A-Za-z0-9(\[]|\.[A-Za-z0-9])"
)
NO_DOMAIN = re.compile(r"v?[0-9]+(?:\.[0-9x*]|x\.)|.*\.(?:py|ts|js|mT|mH)\Z(?<!com.py)")
NOBODY = ("git", "hg", "svn")  # shared accounts of code forges
# A login on a machine, a part of a url, an id of a message: not a mailbox.
NO_MAILBOX = re.compile(
    r"://[^\s@/]{0,60}\Z|\b(?:ssh|scp|sftp|rsync|mosh|autossh|ssh-copy-id)(?: -\S{1,20}(?: [\w./~-]{1,20})?){0,3} \Z"
    r"|(?:message-id|in-reply-to|references|content-id): ?<?\Z|cid:\Z"
)
PATH = re.compile(r":(?:[~/.]|[\w-]{1,40}/)")  # scp bob@host:/var
_SPELT_AT = r"(?: ?[\[({<] ?(?:at|@) ?[\])}>] ?)"
_SPELT_DOT = r"(?: ?[\[({<] ?(?:dot|\.) ?[\])}>] ?|\.| dot )"
SPELT = re.compile(
    rf"[a-z0-9](?<![a-z0-9_.+-][a-z0-9])[a-z0-9_+-]{{0,40}}+(?:{_SPELT_DOT}[a-z0-9_+-]{{1,40}}+){{0,3}}{_SPELT_AT}"
    rf"[a-z0-9-]{{1,60}}+(?:{_SPELT_DOT}[a-z0-9-]{{1,60}}+){{0,3}}?{_SPELT_DOT}(?:{words(ENDS)}|[a-z]{{2}})(?![a-z0-9])"
)
SPOKEN = re.compile(
    r"[a-z0-9](?<![a-z0-9_.+-][a-z0-9])[a-z0-9_+-]{0,40}+(?: dot [a-z0-9_+-]{1,40}+){0,2} at "
    rf"[a-z0-9-]{{1,60}}+(?: dot [a-z0-9-]{{1,60}}+){{0,2}}? dot (?:{words(ENDS)}|[a-z]{{2}})(?![a-z0-9])"
)
SPOKEN_FOR = re.compile(r"(?:mail|contact|reach|write|address)\b[^\n]{0,25}\Z")
NO_LOCAL = ("me", "us", "him", "her", "them", "you", "it", "look", "find", "is", "are", "visit", "hosted")

IPV4 = re.compile(
    r"[0-9](?<![A-Za-z0-9_.][0-9])[0-9]{0,2}(?:\.[0-9]{1,3}){3}"
    r"(?![A-Za-z0-9_]|\.[0-9]|-[A-Za-z0-9])"
)
VERSIONED = re.compile(
    r"[a-z0-9_.][-^~]\Z|[<>=!~]=\Z|[a-z]/\Z|(?:(?<![a-z])v|ver|version|versions|release|released|build|upgraded? to"
    r"|bumped? to|section|sections|clause|chapter"
    r"|figure|table|§|firmware|revision|rev|oid|バージョン|第|節|patch|netmask|subnet mask|mask|version=|assembly)"
    r"[\"'`:.=]{0,2}\s{0,2}[\"'`v]{0,2}\Z"
)
ADDRESSED = re.compile(
    r"(?:\bip|host|server|client|address|ping|ssh|from|://|@|dns|router|gateway|アドレス)[^\n]{0,15}\Z"
)
RESOLVERS = {"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "169.254.169.254", "208.67.222.222"}  # public
SMALL_OCTET = 25  # addresses that begin below this, except 10, are often versions or headings
PORT = re.compile(r":[0-9]{2,5}(?![0-9.])| - - \[")
IPV6 = re.compile(
    r"[0-9A-Fa-f](?<![\w:.%-][0-9A-Fa-f])[0-9A-Fa-f]{0,3}:(?:[0-9A-Fa-f]{0,4}:){1,6}(?:[0-9A-Fa-f]{1,4})?(?![\w:]"
    r"|\.[0-9])"
)
IPV6_START = re.compile(r"(?i)[23][0-9a-f]{3}:|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:")


def emails(view: TextView) -> Iterator[tuple[int, int]]:
    """Mail addresses: plain, encoded in URLs, or spelt out ("bob at example dot com")."""
    text = view.text
    for sign in ("@", "%40"):
        at = text.find(sign)
        while at >= 0:
            if found := _mailbox(view, at, at + len(sign)):
                yield found
            at = text.find(sign, at + 1)
    if "at" in view.small and ("dot" in view.small or "at]" in view.small or "at)" in view.small):
        yield from (match.span() for match in SPELT.finditer(view.small))
        for match in SPOKEN.finditer(view.small):
            local = match[0].split(" at ")[0]
            if local not in NO_LOCAL and SPOKEN_FOR.search(view.before(match.start())):
                yield match.span()


def _mailbox(view: TextView, at: int, domain_start: int) -> tuple[int, int] | None:
    text = view.text
    if not text[at - 1 : at].strip() or not text[domain_start : domain_start + 1].isalnum():
        return None
    stop = domain_start + MAX_DOMAIN
    domain = ASCII_DOMAIN.match(text, domain_start, stop)
    if domain is None and not text.isascii():
        domain = ANY_DOMAIN.match(text, domain_start, stop)
    if domain is None or NO_DOMAIN.match(domain[0]) or (domain.re is ANY_DOMAIN and domain[0].isascii()):
        return None
    head = text[max(0, at - MAX_LOCAL) : at]
    local = head[len(head.rstrip(LOCAL)) :].lstrip(".'-")
    start = at - len(local)
    if not local or local.endswith(".") or ".." in local or local.lower() in NOBODY:
        return None
    if text[start - 1 : start] in ("@", "/", "\\") or text[domain.end() : domain.end() + 1] == "@":
        return None
    if PATH.match(text, domain.end()) or NO_MAILBOX.search(view.before(start)):
        return None
    return start, domain.end()


def _is_machine(view: TextView, match: re.Match[str]) -> bool:
    """Public and private addresses; not loopback, masks, networks or the resolvers that everybody uses."""
    octets = [int(part) for part in match[0].split(".")]
    if max(octets) > 255 or octets[0] in (0, 127) or octets[0] >= 224 or match[0] in RESOLVERS:
        return False
    if any(part != "0" and part.startswith("0") for part in match[0].split(".")):
        return False
    before, network = view.before(match.start()), view.text.startswith("/", match.end()) and octets[-1] == 0
    if network or VERSIONED.search(before):
        return False
    sure = octets[0] == 10 or octets[0] >= SMALL_OCTET
    return sure or ADDRESSED.search(before) is not None or PORT.match(view.text, match.end()) is not None


def _is_ipv6(view: TextView, match: re.Match[str]) -> bool:
    found, groups = match[0], match[0].split(":")
    if "::" not in found and (len(groups) != 8 or all(len(group) == 2 for group in groups)):
        return False
    if "::" in found and not IPV6_START.match(found):
        return False
    if found.endswith("::") and view.text.startswith("/", match.end()):  # a network
        return False
    try:
        IPv6Address(found)
    except AddressValueError:
        return False
    return any(char.isdigit() for char in found)


CONTACTS: Table = (
    SpanFinder("email", emails),
    SpanRow("ip", IPV4, _is_machine, needs="digit"),
    SpanRow("ip", IPV6, _is_ipv6, (":",), "digit"),
)

"""How a text looks to a reader: in plain lower-case letters, and with its escapes decoded, round after round."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html.entities import html5
from typing import NamedTuple

from aforesaid.context.hidden import UNSEEN

ROUNDS = 4  # of decoding; nobody unescapes a text more often
_LOOKALIKE = str.maketrans(
    "асеһіјкмнорѕтухвԁԛԝαεηικνορτυχɑɡıʀᴇᴄᴀʟᴅʜɪꜱᴛᴏʏᴜɴᴍᴘ˂ᐸ❮❬⟨〈⧼›˃ᐳ❯❭⟩〉⧽‐‒–—−⁃⁄∕⧸╱∣❘ǀ│¦▁“”„‘’【】꞉ː˸׃⏎"
    "гӏүҫɾꭇⲅᎡᎬᏟᎪᏞᎠᎻᎥᏚᎢᎾᎩⲥⲟⲓⲁⲉօհꓣꓰꓚꓮꓡꓓꓧꓲꓢꓔꓳꓬ",
    'acehijkmhopstyxbdqwaenikvoptuxagirecaldhistoyunmp<<<<<<<>>>>>>>>------////|||||_"""\'\'[]::::\n'
    "rlycrrrrecaldhistoycoiaeohrecaldhistoy",
)
_AMP = r"(?:(?:amp|#0*+38|#x0*+26);?)"
_ESCAPE = re.compile(
    rf"&{_AMP}*+(?:#0*+(?P<decimal>\d{{1,7}})|#x0*+(?P<html>[0-9a-f]{{1,6}})|(?P<name>[a-z]{{2,31}}));?"
    r"|\\u(?:0000)?(?P<wide>[0-9a-f]{4})|\\u\{0*+(?P<braced>[0-9a-f]{1,6})\}|\\x(?P<byte>[0-9a-f]{2})"
    r"|\\(?P<octal>[0-3]?[0-7]{2})|%(?P<url>[0-9a-f]{2})"
    r"|\\(?P<sign>[^\w\s\\])"  # JSON's \/, and the backslashes of Markdown and shells
)
_NAMES = {name.rstrip(";").lower(): sign for name, sign in sorted(html5.items(), key=lambda row: row[1].isascii())}
_BASES = {"decimal": 10, "octal": 8}
_ESCAPING = ("&", "\\", "%")


class Skeleton(NamedTuple):
    """What a reader sees, and for each of its characters the position in the text."""

    seen: str
    origin: Sequence[int]


def skeletons(text: str) -> Iterator[Skeleton]:
    """The text as a reader sees it, then the same with its escapes decoded once, twice, … while there are any."""
    found = _plain(text)
    yield found
    for _ in range(ROUNDS):
        if not any(sign in found.seen for sign in _ESCAPING):
            return
        decoded = _decoded(found)
        if decoded.seen == found.seen:
            return
        found = decoded
        yield found


def _plain(text: str) -> Skeleton:
    if text.isascii():
        return Skeleton(text.lower(), range(len(text)))
    looks = {char: _look(char) for char in set(text)}
    pieces = [looks[char] for char in text]
    return Skeleton("".join(pieces), [place for place, piece in enumerate(pieces) for _ in piece])


def _decoded(found: Skeleton) -> Skeleton:
    seen, origin = found
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for match in _ESCAPE.finditer(seen):
        decoded = "".join(_look(char) for char in _meaning(match))
        parts += [seen[done : match.start()], decoded]
        places += [*origin[done : match.start()], *[origin[match.start()]] * len(decoded)]
        done = match.end()
    return Skeleton("".join([*parts, seen[done:]]), [*places, *origin[done:]])


def _meaning(match: re.Match[str]) -> str:
    """The characters that an escape stands for."""
    kind = match.lastgroup or ""
    value = match[kind]
    if kind == "sign":
        return value
    if kind == "name":
        return _NAMES.get(value) or html.unescape(f"&{value}")
    number = int(value, _BASES.get(kind, 16))
    return chr(number) if number < 0x110000 else ""


@lru_cache(maxsize=4096)
def _look(char: str) -> str:
    """The lower-case letters that a character looks like; "" for combining marks and invisible characters."""
    if char < "\x80":
        return char.lower()
    match = UNSEEN.fullmatch(char)
    if unicodedata.category(char) in ("Mn", "Me") or (match and not match["kept"]):
        return ""
    base = "".join(part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part))
    plain = base if base.isascii() else unicodedata.normalize("NFKC", char)[:1]  # a few expand to a sentence
    return plain.casefold().translate(_LOOKALIKE)

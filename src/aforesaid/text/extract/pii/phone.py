"""Telephone numbers, recognised by their grouping, or by a word such as "phone" in front of plain digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.pii.folded import JOINT
from aforesaid.text.extract.spans import SpanFinder, Table, TextView

MIN_DIGITS, MAX_DIGITS = 7, 15  # of a number behind a word (E.164 has fifteen at most)
MIN_RUN = 10  # digits of an international number that is not grouped

_S = r"[-. ()/]{0,3}"
_H = "[-ー]"  # the long vowel sign is often typed for a hyphen in Japanese
_END = r"(?![A-Za-z0-9_%]|[-.,/:@ー][0-9])"
_EXTENSION = r"(?:,? ?(?:ext\.?|x|extension|内線) ?[0-9]{1,6})?"


def _more(least: int, most: int | None = None) -> str:
    return rf"(?:{_S}[0-9]){{{least},{most or least}}}"


_COUNTRY = "7|20|27|3[0126]|4[013-79]|5[1-8]|6[02-6]|8[246]|9[0-58]"  # calling codes; those not here are below by name
_FAR_COUNTRY = "21[1-38]|2[2-69][0-9]|3[578][0-9]|42[013]|5[09][0-9]|6[7-9][0-9]|8[0578][0-9]|9[679][0-9]"
START = re.compile(
    r"[+(0-9](?<![A-Za-z0-9_+][+(0-9])(?=(?:[-. ()/ー]{0,3}[0-9]){6})"
    r"(?<![A-Za-z0-9][-.][+(0-9])(?<![0-9][/:,ー][+(0-9])(?<![$€£¥][+(0-9])"
)
SHAPE = re.compile(
    r"(?:"
    rf"\+ ?(?:1{_S}[2-9]{_more(9)}|81{_S}(?:\(?0\)?{_S})?[1-9]{_more(8, 9)}|44{_S}(?:\(0\){_S})?[1-9]{_more(8, 9)}"
    rf"|(?:33|34|48|61){_S}(?:\(0\){_S})?[1-9]{_more(8)}|39{_S}[0-9]{_more(7, 10)}"
    rf"|(?:{_COUNTRY}){_S}(?:\(0\){_S})?[0-9]{_more(6, 11)}|(?:{_FAR_COUNTRY}){_S}[0-9]{_more(3, 10)})"
    r"|(?P<america>(?:1[-. ])?(?!\(?[2-7]00)(?:\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[-. ][0-9]{4}"
    r"|\([2-9][0-9]{2}\) ?[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}\.[0-9]{3}\.[0-9]{4}))"
    r"|(?P<apart>(?![2-7]00)[2-9][0-9]{2} [2-9][0-9]{2}[ -][0-9]{4})"
    rf"|(?P<japan>0[1-9][0-9]{{0,3}}{_H}[0-9]{{1,4}}{_H}[0-9]{{3,4}}|\(0[1-9][0-9]{{0,3}}\) ?[0-9]{{1,4}}{_H}[0-9]{{4}}"
    rf"|0[1-9][0-9]{{0,3}} ?\([0-9]{{1,4}}\) ?[0-9]{{4}})"
    r"|0[5789]0[ .][0-9]{4}[ .][0-9]{4}|0120[ .][0-9]{3}[ .][0-9]{3}|0120[ -][0-9]{2}[ -][0-9]{4}"
    r"|\(?020\)?[ -][378][0-9]{3}[ -]?[0-9]{4}|\(?01[0-9]1\)?[ -][0-9]{3}[ -][0-9]{4}|\(?01[0-9]{3}\)?[ -][0-9]{6}"
    r"|07[0-9]{3}[ -](?:[0-9]{6}|[0-9]{3}[ -][0-9]{3})|0[38]00[ -][0-9]{3}[ -][0-9]{4}"
    r"|0[1-9](?: [0-9]{2}){4}|0[1-9](?:\.[0-9]{2}){4}|0[1-9](?:-[0-9]{2}){4}"  # France
    r"|04[0-9]{2} [0-9]{3} [0-9]{3}|\(0[2378]\) ?[0-9]{4} [0-9]{4}"  # Australia
    r"|1[3-9][0-9](?P<gap>[- ])[0-9]{4}(?P=gap)[0-9]{4}"  # China
    r"|\([1-9][0-9]\) ?9[0-9]{4}-[0-9]{4}"  # Brazil
    rf"){_END}{_EXTENSION}"
)
PLAIN = re.compile(rf"\+?\(?[0-9](?:[-. ()/ー]{{0,2}}[0-9]){{{MIN_DIGITS - 1},{MAX_DIGITS - 1}}}{_END}{_EXTENSION}")
_TO = (
    r"(?<![a-z]call)(?<![a-z]dial)(?<![a-z]text)(?<![a-z]ring)(?<![a-z]reach)"
    r"(?: (?:me|us|him|her|them|back|mom|dad|now|[a-z]{1,12}(?= at| on))){0,2}(?: (?:at|on))?"
)
NAMED = re.compile(  # every word begins with a letter of its own: the engine skips to those
    r"(?:phone(?<!iphone)(?<!smartphone)(?<!microphone)(?<!headphone)(?: (?:me|us|him|her|them) (?:at|on))?|ph"
    r"(?<![a-z]ph)|tel(?:efono?|éfono|éphone)?(?<![a-z]tel)|téléphone|mob(?:ile)?(?<![a-z]mob)|cell"
    r"|fax|whatsapp|handy|móvil|portable|landline|hotline|sms|電話|携帯|連絡先|ファックス|☎|℡|📞|📱"
    rf"|call{_TO}|dial{_TO}|text{_TO}|ring{_TO}|reach{_TO}"
    r"|my (?:new |work |home |cell )?(?:number|digits)|his number|her number|our number|their number)"
    r"(?:[ _-]?(?:number|no|num|nr|contact|#|home|work|office|番号|電話)\.?){0,2}\.?" + JOINT
)
COUNTED = re.compile(
    r" ?(?:times|users|people|calls|rows|items|bytes|ms|seconds|records|units|円|回|人|件|個|台|yen|dollars)"
)
OTHER = re.compile(  # labels of numbers that are not phone numbers
    r"(?:order|invoice|ticket|case|ref|reference|tracking|\bid|ids|serial|sku|part|model|isbn|issn|account|acct"
    r"|range|pages"
    r"|lines?|rows?|port|ports|version|receipt|batch|lot|score|between|doi|patent|ssn|card|注文|伝票|追跡|品番|型番"
    r"|番号札|注文番号|受付番号)"
    r"(?: ?(?:number|no|num|#|code|番号)\.?)?[\"'`:=#は ]{0,3}\Z|#\Z"
)
DATED = re.compile(r"\+?(?:19|20)[0-9]{2}[-./ ][01]?[0-9][-./ ][0-3]?[0-9](?![0-9])")


def phones(view: TextView) -> Iterator[tuple[int, int]]:
    """Telephone numbers of many countries, and plain digits behind a word for a telephone."""
    if not view.number:
        return
    text, position = view.text, 0
    while start := START.search(text, position):
        at, position = start.start(), start.end()
        found = SHAPE.match(text, at)
        if found is None or not _is_phone(view, found):
            found = PLAIN.match(text, at)
            if found is None or not _is_named(view, found):
                continue
        yield found.span()
        position = found.end()


def _is_phone(view: TextView, found: re.Match[str]) -> bool:
    digits = sum(map(str.isdigit, found[0]))
    if DATED.match(found[0]):
        return False
    if found[0].startswith("+"):
        one_point = re.fullmatch(r"\+[0-9]{1,3}\.[0-9]{1,7}", found[0])
        return not one_point and (digits >= MIN_RUN or not found[0][1:].isdigit())
    if found["japan"] and not _is_japanese(found["japan"]):
        return False
    if found["apart"] and _has_neighbours(view.text, found):
        return False
    return OTHER.search(view.before(found.start())) is None


def _is_japanese(found: str) -> bool:
    """Ten digits; eleven for mobile and toll-free numbers."""
    digits = "".join(filter(str.isdigit, found))
    if len(digits) == 11:
        return digits[:4] == "0800" or (digits[2] == "0" and digits[1] in "1235789")  # 010 is Korea's
    return len(digits) == 10


def _has_neighbours(text: str, found: re.Match[str]) -> bool:
    """Whether more numbers stand to the left or right, as in a table."""
    left, right = text[max(0, found.start() - 2) : found.start()], text[found.end() : found.end() + 2]
    return any(map(str.isdigit, left)) or any(map(str.isdigit, right))


def _is_named(view: TextView, found: re.Match[str]) -> bool:
    if any(map(str.isdigit, view.text[max(0, found.start() - 2) : found.start()])):  # within a row of numbers
        return False
    if COUNTED.match(view.small, found.end()) or DATED.match(found[0]):
        return False
    return NAMED.search(view.before(found.start())) is not None


PHONES: Table = (SpanFinder("phone", phones),)

"""Where people live: streets as English, German, French, Spanish and Japanese write them, and postal codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.pii.folded import JOINT, named_by
from aforesaid.text.extract.spans import SpanFinder, SpanRow, Table, TextView, holds
from aforesaid.text.patterns import word_list, words

_STRONG = "Street St Avenue Ave Road Rd Boulevard Blvd Lane Ln Parkway Pkwy Turnpike"
_WEAK = word_list("weak streets")  # also drives on a disk, parks to visit and ways to do things
_STATES = word_list("states")
_COUNTRIES = r"USA|U\.S\.A\.|US|UK|U\.K\.|United Kingdom|United States|England|Scotland|Wales|Ireland|Canada|Australia"
_AREAS = word_list("british areas")  # the letters that British postcodes begin with
_BRITISH = rf"(?:{words(_AREAS)})[0-9][0-9A-HJKMNPR-Y]? [0-9][ABD-HJLNP-UW-Z]{{2}}"
_CANADIAN = r"[ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]"
_ZIP = r"[0-9]{5}(?:-[0-9]{4})?"
_CODE = rf"(?:{_ZIP}|{_BRITISH}|{_CANADIAN}|[0-9]{{4}})(?![A-Za-z0-9])"

_KINDS = tuple(f" {kind}" for kind in (_STRONG + " " + _WEAK).split())
_SMALL_KINDS = (" street", " road", " avenue", " ave", " lane", " drive", " blvd", " boulevard", " rd")
_NAME = r"(?:[A-Z][A-Za-z'.-]{0,20}+|[0-9]{1,3}(?:st|nd|rd|th)|of|the|de|la)"
_CITY = r"[A-Z][A-Za-z'.-]{1,20}(?: [A-Z][A-Za-z'.-]{1,20}){0,2}"
_NEXT = r"(?:,[ ]?\n?|\n|, \n)"
_UNIT = (
    r"(?:,? ?(?:(?:Apt|Apartment|Suite|Ste|Unit|Floor|Fl|Room|Rm|Flat)\.? ?#?[0-9A-Z]{1,5}|#[0-9]{1,5}[A-Z]?)"
    r"(?![A-Za-z0-9]))"
)
_TAIL = (
    rf"(?P<tail>(?: {_CITY})?(?:{_NEXT}{_CITY}){{0,3}}(?:,? ?\n?(?:{words(_STATES)})(?![A-Za-z]))?(?:,? "
    rf"|{_NEXT}){_CODE}(?:(?:,? |\n)(?:{_COUNTRIES})(?![A-Za-z]))?"
    rf"|(?:{_NEXT}{_CITY}){{1,3}}(?:, ?| |\n)(?:{words(_STATES)}|{_COUNTRIES})(?![A-Za-z])"
    rf"|(?P<town>(?:, {_CITY}){{1,2}})(?=[.!?;)\"']|\s{{0,3}}(?:\n|\Z)))?"
)
_HOUSE = r"[0-9](?<![A-Za-z0-9_.,$€£¥#/][0-9])(?<![A-Za-z0-9]-[0-9])[0-9]{0,4}(?:-[0-9]{1,4})?[A-Za-z]?"
_STREET = (
    rf"{_HOUSE} (?:{_NAME} ){{1,4}}?(?:(?P<strong>{words(_STRONG)})|(?P<weak>{words(_WEAK)}))(?![A-Za-z])\.?"
    rf"(?: (?:NW|NE|SW|SE|N|S|E|W|North|South|East|West)(?![A-Za-z]))?(?P<unit>{_UNIT})?{_TAIL}"
)
STREET = re.compile(_STREET)
ANY_CASE = re.compile(_STREET, re.IGNORECASE)
FLAT = re.compile(r"(?:flat|apt\.?|apartment|unit|suite) #?[0-9a-z]{1,5},? \Z")
AT_HOME = re.compile(
    r"(?:\b(?:lives?|living|lived|resid(?:es?|ing)|located|stay(?:s|ing)?|moved|moving|relocated|ship(?:ped)?"
    r"|sen[dt]|deliver(?:ed)?|mail"
    r"|office(?: is)?|headquarters|house(?: is)?|home(?: is)?|based)(?: it| them| us| me| you)? (?:at|to|on)"
    r"|address(?:es)?(?: line)?(?: ?[0-9])?|addr|street|住所)" + JOINT
)
GOES_ON = re.compile(r"[ -][a-z]")  # "20 Wall Street analysts"
WENT_ON = re.compile(r" [A-Z][a-z]")  # "7 Day Street Food Festival"
AFTER = re.compile(
    r" (?:in|at|on|and|or|near|is|was|for|by|with|from|to|until|before|after|next|where|but|between|has|as|if)\b"
)
YEAR = re.compile("(?:19|20)[0-9]{2} ")  # "in 2019 Abbey Road was …"
BOX = re.compile(rf"P\.? ?O\.? Box [0-9]{{1,6}}{_TAIL}")
_LATIN = "A-Za-zÀ-ÖØ-öø-ÿ"
GERMAN = re.compile(
    rf"[A-ZÄÖÜ](?<![{_LATIN}].)[{_LATIN}-]{{1,25}}(?:straße|strasse|str\.|weg|platz|allee|gasse|damm"
    rf"|ufer) [0-9]{{1,4}} ?[a-z]?(?![{_LATIN}0-9])"
    rf"(?:, ?(?:D-)?[0-9]{{4,5}} [A-ZÄÖÜ][{_LATIN}-]{{1,25}}(?: am [A-Z][a-z]{{2,12}})?)?"
)
ROMANCE = re.compile(
    rf"[0-9](?<![\w.,-][0-9])[0-9]{{0,3}}(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|place|chemin|impasse|allée|quai"
    rf"|cours) "
    rf"(?:[{_LATIN}'-]{{1,20}} ){{0,4}}?[A-ZÀ-Ö][{_LATIN}'-]{{1,20}}(?:"
    rf"(?: [A-ZÀ-Ö][{_LATIN}'-]{{1,20}})?, ?[0-9]{{5}} [A-ZÀ-Ö][{_LATIN}-]{{1,25}})?"
    rf"|\b(?:Calle|Avenida|Via|Viale|Rua|Carrer|Plaza|Piazza|Corso)(?: [{_LATIN}'.-]{{1,20}}){{1,4}},? [0-9]{{1,4}}"
    rf"(?![0-9A-Za-z.])(?:, ?[0-9]{{5}} [A-ZÀ-Ö][{_LATIN}-]{{1,25}})?"
)
_ROMANCE_HINTS = (
    *(" rue ", " avenue ", " boulevard ", " place ", " chemin ", " impasse ", " allée ", " quai ", " cours "),
    *("Calle ", "Avenida ", "Via ", "Viale ", "Rua ", "Carrer ", "Plaza ", "Piazza ", "Corso "),
)
_GERMAN_HINTS = ("straße ", "strasse ", "str. ", "weg ", "platz ", "allee ", "gasse ", "damm ", "ufer ")

JAPANESE_CODE = re.compile(r"〒 ?[0-9]{3}[-ー]?[0-9]{4}(?![0-9])")
INWARD = re.compile(r" [0-9](?!GB|TB|PB|EB)[ABD-HJLNP-UW-Z]{2}(?![A-Za-z0-9_])")  # the second half of a British code
OUTWARD = re.compile(rf"(?<![A-Za-z0-9_-])(?:{words(_AREAS)})[0-9][0-9A-HJKMNPR-Y]?\Z")
STATE_CODE = re.compile(rf", (?:{words(_STATES)}),? ({_ZIP}|{_CANADIAN})(?![A-Za-z0-9_.-])")
NAMED_CODE = re.compile(
    rf"(?i:[0-9]{{3}}[-ー][0-9]{{4}}|[0-9]{{7}}|{_ZIP}|{_CANADIAN}|"
    rf"(?:{words(_AREAS)})[0-9][0-9A-Z]? ?[0-9][A-Z]{{2}}|[0-9]{{4}})(?![A-Za-z0-9_])"
)
CODE_NAME = re.compile(
    r"(?:zip(?<![a-z]zip) ?(?:code)?|post(?:al)?[ _-]?code|plz|郵便番号)[\"'`]{0,2} ?(?:[:=はが]|is"
    r"|was)? ?[\"'`]{0,2}(?=[0-9a-z])"
)


MAX_CODE = 12  # characters of a postal code and the space behind it
MAX_NAME = 40  # characters from the prefecture to the first number

_PREFECTURES = (
    "北海道|東京都|大阪府|京都府|(?:青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|神奈川|新潟|富山|石川"
    "|福井|山梨|長野|岐阜|静岡"
    "|愛知|三重|滋賀|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎"
    "|鹿児島|沖縄)県"
)
_SIGN = "一-龥々〆ヶぁ-んァ-ンー"
JAPANESE_NUMBER = re.compile(  # a number behind a name, that goes on with at least one more sign of an address
    rf"(?P<number>[0-9](?<=[{_SIGN} ].)[0-9]{{0,3}}"
    r"(?:(?:丁目|番地の?|番|号|条[東西南北]?|[-ーの]) ?[0-9]{0,4}){1,6})"
    r"(?<![の条])(?![0-9年月日時分秒円%]|-[A-Za-z])"
    rf"(?P<house> ?[{_SIGN}A-Za-z・]{{2,20}}? ?[0-9]{{1,4}}(?:号室?|階|F(?![a-z])))?"
)
JAPANESE_NAMES = re.compile(rf"(?: ?[{_SIGN}])++")  # read from the number backwards
PREFECTURE = re.compile(rf"(?:{_PREFECTURES}) ?[{_SIGN}]{{1,8}}?[市区町村郡]")
TOWN = re.compile(r"[一-龥々ヶ][一-龥々ヶー]{0,5}?[市区郡](?![場分画民長役内別立外間域])")
PLAIN_NUMBER = re.compile(r"[0-9]+[-ーの][0-9]+(?:号|番)?")
CODE_BEFORE = re.compile(r"〒? ?[0-9]{3}[-ー]?[0-9]{4}[ \n]{0,2}\Z")
NOT_TOWN = re.compile(r"地区|学区|選挙区|区域|行政区|工区|都市\Z|管区|鉱区")


def _streets(view: TextView) -> Iterator[tuple[int, int]]:
    """Streets with a house number, with the flat before and the town and postal code behind them."""
    if not view.digit:
        return
    found = (
        [match for match in STREET.finditer(view.text) if _is_address(view, match)] if holds(view.text, _KINDS) else []
    )
    if holds(view.small, _SMALL_KINDS):
        found += [match for match in ANY_CASE.finditer(view.text) if match["strong"] and named_by(AT_HOME)(view, match)]
    for match in found:
        flat = FLAT.search(view.before(match.start()))
        yield match.start() - len(flat[0] if flat else ""), match.start() + len(match[0].rstrip("."))


def _is_address(view: TextView, match: re.Match[str]) -> bool:
    if match["unit"] or (match["tail"] and (match["strong"] or not match["town"])):
        return True
    if match["weak"] or YEAR.match(match[0]) or WENT_ON.match(view.text, match.end()):
        return named_by(AT_HOME)(view, match)
    return not GOES_ON.match(view.text, match.end()) or AFTER.match(view.text, match.end()) is not None


def _british_codes(view: TextView) -> Iterator[tuple[int, int]]:
    for inward in INWARD.finditer(view.text) if view.digit else ():
        if outward := OUTWARD.search(view.text[max(0, inward.start() - 5) : inward.start()]):
            yield inward.start() - len(outward[0]), inward.end()


def _named_codes(view: TextView) -> Iterator[tuple[int, int]]:
    if view.digit and holds(view.small, ("zip", "post", "plz", "郵便")):
        for name in CODE_NAME.finditer(view.small):
            if code := NAMED_CODE.match(view.text, name.end()):
                yield code.span()


def _japanese_addresses(view: TextView) -> Iterator[tuple[int, int]]:
    """Addresses down to the house; without a prefecture only where town and number leave no doubt."""
    text = view.text
    for match in JAPANESE_NUMBER.finditer(text) if view.digit and not text.isascii() else ():
        before = text[max(0, match.start() - MAX_NAME) : match.start()]
        names = JAPANESE_NAMES.match(before[::-1])
        into = names and _start(names[0][::-1], match["number"])
        if names and into is not None:
            start = match.start() - len(names[0]) + into
            code = CODE_BEFORE.search(text[max(0, start - MAX_CODE) : start])
            yield start - len(code[0]) if code else start, match.start() + len(match[0].rstrip())


def _start(names: str, number: str) -> int | None:
    """Where in the names the address begins."""
    if prefecture := PREFECTURE.search(names):
        return prefecture.start()
    town = TOWN.search(names)
    if town is None or NOT_TOWN.search(town[0]) or PLAIN_NUMBER.fullmatch(number):
        return None
    return town.start()


PLACES: Table = (
    SpanFinder("address", _streets),
    SpanRow("address", BOX, hints=("Box",), needs="digit"),
    SpanRow("address", GERMAN, hints=_GERMAN_HINTS, needs="digit"),
    SpanRow("address", ROMANCE, hints=_ROMANCE_HINTS, needs="digit"),
    SpanFinder("address", _japanese_addresses),
    SpanRow("postal-code", JAPANESE_CODE, hints=("〒",), needs="digit"),
    SpanFinder("postal-code", _british_codes),
    SpanRow("postal-code", STATE_CODE, hints=(", ",), needs="digit", group=1),
    SpanFinder("postal-code", _named_codes),
)

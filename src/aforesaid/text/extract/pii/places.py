"""Where people live: streets as English, German, French and Spanish write them, and postal codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.pii.folded import JOINT, FoldedText, words
from aforesaid.text.extract.pii.places_japanese import japanese_addresses

_STRONG = "Street St Avenue Ave Road Rd Boulevard Blvd Lane Ln Parkway Pkwy Turnpike"
_WEAK = (  # also drives on a disk, parks to visit and ways to do things
    "Drive Dr Court Ct Place Pl Square Sq Terrace Ter Way Circle Cir Close Crescent Cres Mews Gardens Grove Row Hill "
    "Walk Park Quay Alley Trail Plaza Loop Highway Hwy View Rise Green Wharf Path Broadway Heights"
)
_STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR "
    "PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR ON QC BC AB MB SK NS NB NL PE NSW VIC QLD TAS ACT"
)
_COUNTRIES = r"USA|U\.S\.A\.|US|UK|U\.K\.|United Kingdom|United States|England|Scotland|Wales|Ireland|Canada|Australia"
_AREAS = (  # the letters that British postcodes begin with
    "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY "
    "G GL GU HA HD HG HP HR HS HU HX IG IP IV KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL "
    "OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD "
    "WF WN WR WS WV YO ZE JE GY IM"
)
_BRITISH = rf"(?:{words(_AREAS)})[0-9][0-9A-HJKMNPR-Y]? [0-9][ABD-HJLNP-UW-Z]{{2}}"
_CANADIAN = r"[ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]"
_ZIP = r"[0-9]{5}(?:-[0-9]{4})?"
_CODE = rf"(?:{_ZIP}|{_BRITISH}|{_CANADIAN}|[0-9]{{4}})(?![A-Za-z0-9])"

_KINDS = tuple(f" {kind}" for kind in (_STRONG + " " + _WEAK).split())
_SAID = (" street", " road", " avenue", " ave", " lane", " drive", " blvd", " boulevard", " rd")  # in small letters too
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
    *("calle ", "avenida ", "via ", "viale ", "rua ", "carrer ", "plaza ", "piazza ", "corso "),
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


def addresses(reading: FoldedText) -> Iterator[tuple[int, int]]:
    """Streets with a house number, with the town and postal code that follow; boxes at the post; Japanese addresses."""
    if not reading.digit:
        return
    text, small = reading.text, reading.small
    for match in STREET.finditer(text) if any(kind in text for kind in _KINDS) else ():
        if _is_address(reading, match):
            yield _with_flat(reading, match.start()), match.start() + len(match[0].rstrip("."))
    if any(kind in small for kind in _SAID):
        for match in ANY_CASE.finditer(text):
            if match["strong"] and AT_HOME.search(reading.before(match.start())):
                yield _with_flat(reading, match.start()), match.start() + len(match[0].rstrip("."))
    if "Box" in text:
        yield from (match.span() for match in BOX.finditer(text))
    if any(hint in small for hint in _GERMAN_HINTS):
        yield from (match.span() for match in GERMAN.finditer(text))
    if any(hint in small for hint in _ROMANCE_HINTS):
        yield from (match.span() for match in ROMANCE.finditer(text))
    if not text.isascii():
        yield from japanese_addresses(text)


def _is_address(reading: FoldedText, match: re.Match[str]) -> bool:
    if match["unit"] or (match["tail"] and (match["strong"] or not match["town"])):
        return True
    if match["weak"] or YEAR.match(match[0]) or WENT_ON.match(reading.text, match.end()):
        return AT_HOME.search(reading.before(match.start())) is not None
    goes_on = GOES_ON.match(reading.text, match.end())
    return not goes_on or AFTER.match(reading.text, match.end()) is not None


def _with_flat(reading: FoldedText, start: int) -> int:
    flat = FLAT.search(reading.before(start))
    return start - len(flat[0]) if flat else start


def postal_codes(reading: FoldedText) -> Iterator[tuple[int, int]]:
    """Postal codes that show by their form (〒, British), by the state before them or by the word for them."""
    if not reading.digit:
        return
    text = reading.text
    if "〒" in text:
        yield from (match.span() for match in JAPANESE_CODE.finditer(text))
    for inward in INWARD.finditer(text):
        if outward := OUTWARD.search(text[max(0, inward.start() - 5) : inward.start()]):
            yield inward.start() - len(outward[0]), inward.end()
    if ", " in text:
        yield from (match.span(1) for match in STATE_CODE.finditer(text))
    if any(word in reading.small for word in ("zip", "post", "plz", "郵便")):
        for name in CODE_NAME.finditer(reading.small):
            if code := NAMED_CODE.match(text, name.end()):
                yield code.span()

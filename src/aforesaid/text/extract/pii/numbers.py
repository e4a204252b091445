"""Card, account and identity numbers, recognised by check digits or by the word in front."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.pii.folded import JOINT, named_by
from aforesaid.text.extract.spans import SpanFinder, SpanRow, Table, TextView
from aforesaid.text.patterns import listed

CARD = re.compile(
    r"[2-6](?<![A-Za-z0-9_.][2-6])(?<![A-Za-z0-9]-[2-6])"
    r"(?:[0-9]{3}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|[0-9]{3}([ -])[0-9]{6}\2[0-9]{4,5}|[0-9]{12,18})"
    r"(?![A-Za-z0-9_]|[-.][0-9A-Za-z])"
)
CARD_STARTS = (  # issuer, first digits from and to, lengths
    ("visa", 4, 4, (13, 16, 19)),
    ("mastercard", 51, 55, (16,)),
    ("mastercard", 2221, 2720, (16,)),
    ("american express", 34, 34, (15,)),
    ("american express", 37, 37, (15,)),
    ("diners club", 300, 305, (14,)),
    ("diners club", 36, 36, (14,)),
    ("diners club", 38, 39, (14,)),
    ("jcb", 3528, 3589, (16,)),
    ("discover", 6011, 6011, (16,)),
    ("discover", 644, 659, (16,)),
    ("unionpay", 62, 62, (16, 17, 18, 19)),
)
CARD_NAMED = re.compile(r"(?:card|visa|mastercard|amex|american express|jcb|diners|カード|クレカ)[^\n]{0,25}\Z")
CARD_OTHER = re.compile(
    r"(?:\bid|ids|order|tracking|track|ref|reference|imei|serial|invoice|snowflake|timestamp|ean|gtin|upc|sku"
    r"|ticket|nonce"
    r"|message|tweet|status|user|account|伝票|追跡|注文)[a-z_]{0,8}(?: ?(?:number|no|num|#"
    r"|番号)\.?)?[\"'`:=#は/ ]{0,4}\Z"
)
ALONE = (15, 16)  # lengths accepted without a label; numbers of other lengths are mostly ids and times

IBAN = re.compile(r"[A-Z](?<![A-Za-z0-9_][A-Z])[A-Z][0-9]{2}(?=[ -]?[A-Z0-9])")
IBAN_LENGTHS = {item[:2]: int(item[2:]) for item in listed("iban lengths")}

SSN = re.compile(
    r"[0-8](?<![A-Za-z0-9_.$][0-8])(?<![A-Za-z0-9]-[0-8])[0-9]{2}([- ]?)[0-9]{2}\1[0-9]{4}(?![A-Za-z0-9_]"
    r"|[-.][0-9A-Za-z])"
)
SSN_NAMED = re.compile(
    r"(?:(?<![a-z])ssn|social security|social insurance|(?<![a-z])soc)(?:[ _-]?(?:number|no|num|#))?\.?" + JOINT
)
SSN_OTHER = re.compile(
    r"(?:part|order|sku|model|catalog|item|ref|reference|ticket|case|serial|invoice|doc|document|cas|phone|tel|lot"
    r"|batch)"
    r"(?: ?(?:number|no|num|#|registry)\.?)?[\"'`:=# ]{0,3}\Z"
)
NINO = re.compile(r"[a-z](?<![a-z0-9_].)[a-z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d](?![a-z0-9])")
NINO_NAMED = re.compile(r"(?:national insurance|(?<![a-z])nino|(?<![a-z])ni)(?:[ _-]?(?:number|no|num|#))?\.?" + JOINT)

MY_NUMBER = re.compile(
    r"[0-9](?<![A-Za-z0-9_.-][0-9])[0-9]{3}([- ]?)[0-9]{4}\1[0-9]{4}(?![A-Za-z0-9_]|[-.][0-9A-Za-z])"
)
MY_NUMBER_NAMED = re.compile(
    r"(?:マイナンバー|個人番号|(?<![a-z])my ?number(?! is)|individual number)(?:カード)?(?:の?番号)?(?: \(.{1,12}\))?"
    + JOINT
)

PASSPORT = re.compile(r"[a-z0-9](?<![a-z0-9_-][a-z0-9])[a-z0-9]{6,8}(?![a-z0-9_]|[-.][0-9])")
PASSPORT_DIGITS = 5  # the fewest digits in a passport number
PASSPORT_NAMED = re.compile(
    r"(?:passport|パスポート|旅券|reisepass|passeport|pasaporte)(?:[ _-]?(?:number|no|num|nr|id|#|番号|の番号))?\.?"
    + JOINT
)


def _is_card(view: TextView, match: re.Match[str]) -> bool:
    """An issuer's first digits and length, and Luhn's check digit."""
    digits = re.sub("[ -]", "", match[0])
    if not has_issuer(digits) or not passes_luhn(digits):
        return False
    before, usual = view.before(match.start()), len(digits) in ALONE or len(digits) < len(match[0])
    return CARD_NAMED.search(before) is not None or (usual and not CARD_OTHER.search(before))


def has_issuer(digits: str) -> bool:
    """Whether an issuer has cards with these first digits and this length."""
    return any(
        low <= int(digits[: len(str(low))]) <= high and len(digits) in lengths for _, low, high, lengths in CARD_STARTS
    )


def passes_luhn(digits: str) -> bool:
    """Σ of the digits, every second from the right doubled and its digits added, is a multiple of ten."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def ibans(view: TextView) -> Iterator[tuple[int, int]]:
    """International bank accounts: the length of the country, and the mod-97 check."""
    for match in IBAN.finditer(view.text) if view.number else ():
        length = IBAN_LENGTHS.get(match[0][:2])
        end = length and _walked(view.text, match.start(), length)
        if end and passes_mod97(re.sub("[ -]", "", view.text[match.start() : end])):
            yield match.start(), end


def _walked(text: str, start: int, length: int) -> int | None:
    """Where `length` letters and digits end, with single spaces and hyphens between them; None if they do not."""
    position, left = start, length
    while left and position < len(text):
        char = text[position]
        if char.isascii() and (char.isdigit() or char.isupper()):
            left -= 1
        elif char not in " -" or text[position - 1] in " -":
            return None
        position += 1
    follows = text[position : position + 1]
    return None if left or (follows.isascii() and follows.isalnum()) else position


def passes_mod97(account: str) -> bool:
    """The account with its first four characters moved to the end, letters as 10…35, leaves 1 when divided by 97."""
    return int("".join(str(int(char, 36)) for char in account[4:] + account[:4])) % 97 == 1


def _is_ssn(view: TextView, match: re.Match[str]) -> bool:
    """An American number that could have been given out; bare digits only behind the word for it."""
    digits, before = re.sub("[ -]", "", match[0]), view.before(match.start())
    if digits[:3] in ("000", "666") or digits[3:5] == "00" or digits[5:] == "0000":
        return False
    return SSN_NAMED.search(before) is not None or (match[1] == "-" and not SSN_OTHER.search(before))


def _is_my_number(view: TextView, match: re.Match[str]) -> bool:
    """Only after its label: parcels and cloud accounts have twelve digits too."""
    return is_my_number(re.sub("[ -]", "", match[0])) and named_by(MY_NUMBER_NAMED)(view, match)


def is_my_number(digits: str) -> bool:
    """The twelfth digit is 11 − (Σ Pₙ·Qₙ mod 11), or 0 if that is 10 or 11; Q runs 2…7, 2…6 from the right."""
    weights = (2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6)
    total = sum(int(digit) * weight for digit, weight in zip(reversed(digits[:11]), weights, strict=True))
    return int(digits[11]) == (11 - total % 11 if total % 11 > 1 else 0)


def _is_passport(view: TextView, match: re.Match[str]) -> bool:
    return sum(map(str.isdigit, match[0])) >= PASSPORT_DIGITS and named_by(PASSPORT_NAMED)(view, match)


_PASSPORT_WORDS = ("passport", "パスポート", "旅券", "reisepass", "passeport", "pasaporte")
ACCOUNTS: Table = (
    SpanFinder("iban", ibans),
    SpanRow("card", CARD, _is_card, needs="number"),
    SpanRow("my-number", MY_NUMBER, _is_my_number, ("ナンバー", "番号", "umber"), "number"),
    SpanRow("ssn", SSN, _is_ssn, needs="number"),
    SpanRow("ssn", NINO, named_by(NINO_NAMED), ("insurance", "ni"), "digit", small=True),
)
PASSPORTS: Table = (SpanRow("passport", PASSPORT, _is_passport, _PASSPORT_WORDS, "digit", small=True),)

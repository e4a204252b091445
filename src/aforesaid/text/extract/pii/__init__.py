"""Personal data in text: found without a model, and replaced by its kind (SPEC 9).

A kind stands in for the value and no digest does: there are few enough telephone numbers to try them all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from aforesaid.errors import InputError
from aforesaid.text.extract.pii.contact import emails, ip_addresses
from aforesaid.text.extract.pii.folded import BLOT, FoldedText, Pii, read
from aforesaid.text.extract.pii.numbers import cards, ibans, my_numbers, passports, social_security_numbers
from aforesaid.text.extract.pii.people import birth_dates, names
from aforesaid.text.extract.pii.phone import phones
from aforesaid.text.extract.pii.places import addresses, postal_codes
from aforesaid.text.extract.secrets import Redacted

__all__ = ["DETECTORS", "Pii", "Redacted", "find_pii", "redact_pii"]

PASSES = 4  # what touched a value may stand free once that is redacted; such rows are seldom longer
GLUE = ".'-+_"  # signs that join the parts of a mail address or a number

Finder = Callable[[FoldedText], Iterator[tuple[int, int]]]

# Where finds overlap they become one, of the kind that stands first: a check digit is surer than a grouping.
FINDERS: dict[str, Finder] = {
    "iban": ibans,
    "card": cards,
    "my-number": my_numbers,
    "ssn": social_security_numbers,
    "email": emails,
    "ip": ip_addresses,
    "date-of-birth": birth_dates,
    "passport": passports,
    "phone": phones,
    "address": addresses,
    "postal-code": postal_codes,
    "name": names,
}
DETECTORS: tuple[str, ...] = (
    *("email", "phone", "card", "iban", "ssn", "my-number"),
    *("address", "postal-code", "name", "ip", "passport", "date-of-birth"),
)


def find_pii(text: str, kinds: Collection[str] | None = None) -> tuple[Pii, ...]:
    """The personal data of a text in order, none overlapping; a redaction is not found again, nor what touches one."""
    reading = read(text)
    return tuple(pii for pii in _found(reading, kinds) if not _touches_redaction(reading.text, pii))


def redact_pii(text: str, kinds: Collection[str] | None = None) -> Redacted:
    """The text with each piece of personal data as `[pii:<kind>]`; a second time changes nothing."""
    gone: list[str] = []
    found: Collection[Pii] = find_pii(text, kinds)
    for _ in range(PASSES):
        if not found:
            break
        gone += [pii.kind for pii in found]
        text = _replaced(text, found)
        found = _found(read(text), kinds)
    return Redacted(text, tuple(gone))


def _found(reading: FoldedText, kinds: Collection[str] | None) -> list[Pii]:
    asked = FINDERS if kinds is None else _chosen(kinds)
    found = [Pii(kind, *span) for kind, finder in asked.items() for span in finder(reading)]
    return _joined(found) if found else found


def _touches_redaction(text: str, pii: Pii) -> bool:
    """Whether it shows only because its neighbour is gone: were it taken, a long row would go a few at a time."""
    before, after = text[max(0, pii.start - 4) : pii.start], text[pii.end : pii.end + 4]
    return before.rstrip(GLUE).endswith(BLOT) or after.lstrip(GLUE).startswith(BLOT)


def _chosen(kinds: Collection[str]) -> dict[str, Finder]:
    for kind in kinds:
        if kind not in FINDERS:
            raise InputError(f"There is no kind of personal data {kind!r}.", f"Choose from {', '.join(DETECTORS)}.")
    return {kind: finder for kind, finder in FINDERS.items() if kind in kinds}


def _replaced(text: str, found: Iterable[Pii]) -> str:
    parts, position = [], 0
    for pii in found:
        parts += [text[position : pii.start], f"[pii:{pii.kind}]"]
        position = pii.end
    return "".join([*parts, text[position:]])


def _joined(found: list[Pii]) -> list[Pii]:
    """Overlapping finds as one, named after the surest rule that found it."""
    joined: list[tuple[int, Pii]] = []
    for rank, pii in sorted(enumerate(found), key=lambda item: item[1].start):
        if joined and pii.start < joined[-1][1].end:
            earlier_rank, earlier = joined.pop()
            kind = earlier.kind if earlier_rank < rank else pii.kind
            pii = Pii(kind, earlier.start, max(earlier.end, pii.end))
            rank = min(rank, earlier_rank)
        joined.append((rank, pii))
    return [pii for _, pii in joined]

"""Personal data in text: found without a model, and replaced by its kind (SPEC 9).

A kind stands in for the value and no digest does: there are few enough telephone numbers to try them all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from aforesaid.errors import InputError
from aforesaid.text.extract.pii.contact import emails, ip_addresses
from aforesaid.text.extract.pii.folded import BLOT, FoldedText, read
from aforesaid.text.extract.pii.numbers import cards, ibans, my_numbers, passports, social_security_numbers
from aforesaid.text.extract.pii.people import birth_dates, names
from aforesaid.text.extract.pii.phone import phones
from aforesaid.text.extract.pii.places import addresses, postal_codes
from aforesaid.text.extract.spans import Redacted, Span, merged, redact

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


def find_pii(text: str, kinds: Collection[str] | None = None) -> list[Span]:
    """The personal data of a text in order, without overlaps; neither redactions nor what touches one."""
    folded = read(text)
    return [span for span in _found(folded, kinds) if not _touches_redaction(folded.text, span)]


def redact_pii(text: str, kinds: Collection[str] | None = None) -> Redacted:
    """The text with each piece of personal data as `[pii:<kind>]`; a second time changes nothing."""
    first = find_pii(text, kinds)
    return redact(text, lambda rest: _found(read(rest), kinds), lambda kind, _: f"[pii:{kind}]", first)


def _found(folded: FoldedText, kinds: Collection[str] | None) -> list[Span]:
    asked = FINDERS if kinds is None else _chosen(kinds)
    return merged(Span(kind, *span) for kind, finder in asked.items() for span in finder(folded))


def _touches_redaction(text: str, span: Span) -> bool:
    """Whether it shows only because its neighbour is gone: were it taken, a long row would go a few at a time."""
    before, after = text[max(0, span.start - 4) : span.start], text[span.end : span.end + 4]
    return before.rstrip(GLUE).endswith(BLOT) or after.lstrip(GLUE).startswith(BLOT)


def _chosen(kinds: Collection[str]) -> dict[str, Finder]:
    for kind in kinds:
        if kind not in FINDERS:
            raise InputError(f"There is no kind of personal data {kind!r}.", f"Choose from {', '.join(DETECTORS)}.")
    return {kind: finder for kind, finder in FINDERS.items() if kind in kinds}

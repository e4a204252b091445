"""Finds personal data in text without a model and replaces it by its kind (spec 9).

Redactions hold no digest of the value: there are so few telephone numbers that one could try them all.
"""

from __future__ import annotations

from collections.abc import Collection

from aforesaid.errors import InputError
from aforesaid.text.extract.pii.contact import CONTACTS
from aforesaid.text.extract.pii.folded import BLOT, read
from aforesaid.text.extract.pii.numbers import ACCOUNTS, PASSPORTS
from aforesaid.text.extract.pii.people import BIRTHS, NAMES
from aforesaid.text.extract.pii.phone import PHONES
from aforesaid.text.extract.pii.places import PLACES
from aforesaid.text.extract.spans import Redacted, Span, Table, TextView, find_spans, merged, redact

GLUE = ".'-+_"  # signs that join the parts of a mail address or a number

# Where finds overlap they become one, of the kind that comes first: a check digit is surer than a grouping.
TABLE: Table = (*ACCOUNTS, *CONTACTS, *BIRTHS, *PASSPORTS, *PHONES, *PLACES, *NAMES)
DETECTORS: tuple[str, ...] = (
    *("email", "phone", "card", "iban", "ssn", "my-number"),
    *("address", "postal-code", "name", "ip", "passport", "date-of-birth"),
)


def find_pii(text: str, kinds: Collection[str] | None = None) -> list[Span]:
    """The personal data of a text in order, without overlaps. Redactions and their neighbours are skipped."""
    view = read(text)
    return [span for span in _found(view, kinds) if not _touches_redaction(view.text, span)]


def redact_pii(text: str, kinds: Collection[str] | None = None) -> Redacted:
    """The text with each piece of personal data as `[pii:<kind>]`; a second time changes nothing."""
    first = find_pii(text, kinds)
    return redact(text, lambda rest: _found(read(rest), kinds), lambda kind, _: f"[pii:{kind}]", first)


def _found(view: TextView, kinds: Collection[str] | None) -> list[Span]:
    for kind in kinds or ():
        if kind not in DETECTORS:
            raise InputError(f"There is no kind of personal data {kind!r}.", f"Choose from {', '.join(DETECTORS)}.")
    return merged(find_spans([row for row in TABLE if kinds is None or row.kind in kinds], view))


def _touches_redaction(text: str, span: Span) -> bool:
    """Whether a match touches a redaction. Then it is the rest of a longer value, and we leave it."""
    before, after = text[max(0, span.start - 4) : span.start], text[span.end : span.end + 4]
    return before.rstrip(GLUE).endswith(BLOT) or after.lstrip(GLUE).startswith(BLOT)

"""The seam between the engine and the readers of text.

A reader is a function of a text: it returns what it found and has no other effect. The engine calls readers only
through `Readers`, so each one can be replaced by another function, or switched off in the settings (`readers.*`).
Secrets cannot be switched off.

A reader that raises never fails an ingest. The failure is logged with the reader's name and the type of the exception,
never with the text, and counted by `failures()`. Then:

- a message is stored without that reading;
- a redactor (secrets, personal data) fails closed: the whole text is withheld, because nobody checked it.

With `AFORESAID_STRICT_READERS=1` in the environment the exception is raised instead. The tests run like that.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from aforesaid.errors import AforesaidError
from aforesaid.settings.rows import ReaderRows
from aforesaid.text.extract.spans import LONG_WORD, Redacted
from aforesaid.types.vocabulary import MAX_ID_CHARS

if TYPE_CHECKING:
    from aforesaid.text.extract.dates import DateReading
    from aforesaid.text.extract.signals import Signals
    from aforesaid.text.extract.statements import Statement

STRICT = "AFORESAID_STRICT_READERS"
MOST_CLEAN = 8192  # texts that are remembered to be without secrets
UNCHECKED = "unchecked"  # the kind of a redaction of the whole text, after the redactor failed
WITHHELD = Redacted("[withheld: could not be checked]", (UNCHECKED,))

T = TypeVar("T")
U = TypeVar("U")
log = logging.getLogger(__name__)
_counter: ContextVar[Counter[str] | None] = ContextVar("reader_failures", default=None)


def guarded(name: str, read: Callable[[], T], otherwise: U) -> T | U:
    """Calls `read`. Returns `otherwise` if it raises, except for our own errors, such as an unknown kind."""
    try:
        return read()
    except AforesaidError:
        raise
    except Exception as error:
        if os.environ.get(STRICT):
            raise
        log.warning("reader %s failed: %s", name, type(error).__name__)
        if (counter := _counter.get()) is not None:
            counter[name] += 1
        return otherwise


@contextmanager
def failures() -> Iterator[Counter[str]]:
    """Counts the failures of every reader by name while the block runs."""
    counter: Counter[str] = Counter()
    token = _counter.set(counter)
    try:
        yield counter
    finally:
        _counter.reset(token)


def _lazy(module: str, name: str) -> Callable[..., Any]:
    """A reader that is imported when it is first used, because its module compiles many patterns."""

    def read(*arguments: object) -> Any:
        return getattr(import_module(f"aforesaid.text.extract.{module}"), name)(*arguments)

    return read


_secrets = _lazy("secrets", "redact_secrets")
_certain = _lazy("secrets", "find_certain_secrets")
_found = _lazy("secrets", "find_secrets")
_pii = _lazy("pii", "redact_pii")
_dates = _lazy("dates", "read_dates")
_statements = _lazy("statements", "statements")
_signals = _lazy("signals", "read_signals")
_rules = _lazy("standing_rules", "is_standing_rule")


class CleanTexts:
    """Remembers texts without secrets by their hash, so that a text that passes several doors is read once."""

    def __init__(self) -> None:
        self._hashes: set[tuple[int, int]] = set()

    def __contains__(self, text: str) -> bool:
        return (len(text), hash(text)) in self._hashes

    def add(self, text: str) -> None:
        """Remember a text. When there are too many, begin again."""
        if len(self._hashes) >= MOST_CLEAN:
            self._hashes = set()
        self._hashes.add((len(text), hash(text)))


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers that an engine uses, a function each; None is a reader that is switched off."""

    secrets: Callable[[str], Redacted] = _secrets
    pii: Callable[[str, Collection[str] | None], Redacted] | None = _pii
    dates: Callable[[str, datetime], DateReading] | None = _dates
    statements: Callable[[str, str], Sequence[Statement]] | None = _statements
    signals: Callable[[str], Signals] | None = _signals
    rules: Callable[[str], bool] | None = _rules
    _clean: CleanTexts = field(default_factory=CleanTexts, compare=False, repr=False)

    def keyed(self, key: bytes) -> Readers:
        """A copy whose digests of secrets are made with this key. A reader of secrets that was replaced stays."""
        return replace(self, secrets=lambda text: _secrets(text, key)) if self.secrets is _secrets else self

    def switched(self, rows: ReaderRows) -> Readers:
        """A copy without the readers that the settings switch off."""
        return replace(
            self,
            pii=self.pii if rows.pii else None,
            dates=self.dates if rows.dates else None,
            statements=self.statements if rows.statements else None,
            signals=self.signals if rows.signals else None,
            rules=self.rules if rows.rules else None,
        )

    def redact_secrets(self, text: str) -> Redacted:
        """The text without secrets; withheld as a whole if they cannot be found."""
        if text in self._clean:
            return Redacted(text)
        found = guarded("secrets", lambda: self.secrets(text), WITHHELD)
        self._clean.add(found.text)
        return found

    def without_secrets(self, text: str) -> str:
        """The text alone, without secrets."""
        return self.redact_secrets(text).text

    def secrets_in_name(self, name: str) -> tuple[str, ...]:
        """The kinds of secrets in a name: those that their form gives away, and `password=…`."""
        if name in self._clean or (len(name) < LONG_WORD and "=" not in name and "://" not in name):
            return ()
        found = list(_certain(name))
        if "=" in name and len(name) <= MAX_ID_CHARS:
            found += [span for span in _found(name) if name[span.start - 1] in "='\""]
        if not found:
            self._clean.add(name)
        return tuple(dict.fromkeys(span.kind for span in found))

    def redact_pii(self, text: str, kinds: Collection[str] | None = None) -> Redacted:
        """The text without personal data of these kinds (None: every kind); withheld if it cannot be found."""
        read = self.pii
        return guarded("pii", lambda: read(text, kinds), WITHHELD) if read else Redacted(text)

    def read_dates(self, text: str, said_at: datetime) -> DateReading | None:
        """The dates and times that a text names, and what they mean when said at that time."""
        read = self.dates
        return guarded("dates", lambda: read(text, said_at), None) if read else None

    def count_dates(self, text: str, said_at: datetime) -> int:
        """How many distinct dates and times a text names; 0 when dates are not read."""
        reading = self.read_dates(text, said_at)
        return len({expression.text.casefold() for expression in reading.expressions}) if reading else 0

    def read_statements(self, text: str, speaker: str = "") -> Sequence[Statement]:
        """What a text states as a fact."""
        read = self.statements
        return guarded("statements", lambda: read(text, speaker), ()) if read else ()

    def read_signals(self, text: str) -> Signals:
        """The patterns of a text that the gate weighs."""
        from aforesaid.text.extract.signals import NO_SIGNALS

        read = self.signals
        return guarded("signals", lambda: read(text), NO_SIGNALS) if read else NO_SIGNALS

    def is_rule(self, text: str) -> bool:
        """Whether a user lays down a rule for the agent with this text."""
        read = self.rules
        return guarded("rules", lambda: read(text), False) if read else False

"""The seam of the readers: replaced, switched off, and what happens when one raises."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from aforesaid.errors import InputError
from aforesaid.settings import Settings
from aforesaid.text.extract.reader import STRICT, WITHHELD, Readers, failures
from aforesaid.text.extract.signals import NO_SIGNALS
from aforesaid.text.extract.spans import Redacted, Span, merged, redact

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
TEXT = "My manager is Ana since 2026-03-01, write to ana@example.com, password: hunter22"


def broken(*_: object) -> Any:
    raise IndexError("about the text")


BROKEN = Readers(broken, broken, broken, broken, broken, broken)


@pytest.fixture
def production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)


def test_every_reader_reads() -> None:
    readers = Readers()
    reading = readers.read_dates(TEXT, NOON)
    assert reading is not None and [each.text for each in reading.expressions] == ["2026-03-01"]
    assert [each.attribute for each in readers.read_statements("My manager is Ana.")] == ["manager"]
    assert "natural_date" in readers.read_signals(TEXT).present
    assert readers.is_rule("From now on, always answer in French.") and not readers.is_rule(TEXT)
    assert readers.redact_pii(TEXT, ["email"]).kinds == ("email",)
    assert readers.redact_secrets(TEXT).kinds == ("password",)


def test_the_settings_switch_all_but_secrets_off() -> None:
    names = ("dates", "statements", "signals", "rules", "pii")
    readers = BROKEN.switched(Settings.load(arguments={f"readers.{name}": False for name in names}).readers)
    assert readers.read_dates(TEXT, NOON) is None
    assert readers.read_statements(TEXT) == ()
    assert readers.read_signals(TEXT) == NO_SIGNALS
    assert readers.is_rule("Always answer in French.") is False
    assert readers.redact_pii(TEXT) == Redacted(TEXT)
    assert readers.secrets is broken
    assert BROKEN.switched(Settings().readers) == BROKEN


def test_a_reader_can_be_replaced() -> None:
    readers = replace(Readers(), secrets=lambda text: Redacted(text.upper()))
    assert readers.redact_secrets("a") == Redacted("A")


@pytest.mark.usefixtures("production")
def test_a_failure_is_logged_without_the_text_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), failures() as failed:
        assert BROKEN.read_dates(TEXT, NOON) is None
        assert BROKEN.read_statements(TEXT) == ()
        assert BROKEN.read_statements(TEXT) == ()
        assert BROKEN.read_signals(TEXT) == NO_SIGNALS
        assert BROKEN.is_rule(TEXT) is False
    assert failed == {"dates": 1, "statements": 2, "signals": 1, "rules": 1}
    assert caplog.messages[0] == "reader dates failed: IndexError"
    assert "about" not in caplog.text and "Ana" not in caplog.text


@pytest.mark.usefixtures("production")
def test_a_redactor_fails_closed() -> None:
    assert BROKEN.redact_secrets(TEXT) == WITHHELD
    assert BROKEN.redact_pii(TEXT) == WITHHELD


@pytest.mark.usefixtures("production")
def test_errors_of_the_caller_still_raise() -> None:
    with pytest.raises(InputError, match="shoe-size"):
        Readers().redact_pii(TEXT, ["shoe-size"])


@pytest.mark.parametrize("method", ["read_dates", "read_statements", "read_signals", "redact_secrets", "redact_pii"])
def test_in_strict_mode_every_failure_raises(method: str) -> None:
    arguments = (TEXT, NOON) if method == "read_dates" else (TEXT,)
    with pytest.raises(IndexError):
        getattr(BROKEN, method)(*arguments)


def test_overlapping_spans_become_one_of_the_first_kind() -> None:
    found = [Span("sure", 4, 8), Span("late", 20, 22), Span("wide", 2, 6), Span("touching", 8, 9)]
    assert merged(found) == [Span("sure", 2, 8), Span("touching", 8, 9), Span("late", 20, 22)]


def test_redaction_repeats_until_nothing_is_found() -> None:
    def first_a(text: str) -> list[Span]:
        return [Span("a", text.index("a"), text.index("a") + 1)] if "a" in text else []

    assert redact("banana", first_a, lambda kind, value: "_") == Redacted("b_n_n_", ("a", "a", "a"))

"""No reader can fail an ingest: a message is stored without the reading that failed, and unread text is withheld."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aforesaid.memory import Memory
from aforesaid.store.memory import DictStore
from aforesaid.text.extract.reader import STRICT, Readers
from aforesaid.types import EventFilter, Turn
from support.clock import NOW, standing_clock

CRASHED_ONCE = [
    "I recently changed my last name to Patel, by the way.",
    "I just finished my last one on Saturday and I'm looking for something new.",
    "We moved the last one to May 10.",
    "I cancelled my last.",
]


def broken(*_: object) -> Any:
    raise IndexError


def opened(**readers: Any) -> Memory:
    return Memory(DictStore(), clock=standing_clock, readers=replace(Readers(), **readers))


@pytest.mark.parametrize("text", CRASHED_ONCE)
def test_messages_that_once_crashed_are_stored(memory: Memory, text: str) -> None:
    memory.ingest([Turn("t1", "s", "user", text, NOW)], user="ana")
    assert memory.get("t1", user="ana").text == text


def test_a_message_is_stored_without_the_reading_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)
    memory = opened(dates=broken, statements=broken, signals=broken, rules=broken)
    report = memory.ingest([Turn("t1", "s", "user", "My manager is Ana since May 3, 2025.", NOW)], user="ana")
    assert [outcome.status for outcome in report.outcomes] == ["stored"]
    record = memory.get("t1", user="ana")
    assert record.states == () and record.dates == 0
    [event] = memory.store.log.find(EventFilter(memory.tenant, topic="ingest"))
    expected = {"dates": 2, "statements": 1, "signals": 1, "rules": 1}
    assert event.body["reader_failures"] == expected, "dates are read for spans and count"


def test_text_that_cannot_be_checked_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)
    memory = opened(secrets=broken)
    memory.ingest([Turn("t1", "s", "user", "password: hunter22", NOW)], user="ana")
    record = memory.get("t1", user="ana")
    assert record.text == "[withheld: could not be checked]" and record.redactions == ("unchecked",)


def test_in_strict_mode_the_exception_raises() -> None:
    with pytest.raises(IndexError):
        opened(statements=broken).ingest([Turn("t1", "s", "user", "My manager is Ana.", NOW)], user="ana")

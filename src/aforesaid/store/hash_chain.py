"""A log as a chain of digests: whoever changes, adds, moves or takes away an event breaks it (spec 9).

    content = sha256(JSON of [subject, body])
    digest  = sha256(JSON of [digest of the event before, time in µs, tenant, topic, content])

JSON here has sorted keys, no spaces and only ASCII; the first event follows the empty string. Subject and body go in
as a hash of their own, so that they can be erased and the event still be checked by that hash, its time and its topic.

A chain without a key convinces only those who noted a digest elsewhere: who can write the file can also write it anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
CONTENT = "content"  # in the body of an erased event: the hash of what it held
START = ""  # what the first event follows


@dataclass(frozen=True, slots=True)
class Head:
    """What a store notes of a tenant's log beside it, so that cutting it at either end shows."""

    events: int = 0  # that were ever chained
    number: int = 0  # of the newest
    digest: str = START  # of the newest
    erased: int = 0  # of those that are there
    pruned: int = 0  # of those that were chained
    anchor: str = START  # the digest of the last one that was pruned
    pruned_to: str = ""  # the time up to which events were pruned

    @classmethod
    def read(cls, text: str | None) -> Head | None:
        """The head that `write` wrote; None when there is none, ValueError when it is something else."""
        if text is None:
            return None
        found = json.loads(text)
        if not isinstance(found, dict) or not {name: type(value) for name, value in found.items()}.items() <= _KINDS:
            raise ValueError(f"its fields are not those of a head: {text[:80]!r}")
        return cls(**found)

    def write(self) -> str:
        """The head as text."""
        return json.dumps({name: getattr(self, name) for name, _ in _KINDS})

    def grown(self, number: int, digest: str) -> Head:
        """The head after one more event."""
        return replace(self, events=self.events + 1, number=number, digest=digest)


_KINDS = {spec.name: type(spec.default) for spec in fields(Head)}.items()


def content_of(subject: str | None, body: Mapping[str, Any]) -> str:
    """The hash of what can be erased of an event."""
    return _hashed([subject, body])


def digest_of(before: str, time: datetime, tenant: str, topic: str, content: str) -> str:
    """The digest of an event that follows another."""
    return _hashed([before, micros_of(time), tenant, topic, content])


def micros_of(time: datetime) -> int:
    """Microseconds since 1970 UTC."""
    return (time - EPOCH) // MICROSECOND


_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _hashed(value: Any) -> str:
    return hashlib.sha256(_JSON.encode(value).encode()).hexdigest()


def mentions(subject: str | None, body: Mapping[str, Any], names: Set[str]) -> bool:
    """Whether an event names any of these: as its subject, as the end of it behind a slash, or anywhere in its body."""
    return not (names.isdisjoint(subject_names(subject)) and names.isdisjoint(_strings(body)))


def subject_names(subject: str | None) -> list[str]:
    """What a subject names: all of it, and what stands behind each slash."""
    if subject is None:
        return []
    return [subject, *(subject[at + 1 :] for at, char in enumerate(subject) if char == "/")]


def _strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys too; a stack rather than recursion, since bodies may be deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, (list, tuple)):
            waiting += item

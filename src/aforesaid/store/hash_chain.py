"""Hash chain of the event log: changing, adding, moving or removing an event breaks it (spec 9).

    content = sha256(JSON of [subject, body])
    digest  = sha256(JSON of [digest of the event before, time in µs, tenant, topic, content])

JSON has sorted keys, no spaces and only ASCII. The first event follows the empty string. Subject and body are hashed
separately, so they can be erased: the event stays verifiable by that hash, its time and its topic.

The chain itself has no secret key, so that an export can be checked by anybody. Its head has a seal, which does:

    seal = HMAC-SHA256(key of the store, JSON of [tenant, the other fields of the head])

Someone who can write the file but has no key can rebuild the chain, and not the seal. A head whose seal does not fit is
never sealed again by a later event, so the trace stays. Who kept an old copy of log and head can put it back: note a
digest elsewhere against that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from aforesaid.store.codec import to_micros
from aforesaid.types import Event

CONTENT = "content"  # key in the body of an erased event; the value is its content hash
STRINGS = re.compile(r'"((?:[^"\\]++|\\.)*+)"')  # string literals in JSON text; much faster than parsing
START = ""  # the digest before the first event


@dataclass(frozen=True, slots=True)
class Head:
    """The expected state of a tenant's log, stored apart from it. Reveals events cut off at either end."""

    events: int = 0  # ever appended
    number: int = 0  # of the newest event; other tenants have numbers of their own
    digest: str = START  # of the newest event
    erased: int = 0  # existing events without content
    pruned: int = 0  # events deleted from the start
    anchor: str = START  # digest of the last pruned event
    pruned_to: str = ""  # events before this time were pruned
    seal: str = ""  # empty: nobody with the key vouches for it

    @classmethod
    def read(cls, text: str) -> Head:
        """Parse what `write` returned. Other text raises ValueError."""
        found = json.loads(text)
        if not isinstance(found, dict) or not {name: type(value) for name, value in found.items()}.items() <= _KINDS:
            raise ValueError(f"its fields are not those of a head: {text[:80]!r}")
        return cls(**found)

    def write(self) -> str:
        """Return the head as JSON text."""
        return json.dumps({name: getattr(self, name) for name, _ in _KINDS})

    def sealed(self, tenant: str, key: bytes) -> Head:
        """Return the head with its seal."""
        return replace(self, seal=self._seal(tenant, key))

    def is_sealed(self, tenant: str, key: bytes) -> bool:
        """Whether someone with the key wrote it."""
        return hmac.compare_digest(self.seal, self._seal(tenant, key))

    def following(self, before: Head | None, tenant: str, key: bytes) -> Head:
        """Return the head as it is stored after `before`: sealed, unless there is no key or that one was not sealed."""
        is_sealed = bool(key) and (before is None or before.is_sealed(tenant, key))
        return self.sealed(tenant, key) if is_sealed else replace(self, seal="")

    def _seal(self, tenant: str, key: bytes) -> str:
        fields_sealed = {name: getattr(self, name) for name, _ in _KINDS if name != "seal"}
        return hmac.new(key, _JSON.encode([tenant, fields_sealed]).encode(), hashlib.sha256).hexdigest()

    def after(self, digest: str) -> Head:
        """Return the head after one more event."""
        return replace(self, events=self.events + 1, number=self.number + 1, digest=digest)

    def after_erasing(self, events: int) -> Head:
        """Return the head after the content of some events was erased."""
        return replace(self, erased=self.erased + events)

    def after_pruning(self, events: int, erased: int, anchor: str, before: datetime) -> Head:
        """Return the head after the oldest events were deleted, `erased` of which had no content."""
        return replace(
            self, pruned=self.pruned + events, erased=self.erased - erased, anchor=anchor, pruned_to=before.isoformat()
        )


_KINDS = {spec.name: type(spec.default) for spec in fields(Head)}.items()


def chained(event: Event, head: Head) -> Event:
    """Return the event with its digest. The body becomes what JSON reads back: number keys turn into text."""
    body = json.loads(json.dumps(dict(event.body)))
    content = content_of(event.subject, body)
    digest = digest_of(head.digest, event.time, event.tenant, event.topic, content)
    return replace(event, body=body, digest=digest, erased=False)


def erased(event: Event) -> Event:
    """Return the event with a hash instead of its content, which keeps the chain verifiable."""
    return replace(event, subject=None, body={CONTENT: content_of(event.subject, event.body)}, erased=True)


def content_of(subject: str | None, body: Mapping[str, Any]) -> str:
    """Hash the erasable part of an event."""
    return _hashed([subject, body])


def digest_of(before: str, time: datetime, tenant: str, topic: str, content: str) -> str:
    """Compute the digest of an event from the digest `before` it."""
    return _hashed([before, to_micros(time), tenant, topic, content])


_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _hashed(value: Any) -> str:
    return hashlib.sha256(_JSON.encode(value).encode()).hexdigest()


def mentioning(names: Iterable[str]) -> Callable[[str | None, str], bool]:
    """Return a function that tests whether an event (its subject, its body as JSON text) mentions one of the names.

    A name matches the subject, the part of it after any slash, or any whole string in the body. An owner (`user:ana`)
    also matches the part before any slash: subjects of contexts are `owner/session`.
    """
    wanted = frozenset(names)
    in_json = frozenset(json.dumps(name)[1:-1] for name in wanted)

    def mentions(subject: str | None, body: str) -> bool:
        return not (wanted.isdisjoint(_parts(subject)) and in_json.isdisjoint(STRINGS.findall(body)))

    return mentions


def _parts(subject: str | None) -> Iterator[str]:
    """The names in a subject. Owners and sessions may hold slashes too, so every slash may be the one between them."""
    if subject is None:
        return
    yield subject
    for at in re.finditer("/", subject):
        yield subject[at.end() :]
        if ":" in (owner := subject[: at.start()]):  # else it begins with a session, which is another one
            yield owner

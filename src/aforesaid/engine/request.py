"""One call: policy, purpose, settings, clock and tenant, resolved once and carried down the path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

from aforesaid.engine.vector_arm import Embedded, VectorArm
from aforesaid.policy import Policy
from aforesaid.policy.enforcement import Guard
from aforesaid.settings import Settings
from aforesaid.store.protocols import Reader, Store
from aforesaid.text.analyze import searchable
from aforesaid.text.extract.reader import Readers
from aforesaid.text.sentences import passages
from aforesaid.types import AGENT_ROLES, Clock, Event, Filter, Freshness, Record

if TYPE_CHECKING:
    from aforesaid.engine.engine import Engine


class PolicyChanged(Exception):  # noqa: N818 - caught by Engine.run
    """Another policy was adopted between validating and writing."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a path needs for one call. Immutable; nothing here reads the store when it is looked at.

    `settings` include what the policy sets for retrieval. `view` is the store as this purpose may read it: texts are
    redacted where the policy says so, and it cannot be written to. `policy_number` is 0 without a policy.
    """

    engine: Engine
    guard: Guard
    settings: Settings
    view: Reader
    policy_number: int

    @property
    def store(self) -> Store:
        """The store itself, for what must be exact: writing, deleting, deduplicating."""
        return self.engine.store

    @property
    def arm(self) -> VectorArm:
        """The embedder."""
        return self.engine.arm

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self.engine.clock

    @property
    def tenant(self) -> str:
        """The tenant; nothing crosses it."""
        return self.engine.tenant

    @property
    def tokenizer(self) -> Callable[[str], int] | None:
        """The caller's tokenizer, if one was given."""
        return self.engine.tokenizer

    @property
    def readers(self) -> Readers:
        """The readers of text."""
        return self.engine.readers

    @property
    def policy(self) -> Policy | None:
        """The policy that this call runs under; None when no policy was adopted."""
        return self.guard.policy

    @property
    def policy_version(self) -> str:
        """The version of the policy, or "none"."""
        return self.policy.version if self.policy else NO_POLICY

    def event(self, topic: str, subject: str | None, body: Mapping[str, Any]) -> Event:
        """An audit event of now, with the ids of this call and the policy version."""
        about = {
            "request": self.engine.request_id,
            "trace": self.engine.trace_id,
            "policy": self.policy.version if self.policy else "",
        }
        return Event(self.clock(), self.tenant, topic, subject, {**body, **{k: v for k, v in about.items() if v}})

    def freshness(self, where: Filter) -> Freshness:
        """Index coverage for this filter, excluding records hidden by policy."""
        records, pending = self.store.coverage(where)
        if self.policy is not None:
            records -= self.store.count_hidden(where)
            pending = min(pending, records)
        return Freshness(records, pending, self.arm.off)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text in a prompt: by the caller's tokenizer, else by the estimate."""
        return self.engine.count_tokens(text)

    def embed(self, records: Sequence[Record]) -> Embedded | None:
        """Embed records as they are searched, and the sentences of what people said; None when that is unavailable."""
        texts = [searchable(record) for record in records]
        parts = {record.key: self._passages(record) for record in records}
        found = self.arm.embed([*texts, *chain.from_iterable(parts.values())]) if records else None
        if found is None:
            return None
        ends = accumulate(map(len, parts.values()), initial=len(texts))
        spans = dict(zip(parts, pairwise(ends), strict=True))
        return Embedded(found[: len(texts)], {key: found[a:b] for key, (a, b) in spans.items() if b > a})

    def _passages(self, record: Record) -> list[str]:
        """An agent's answer is about one thing. What a person mentions in passing gets lost in the rest of a turn."""
        if record.kind != "turn" or record.role in AGENT_ROLES:
            return []
        return passages(record.text, self.settings.embed.passages)


NO_POLICY = "none"  # the version that events and calibrations name when there is no policy

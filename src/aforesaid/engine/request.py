"""One call: policy, settings, clock and tenant, resolved once and passed down the path."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

from aforesaid.embed.scale import ModelScale
from aforesaid.engine.redacting_store import RedactingStore
from aforesaid.engine.space_reader import SpaceReader
from aforesaid.engine.vector_arm import Embedded, VectorArm
from aforesaid.policy.enforcement import Guard
from aforesaid.policy.values import Policy
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
    """Everything a path needs for one call. Immutable; no property reads the store.

    `view` is the store to read from: texts are redacted as the policy says, and vectors are those of this call's model.
    """

    engine: Engine
    store: Store  # without redaction: for writing, deleting and deduplicating
    arm: VectorArm
    settings: Settings  # with the policy's retrieval settings
    clock: Clock
    tenant: str  # no call reads or writes another one
    readers: Readers
    guard: Guard
    policy_number: int  # 0 without a policy
    scale: ModelScale | None = None  # once thresholds were derived for the embedder

    view: Reader = field(init=False)

    def __post_init__(self) -> None:
        reader = SpaceReader(self.store, self.arm.space)
        view = RedactingStore(reader, self.guard) if self.guard.redacts_on_read else reader
        object.__setattr__(self, "view", view)

    @property
    def policy(self) -> Policy | None:
        """The policy of this call; None without one."""
        return self.guard.policy

    @property
    def policy_version(self) -> str:
        """The version of the policy, or "none"."""
        return self.policy.version if self.policy else NO_POLICY

    def with_ids(self) -> Request:
        """The request with a request id and a trace id. Where the caller gave none, the clock makes one."""
        engine = self.engine
        request_id = engine.request_id or f"r-{_digest(self.tenant, self.clock().isoformat())}"
        return replace(self, engine=replace(engine, request_id=request_id, trace_id=engine.trace_id or request_id))

    @property
    def ids(self) -> dict[str, str]:
        """Policy version, request id and trace id of this call, as results carry them."""
        engine = self.engine
        return {"policy_version": self.policy_version, "request_id": engine.request_id, "trace_id": engine.trace_id}

    def event(self, topic: str, subject: str | None, body: Mapping[str, Any]) -> Event:
        """Make an audit event with the current time, the ids of this call and the policy version."""
        about = {
            "request": self.engine.request_id,
            "trace": self.engine.trace_id,
            "policy": self.policy.version if self.policy else "",
        }
        return Event(self.clock(), self.tenant, topic, subject, {**body, **{k: v for k, v in about.items() if v}})

    def freshness(self, where: Filter) -> Freshness:
        """Index coverage for this filter, excluding records hidden by policy."""
        spaces = self.store.spaces()
        records, pending = self.store.coverage(where)
        building = [
            f"index for model {space.name}: {(total - left) * 100 // max(total, 1)} %"
            for space in spaces[1:]
            for total, left in [self.store.coverage(where, space.name)]
        ]
        if self.policy is not None:
            records -= self.store.count_hidden(where)
            pending = min(pending, records)
        off = self.arm.off
        if not off and self.arm.space is not None and self.arm.space not in [space.name for space in spaces]:
            off = "the store switched to another model during this call"
        damage = self.store.damage(Filter(where.tenant, where.owners, echoes=True, withheld=True))
        return Freshness(
            records, pending, off, building=", ".join(building),
            damaged=len(damage.records), damaged_vectors=damage.vectors, damaged_tables=damage.tables,
        )  # fmt: skip

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text with a tokenizer, or estimate them."""
        return self.engine.count_tokens(text)

    @property
    def counted_by(self) -> str:
        """How tokens are counted: "estimate", the name of a tokenizer, or "caller"."""
        return self.engine.counter.name

    def embed(self, records: Sequence[Record]) -> Embedded | None:
        """Embed records, and the sentences of user messages; None when embeddings are unavailable."""
        texts = [searchable(record) for record in records]
        parts = {record.key: self._passages(record) for record in records}
        found = self.arm.embed([*texts, *chain.from_iterable(parts.values())]) if records else None
        if found is None:
            return None
        ends = accumulate(map(len, parts.values()), initial=len(texts))
        spans = dict(zip(parts, pairwise(ends), strict=True))
        return Embedded(found[: len(texts)], {key: found[a:b] for key, (a, b) in spans.items() if b > a})

    def _passages(self, record: Record) -> list[str]:
        """The sentences to embed on their own: user messages only, because they often mention several things."""
        if record.kind != "turn" or record.role in AGENT_ROLES:
            return []
        return passages(record.text, self.settings.embed.passages)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()


NO_POLICY = "none"  # the version that events and calibrations name when there is no policy

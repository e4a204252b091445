"""The long-lived parts of a memory. Each call makes a Request from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from aforesaid.engine.door import Door
from aforesaid.engine.request import PolicyChanged, Request
from aforesaid.engine.token_counter import ESTIMATED, TokenCounter
from aforesaid.engine.vector_arm import EmbedderInUse, VectorArm
from aforesaid.errors import StoreBusyError
from aforesaid.policy.enforcement import DEFAULT_PURPOSE, Guard
from aforesaid.policy.repository import active_policy
from aforesaid.settings import Settings
from aforesaid.store.protocols import Store
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Clock

MAX_TRIES = 10  # policies that may be adopted while one call runs

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Engine:
    """Store, embedder, settings, clock and tenant of one memory; tenants share store and embedder."""

    store: Store
    embedder: EmbedderInUse
    settings: Settings
    clock: Clock
    tenant: str
    counter: TokenCounter = ESTIMATED
    purpose: str = DEFAULT_PURPOSE
    request_id: str = ""
    trace_id: str = ""
    readers: Readers = field(default_factory=Readers)

    @property
    def arm(self) -> VectorArm:
        """The vector arm as the store needs it now."""
        return self.embedder.arm(self.store, self.settings.cascade)

    @property
    def door(self) -> Door:
        """Redacts what is to be stored, before anything is made of it."""
        return Door(self.readers)

    def request(self) -> Request:
        """Resolve policy, settings and store view for one call. Only this method reads the policy."""
        adopted = active_policy(self.store, self.tenant)
        policy = adopted.policy if adopted else None
        guard = Guard(policy, self.purpose, self.readers)
        settings = self.settings
        if policy is not None and policy.retrieval:
            settings = settings.changed(policy.retrieval, f"policy {policy.version}")
        number = adopted.number if adopted else 0
        return Request(self, self.store, self.arm, settings, self.clock, self.tenant, self.readers, guard, number)

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text as `counter` does."""
        return self.counter.count(text)

    def run(self, work: Callable[[Request], Result]) -> Result:
        """Run a step that validates and writes under one policy. Repeat it when the policy changed meanwhile."""
        for _ in range(MAX_TRIES):
            try:
                return work(self.request())
            except PolicyChanged:
                continue
        raise StoreBusyError("The policy kept changing during the write.", "Retry later.")

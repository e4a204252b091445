"""What every path holds: the store, the vector arm, the settings, the clock and the tenant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from itertools import accumulate, chain, pairwise
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from aforesaid.embed.base import Embedder
from aforesaid.engine.redacting_store import Veil
from aforesaid.errors import EmbedderChangedError, EmbedError, EndpointError, StoreBusyError
from aforesaid.math.tokens import estimate_tokens
from aforesaid.math.vectors import Vectors
from aforesaid.policy import DEFAULT_PURPOSE, Policy
from aforesaid.policy.enforcement import Guard
from aforesaid.policy.repository import in_force
from aforesaid.settings import Settings
from aforesaid.store.protocols import Store
from aforesaid.text.analyze import searchable
from aforesaid.text.sentences import passages
from aforesaid.types import AGENT_ROLES, Clock, Event, Filter, Freshness, Record


class VectorArm:
    """The embedder as the paths see it: it gives vectors, or says why not; a path goes on without them."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self.off = "" if embedder else "no embedder"
        self._lasting = embedder is None

    @property
    def matryoshka(self) -> bool:
        """Whether the leading dimensions of a vector make a vector of their own."""
        return bool(getattr(self.embedder, "matryoshka", False))

    @property
    def remote(self) -> bool:
        """Whether texts leave this machine to be embedded."""
        return bool(getattr(self.embedder, "remote", False))

    @property
    def background(self) -> float:
        """The cosine of texts that have nothing to do with each other, where the embedder knows it; else 0."""
        return float(getattr(self.embedder, "background", 0.0))

    def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Vectors of records, or None when the arm is off."""
        return self._tried(lambda embedder: embedder.embed(texts))

    def embed_query(self, text: str) -> Vectors | None:
        """The vector of a query, or None when the arm is off."""
        return self._tried(lambda embedder: embedder.embed_query(text))

    def _tried(self, work: Callable[[Embedder], Vectors]) -> Vectors | None:
        if self.embedder is None or self._lasting:
            return None
        try:
            vectors = work(self.embedder)
        except (EmbedError, EndpointError) as error:
            # A service may be back at the next call; missing weights stay missing, and looking again is slow.
            self._lasting = not isinstance(error, EndpointError)
            self.off = f"{error.message} {error.remedy}".strip()
            return None
        self.off = ""
        return vectors


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of records, a row each, and by key those of their sentences."""

    vectors: Vectors
    passages: Mapping[str, Vectors]

    def at(self, places: Sequence[int]) -> Embedded:
        """The same for some of the records."""
        return Embedded(self.vectors[list(places)], self.passages)


class PolicyMoved(Exception):  # noqa: N818 - it is caught where the path began
    """Another policy came into force between judging and writing."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The policy that a path works under from beginning to end; None is one too."""

    policy: Policy | None


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that a path works with; one for each tenant, sharing store and embedder."""

    store: Store
    arm: VectorArm
    settings: Settings
    clock: Clock
    tenant: str
    tokenizer: Callable[[str], int] | None = None
    purpose: str = DEFAULT_PURPOSE
    request: str = ""
    trace: str = ""
    pin: Pin | None = None

    @property
    def policy(self) -> Policy | None:
        """The tenant's policy, or None when nobody gave one."""
        return in_force(self.store, self.tenant) if self.pin is None else self.pin.policy

    @property
    def steady(self) -> Engine:
        """The same under the policy of this moment, whatever comes into force later; `writing` minds the difference."""
        return self if self.pin is not None else replace(self, pin=Pin(self.policy))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction for what was judged here; PolicyMoved if another policy would have to judge it by now."""
        with self.store.transaction():
            if self.pin is not None and in_force(self.store, self.tenant) != self.pin.policy:
                raise PolicyMoved
            yield

    @property
    def guard(self) -> Guard:
        """What the policy makes of texts and filters, for this purpose."""
        return Guard(self.policy, self.purpose)

    @property
    def ruled(self) -> Engine:
        """The same with the settings that the policy gives for retrieval."""
        policy = self.policy
        if policy is None or not policy.retrieval:
            return self
        return replace(self, settings=self.settings.changed(policy.retrieval, f"policy {policy.version}"))

    @property
    def view(self) -> Store:
        """The store as this purpose may read it; what is read here is never written back."""
        guard = self.guard
        return cast(Store, Veil(self.store, guard)) if guard.redacts_on_read else self.store

    def event(self, topic: str, subject: str | None, body: Mapping[str, Any]) -> Event:
        """Something that happened now, with the request it belongs to and the policy that was in force."""
        policy = self.policy
        about = {"request": self.request, "trace": self.trace, "policy": policy.version if policy else ""}
        return Event(self.clock(), self.tenant, topic, subject, {**body, **{k: v for k, v in about.items() if v}})

    def freshness(self, where: Filter) -> Freshness:
        """What an answer under this filter cannot see; under a policy, only what may be seen is counted."""
        records, pending = self.store.coverage(where)
        if self.policy is not None:
            records -= self.store.unseen(where)
            pending = min(pending, records)
        return Freshness(records, pending, self.arm.off)

    def count_tokens(self, text: str) -> int:
        """What a text costs in a prompt: by the tokenizer that was handed in, else by the estimate."""
        return self.tokenizer(text) if self.tokenizer else estimate_tokens(text, self.settings.tokens)

    def embed(self, records: Sequence[Record]) -> Embedded | None:
        """Vectors of records as they are searched, and of the sentences of what people said; None if the arm is off."""
        wholes = [searchable(record) for record in records]
        parts = {record.key: self._passages(record) for record in records}
        found = self.arm.embed([*wholes, *chain.from_iterable(parts.values())]) if records else None
        if found is None:
            return None
        ends = accumulate(map(len, parts.values()), initial=len(wholes))
        spans = dict(zip(parts, pairwise(ends), strict=True))
        return Embedded(found[: len(wholes)], {key: found[a:b] for key, (a, b) in spans.items() if b > a})

    def _passages(self, record: Record) -> list[str]:
        """An agent's answer is about one thing; what a person mentions in passing gets lost in the rest of a turn."""
        if record.kind != "turn" or record.role in AGENT_ROLES:
            return []
        return passages(record.text, self.settings.embed.passages)

    def ready_space(self) -> None:
        """Make the embedder's vector space on first use."""
        embedder = self.arm.embedder
        if embedder is not None and not self.store.spaces():
            self.store.add_space(embedder.name, embedder.dimensions)


TRIES = 10  # policies that may come into force while one path runs
P = ParamSpec("P")
R = TypeVar("R")


def under_one_policy(path: Callable[Concatenate[Engine, P], R]) -> Callable[Concatenate[Engine, P], R]:
    """Let a path judge and write under one policy; it begins anew when another came into force in between."""

    @wraps(path)
    def run(engine: Engine, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if engine.pin is not None:  # part of a path that minds it already
            return path(engine, *args, **kwargs)
        for _ in range(TRIES):
            try:
                return path(engine.steady, *args, **kwargs)
            except PolicyMoved:
                continue
        raise StoreBusyError("The policy changes all the time.", "Try again when that is over.")

    return run


def check_embedder(store: Store, embedder: Embedder | None) -> None:
    """Refuse to mix models: vectors of two models cannot be compared."""
    active = next((space for space in store.spaces() if space.active), None)
    if embedder is None or active is None or active.name == embedder.name:
        return
    raise EmbedderChangedError(
        f"The store's vectors come from {active.name!r}; this embedder is {embedder.name!r}.",
        "Run `aforesaid reindex` to change over, or open the store with its own embedder (or embed.provider = 'off').",
    )

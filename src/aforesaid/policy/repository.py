"""The policies of a tenant, kept in the store: the active one and those before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from aforesaid.policy.values import Policy
from aforesaid.store.protocols import Slot, Store, ValueKind
from aforesaid.types import as_time

ACTIVE = "active"  # the name under which the active policy is kept; those of the history are numbers


@dataclass(frozen=True, slots=True)
class AdoptedPolicy:
    """A policy with its place in the tenant's history; `number` counts from 1."""

    number: int
    version: str
    digest: str
    time: datetime
    by: str
    policy: Policy


def active_number(store: Store, tenant: str) -> int:
    """The number of the active policy; 0 when there is none."""
    kept = store.values.get(_slot(tenant))
    return 0 if kept is None else int(json.loads(kept)["number"])


def active_policy(store: Store, tenant: str) -> AdoptedPolicy | None:
    """The active policy, or None. Read from the store each time, since another process may change it."""
    kept = store.values.get(_slot(tenant))
    return None if kept is None else _parsed(kept)


def policy_history(store: Store, tenant: str) -> list[AdoptedPolicy]:
    """Every policy that was active, newest first."""
    numbers = range(active_number(store, tenant), 0, -1)
    kept = [store.values.get(_slot(tenant, number)) for number in numbers]
    return [_parsed(each) for each in kept if each is not None]


def adopt(store: Store, tenant: str, policy: Policy, time: datetime, by: str = "") -> AdoptedPolicy:
    """Make a policy the active one; the one before stays in the history."""
    from aforesaid.policy.write import digest, write_policy

    with store.transaction():
        number = active_number(store, tenant) + 1
        entry = {"number": number, "time": time.isoformat(), "by": by, "digest": digest(policy)}
        kept = json.dumps({**entry, "text": write_policy(policy)})
        store.values.put(_slot(tenant, number), kept)
        store.values.put(_slot(tenant), kept)
    return _parsed(kept)


def _slot(tenant: str, number: int | None = None) -> Slot:
    return Slot(ValueKind.POLICY, tenant, name=ACTIVE if number is None else str(number))


@lru_cache(maxsize=64)
def _parsed(kept: str) -> AdoptedPolicy:
    from aforesaid.policy.document import read_policy

    entry = json.loads(kept)
    policy = read_policy(entry["text"], "the stored policy")
    return AdoptedPolicy(entry["number"], policy.version, entry["digest"], as_time(entry["time"]), entry["by"], policy)

"""The policy in force for a tenant, and those before it, kept in the store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from aforesaid.policy import Policy
from aforesaid.store.protocols import Store
from aforesaid.types import as_time

NONE = "none"  # the version that events name when no policy was given


@dataclass(frozen=True, slots=True)
class Adopted:
    """A policy with its place in the tenant's history; `number` counts from 1."""

    number: int
    version: str
    digest: str
    time: datetime
    by: str
    policy: Policy


def in_force(store: Store, tenant: str) -> Policy | None:
    """The tenant's policy, or None when nobody gave one; read anew each time, since another process may change it."""
    number = store.setting(_name(tenant))
    return None if number is None else _parsed(_kept(store, tenant, int(number))["text"])


def adopted(store: Store, tenant: str) -> Adopted | None:
    """The policy in force with its place in history."""
    number = store.setting(_name(tenant))
    return None if number is None else _adopted(store, tenant, int(number))


def history(store: Store, tenant: str) -> list[Adopted]:
    """Every policy that was in force, newest first."""
    number = int(store.setting(_name(tenant)) or 0)
    return [_adopted(store, tenant, each) for each in range(number, 0, -1)]


def adopt(store: Store, tenant: str, policy: Policy, time: datetime, by: str = "") -> Adopted:
    """Put a policy in force; the one before stays in the history."""
    from aforesaid.policy import digest, write_policy

    with store.transaction():
        number = int(store.setting(_name(tenant)) or 0) + 1
        kept = {"time": time.isoformat(), "by": by, "digest": digest(policy), "text": write_policy(policy)}
        store.put_setting(f"{_name(tenant)}/{number}", json.dumps(kept))
        store.put_setting(_name(tenant), str(number))
    return _adopted(store, tenant, number)


def _name(tenant: str) -> str:
    return f"policy/{tenant}"


def _kept(store: Store, tenant: str, number: int) -> dict[str, str]:
    kept: dict[str, str] = json.loads(store.setting(f"{_name(tenant)}/{number}") or "{}")
    return kept


def _adopted(store: Store, tenant: str, number: int) -> Adopted:
    kept = _kept(store, tenant, number)
    policy = _parsed(kept["text"])
    return Adopted(number, policy.version, kept["digest"], as_time(kept["time"]), kept["by"], policy)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Policy:
    from aforesaid.policy import read_policy

    return read_policy(text, "the stored policy")

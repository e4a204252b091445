"""Tools that need more than one call of the memory. Each gets the caller and the values, and returns the result."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from aforesaid.context.neutralize import neutralised
from aforesaid.errors import DeniedError, NotFoundError
from aforesaid.policy.values import Policy
from aforesaid.surfaces.mcp.answers import CHANGE, filled
from aforesaid.surfaces.mcp.caller import ToolCall
from aforesaid.types import KINDS, IngestReport, Record, Turn, as_time

TURN_CHARS = 16  # of the digest that names a turn without an id
MOST_CANDIDATES = 1000  # counted in a status
ALL = 1 << 30


def get(call: ToolCall, id: str, **where: Any) -> dict[str, Any]:  # noqa: A002 - the name in the schema
    """A record with its versions."""
    return {"record": call.memory.get(id, **where), "versions": call.memory.history(id, **where)}


def ingest(call: ToolCall, session: str, turns: Sequence[Mapping[str, str]], **who: Any) -> IngestReport:
    """Store turns and report progress."""
    return call.memory.ingest([_turn(session, each) for each in turns], progress=call.progress, **who)


def _turn(session: str, said: Mapping[str, str]) -> Turn:
    """A turn; without an id its name is a digest of its text, so that the same turn is stored once."""
    role, text, time = said["role"], said["text"], said.get("time", "")
    words = "\x1f".join((role, text, time)).encode("utf-8", "replace")
    name = said.get("id", "") or f"turn-{hashlib.blake2b(words, digest_size=TURN_CHARS // 2).hexdigest()}"
    return Turn(name, session, role, text, as_time(time) if time else None)


def status(call: ToolCall, **who: Any) -> dict[str, Any]:
    """What the caller can see, and what this connection may do."""
    memory = call.memory
    where = memory.where(**who)
    kinds = {kind: memory.store.count(memory.where(**who, kinds=(kind,))) for kind in KINDS}
    adopted = memory.policy.current()
    spaces = [space.name for space in memory.store.spaces() if space.active]
    return {
        "user": call.user or "",
        "project": call.project or "",
        "purpose": where.purpose or "",
        "may": sorted(call.grants),
        "records": memory.store.count(where),
        "kinds": {kind: number for kind, number in kinds.items() if number},
        "candidates": len(memory.governance.candidates(**who, limit=MOST_CANDIDATES)),
        "policy": neutralised(adopted.version) if adopted else "",
        "embedder": spaces[0] if spaces else "",
    }


def policy(call: ToolCall, proposal: str = "", apply: bool = False) -> dict[str, Any]:
    """The policy in force, or what a proposal changes."""
    report = None
    if proposal:
        call.needs("admin")  # how many records match a rule tells what the records of others say
        report = call.memory.policy.apply(proposal, dry_run=not apply, by="mcp", progress=call.progress)
    adopted = call.memory.policy.current()
    return {
        "version": neutralised(adopted.version) if adopted else "",
        "text": "" if report else policy_text(adopted.policy if adopted else None),
        "applied": report is not None and report.adopted is not None,
        "changes": [filled(CHANGE, each) for each in report.changes] if report else [],
        "doubts": [neutralised(each) for each in report.doubts] if report else [],
        **{name: getattr(report, name, 0) for name in ("withheld", "released", "unclean")},
    }


def policy_text(adopted: Policy | None) -> str:
    """A policy as YAML; empty when there is none."""
    if adopted is None:
        return ""
    from aforesaid.policy.write import write_policy

    return write_policy(adopted)


def check_owned(call: ToolCall, name: str, session: str | None = None) -> None:
    """Refuse records that the caller cannot see, and global ones: only a person may end or delete those."""
    if _seen(call, name, session).scope == "global":
        raise DeniedError(
            f"{name!r} is shared with everybody; a model may not end or delete it.",
            "A person can, with `aforesaid rollback` or `aforesaid forget`.",
        )


def _seen(call: ToolCall, name: str, session: str | None) -> Record:
    try:
        return call.memory.get(name, user=call.user, project=call.project, session=session)
    except NotFoundError:
        for record in call.memory.governance.candidates(user=call.user, project=call.project, limit=ALL):
            if name in (record.id, record.key):
                return record
        raise

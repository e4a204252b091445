"""Tools that write: remember, ingest, observe, distill, promote, rollback, feedback, forget.

What is everybody's is not a model's to end or delete; a person does that at the command line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from aforesaid.errors import DeniedError, NotFoundError
from aforesaid.surfaces.mcp import results as shapes
from aforesaid.surfaces.mcp.arguments import MAX_LIST, Claim, Class, Id, Instant, Session, Shared, Text, given
from aforesaid.surfaces.mcp.caller import ToolCall
from aforesaid.types import Record, Turn, as_time

TURN_CHARS = 16  # of the digest that names a turn nobody named
ALL = 1 << 30


class TurnIn(TypedDict):
    """A turn as a model hands it over."""

    role: str
    text: str
    time: NotRequired[str]
    id: NotRequired[str]


Turns = Annotated[
    tuple[TurnIn, ...],
    Field(min_length=1, max_length=MAX_LIST, description="The turns, oldest first."),
    WithJsonSchema(  # spelled out, because a reference to a definition is more than some hosts can read
        {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_LIST,
            "description": "The turns, oldest first.",
            "items": {
                "type": "object",
                "properties": {
                    "role": {"type": "string", "description": "user, assistant, tool or system."},
                    "text": {"type": "string", "description": "What was said."},
                    "time": {"type": "string", "description": "When; now if left out."},
                    "id": {"type": "string", "description": "A name; made from the words if left out."},
                },
                "required": ["role", "text"],
            },
        }
    ),
]
Ids = Annotated[tuple[str, ...], Field(max_length=MAX_LIST, description="Ids of records, as another tool gave them.")]


def remember(
    call: ToolCall,
    text: Text,
    type: Claim = "fact",  # noqa: A002 - the word people use
    scope: Shared = "user",
    boundary: Class = "internal",
    replaces: Annotated[str, Field(description="The id of a claim that this one ends; leave empty for none.")] = "",
) -> shapes.Kept:
    """Keep one statement for good: a preference, a fact about the user, a decision, a task.

    Use it when the user asks you to remember, or states something that will still matter in later sessions; write it so
    that it can be understood alone. When something changed, search first and name the old claim in `replaces`.
    """
    if replaces:
        _mine(call, replaces)
    record = call.memory.remember(
        text, user=call.user, project=call.project, scope=scope, type=type, boundary=boundary,
        supersedes=given(replaces),
    )  # fmt: skip
    return shapes.kept(record)


def ingest(
    call: ToolCall,
    session: Annotated[str, Field(min_length=1, description="The session they belong to.")],
    turns: Turns,
) -> shapes.Taken:
    """Take turns of a conversation into memory: cleaned of secrets, each weighed for whether it is durable.

    Use it only when the host does not do so itself. Handing in the same turns again is harmless.
    """
    said = [_turn(session, each) for each in turns]
    return shapes.taken(call.memory.ingest(said, user=call.user, project=call.project, progress=call.progress))


def _turn(session: str, said: TurnIn) -> Turn:
    role, text, time = said["role"], said["text"], said.get("time", "")
    words = "\x1f".join((role, text, time)).encode("utf-8", "replace")
    name = said.get("id", "") or f"turn-{hashlib.blake2b(words, digest_size=TURN_CHARS // 2).hexdigest()}"
    return Turn(name, session, role, text, as_time(time) if time else None)


def observe(call: ToolCall, text: Text, session: Session = "") -> shapes.Kept:
    """Keep something you saw, such as a tool's result, for a limited time and as coming from outside.

    Use it for evidence that may become knowledge later; then memory_distill says what it tells us.
    """
    return shapes.kept(
        call.memory.governance.observe(text, user=call.user, project=call.project, session=given(session), scope="user")
    )


def distill(
    call: ToolCall,
    sources: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_LIST, description="Ids of the evidence.")],
    text: Text,
    type: Claim = "fact",  # noqa: A002 - the word people use
    scope: Shared = "user",
    boundary: Class = "internal",
) -> shapes.Kept:
    """Make a candidate for knowledge from observations or turns; no search finds it until it is promoted.

    Use it when evidence supports a statement that should be looked at before it counts; memory_promote is next.
    """
    return shapes.kept(
        call.memory.governance.distill(
            sources, text, user=call.user, project=call.project, scope=scope, type=type, boundary=boundary
        )
    )


def promote(call: ToolCall, id: Id) -> shapes.Kept:  # noqa: A002 - the word people use
    """Make a candidate durable, so that searches find it.

    Use it after the user agreed. What needs a reviewer is refused here: a person promotes it at the command line.
    """
    return shapes.kept(call.memory.governance.promote(id, user=call.user, project=call.project))


def rollback(
    call: ToolCall,
    id: Id,  # noqa: A002 - the word people use
    reason: Annotated[str, Field(min_length=1, max_length=1000, description="What was wrong.")],
) -> shapes.RolledBack:
    """End a claim that turned out wrong, without deleting it; what it had replaced holds again.

    Use it for mistakes. When something merely changed, memory_remember with `replaces` keeps the history right.
    """
    _mine(call, id)
    done = call.memory.governance.rollback(id, reason=reason, user=call.user, project=call.project, by="mcp")
    return {
        "ended": done.ended.id,
        "restored": done.restored.id if done.restored else "",
        "stale": list(done.stale),
    }


def feedback(
    call: ToolCall,
    id: Id,  # noqa: A002 - the word people use
    signal: Annotated[
        Literal["helpful", "harmful", "outdated", "duplicate"], Field(description="What the record was worth.")
    ],
    duplicate_of: Annotated[str, Field(description="With `duplicate`: the id of the record that stays.")] = "",
    query: Annotated[str, Field(max_length=4000, description="What it was found by, to learn from.")] = "",
    session: Session = "",
) -> shapes.Judged:
    """Say what a recalled record was worth; it changes how it is ranked, never what it says.

    Use it after you used a hit (helpful), or found it misleading (harmful) or no longer true (outdated).
    """
    said = call.memory.feedback(
        id, signal, user=call.user, project=call.project, session=given(session), of=given(duplicate_of),
        query=given(query),
    )  # fmt: skip
    return {
        "id": said.id,
        "signal": said.signal,
        "counted": said.counted,
        "utility": round(said.after.utility, shapes.SCORE_DIGITS),
        "confidence": round(said.after.confidence, shapes.SCORE_DIGITS),
        "merged_into": said.into,
    }


def forget(
    call: ToolCall,
    ids: Ids = (),
    query: Annotated[str, Field(max_length=4000, description="Records that hold all of these words.")] = "",
    session: Annotated[str, Field(description="All of a session, or where the ids belong.")] = "",
    before: Instant = "",
    dry_run: Annotated[bool, Field(description="Only say what would go; it is the default.")] = True,
) -> shapes.Forgotten:
    """Delete records for good, with all that was made of them; this cannot be undone.

    Use it only when the user asks for it. Call it first as it is, show the user what would go, and call it again with
    dry_run false once they agree.
    """
    for name in ids:
        _mine(call, name, given(session))
    receipt = call.memory.forget(
        ids, user=call.user, project=call.project, session=given(session), before=given(before), query=given(query),
        dry_run=dry_run, reason="mcp",
    )  # fmt: skip
    return {
        "records": receipt.records,
        "dry_run": receipt.dry_run,
        "proven": receipt.proven,
        "would": [{"id": each.id, "kind": each.kind} for each in receipt.would],
        "remedy": receipt.remedy,
    }


def _mine(call: ToolCall, name: str, session: str | None = None) -> None:
    """Refuse what the caller cannot see, and what is everybody's."""
    if _seen(call, name, session).scope == "global":
        raise DeniedError(
            f"{name!r} belongs to everybody here; a model may not end or delete it.",
            "A person does that with `aforesaid rollback` or `aforesaid forget`.",
        )


def _seen(call: ToolCall, name: str, session: str | None) -> Record:
    try:
        return call.memory.get(name, user=call.user, project=call.project, session=session)
    except NotFoundError:
        waiting: Sequence[Record] = call.memory.governance.candidates(user=call.user, project=call.project, limit=ALL)
        for record in waiting:
            if name in (record.id, record.key):
                return record
        raise

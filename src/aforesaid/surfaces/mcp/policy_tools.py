"""Tools about the policy: what it makes of a text, what it says, what another one would change."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aforesaid.context.neutralize import neutralised
from aforesaid.policy import Policy
from aforesaid.surfaces.mcp import results as shapes
from aforesaid.surfaces.mcp.arguments import Claim, Class, Shared, Text
from aforesaid.surfaces.mcp.caller import ToolCall

MAX_POLICY_CHARS = 100_000


def validate(
    call: ToolCall,
    text: Text,
    type: Claim = "fact",  # noqa: A002 - the word people use
    scope: Shared = "user",
    boundary: Class = "internal",
) -> shapes.Checked:
    """Say what would become of a text: what is taken out, how closed it is, which rules it breaks. Nothing is stored.

    Use it before memory_remember when a text may hold secrets or personal data, or after a write was refused.
    """
    found = call.memory.policy.validate(
        text, user=call.user, project=call.project, scope=scope, type=type, boundary=boundary
    )
    return {
        "allowed": found.allowed,
        "text": neutralised(found.text),
        "boundary": found.boundary,
        "redacted": list(found.found),
        "breaks": list(found.write),
        "hidden_by": list(found.read),
    }


def policy(
    call: ToolCall,
    proposal: Annotated[
        str, Field(max_length=MAX_POLICY_CHARS, description="Another policy as YAML, to see what it would change.")
    ] = "",
    apply: Annotated[
        bool, Field(description="Put the proposal in force, instead of showing what it would change.")
    ] = False,
) -> shapes.PolicyAnswer:
    """Show the policy in force; where that was granted, what a proposal would change, and put it in force.

    Use it when something was refused and you must say why, or when the user wants the rules changed: show them the
    changes first.
    """
    if not proposal:
        return _shown(call)
    call.needs("admin")  # how many records a rule of one's own meets tells what others' records say
    report = call.memory.policy.apply(proposal, dry_run=not apply, by="mcp", progress=call.progress)
    answer = _shown(call)
    return {
        **answer,
        "text": "",
        "applied": report.adopted is not None,
        "changes": [
            {"path": each.path, "before": _value(each.before), "after": _value(each.after)} for each in report.changes
        ],
        "doubts": [neutralised(each) for each in report.doubts],
        "withheld": report.withheld,
        "released": report.released,
        "unclean": report.unclean,
    }


def policy_text(adopted: Policy | None) -> str:
    """A policy as YAML; nothing when there is none."""
    if adopted is None:
        return ""
    from aforesaid.policy.write import write_policy

    return write_policy(adopted)


def _shown(call: ToolCall) -> shapes.PolicyAnswer:
    adopted = call.memory.policy.current()
    return {
        "version": neutralised(adopted.version) if adopted else "",
        "text": policy_text(adopted.policy if adopted else None),
        "applied": False,
        "changes": [],
        "doubts": [],
        "withheld": 0,
        "released": 0,
        "unclean": 0,
    }


def _value(value: object) -> str:
    return "" if value is None else neutralised(str(value))

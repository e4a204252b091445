"""Resources: a record, an active context, the policy. What is recalled stands between the marks that say it is data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from aforesaid.context.render import recalled
from aforesaid.errors import AforesaidError
from aforesaid.surfaces.mcp import sdk
from aforesaid.surfaces.mcp.caller import ToolCall
from aforesaid.surfaces.mcp.special import policy_text

if TYPE_CHECKING:
    from aforesaid.surfaces.mcp.server import Desk


def add_resources(server: Any, desk: Desk) -> None:
    """Offer what can be read by address."""

    async def record(id: str) -> str:  # noqa: A002 - the word people use
        return await read(desk, lambda call: record_text(call, _named(id)))

    async def active(id: str) -> str:  # noqa: A002 - the word people use
        return await read(desk, lambda call: active_text(call, _named(id)))

    async def policy() -> str:
        return await read(desk, shown_policy)

    for uri, function, text, mime in (
        ("aforesaid://record/{id}", record, "One record, as data.", "text/plain"),
        ("aforesaid://active/{id}", active, "A saved active context; reading it counts as a use.", "text/plain"),
        ("aforesaid://policy", policy, "The policy in force.", "application/yaml"),
    ):
        server.resource(uri, name=function.__name__, description=text, mime_type=mime)(function)


async def read(desk: Desk, work: Callable[[ToolCall], str]) -> str:
    """The text; a failure is one sentence."""
    from aforesaid.surfaces.mcp.server import sentence

    try:
        return await desk.read(work)
    except AforesaidError as error:
        raise sdk.ResourceError(f"{type(error).__name__}: {sentence(error)}") from None


def record_text(call: ToolCall, name: str) -> str:
    """A record in its frame."""
    return recalled([call.memory.get(name, user=call.user, project=call.project)])


def active_text(call: ToolCall, name: str) -> str:
    """An active context in its frame."""
    context = call.memory.governance.active(name, user=call.user, project=call.project)
    return recalled([each.record for each in context.items]) or "Nothing is in this context."


def shown_policy(call: ToolCall) -> str:
    """The policy as YAML, or a comment that there is none."""
    adopted = call.memory.policy.current()
    return policy_text(adopted.policy) if adopted else "# no policy was given; the defaults hold\n"


def _named(value: str) -> str:
    """The id in an address; an SDK of 1.x leaves it escaped."""
    return value if sdk.MODERN else unquote(value)

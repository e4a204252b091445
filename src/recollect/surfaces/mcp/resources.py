"""Resources: a record, an active context, the policy. What is recalled stands between the marks that say it is data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from recollect.errors import RecollectError
from recollect.frame import recalled
from recollect.surfaces.mcp import sdk
from recollect.surfaces.mcp.caller import Call
from recollect.surfaces.mcp.ruling import policy_text

if TYPE_CHECKING:
    from recollect.surfaces.mcp.server import Desk


def add_resources(server: Any, desk: Desk) -> None:
    """Offer what can be read by address."""

    async def record(id: str) -> str:  # noqa: A002 - the word people use
        return await read(desk, lambda call: record_text(call, _named(id)))

    async def active(id: str) -> str:  # noqa: A002 - the word people use
        return await read(desk, lambda call: active_text(call, _named(id)))

    async def policy() -> str:
        return await read(desk, shown_policy)

    for uri, function, text, mime in (
        ("recollect://record/{id}", record, "One record, as data.", "text/plain"),
        ("recollect://active/{id}", active, "A saved active context; reading it counts as a use.", "text/plain"),
        ("recollect://policy", policy, "The policy in force.", "application/yaml"),
    ):
        server.resource(uri, name=function.__name__, description=text, mime_type=mime)(function)


async def read(desk: Desk, work: Callable[[Call], str]) -> str:
    """The text; a failure is one sentence."""
    from recollect.surfaces.mcp.server import sentence

    try:
        return await desk.read(work)
    except RecollectError as error:
        raise sdk.ResourceError(f"{type(error).__name__}: {sentence(error)}") from None


def record_text(call: Call, name: str) -> str:
    """A record in its frame."""
    return recalled([call.memory.get(name, user=call.user, project=call.project)])


def active_text(call: Call, name: str) -> str:
    """An active context in its frame."""
    context = call.memory.active(name, user=call.user, project=call.project)
    return recalled([each.record for each in context.items]) or "Nothing is in this context."


def shown_policy(call: Call) -> str:
    """The policy as YAML, or a comment that there is none."""
    adopted = call.memory.policy()
    return policy_text(adopted.policy) if adopted else "# no policy was given; the defaults hold\n"


def _named(value: str) -> str:
    """The id in an address; an SDK of 1.x leaves it escaped."""
    return value if sdk.MODERN else unquote(value)

"""A client in memory for the MCP server: calls in, plain dicts out."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from mcp import Client

from aforesaid.memory import Memory
from aforesaid.surfaces.mcp.caller import Caller
from aforesaid.surfaces.mcp.server import MemoryAccess, build

ANA = Caller("default", "ana", "shop")


class Talk:
    """One server, spoken to call by call."""

    def __init__(self, memory: Memory, caller: Caller = ANA, profile: Any = "full", **desk: Any) -> None:
        self.server = build(MemoryAccess(lambda: memory, caller, **desk), profile)

    def ask(self, question: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        """What a session answers, as the wire has it."""

        async def run() -> Any:
            async with Client(self.server) as session:
                try:
                    return await question(session)
                except Exception as error:  # noqa: BLE001 - raised below, outside of the session's task group
                    return error

        found = anyio.run(run)
        if isinstance(found, Exception):
            raise found
        return found.model_dump(mode="json", by_alias=True, exclude_none=True)

    def raw(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ask(lambda session: session.call_tool(tool, arguments))
        return found

    def call(self, tool: str, **arguments: Any) -> Any:
        """The structured answer of a call that must succeed; its text says the same."""
        found = self.raw(tool, **arguments)
        assert not found.get("isError"), found
        assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
        return found["structuredContent"]

    def error(self, tool: str, **arguments: Any) -> dict[str, str]:
        """The error of a call that must fail: type, message and remedy."""
        found = self.raw(tool, **arguments)
        assert found.get("isError"), found
        assert "structuredContent" not in found, "a client would hold it against the schema of a success"
        error: dict[str, str] = found["_meta"]["aforesaid/error"]
        assert found["content"][0]["text"].startswith(f"{error['type']}: ")
        assert "Traceback" not in json.dumps(found)
        return error

    def tools(self) -> dict[str, Any]:
        return {tool["name"]: tool for tool in self.ask(lambda session: session.list_tools())["tools"]}

"""The only module that depends on the version of the MCP SDK: 1.x has FastMCP, 2.x has MCPServer."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

import anyio

from aforesaid import __version__

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ResourceError, ToolError

    Server: Any = MCPServer
    MODERN = True
except ImportError:  # an SDK of 1.x
    from mcp.server.fastmcp import Context, FastMCP
    from mcp.server.fastmcp.exceptions import ResourceError, ToolError

    Server = FastMCP
    MODERN = False

from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, TextContent, ToolAnnotations

__all__ = [
    "MODERN", "CallToolResult", "Context", "ResourceError", "Server", "TextContent", "ToolAnnotations", "ToolError",
    "http_app", "new", "refusal", "serve_lines",
]  # fmt: skip

INVALID_PARAMS = -32602  # JSON-RPC's
UNCHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # `http.Door` checks this


def new(kind: Any, name: str, instructions: str) -> Any:
    """Create a server that logs only errors; over HTTP it is stateless."""
    if MODERN:
        return kind(name, instructions=instructions, version=__version__, log_level="ERROR")
    made = kind(name, instructions=instructions, log_level="ERROR", stateless_http=True, transport_security=UNCHECKED)
    made._mcp_server.version = __version__
    return made


def refusal(message: str) -> Exception:
    """A protocol error for a wrong request."""
    if MODERN:
        from mcp.shared.exceptions import MCPError

        return MCPError(code=INVALID_PARAMS, message=message)  # type: ignore[no-any-return]
    from mcp.shared.exceptions import McpError
    from mcp.types import ErrorData

    return McpError(ErrorData(code=INVALID_PARAMS, message=message))  # type: ignore[no-any-return]


def serve_lines(server: Any, reader: BinaryIO, writer: BinaryIO) -> None:
    """Serve one client over lines, until it closes its input."""
    lines = anyio.wrap_file(io.TextIOWrapper(reader, encoding="utf-8", errors="replace"))
    answers = anyio.wrap_file(io.TextIOWrapper(writer, encoding="utf-8"))
    inner = server._lowlevel_server if MODERN else server._mcp_server

    async def run() -> None:
        async with stdio_server(lines, answers) as (read, write):
            await inner.run(read, write, inner.create_initialization_options())

    anyio.run(run)


def http_app(server: Any, max_body_bytes: int) -> Any:
    """The server as an ASGI application at /mcp."""
    if MODERN:
        return server.streamable_http_app(
            stateless_http=True, transport_security=UNCHECKED, max_request_body_size=max_body_bytes
        )
    return server.streamable_http_app()

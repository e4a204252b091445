"""The MCP inspector, a client that is not ours, in both eras of the protocol and over both transports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from real_hosts import programs
from real_hosts.home import USER, Home
from real_hosts.served import served

FACT = "We deploy to Lisbon on Fridays."
CLIENT = (programs.NODE, programs.INSPECTOR, "--cli", "--format", "json", "--quiet", "--stored-auth-only")
FAILED, FAILED_TOOL = 1, 5  # the inspector's exit codes


@dataclass(frozen=True, slots=True)
class Inspector:
    """The inspector's command line, pointed at one server in one era."""

    home: Home
    era: str
    target: tuple[str | Path, ...]

    def __call__(self, method: str, *options: str, code: int = 0) -> Any:
        """What it prints: the result, or when the request failed the error."""
        words = ("--protocol-era", self.era, "--method", method, *options)
        done = self.home.run([*CLIENT, *words, *self.target], code=code)
        return json.loads(done.stderr)["error"] if code == FAILED else json.loads(done.stdout)["result"]

    def call(self, tool: str, code: int = 0, **arguments: Any) -> Any:
        """A tool's answer, which the inspector has checked against the tool's own schema."""
        return self("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments), code=code)


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, home: Home) -> Iterator[tuple[str | Path, ...]]:
    """How the server is reached: as a command that is started for each question, or at an address."""
    if request.param == "stdio":
        yield ("--", programs.AFORESAID, "--store", home.store, "mcp", "--user", USER)
        return
    with served(home) as address:
        yield ("--transport", "http", "--server-url", address)


@pytest.fixture(params=["modern", "legacy"])
def inspector(request: pytest.FixtureRequest, home: Home, target: tuple[str | Path, ...]) -> Inspector:
    return Inspector(home, request.param, target)


def test_a_client_finds_its_way_around(inspector: Inspector) -> None:
    """Everything that is offered is listed, told and usable, and no tool's schema is hard to port."""
    hello = inspector("initialize")
    assert hello["serverInfo"]["name"] == "aforesaid" and "never an instruction" in hello["instructions"]
    assert hello["protocolVersion"] == ("2026-07-28" if inspector.era == "modern" else "2025-11-25")
    tools = {tool["name"]: tool for tool in inspector("tools/list", "--strict")["tools"]}
    assert len(tools) == 16 and all(tool["outputSchema"] for tool in tools.values())
    assert [each["uri"] for each in inspector("resources/list")["resources"]] == ["aforesaid://policy"]
    addresses = [each["uriTemplate"] for each in inspector("resources/templates/list")["resourceTemplates"]]
    assert addresses == ["aforesaid://record/{id}", "aforesaid://active/{id}"]
    assert [each["name"] for each in inspector("prompts/list")["prompts"]] == ["recall", "review"]


def test_what_is_remembered_is_found_read_and_recalled(inspector: Inspector) -> None:
    kept = inspector.call("memory_remember", text=FACT)
    assert not kept.get("isError") and kept["structuredContent"]["status"] == "kept"
    own = kept["structuredContent"]["id"]
    found = inspector.call("memory_search", query="when do we deploy, and where to?")
    assert [hit["id"] for hit in found["structuredContent"]["hits"]] == [own]
    assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
    read = inspector("resources/read", "--uri", f"aforesaid://record/{own}")
    assert FACT in read["contents"][0]["text"]
    asked = inspector("prompts/get", "--prompt-name", "recall", "--prompt-args", "task=plan the deployment on Friday")
    assert FACT in asked["messages"][0]["content"]["text"]
    assert [record["text"] for record in inspector.home.records()] == [FACT]


def test_a_missing_resource_is_told_in_a_sentence(inspector: Inspector) -> None:
    error = inspector("resources/read", "--uri", "aforesaid://record/nobody", code=1)
    assert error["message"].startswith("NotFoundError: No record has the id 'nobody'.")


def test_a_prompt_that_cannot_be_made_is_told_in_a_sentence(inspector: Inspector) -> None:
    assert "task" in inspector("prompts/get", "--prompt-name", "recall", code=1)["message"]
    assert "nobody" in inspector("prompts/get", "--prompt-name", "nobody", code=1)["message"]


def test_an_error_is_an_answer_with_a_code(inspector: Inspector) -> None:
    error = inspector.call("memory_get", FAILED_TOOL, id="nobody")
    assert error["isError"] and error["content"][0]["text"].startswith("NotFoundError: ")

"""What a host is told about the tools: names, descriptions and schemas that every host can read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.importers.formats.items import OWN_TOOLS
from aforesaid.memory import Memory
from aforesaid.store.memory import DictStore
from aforesaid.surfaces.mcp.caller import Caller
from aforesaid.surfaces.mcp.tools import TOOLS
from support.mcp_client import Talk

MINIMAL = {"memory_search", "memory_remember", "memory_assemble", "memory_get", "memory_forget", "memory_status"}
ALL = MINIMAL | {
    "memory_ingest", "memory_activate", "memory_observe", "memory_distill", "memory_promote", "memory_rollback",
    "memory_feedback", "memory_validate", "memory_policy", "memory_search_files",
}  # fmt: skip
READERS = {"memory_search", "memory_assemble", "memory_get", "memory_status", "memory_activate", "memory_validate",
           "memory_policy", "memory_search_files"}  # fmt: skip
UNREADABLE = {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs"}  # in an input schema, for some host or other


def memory() -> Memory:
    return Memory(DictStore(), HashEmbedder(64))


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return Talk(memory(), trusted=True).tools()


def keys_of(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from keys_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of(value)


def test_profiles_offer_what_they_say() -> None:
    assert set(Talk(memory()).tools()) == ALL == {verb.tool_name for verb, _ in TOOLS}
    assert set(Talk(memory(), profile="minimal").tools()) == MINIMAL


def test_who_may_only_read_is_offered_no_tool_that_writes() -> None:
    reader = Talk(memory(), Caller("default", "ana", grants=frozenset({"read"})))
    assert set(reader.tools()) == READERS
    assert reader.error("memory_remember", text="x")["message"].startswith("There is no tool")


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_tool_is_described(told: dict[str, Any], name: str) -> None:
    tool = told[name]
    assert re.fullmatch(r"[a-z0-9_]{1,40}", name)
    assert len(re.findall(r"[.;?!](?: |$)", tool["description"])) >= 2 and len(tool["description"]) < 500
    for parameter in tool["inputSchema"]["properties"].values():
        assert len(parameter["description"]) > 10


@pytest.mark.parametrize("name", sorted(ALL))
def test_schemas_hold_no_unions(told: dict[str, Any], name: str) -> None:
    schema = told[name]["inputSchema"]
    assert schema["type"] == "object"
    assert not UNREADABLE & set(keys_of(schema))
    required = schema.get("required", [])
    for parameter, value in schema["properties"].items():
        assert isinstance(value["type"], str)
        assert (parameter in required) != ("default" in value)
    assert not {"anyOf", "oneOf", "allOf"} & set(keys_of(told[name]["outputSchema"]))


@pytest.mark.parametrize("name", sorted(ALL))
def test_hints_say_what_a_tool_changes(told: dict[str, Any], name: str) -> None:
    hints = told[name]["annotations"]
    assert hints["readOnlyHint"] == (
        name in {"memory_search", "memory_search_files", "memory_get", "memory_status", "memory_validate"}
    )
    assert hints["destructiveHint"] == (name in {"memory_forget", "memory_rollback", "memory_policy"})
    assert hints["openWorldHint"] is False and isinstance(hints["idempotentHint"], bool)


def test_only_a_trusted_client_is_asked_who_the_user_is(told: dict[str, Any]) -> None:
    assert all({"user", "project"} <= set(tool["inputSchema"]["properties"]) for tool in told.values())
    plain = Talk(memory()).tools()
    assert all(not {"user", "project"} & set(tool["inputSchema"]["properties"]) for tool in plain.values())


def test_importers_know_the_names_of_our_tools() -> None:
    assert OWN_TOOLS == ALL


def test_all_tools_cost_a_prompt_little() -> None:
    tools = Talk(memory()).tools()
    seen = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools.values()]
    assert len(json.dumps(seen)) < 16_000  # about 4,000 tokens
    assert len(json.dumps([tool for tool in seen if tool["name"] in MINIMAL])) < 7_000


def test_the_page_names_every_tool_and_option() -> None:
    from aforesaid.surfaces.cli.mcp import mcp
    from aforesaid.surfaces.reference_pages import tool_table

    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert tool_table() in page, "run `make docs`"
    own = [option.opts[0] for option in mcp.params if not getattr(option, "hidden", False)]
    assert [option for option in own if option not in page and option not in ("--json", "--host")] == []

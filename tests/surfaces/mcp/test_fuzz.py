"""Whatever a model sends: an answer or an error in a sentence, and never a word of somebody else's."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("mcp")

from mcp import Client

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from support.mcp_client import Talk

MARK = "zanzibar"  # a word that only others' records hold
RAW = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


class World:
    """A memory where ana calls, and bo and another tenant have records that she must never see."""

    def __init__(self) -> None:
        self.memory = Memory(DictStore(), HashEmbedder(64))
        other = self.memory.for_tenant("other")
        for memory, user in ((self.memory, "bo"), (other, "ana")):
            memory.remember(f"The {MARK} file of {user} is blue.", user=user)
            memory.remember(f"The {MARK} plan of {user}.", user=user, project="ship", scope="project")
            memory.ingest([Turn("t1", "s1", "user", f"My {MARK} code is 9.")], user=user)
        self.theirs = [
            *self.memory.list(user="bo", project="ship"), *other.list(user="ana", project="ship")
        ]  # fmt: skip
        self.mine = self.memory.remember("The tea of ana is green.", user="ana").id
        context = self.memory.activate(MARK, user="bo").id
        names = [name for record in self.theirs for name in (record.id, record.key)]
        self.words = [*names, context, self.mine, "s1", "t1", MARK, "bo", "ana", "tea", "2026-05-03", "", "*", "%"]
        self.talk = Talk(self.memory)
        self.schemas = {name: tool["inputSchema"] for name, tool in self.talk.tools().items()}

    def untouched(self) -> bool:
        other = self.memory.for_tenant("other")
        now = [*self.memory.list(user="bo", project="ship"), *other.list(user="ana", project="ship")]
        return now == self.theirs


WORLD = World()


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "string":
            words = st.sampled_from(WORLD.words) | st.text(max_size=40)
            return words.filter(lambda word: len(word) >= schema.get("minLength", 0))
        case "integer":
            return st.integers(schema.get("minimum", -5), min(schema.get("maximum", 100), 3000))
        case "number":
            return st.floats(schema.get("minimum", 0), schema.get("maximum", 1))
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(values(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
        case "object":
            return arguments(schema)
    raise AssertionError(schema)


def arguments(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    required = set(schema.get("required", ()))
    found = {name: values(each) for name, each in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: each for name, each in found.items() if name in required},
        optional={name: each for name, each in found.items() if name not in required},
    )


def asked(calls: list[tuple[str, dict[str, Any]]], world: World = WORLD) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        async with Client(world.talk.server) as session:
            answers = [await session.call_tool(name, given) for name, given in calls]
            return [answer.model_dump(mode="json", by_alias=True, exclude_none=True) for answer in answers]

    return anyio.run(run)


def check(given: dict[str, Any], answer: dict[str, Any]) -> None:
    text = answer["content"][0]["text"]
    if answer.get("isError"):
        error = answer["_meta"]["aforesaid/error"]
        assert error["message"] and error["type"].endswith("Error")
        assert error["type"] != "AforesaidError", error  # nothing took us by surprise
    else:
        assert json.loads(text) == answer["structuredContent"]
    assert "Traceback" not in text
    if MARK not in json.dumps(given):  # what she says herself comes back to her
        assert MARK not in text


CALLS = st.sampled_from(sorted(WORLD.schemas)).flatmap(
    lambda name: st.tuples(st.just(name), arguments(WORLD.schemas[name]))
)
QUIET = settings(suppress_health_check=[HealthCheck.too_slow])


@QUIET
@given(st.lists(CALLS, min_size=1, max_size=3))
def test_calls_as_the_schemas_allow_them(calls: list[tuple[str, dict[str, Any]]]) -> None:
    honest = [(name, json.loads(json.dumps(given).replace(MARK, "tea"))) for name, given in calls]
    for (_, given_), answer in zip(honest, asked(honest), strict=True):
        check(given_, answer)
    assert WORLD.untouched()


@QUIET
@given(st.sampled_from(sorted(WORLD.schemas)), st.dictionaries(st.sampled_from(sorted(
    {name for schema in WORLD.schemas.values() for name in schema["properties"]} | {"user", "tenant", "purpose"}
)), RAW, max_size=4))  # fmt: skip
def test_calls_as_no_schema_allows_them(name: str, wild: dict[str, Any]) -> None:
    wild = json.loads(json.dumps(wild, allow_nan=False, default=str)) if _finite(wild) else {}
    [answer] = asked([(name, wild)])
    check(wild, answer)
    assert WORLD.untouched()


def _finite(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def test_asking_for_others_by_every_name() -> None:
    world = World()  # where ana has called nothing of hers by their names
    names = [name for record in world.theirs for name in (record.id, record.key)]
    calls = [
        call
        for name in names
        for call in (
            ("memory_get", {"id": name}),
            ("memory_forget", {"ids": [name], "dry_run": False}),
            ("memory_rollback", {"id": name, "reason": "mine now"}),
            ("memory_feedback", {"id": name, "signal": "harmful"}),
            ("memory_distill", {"sources": [name], "text": "Theirs."}),
            ("memory_remember", {"text": "Mine.", "replaces": name}),
        )
    ]
    for (tool, given_), answer in zip(calls, asked(calls, world), strict=True):
        assert answer.get("isError"), (tool, given_, answer)
        check(given_, answer)
    assert world.untouched()

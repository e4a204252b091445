"""One scenario through `Memory`, the command line and MCP: the same ids, scores and texts come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

pytest.importorskip("mcp")

from aforesaid.embed import open_embedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.surfaces.verbs import all_verbs
from aforesaid.surfaces.verbs.records import PROFILES
from aforesaid.types import Turn
from support.cli import data, jsonl, run
from support.clock import standing_clock
from support.mcp_client import Talk

NOW = standing_clock().isoformat()
TURNS = (
    {"id": "t1", "role": "user", "time": "2026-05-01T10:00:00Z", "text": "I moved to Lisbon in May."},
    {"id": "t2", "role": "assistant", "time": "2026-05-01T10:00:05Z", "text": "How is the weather there?"},
    {"id": "t3", "role": "user", "time": "2026-05-01T10:01:00Z", "text": "Sunny. My cat is called Figo."},
)
WHO = {"user": "ana", "project": "shop"}
VERBS = {verb.name: verb for verb in all_verbs()}


class Surface(Protocol):
    """The scenario's verbs; each returns plain values that can be compared."""

    def remember(self, text: str, replaces: str = "") -> Any: ...
    def ingest(self) -> Any: ...
    def search(self, query: str) -> Any: ...
    def assemble(self, query: str, profile: str = "default") -> Any: ...
    def get(self, id: str) -> Any: ...
    def observe(self, text: str) -> Any: ...
    def distill(self, source: str, text: str) -> Any: ...
    def promote(self, id: str) -> Any: ...
    def activate(self, query: str) -> Any: ...
    def rollback(self, id: str) -> Any: ...
    def validate(self, text: str) -> Any: ...
    def feedback(self, id: str) -> Any: ...
    def forget(self, id: str) -> Any: ...
    def records(self) -> Any: ...


def opened(path: Path) -> Memory:
    settings = Settings.load(environment={}, arguments={"embed.provider": "hash"})
    return Memory(SQLiteStore(path), open_embedder(settings), settings=settings, clock=standing_clock)


class Direct:
    """`Memory` itself."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def remember(self, text: str, replaces: str = "") -> Any:
        record = self.memory.remember(text, **WHO, scope="user", supersedes=replaces or None)
        return record.id, record.text

    def ingest(self) -> Any:
        turns = [Turn(each["id"], "s1", each["role"], each["text"], each["time"]) for each in TURNS]  # type: ignore[arg-type]
        report = self.memory.ingest(turns, **WHO)
        return report.count("stored"), report.count("admit")

    def search(self, query: str) -> Any:
        return [
            (hit.record.id, round(hit.score, 4), hit.record.text) for hit in self.memory.search(query, **WHO, limit=8)
        ]

    def assemble(self, query: str, profile: str = "default") -> Any:
        made = self.memory.assemble(query, **WHO, session="s1", budget_tokens=300, profile=profile)
        return made.text, made.tokens, {each.handle: each.id for each in made.citations}

    def get(self, id: str) -> Any:
        record = self.memory.get(id, **WHO)
        return record.id, record.text, record.boundary, record.durable

    def observe(self, text: str) -> Any:
        record = VERBS["observe"].run(self.memory, {"text": text, **WHO, "scope": "user"})
        return record.id, record.text

    def distill(self, source: str, text: str) -> Any:
        record = VERBS["distill"].run(self.memory, {"sources": (source,), "text": text, **WHO, "scope": "user"})
        return record.id, record.withheld

    def promote(self, id: str) -> Any:
        record = VERBS["promote"].run(self.memory, {"id": id, **WHO})
        return record.id, record.withheld or "kept"

    def activate(self, query: str) -> Any:
        context = self.memory.activate(query, **WHO, limit=8)
        return [(item.record.id, round(item.score, 4)) for item in context.items]

    def rollback(self, id: str) -> Any:
        done = VERBS["rollback"].run(self.memory, {"id": id, "reason": "a typo", **WHO})
        return done.ended.id, done.restored.id if done.restored else ""

    def validate(self, text: str) -> Any:
        found = VERBS["validate"].run(self.memory, {"text": text, **WHO, "scope": "user"})
        return found.allowed, found.text, found.boundary, list(found.found)

    def feedback(self, id: str) -> Any:
        said = self.memory.feedback(id, "helpful", **WHO, query="green tea")
        return said.counted, round(said.after.utility, 4), round(said.after.confidence, 4)

    def forget(self, id: str) -> Any:
        receipt = self.memory.forget([id], **WHO)
        return receipt.records, receipt.proven

    def records(self) -> Any:
        return len(self.memory.list(**WHO, limit=1000))


class CommandLine:
    """`aforesaid … --json`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def call(self, *args: str, stdin: str = "") -> Any:
        return data(run(self.path, "--json", *args, "--user", "ana", "--project", "shop", stdin=stdin))

    def remember(self, text: str, replaces: str = "") -> Any:
        found = self.call(
            "remember", text, "--scope", "user", "--time", NOW, *(("--supersedes", replaces) if replaces else ())
        )
        return found["id"], found["text"]

    def ingest(self) -> Any:
        found = self.call("ingest", "--session", "s1", stdin=jsonl(*({**turn, "session": "s1"} for turn in TURNS)))
        return found["stored"], found["gate"]["admitted"]

    def search(self, query: str) -> Any:
        hits = self.call("search", query, "--now", NOW, "--limit", "8")["hits"]
        return [(hit["record"]["id"], round(hit["score"], 4), hit["record"]["text"]) for hit in hits]

    def assemble(self, query: str, profile: str = "default") -> Any:
        options = ("--session", "s1", "--budget", "300", "--now", NOW, "--profile", profile)
        found = self.call("assemble", query, *options)
        return found["text"], found["tokens"], {each["handle"]: each["id"] for each in found["citations"]}

    def get(self, id: str) -> Any:
        found = self.call("show", id)
        return found["id"], found["text"], found["boundary"], found["durable"]

    def observe(self, text: str) -> Any:
        found = self.call("observe", text, "--scope", "user")
        return found["id"], found["text"]

    def distill(self, source: str, text: str) -> Any:
        found = self.call("distill", source, "--as", text, "--scope", "user")
        return found["id"], found["withheld"]

    def promote(self, id: str) -> Any:
        found = self.call("promote", id)
        return found["id"], found["withheld"] or "kept"

    def activate(self, query: str) -> Any:
        items = self.call("activate", query, "--now", NOW, "--limit", "8")["items"]
        return [(item["record"]["id"], round(item["score"], 4)) for item in items]

    def rollback(self, id: str) -> Any:
        found = self.call("rollback", id, "--reason", "a typo")
        return found["ended"]["id"], found["restored"]["id"] if found["restored"] else ""

    def validate(self, text: str) -> Any:
        found = self.call("validate", text, "--scope", "user")
        return found["allowed"], found["text"], found["boundary"], found["found"]

    def feedback(self, id: str) -> Any:
        found = self.call("feedback", id, "helpful", "--query", "green tea", "--now", NOW)
        return found["counted"], round(found["after"]["utility"], 4), round(found["after"]["confidence"], 4)

    def forget(self, id: str) -> Any:
        found = self.call("forget", id, "--yes")
        return found["records"], found["proven"]

    def records(self) -> Any:
        return len(self.call("list", "--limit", "1000")["records"])


class Tools:
    """The tools of the MCP server."""

    def __init__(self, memory: Memory) -> None:
        self.call = Talk(memory).call

    def remember(self, text: str, replaces: str = "") -> Any:
        found = self.call("memory_remember", text=text, replaces=replaces)
        return found["id"], found["text"]

    def ingest(self) -> Any:
        found = self.call("memory_ingest", session="s1", turns=list(TURNS))
        return found["stored"], found["durable"]

    def search(self, query: str) -> Any:
        return [(hit["id"], hit["score"], hit["text"]) for hit in self.call("memory_search", query=query)["hits"]]

    def assemble(self, query: str, profile: str = "default") -> Any:
        found = self.call("memory_assemble", query=query, session="s1", budget_tokens=300, profile=profile)
        return found["text"], found["tokens"], found["citations"]

    def get(self, id: str) -> Any:
        found = self.call("memory_get", id=id)
        return found["id"], found["text"], found["boundary"], found["durable"]

    def observe(self, text: str) -> Any:
        found = self.call("memory_observe", text=text)
        return found["id"], found["text"]

    def distill(self, source: str, text: str) -> Any:
        found = self.call("memory_distill", sources=[source], text=text)
        return found["id"], found["status"]

    def promote(self, id: str) -> Any:
        found = self.call("memory_promote", id=id)
        return found["id"], found["status"]

    def activate(self, query: str) -> Any:
        return [(hit["id"], hit["score"]) for hit in self.call("memory_activate", query=query)["hits"]]

    def rollback(self, id: str) -> Any:
        found = self.call("memory_rollback", id=id, reason="a typo")
        return found["ended"], found["restored"]

    def validate(self, text: str) -> Any:
        found = self.call("memory_validate", text=text)
        return found["allowed"], found["text"], found["boundary"], found["redacted"]

    def feedback(self, id: str) -> Any:
        found = self.call("memory_feedback", id=id, signal="helpful", query="green tea")
        return found["counted"], found["utility"], found["confidence"]

    def forget(self, id: str) -> Any:
        found = self.call("memory_forget", ids=[id], dry_run=False)
        return found["records"], found["proven"]

    def records(self) -> Any:
        return self.call("memory_status")["records"]


def scenario(surface: Surface) -> Iterator[tuple[str, Any]]:
    """Every step by its name, with what came back."""
    yield "remember", (tea := surface.remember("Ana prefers green tea in the morning."))
    yield "ingest", surface.ingest()
    yield "search", surface.search("where does Ana live, and which tea?")
    yield "assemble", surface.assemble("order green tea for Lisbon")
    for profile in PROFILES:
        yield f"assemble with {profile}", surface.assemble("where is my passport?", profile)
    yield "get", surface.get(tea[0])
    yield "feedback", surface.feedback(tea[0])
    yield "search after feedback", surface.search("green tea")
    yield "activate", surface.activate("make tea in Lisbon")
    yield "replace", (coffee := surface.remember("Ana prefers coffee in the morning.", replaces=tea[0]))
    yield "search after replacing", surface.search("what does Ana drink in the morning?")
    yield "rollback", (restored := surface.rollback(coffee[0]))
    yield "records", surface.records()
    yield "forget", surface.forget(restored[1])
    yield "search after forgetting", surface.search("green tea")
    yield "validate", surface.validate("Write to ana@example.org about AKIAIOSFODNN7EXAMPLE.")
    yield "observe", (seen := surface.observe("The log says that staging listens on port 5433."))
    yield "distill", (made := surface.distill(seen[0], "Staging listens on port 5433."))
    yield "promote", surface.promote(made[0])
    yield "records at the end", surface.records()


@contextmanager
def surface_of(name: str, path: Path) -> Iterator[Surface]:
    if name == "command line":
        yield CommandLine(path)
        return
    with opened(path) as memory:
        yield Direct(memory) if name == "memory" else Tools(memory)


def test_every_surface_gives_the_same_answers(tmp_path: Path) -> None:
    found: dict[str, dict[str, Any]] = {}
    for name in ("memory", "command line", "mcp"):
        (tmp_path / f"{name}.db.key").write_text("5a" * 32)  # the same key: digests of secrets are compared too
        with surface_of(name, tmp_path / f"{name}.db") as surface:
            found[name] = dict(scenario(surface))
    for step, wanted in found["memory"].items():
        for name in ("command line", "mcp"):
            assert found[name][step] == wanted, f"{step} through {name}"
    assert found["memory"]["search"] and found["memory"]["activate"], "the scenario finds something"
    assert len({found["memory"][f"assemble with {profile}"][0] for profile in PROFILES}) > 1, "profiles differ"

"""Variants of a query from a chat model, against a real server on loopback: what leaves, what is kept, what fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import SettingsError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import SearchResult
from support import loopback
from support.cli import data, run
from support.loopback import Reply, Service

NOW = datetime(2026, 5, 10, tzinfo=UTC)
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


def said(*lines: str) -> Reply:
    return Reply(body={"choices": [{"message": {"role": "assistant", "content": "\n".join(lines)}}]})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with loopback.service(lambda path, body: said("boiler serviced", "furnace upkeep")) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{running.url}/v1")
        monkeypatch.setenv("OLLAMA_HOST", running.url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        yield running


def remembering(**settings: Any) -> Memory:
    given = {f"expand.{name}": value for name, value in settings.items()}
    memory = Memory(
        DictStore(), HashEmbedder(512), settings=Settings().changed(given, "test"), clock=lambda: NOW
    )  # fmt: skip
    for text in ("The boiler was serviced in March.", "Dinner is at eight.", "The train leaves at noon."):
        memory.remember(text, user="ana", time=NOW)
    return memory


def asked(memory: Memory, query: str) -> SearchResult:
    return memory.search(query, user="ana", profile="openclaw", now=NOW)


def sent(service: Service) -> str:
    return "\n".join(json.dumps(body) for body in service.bodies)


def test_nothing_is_asked_by_default(service: Service) -> None:
    found = asked(remembering(), "Heating maintenance?")
    assert found.details["variants"] == ["heating maintenance", "heating maintenances"]
    assert service.paths == []


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_a_variant_finds_what_the_words_of_the_query_do_not(service: Service, provider: str) -> None:
    found = asked(remembering(provider=provider, model="small"), "Heating maintenance?")
    assert found[0].record.text == "The boiler was serviced in March."
    assert found.details["variants"][:2] == ["boiler serviced", "furnace upkeep"]
    assert len(found.details["variants"]) <= 4 and found.details["degraded"] == ""
    assert service.paths == ["/v1/chat/completions"] and service.bodies[0]["model"] == "small"


def test_an_answered_query_asks_no_model(service: Service) -> None:
    memory = remembering(provider="openai", model="small")
    memory.remember("Serviced in March: the boiler.", user="ana", project="home", time=NOW)
    found = memory.search("boiler serviced in March?", user="ana", project="home", profile="openclaw", now=NOW)
    assert found.details["stopped"] and service.paths == []


def test_private_data_of_the_query_does_not_leave(service: Service) -> None:
    query = f"Did ana.costa@example.org at 12 Baker Street or +351 912 345 678 use {SECRET} for order 884512345678?"
    asked(remembering(provider="openai", model="small"), query)
    assert service.bodies and "Baker" not in sent(service) and "<query>" in sent(service)
    assert not any(part in sent(service) for part in ("ana.costa", "example.org", "912", SECRET, "884512345678"))


def test_variants_with_private_data_names_or_numbers_are_dropped(service: Service) -> None:
    service.script = [
        said(
            "- heating upkeep",
            "2. Who repairs the heating?",
            "heating repair by Joao",
            "Joao repairs heating",
            "heating maintenance 2019",
            "mail bob@example.org about heating",
            "heating [secret:key]",
            "x" * 500,
            *(f"heating {word}" for word in ("care", "check", "service", "repair", "fix")),
        )
    ]
    variants = asked(remembering(provider="openai", model="small"), "Heating maintenance?").details["variants"]
    assert variants == ["heating upkeep", "Who repairs the heating?", "heating care", "heating check"]


@pytest.mark.parametrize(
    "reply", [Reply(500, {"error": "busy"}), Reply(body={"no": "choices"}), Reply(body=b"<html>"), said("Bob 7")]
)
def test_a_failure_leaves_the_rules_and_is_told(service: Service, reply: Reply) -> None:
    service.script = [reply]
    found = asked(remembering(provider="openai", model="small"), "Heating maintenance?")
    assert found.details["variants"] == ["heating maintenance", "heating maintenances"]
    assert found.details["degraded"] and len(service.paths) == 1


def test_a_query_that_is_all_private_is_not_sent(service: Service) -> None:
    found = asked(remembering(provider="openai", model="small"), "ana.costa@example.org")
    assert service.paths == [] and "may leave" in found.details["degraded"]


def test_a_service_without_a_model_is_a_mistake() -> None:
    with pytest.raises(SettingsError, match="No model is named"):
        asked(remembering(provider="openai"), "Heating maintenance?")


def test_the_command_line_tells_what_failed(service: Service, path: Path, tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/a.md").write_text("The boiler was serviced in March.\n")
    run(path, "index", str(tmp_path / "ws"), "--user", "ana")
    on = ("--set", "expand.provider=openai", "--set", "expand.model=small")
    args = ("search", "Heating maintenance?", "--files", "--user", "ana", *on)
    assert data(run(path, "--json", *args))["hits"][0]["path"] == "ws/a.md"
    service.script = [Reply(503)]
    assert "without variants of a model: openai:small: " in run(path, *args, env={"COLUMNS": "400"}).stdout

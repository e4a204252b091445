"""Codex with aforesaid installed: what the model gets to see, and what is in the store afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from real_hosts.account import keep
from real_hosts.app_server import trust_hooks, trust_project
from real_hosts.codex import TRUSTING, Codex, offered
from real_hosts.fake_model import Say, Use, listening
from real_hosts.fake_openai import OpenAI
from real_hosts.home import Home
from real_hosts.story import ANSWER, CONFIDENCE, FACT, QUESTION, SECRET, TOLD, betrayed, said

TRUSTED = 'trust_level = "trusted"'  # of a project, in Codex's configuration


@pytest.fixture
def codex(home: Home) -> Iterator[Codex]:
    with listening(OpenAI()) as model:
        codex = Codex(home, model)
        codex.install()
        yield codex


def test_the_model_is_told_how_to_use_the_memory(codex: Codex) -> None:
    codex.model.plan(Use("memory_remember", {"text": FACT}), Use("memory_search", {"query": QUESTION}), Say("Kept."))
    visit = codex.ask("Please remember when we deploy.", TRUSTING)
    server = offered(codex.model.turns[0])
    assert server["description"].startswith(TOLD) and len(server["tools"]) == 16
    search = next(tool for tool in server["tools"] if tool["name"] == "memory_search")
    assert search["parameters"]["required"] == ["query"]
    kept, found = visit.tools
    assert json.loads(kept.result)["status"] == "kept"
    assert [hit["text"] for hit in json.loads(found.result)["hits"]] == [FACT]
    assert visit.answer == "Kept."


def test_a_fact_told_in_one_session_is_recalled_in_the_next(codex: Codex) -> None:
    codex.model.plan(Say("Noted."))
    first = codex.ask(FACT, TRUSTING)
    assert not first.added
    told = {("user", FACT): 1, ("assistant", "Noted."): 1}
    assert said(codex.home) == told
    codex.model.plan(Say("Who is that?"))
    again = codex.ask("Marta opens the gate for it.", TRUSTING, resume=first.session)
    assert again.session == first.session and not again.added
    told |= {("user", "Marta opens the gate for it."): 1, ("assistant", "Who is that?"): 1}
    assert said(codex.home) == told
    codex.model.plan(Say(ANSWER))
    later = codex.ask(QUESTION, TRUSTING)
    assert later.session != first.session and FACT in later.added
    told |= {("user", QUESTION): 1, ("assistant", ANSWER): 1}
    assert said(codex.home) == told, "what was added is no turn"
    assert [hook.event for hook in later.hooks] == ["SessionStart", "UserPromptSubmit", "Stop"]
    codex.model.plan(Use("memory_search", {"query": QUESTION}), Say("I have looked it up."))
    looked = codex.ask("Please look up in your memory when we deploy.", TRUSTING)
    assert FACT in [hit["text"] for hit in json.loads(looked.tools[0].result)["hits"]]
    assert not any(word in codex.home.log() for word in ("failed", "gave up"))
    keep("codex", codex.home, (first, again, later, looked))


def test_what_was_remembered_by_hand_is_recalled(codex: Codex) -> None:
    codex.home.aforesaid("remember", FACT, "--user", "ana")
    assert FACT in codex.ask(QUESTION, TRUSTING).added


def test_private_words_reach_the_model_and_not_the_store(codex: Codex) -> None:
    visit = codex.ask(CONFIDENCE, TRUSTING)
    assert SECRET in visit.told[0]
    assert ("user", "The gate has a code. Do not lose it.") in said(codex.home)
    assert not betrayed(codex.home)


def test_an_error_of_a_tool_reaches_the_model_as_a_sentence(codex: Codex) -> None:
    codex.model.plan(Use("memory_get", {"id": "nobody"}), Say("It is gone."))
    (failed,) = codex.ask("Read me the record called nobody.", TRUSTING).tools
    assert "No record has the id 'nobody'." in failed.result, failed.result


def test_what_our_own_tools_tell_is_not_taken_as_something_new(codex: Codex) -> None:
    codex.home.aforesaid("remember", FACT, "--user", "ana")
    codex.model.plan(Use("memory_search", {"query": QUESTION}), Say("I have looked it up."))
    codex.ask("Please look into your memory.", TRUSTING)
    assert [record["kind"] for record in codex.home.records() if FACT in record["text"]] == ["claim"]


def test_one_process_in_the_background_is_enough_for_a_store(codex: Codex) -> None:
    codex.ask(FACT, TRUSTING)
    assert len(codex.home.background()) <= 1


def test_hooks_that_nobody_trusted_do_not_run(codex: Codex) -> None:
    visit = codex.ask(FACT)
    assert not visit.hooks and TOLD in visit.told[0]


def test_hooks_that_a_person_trusted_run(codex: Codex) -> None:
    events = trust_hooks(codex.home, codex.environment)
    assert set(events) == {"sessionStart", "userPromptSubmit", "stop", "preCompact"}
    assert [hook.event for hook in codex.ask(FACT).hooks] == ["SessionStart", "UserPromptSubmit", "Stop"]


@pytest.mark.parametrize("options", [(), ("--undo",)], ids=("again", "undone"))
def test_what_codex_writes_itself_stays(codex: Codex, options: tuple[str, ...]) -> None:
    trust_project(codex.home, codex.environment)
    if TRUSTED not in codex.config:
        pytest.fail("Codex wrote nothing")
    codex.install(*options)
    assert TRUSTED in codex.config


def test_it_can_be_undone_after_codex_added_another_server(codex: Codex) -> None:
    codex.manage("mcp", "add", "other", "--", "some-server")
    codex.install("--undo")
    assert "some-server" in codex.config
    assert "[mcp_servers.aforesaid]" not in codex.config


def test_it_can_be_installed_again_after_codex_added_another_server(codex: Codex) -> None:
    codex.manage("mcp", "add", "other", "--", "some-server")
    codex.install()
    assert "some-server" in codex.config


def test_undone_it_is_gone(codex: Codex) -> None:
    codex.install("--undo")
    visit = codex.ask(FACT, TRUSTING)
    assert not visit.hooks and TOLD not in visit.told[0]
    assert not codex.home.store.exists()

"""Claude Code with aforesaid installed: what the model gets to see, and what is in the store afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from real_hosts.account import keep
from real_hosts.claude_code import ClaudeCode
from real_hosts.fake_anthropic import SERVER, Anthropic
from real_hosts.fake_model import Say, Use, listening
from real_hosts.home import Home
from real_hosts.story import ANSWER, CONFIDENCE, FACT, QUESTION, SECRET, TOLD, betrayed, said


@pytest.fixture
def claude(home: Home) -> Iterator[ClaudeCode]:
    with listening(Anthropic()) as model:
        claude = ClaudeCode(home, model)
        claude.install()
        yield claude


def test_the_model_is_told_how_to_use_the_memory(claude: ClaudeCode) -> None:
    claude.model.plan(Use("memory_remember", {"text": FACT}), Use("memory_search", {"query": QUESTION}), Say("Kept."))
    visit = claude.ask("Please remember when we deploy.", ENABLE_TOOL_SEARCH="false")
    assert TOLD in visit.told[0]
    offered = {tool["name"]: tool for tool in claude.model.turns[0].body["tools"]}
    assert sum(name.startswith(SERVER) for name in offered) == 16
    assert offered[f"{SERVER}memory_search"]["input_schema"]["required"] == ["query"]
    kept, found = visit.tools
    assert json.loads(kept.result)["status"] == "kept"
    assert [hit["text"] for hit in json.loads(found.result)["hits"]] == [FACT]
    assert visit.answer == "Kept."


def test_by_default_it_names_the_tools_and_loads_them_later(claude: ClaudeCode) -> None:
    visit = claude.ask("Good morning to you all.")
    assert TOLD in visit.told[0] and f"{SERVER}memory_search" in visit.told[0]


def test_a_fact_told_in_one_session_is_recalled_in_the_next(claude: ClaudeCode) -> None:
    claude.model.plan(Say("Noted."))
    first = claude.ask(FACT)
    assert not first.added
    told = {("user", FACT): 1, ("assistant", "Noted."): 1}
    assert said(claude.home) == told
    claude.model.plan(Say("Who is that?"))
    again = claude.ask("Marta opens the gate for it.", "--continue")
    assert again.session == first.session and not again.added
    told |= {("user", "Marta opens the gate for it."): 1, ("assistant", "Who is that?"): 1}
    assert said(claude.home) == told
    claude.model.plan(Say(ANSWER))
    later = claude.ask(QUESTION)
    assert later.session != first.session and FACT in later.added
    told |= {("user", QUESTION): 1, ("assistant", ANSWER): 1}
    assert said(claude.home) == told, "what was added is no turn"
    assert all(hook.code == 0 for visit in (first, again, later) for hook in visit.hooks)
    assert [hook.event for hook in later.hooks][:2] == ["SessionStart", "UserPromptSubmit"]
    claude.model.plan(Use("memory_search", {"query": QUESTION}), Say("I have looked it up."))
    looked = claude.ask("Please look up in your memory when we deploy.")
    assert FACT in [hit["text"] for hit in json.loads(looked.tools[0].result)["hits"]]
    assert not any(word in claude.home.log() for word in ("failed", "gave up"))
    keep("claude-code", claude.home, (first, again, later, looked))


def test_what_was_remembered_by_hand_is_recalled(claude: ClaudeCode) -> None:
    claude.home.aforesaid("remember", FACT, "--user", "ana")
    assert FACT in claude.ask(QUESTION).added


def test_private_words_reach_the_model_and_not_the_store(claude: ClaudeCode) -> None:
    visit = claude.ask(CONFIDENCE)
    assert SECRET in visit.told[0]
    assert ("user", "The gate has a code. Do not lose it.") in said(claude.home)
    assert not betrayed(claude.home)


def test_an_error_of_a_tool_reaches_the_model_as_a_sentence(claude: ClaudeCode) -> None:
    claude.model.plan(Use("memory_get", {"id": "nobody"}), Say("It is gone."))
    (failed,) = claude.ask("Read me the record called nobody.").tools
    assert failed.result.startswith("NotFoundError: No record has the id 'nobody'."), failed.result


def test_what_our_own_tools_tell_is_not_taken_as_something_new(claude: ClaudeCode) -> None:
    claude.home.aforesaid("remember", FACT, "--user", "ana")
    claude.model.plan(Use("memory_search", {"query": QUESTION}), Say("I have looked it up."))
    claude.ask("Please look into your memory.")
    assert [record["kind"] for record in claude.home.records() if FACT in record["text"]] == ["claim"]


def test_undone_it_is_gone(claude: ClaudeCode) -> None:
    claude.install("--undo")
    visit = claude.ask(FACT)
    assert not visit.hooks and visit.connected_ms is None and TOLD not in visit.told[0]
    assert not claude.home.store.exists()

"""Rules that a user lays down in one session reach the prompts of the next, without a compaction in between."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import EventFilter, Turn
from support.clock import NOW, standing_clock

MINUTE = timedelta(minutes=1)
RULE = "From now on always answer me in French."
QUERY = "please answer me"
TITLE = "Asked for by the user before; the newest holds where two disagree:"


def say(
    memory: Memory, text: str, *, turn: str = "r1", session: str = "s1", role: str = "user", **more: object
) -> None:
    time = more.pop("time", NOW - MINUTE)
    user = more.pop("user", "ana")
    tainted = bool(more.pop("tainted", False))
    assert not more
    memory.ingest([Turn(turn, session, role, text, time, tainted=tainted)], user=user)  # type: ignore[arg-type]


def system(memory: Memory, *, user: str = "ana", session: str = "s2", query: str = QUERY) -> str:
    return memory.assemble(query, user=user, session=session, budget_tokens=800).system


def test_a_rule_holds_in_the_next_session_at_once(memory: Memory) -> None:
    say(memory, RULE)
    context = memory.assemble(QUERY, user="ana", session="s2", budget_tokens=800)
    assert f"{TITLE}\n[2026-06-01] {RULE}" in context.system
    assert context.text.count("in French") == 1
    [event] = memory.store.log.find(EventFilter(memory.tenant, topic="ingest"))
    assert event.body["rules"] == 1
    assert memory.maintenance.verify() == []


def test_a_rule_is_of_its_user_only(memory: Memory) -> None:
    say(memory, RULE)
    assert "in French" not in memory.assemble(QUERY, user="bo", session="s2", budget_tokens=800).text


@pytest.mark.parametrize("role", ["assistant", "system", "developer", "tool", "Caroline"])
def test_only_the_user_lays_down_rules(memory: Memory, role: str) -> None:
    say(memory, RULE, role=role)
    assert RULE not in system(memory)
    assert memory.list(user="ana", kinds=["node"]) == []


def test_a_user_who_speaks_under_their_name_does_too(memory: Memory) -> None:
    say(memory, RULE, role="Ana")
    assert RULE in system(memory)


def test_untrusted_text_lays_down_no_rules(memory: Memory) -> None:
    say(memory, RULE, tainted=True)
    assert memory.list(user="ana", kinds=["node"]) == []
    assert RULE not in system(memory)


def test_in_its_own_session_the_turn_itself_is_shown_and_nothing_twice(memory: Memory) -> None:
    say(memory, RULE, session="s2")
    context = memory.assemble(QUERY, user="ana", session="s2", budget_tokens=800)
    assert context.text.count(RULE) == 1 and RULE not in context.system
    given = [{"role": "user", "content": RULE}]
    context = memory.assemble(QUERY, user="ana", session="s2", budget_tokens=800, messages=given)
    assert context.text.count(RULE) == 1


def test_a_rule_that_left_the_tail_of_its_session_is_shown_as_a_rule(memory: Memory) -> None:
    say(memory, RULE, session="s2", time=NOW - 600 * MINUTE)
    for i in range(40):
        text = f"Answer {i}: " + "we went on about the harbour and the boats in it. " * 6
        say(memory, text, turn=f"t{i}", session="s2", role=("user", "assistant")[i % 2], time=NOW - (500 - i) * MINUTE)
    context = memory.assemble(QUERY, user="ana", session="s2", budget_tokens=800)
    assert RULE in context.system and context.text.count(RULE) == 1


def test_the_newest_rule_comes_last_and_a_repeated_one_once(memory: Memory) -> None:
    later = "From now on always answer me in English."
    say(memory, RULE, turn="r1", time=NOW - 9 * MINUTE)
    say(memory, RULE, turn="r2", session="s3", time=NOW - 8 * MINUTE)
    say(memory, later, turn="r3", session="s4", time=NOW - 7 * MINUTE)
    shown = system(memory)
    assert shown.count(RULE) == 1
    assert shown.index(RULE) < shown.index(later)
    say(memory, RULE, turn="r4", session="s5", time=NOW - 6 * MINUTE)
    shown = system(memory)
    assert shown.index(later) < shown.index(RULE), "said again, it is the newest"


def test_a_rule_that_was_shown_stays_in_the_contexts_of_its_session(memory: Memory) -> None:
    say(memory, RULE)
    far = "zebra xylophone quartz"
    by_libra = memory.assemble(far, user="ana", session="other", budget_tokens=800, profile="libra")
    assert RULE not in by_libra.system, "the literal profiles show what is near only"
    first = memory.assemble(QUERY, user="ana", session="s2", budget_tokens=800)
    second = memory.assemble(far, user="ana", session="s2", budget_tokens=800)
    assert RULE in first.system and second.system == first.system
    assert second.kept_tokens >= first.tokens // 2, "so that the prompt cache stays valid"
    memory.forget(["r1"], user="ana")
    assert RULE not in system(memory, query=far)


def test_forgetting_the_turn_forgets_the_rule(memory: Memory) -> None:
    say(memory, RULE)
    assert RULE in system(memory)
    receipt = memory.forget(["r1"], user="ana")
    assert receipt.kinds == {"turn": 1, "node": 1}
    assert RULE not in memory.assemble(QUERY, user="ana", session="s3", budget_tokens=800).text


def test_a_search_finds_the_turn_and_not_its_copy(memory: Memory) -> None:
    say(memory, RULE)
    assert [hit.record.id for hit in memory.search("answer in French", user="ana")] == ["r1"]
    assert len(list(memory.search("answer in French", user="ana", kinds=["node"]))) == 1, "unless it is asked for"


def test_a_prompt_that_is_near_recalls_it_as_a_rule(memory: Memory) -> None:
    say(memory, RULE)
    recalled = memory.recall("Will you answer me in French?", user="ana", session="s2")
    assert RULE in recalled.system and recalled.text.count(RULE) == 1
    again = memory.recall("Can you answer me in French?", user="ana", session="s2")
    assert RULE not in again.text, "the session has it already"
    here = memory.recall("Will you answer me in French?", user="ana", session="s1")
    assert RULE not in here.text, "the host has the turns of its own session"


def test_storing_the_turn_again_saves_nothing(memory: Memory) -> None:
    say(memory, RULE)
    say(memory, RULE)
    assert len(memory.list(user="ana", kinds=["node"])) == 1


def test_a_rule_for_certain_purposes_is_for_them_only(memory: Memory) -> None:
    memory.ingest([Turn("r1", "s1", "user", RULE, NOW - MINUTE)], user="ana", allow=["support"])
    assert RULE not in system(memory)
    assert RULE in system(memory.acting("support"), session="s3")


def test_the_setting_switches_it_off() -> None:
    from aforesaid.store.memory import DictStore

    settings = Settings.load(arguments={"readers.rules": False})
    with Memory(DictStore(), HashEmbedder(64), settings=settings, clock=standing_clock) as memory:
        say(memory, RULE)
        assert memory.list(user="ana", kinds=["node"]) == []


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "store.db"
    with Memory(SQLiteStore(path), HashEmbedder(64), settings=Settings(), clock=standing_clock) as memory:
        say(memory, "今後は必ずフランス語で答えてください。")
    yield path


def test_a_rule_is_there_when_the_store_is_opened_again(written: Path) -> None:
    with Memory(SQLiteStore(written), HashEmbedder(64), settings=Settings(), clock=standing_clock) as memory:
        assert "フランス語" in system(memory, query="フランス語で答えて")


@pytest.mark.parametrize("prompt", ["install lodash", "add a dependency on zod", "which package manager do we use?"])
def test_a_rule_reaches_every_new_session_whatever_it_is_about(memory: Memory, prompt: str) -> None:
    rule = "We always use pnpm here, never npm."
    say(memory, rule)
    assert rule in memory.recall(prompt, user="ana", session="s2").system
    assert rule not in memory.recall(prompt, user="ana", session="s2").text, "once a session"
    assert rule in memory.assemble(prompt, user="ana", session="s3", budget_tokens=800).system
    assert rule not in memory.recall(prompt, user="bo", session="s4").text

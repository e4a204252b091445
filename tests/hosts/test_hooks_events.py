"""Each event of a host, in this process: what it stores, what it answers, and what it leaves alone."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.hosts import log
from aforesaid.hosts.events import respond
from aforesaid.hosts.hook import HookOptions, run_hook
from aforesaid.hosts.types import project_of
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.protocols import ValueKind
from aforesaid.text.echo import FRAME_OPEN, RULES_OPEN
from samples.hook_events import EVENTS, PROMPT, STRANGER, claude_event, codex_event
from samples.import_files import CLAUDE_CODE, CODEX, ROLLOUT, SESSION, claude, codex, lines, spoken

SECRET = "zanzibar-4711"


@pytest.fixture(autouse=True)
def quiet_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(log, "log_path", lambda: tmp_path / "log" / "hook.log")
    return tmp_path / "log" / "hook.log"


def responder(opener: Any) -> Any:
    return lambda payload, settings, options: respond(payload, settings, opener, options)


class Desk:
    """A store, a transcript in a repository, and the way to send events."""

    def __init__(self, folder: Path, codex_host: bool = False, **arguments: Any) -> None:
        self.store = folder / "memory.db"
        self.cwd = folder / "shop"
        (self.cwd / ".git").mkdir(parents=True, exist_ok=True)
        self.codex = codex_host
        self.transcript = folder / ("rollout-1.jsonl" if codex_host else "transcript.jsonl")
        self.settings = Settings().changed({"embed.provider": "hash", **arguments}, "test")
        self.write(CODEX if codex_host else CLAUDE_CODE)

    def write(self, values: Any, mode: str = "wb") -> None:
        with self.transcript.open(mode) as stream:
            stream.write(lines(values))

    def respond(self, payload: Any, settings: Settings, options: HookOptions) -> Any:
        return respond(payload, settings, self.open, options)

    def open(self, settings: Settings, make: bool = True) -> AbstractContextManager[Memory | None]:
        return Memory.open(self.store, settings=settings) if make or self.store.exists() else nullcontext()

    def send(self, name: str, *, options: HookOptions | None = None, limit: float = 60, **more: Any) -> dict[str, Any]:
        make: Callable[..., dict[str, Any]] = codex_event if self.codex else claude_event
        event = make(name, self.transcript, self.cwd, **more)
        answer, over = run_hook(
            lambda: json.dumps(event).encode(),
            lambda: self.settings,
            self.respond,
            options or HookOptions(user="ana"),
            limit,
        )
        assert over
        return answer

    def turns(self, user: str | None = "ana") -> list[Any]:
        with Memory.open(self.store, settings=self.settings) as memory:
            return memory.list(user=user, kinds=["turn"], limit=500)

    def raw(self) -> bytes:
        return b"".join(file.read_bytes() for file in self.store.parent.glob("memory.db*") if file.is_file())


@pytest.fixture(params=["claude-code", "codex"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return Desk(tmp_path, request.param == "codex")


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_answered_with_an_object_that_changes_nothing(desk: Desk, name: str, quiet_log: Path) -> None:
    assert desk.send(name) == {}
    assert name in quiet_log.read_text()
    assert "failed" not in quiet_log.read_text()


def test_turns_are_taken_once_however_often_it_is_told(desk: Desk) -> None:
    for name in ("PostToolUse", "Stop", "Stop", "Stop", "Stop", "Stop", "PreCompact", "SessionEnd"):
        desk.send(name)
    turns = desk.turns()
    assert len({(turn.session, turn.id) for turn in turns}) == len(turns)
    assert {turn.project for turn in turns} == {"shop"}
    assert {turn.agent for turn in turns} == {"codex" if desk.codex else "claude-code"}
    texts = [turn.text for turn in turns]
    assert "Look for all uses of the old port." not in texts, "a sub-agent's words are left"
    said = (
        "The nightly job writes to the bucket ledger-eu."
        if desk.codex
        else "Our staging server listens on port 7443 now."
    )
    assert texts.count(said) == 1
    assert {turn.session for turn in turns} == {ROLLOUT if desk.codex else SESSION}
    assert all(turn.tainted for turn in turns if turn.role == "tool")
    assert any(turn.role == "tool" for turn in turns)


def test_what_is_new_is_taken_at_the_next_event(desk: Desk) -> None:
    desk.send("Stop")
    before = len(desk.turns())
    desk.write(
        [codex(20, spoken("user", "One more thing."))] if desk.codex else [claude(40, "user", "One more thing.")], "ab"
    )
    desk.send("Stop")
    assert len(desk.turns()) == before + 1


def test_a_compacted_rewritten_transcript_adds_nothing_twice(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")
    before = {turn.key for turn in desk.turns()}
    desk.write([claude(50, "user", "A new beginning."), *CLAUDE_CODE])
    desk.send("Stop")
    assert {turn.id for turn in desk.turns() if turn.key not in before} == {"u-0050"}


def test_a_fork_repeats_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")
    before = len(desk.turns())
    desk.transcript = tmp_path / "fork.jsonl"
    desk.write(
        [{**value, "sessionId": "fork"} for value in CLAUDE_CODE]
        + [claude(60, "user", "Another way.", sessionId="fork")]
    )
    desk.send("Stop", session_id="fork")
    assert len(desk.turns()) == before + 1


def test_a_message_that_changed_does_not_stop_the_rest(tmp_path: Path) -> None:
    desk = Desk(tmp_path, codex_host=True)
    desk.send("Stop")
    before = len(desk.turns())
    with Memory.open(desk.store, settings=desk.settings) as memory:
        for slot in memory.store.values.items(ValueKind.POSITION, "default"):
            memory.store.values.drop(slot)
    desk.write([*CODEX, codex(30, spoken("user", "And a last word."))])
    desk.send("Stop")
    assert len(desk.turns()) == before + 1


def test_a_prompt_gets_what_has_to_do_with_it_once(desk: Desk) -> None:
    desk.send("Stop")
    answer = desk.send("UserPromptSubmit", session_id="another")
    added = answer["hookSpecificOutput"]
    assert added["hookEventName"] == "UserPromptSubmit"
    assert added["additionalContext"].startswith((FRAME_OPEN, RULES_OPEN)) and FRAME_OPEN in added["additionalContext"]
    assert ("ledger-eu" if desk.codex else "7443") in added["additionalContext"]
    assert desk.send("UserPromptSubmit", session_id="another") == {}, "it is in the host's context already"
    assert desk.send("UserPromptSubmit", session_id="another", prompt=STRANGER) == {}
    assert desk.send("UserPromptSubmit") == {}, "the session's own turns are there anyway"
    assert desk.send("UserPromptSubmit", session_id="x", options=HookOptions(user="bob")) == {}, (
        "another user sees nothing"
    )


def test_after_a_compaction_it_may_be_recalled_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")
    assert desk.send("UserPromptSubmit", session_id="another")
    assert desk.send("UserPromptSubmit", session_id="another") == {}
    desk.send("PreCompact", session_id="another")
    assert desk.send("UserPromptSubmit", session_id="another")
    assert desk.send("UserPromptSubmit") == {}
    desk.send("PreCompact")
    assert "7443" in str(desk.send("UserPromptSubmit")), "the host has forgotten its own turns"


@pytest.mark.parametrize(
    "prompt", ["", "  ", "yes", "go on", "/clear", "!ls", f"<private>{PROMPT}</private>", f"<private>{PROMPT}"]
)
def test_nothing_is_looked_for_when_nothing_is_asked(tmp_path: Path, prompt: str, quiet_log: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")
    assert desk.send("UserPromptSubmit", session_id="another", prompt=prompt) == {}
    assert "nothing to look for" in quiet_log.read_text()


def test_tool_output_is_kept_and_not_injected(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")
    answer = str(desk.send("UserPromptSubmit", session_id="another", prompt="port = 7443 Read conf.toml file_path"))
    assert "port = 7443" not in answer
    assert "file_path" not in answer


def test_what_was_injected_comes_back_as_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")
    frame = desk.send("UserPromptSubmit", session_id="another")["hookSpecificOutput"]["additionalContext"]
    before = len(desk.turns())
    desk.transcript = tmp_path / "other.jsonl"
    desk.write(
        [claude(70, "user", frame, sessionId="another"), claude(71, "user", f"And now?\n{frame}", sessionId="another")]
    )
    desk.send("Stop", session_id="another")
    new = desk.turns()[: len(desk.turns()) - before]
    assert len(desk.turns()) == before + 1
    assert [turn.text.strip() for turn in desk.turns() if turn.id == "u-0071"] == ["And now?"]
    assert new


def test_private_text_is_nowhere_in_the_store(desk: Desk, quiet_log: Path) -> None:
    said = f"Keep this. <private>The key is {SECRET}.</private> And this. <private>{SECRET}"
    desk.write([codex(21, spoken("user", said))] if desk.codex else [claude(41, "user", said)], "ab")
    for name in ("PostToolUse", "Stop", "PreCompact", "SessionEnd"):
        desk.send(name)
    desk.send(
        "UserPromptSubmit", session_id="z", prompt=f"where does the nightly job write? <private>{SECRET}</private>"
    )
    assert any("Keep this." in turn.text and "And this." in turn.text for turn in desk.turns())
    assert SECRET.encode() not in desk.raw()
    assert SECRET not in quiet_log.read_text()


def test_no_digest_depends_on_private_text(tmp_path: Path) -> None:
    marks = []
    for name, secret in (("a", "zanzibar"), ("b", "timbuktu")):
        (tmp_path / name).mkdir()
        desk = Desk(tmp_path / name, codex_host=True)
        desk.write([codex(21, spoken("user", f"Keep this. <private>{secret}</private>"))], "ab")
        desk.send("Stop")
        with Memory.open(desk.store, settings=desk.settings) as memory:
            held = [json.loads(value) for value in memory.store.values.items(ValueKind.POSITION, "default").values()]
            marks.append(
                ([(mark["first"], mark["last"]) for mark in held], sorted(turn.id for turn in memory.list(user="ana")))
            )
    assert marks[0] == marks[1]


def test_a_session_start_loads_documents_if_a_setting_says_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (desk.cwd / "AGENTS.md").write_text("# Rules\n\n- You must never push to main.\n- Always run the tests.\n")
    assert desk.send("SessionStart") == {}
    desk.settings = desk.settings.changed({"hooks.documents": True}, "test")
    assert desk.send("SessionStart") == {"systemMessage": "aforesaid: rules loaded from AGENTS.md"}
    with Memory.open(desk.store, settings=desk.settings) as memory:
        assert "never push to main" in memory.assemble("push it", user="ana", project="shop").system
    assert "never push" not in str(desk.send("UserPromptSubmit", prompt="never push to main", session_id="q")), (
        "it reads the file itself"
    )


def test_sub_agents_and_unknown_events_are_left_alone(desk: Desk, quiet_log: Path) -> None:
    for name, more in (
        ("Stop", {"agent_id": "a1"}),
        ("SubagentStop", {}),
        ("Notification", {}),
        ("Stop", {"session_id": 7}),
    ):
        assert desk.send(name, **more) == {}
    assert not desk.store.exists()
    assert quiet_log.read_text().count("ignored") == 4


@pytest.mark.parametrize("path", [None, "", 7, "/nowhere/at/all.jsonl", "/", "bad\x00name", "~nobody-at-all/x"])
def test_a_transcript_that_is_not_there(desk: Desk, path: Any, quiet_log: Path) -> None:
    for name in ("Stop", "PreCompact", "SessionEnd"):
        assert desk.send(name, transcript_path=path) == {}
    assert "failed" not in quiet_log.read_text()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["hook_event_name", "session_id", "prompt", "cwd", "transcript_path", "source", "turn_id"]
                )
                | st.text(max_size=5),
                inner | st.sampled_from([*EVENTS]),
                max_size=6,
            )
        ),
    )
)
def test_any_json_gets_an_object(tmp_path: Path, value: Any) -> None:
    desk = Desk(tmp_path)
    data = json.dumps(value).encode()
    answer, over = run_hook(lambda: data, lambda: desk.settings, desk.respond, HookOptions(), 60)
    assert over
    assert isinstance(answer, dict)
    json.dumps(answer)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_on_stdin_get_an_object(tmp_path: Path, data: bytes) -> None:
    desk = Desk(tmp_path)
    assert run_hook(lambda: data, lambda: desk.settings, desk.respond, HookOptions(), 60) == ({}, True)


def test_a_slow_model_does_not_hold_up_a_prompt(tmp_path: Path, quiet_log: Path) -> None:
    desk = Desk(tmp_path)
    desk.send("Stop")

    given_up, threads = threading.Event(), []

    class Slow(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            given_up.wait(60)
            return super().embed_query(text)

    def opened(settings: Settings, make: bool) -> Memory:
        threads.append(threading.current_thread())
        return Memory.open(desk.store, embedder=Slow(64), settings=settings)

    event = json.dumps(claude_event("UserPromptSubmit", desk.transcript, desk.cwd, session_id="other")).encode()
    desk.settings = desk.settings.changed({"hooks.prompt_ms": 300}, "test")
    assert run_hook(lambda: event, lambda: desk.settings, responder(opened), HookOptions(user="ana")) == ({}, False)
    assert "gave up after 0.3 s" in quiet_log.read_text()
    given_up.set()
    for thread in threads:  # left behind, it ends before its store goes
        thread.join(60)


def test_errors_are_in_the_log_without_anybodys_words(tmp_path: Path, quiet_log: Path) -> None:
    desk = Desk(tmp_path)

    def broken(settings: Settings, make: bool) -> Memory:
        raise ValueError(SECRET)

    event = json.dumps(claude_event("Stop", desk.transcript, desk.cwd, prompt=SECRET)).encode()
    assert run_hook(lambda: event, lambda: desk.settings, responder(broken), HookOptions()) == ({}, True)
    desk.store.write_bytes(b"this is no store " * 100)
    assert desk.send("Stop", prompt=SECRET) == {}
    text = quiet_log.read_text()
    assert "ValueError" in text
    assert "StoreCorruptError" in text
    assert SECRET not in text


def test_the_log_is_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 1000)
    file = tmp_path / "deep" / "hook.log"
    for number in range(100):
        log.write_log(f"line {number}", file)
    assert sorted(each.name for each in file.parent.iterdir()) == ["hook.log", "hook.log.1"]
    assert file.stat().st_size < 1100
    log.write_log("nowhere", Path("/dev/null/x"))


def test_the_project_is_the_repository(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git" / "worktrees" / "fix").mkdir(parents=True)
    (tmp_path / "shop" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "fix").mkdir()
    (tmp_path / "fix" / ".git").write_text(f"gitdir: {tmp_path}/shop/.git/worktrees/fix\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text("gitdir: ../shop/.git/modules/sub\n")
    assert project_of(tmp_path / "shop" / "deep" / "er") == "shop"
    assert project_of(tmp_path / "fix") == "shop"
    assert project_of(tmp_path / "sub") == "sub"
    assert project_of(Path("/nowhere")) is None
    assert project_of(None) is None


def test_a_large_transcript_is_taken_over_several_events(tmp_path: Path) -> None:
    """Time runs out in the middle; the next event goes on there."""
    desk = Desk(tmp_path, **{"ingest.batch": 10})
    desk.write([claude(1, "user", f"Note number {n} is about topic {n * 7}.", uuid=f"m-{n}") for n in range(60)])

    class Dying(HashEmbedder):
        calls = 0

        def embed(self, texts: Any) -> Any:
            self.calls += 1
            if self.calls > 3:
                raise KeyboardInterrupt
            return super().embed(texts)

    def opened(rows: Settings, make: bool) -> Memory:
        return Memory.open(desk.store, embedder=Dying(64), settings=replace(rows))

    event = json.dumps(claude_event("Stop", desk.transcript, desk.cwd)).encode()
    assert run_hook(lambda: event, lambda: desk.settings, responder(opened), HookOptions(user="ana")) == ({}, True)
    taken = len(desk.turns())
    assert 0 < taken < 60
    desk.send("Stop")
    assert len(desk.turns()) == 60


@pytest.mark.parametrize("first", ["hook", "import"])
def test_what_an_import_takes_too_is_there_once(desk: Desk, first: str) -> None:
    """A hook names the repository as the project, an import by hand none."""

    def imported() -> None:
        with Memory.open(desk.store, settings=desk.settings) as memory:
            memory.importers.run(desk.transcript, user="ana")

    steps = [lambda: desk.send("Stop"), imported]
    for step in steps if first == "hook" else steps[::-1]:
        step()
    ids = [(turn.session, turn.id) for turn in desk.turns()]
    assert len(ids) == len(set(ids)) > 5


def test_what_was_forgotten_stays_forgotten(desk: Desk) -> None:
    desk.send("Stop")
    with Memory.open(desk.store, settings=desk.settings) as memory:
        memory.forget(user="ana", everything=True)
    for name in ("Stop", "PreCompact", "SessionEnd"):
        desk.send(name)
    assert desk.turns() == []

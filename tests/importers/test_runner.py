"""Whole imports into a memory: idempotent, resumable, honest about what was left, and quiet about the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import FormatError, InputError
from aforesaid.importers import runner as take_in
from aforesaid.importers.formats.detect import PARSERS, Format
from aforesaid.importers.formats.growing_file import parse_value
from aforesaid.importers.formats.items import ImportOptions, Invalid
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import ValueKind
from aforesaid.types import Filter
from samples.import_files import (
    CHAT,
    CLAUDE_CODE,
    CODEX,
    MEM0,
    OPENCLAW,
    SESSION,
    claude,
    codex,
    conversation,
    lines,
    node,
    said,
    write,
)
from support.clock import standing_clock

SAMPLES: dict[Format, list[Any]] = {
    "claude-code": CLAUDE_CODE, "codex": CODEX, "openclaw": OPENCLAW, "chatgpt": [conversation()], "mem0": MEM0, "jsonl": CHAT,
}  # fmt: skip
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def fresh(batch: int = 64) -> Memory:
    chosen = Settings.load(environment={}, arguments={"ingest.batch": batch})
    return Memory(DictStore(), HashEmbedder(16), settings=chosen, clock=standing_clock)


def held(memory: Memory) -> list[tuple[Any, ...]]:
    """Everything that is stored, but not when."""
    everything = Filter(memory.tenant, echoes=True, withheld=True)
    return sorted(
        (r.id, r.kind, r.text, r.time, r.user or "", r.session or "", r.role or "", r.bundle or "", r.tainted)
        for r in memory.store.find(everything)
    )


def talk(count: int) -> bytes:
    return lines([claude(number, "user", f"Fact number {number} is here.") for number in range(1, count + 1)])


def test_a_transcript_is_taken_once(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "projects" / "shop" / f"{SESSION}.jsonl", lines(CLAUDE_CODE))
    taken = memory.importers.run(tmp_path, user="ana")
    assert (taken.turns, taken.known, taken.bad, taken.sessions) == (8, 0, 0, 1)
    [file] = taken.files
    assert (file.path, file.format, file.state) == (str(path), "claude-code", "taken")
    assert file.first is not None
    assert file.last is not None
    assert file.first < file.last
    assert taken.left["injected context"] == 2
    stored = memory.get("u-0005#0", user="ana")
    assert (stored.role, stored.tainted, stored.agent, stored.bundle) == ("tool", True, "claude-code", "toolu_1")
    before = held(memory)
    again = memory.importers.run(tmp_path, user="ana")
    assert (again.turns, again.known, again.files[0].state) == (0, 8, "unchanged")
    os.utime(path, (1, 1))
    touched = memory.importers.run(tmp_path, user="ana")
    assert (touched.turns, touched.known, touched.files[0].state) == (0, 8, "continued")
    assert held(memory) == before


def test_titles_are_events_of_their_session(memory: Memory, tmp_path: Path) -> None:
    titled = [conversation(title="My key AKIAIOSFODNN7EXAMPLQ")]
    write(tmp_path / "conversations.json", json.dumps(titled).encode())
    for _ in range(2):
        memory.importers.run(tmp_path / "conversations.json", user="ana", include=("thinking",))
        memory.importers.run(tmp_path / "conversations.json", user="ana")
    [event] = memory.audit.events("title")
    assert event.subject == titled[0]["conversation_id"]
    assert event.body["title"].startswith("My key")
    assert "AKIA" not in event.body["title"]


@pytest.mark.parametrize("form", SAMPLES)
def test_every_format_goes_through_ingest(memory: Memory, tmp_path: Path, form: Format) -> None:
    path = write(
        tmp_path / "file.json", lines(SAMPLES[form]) if form != "chatgpt" else json.dumps(SAMPLES[form]).encode()
    )
    taken = memory.importers.run(path, user="ana")
    assert taken.files[0].format == form
    assert taken.turns + taken.claims == sum(kind in ("turn", "claim") for _, kind, *_ in held(memory)) > 0
    again = memory.importers.run(path, form, user="ana")
    assert (again.turns, again.claims, again.known) == (0, 0, taken.turns + taken.claims)


def test_mem0_memories_are_claims_of_their_users(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "mem0.json", json.dumps({"results": MEM0}).encode())
    assert memory.importers.run(path).claims == 2
    [tea, bakery] = sorted(memory.list(user="ana"), key=lambda record: record.text)
    assert tea.kind == "claim"
    assert tea.provenance is not None
    assert (tea.provenance.method, tea.provenance.who) == ("import:mem0", "ana")
    assert tea.time.year == 2025
    assert bakery.valid_from == bakery.time
    assert memory.importers.run(path).known == 2
    assert memory.importers.run(path, user="carla").claims == 2, "somebody named is whose they are"


def test_secrets_never_arrive(memory: Memory, tmp_path: Path) -> None:
    key = "AKIAIOSFODNN7EXAMPLQ"
    path = write(tmp_path / "s.jsonl", lines([claude(1, "user", f"the key is {key}")]))
    memory.importers.run(path, user="ana")
    assert key not in memory.get("u-0001", user="ana").text


def test_choices(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", talk(30) + lines([claude(40, "user", "Elsewhere", sessionId="other")]))
    memory = fresh()
    taken = memory.importers.run(path, since="2026-03-05T10:00:10Z", until="2026-03-05T10:00:19Z")
    assert (taken.turns, taken.left) == (10, {"outside the time span": 21})
    assert memory.importers.run(path, session="oth*").turns == 1
    assert fresh().importers.run(path, session="oth*").left == {"other session": 30}
    rest = memory.importers.run(path)
    assert (rest.turns, rest.known) == (20, 11), "another choice reads the file from its start"
    bare = write(tmp_path / "bare.jsonl", lines([{"role": "user", "content": "no time"}]))
    assert fresh().importers.run(bare, since=0).left == {"no time, and a span was asked for": 1}
    with pytest.raises(InputError):
        memory.importers.run(path, include=("everything",))
    with pytest.raises(InputError):
        memory.importers.run(path, "word")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        memory.importers.run(path, limit=0)


def test_a_limit_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", talk(25))
    memory, seen = fresh(batch=4), []
    while (taken := memory.importers.run(path, user="ana", limit=10)).turns:
        seen.append((taken.turns, taken.stopped))
    assert seen == [(10, True), (10, True), (5, False)]
    whole = fresh()
    whole.importers.run(path, user="ana")
    assert held(memory) == held(whole)


def test_a_dry_run_stores_nothing(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", talk(5))
    would = memory.importers.run(path, user="ana", dry_run=True)
    assert (would.turns, would.known, would.dry_run) == (5, 0, True)
    assert held(memory) == []
    assert not memory.store.values.items(ValueKind.POSITION, "default")
    memory.importers.run(path, user="ana", limit=2)
    would = memory.importers.run(path, user="ana", dry_run=True)
    assert (would.turns, would.known) == (3, 2)


def test_a_transcript_that_grows(tmp_path: Path) -> None:
    whole, data = fresh(), lines(CLAUDE_CODE) + talk(40)[-2000:].partition(b"\n")[2]
    write(tmp_path / "whole" / "s.jsonl", data)
    whole.importers.run(tmp_path / "whole", user="ana")
    for cut in (1, 500, 1501, 3000, len(data) - 10):
        memory = fresh(batch=3)
        path = write(tmp_path / "live" / "s.jsonl", data[:cut])
        memory.importers.run(path.parent, user="ana")
        write(path, data)
        grown = memory.importers.run(path.parent, user="ana")
        assert grown.files[0].state in ("continued", "taken")
        assert held(memory) == held(whole)


def test_a_transcript_that_was_rewritten_or_rotated(tmp_path: Path) -> None:
    memory = fresh()
    path = write(tmp_path / "s.jsonl", talk(20))
    memory.importers.run(path, user="ana")
    write(path, lines([claude(100 + number, "user", f"Another {number}") for number in range(30)]))
    taken = memory.importers.run(path, user="ana")
    assert (taken.turns, taken.files[0].state) == (30, "taken"), "the beginning is not the one that was read"
    write(tmp_path / "s.1.jsonl", talk(20))
    assert memory.importers.run(tmp_path / "s.1.jsonl", user="ana").known == 20
    write(path, lines([claude(1, "user", "Other words under the same id")]))
    assert memory.importers.run(path, user="ana").left == {"stored before with other words": 1}


@pytest.mark.parametrize("form", ["claude-code", "chatgpt"])
@pytest.mark.parametrize("after", [0, 1, 5, 9])
def test_an_interruption_loses_at_most_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int, form: str
) -> None:
    many = [conversation(conversation_id=f"conversation-{number}") for number in range(10)]
    data = talk(40) if form == "claude-code" else json.dumps(many).encode()
    path = write(tmp_path / "s.json", data)
    memory, whole, calls = fresh(batch=4), fresh(batch=4), 0
    total = whole.importers.run(path, user="ana").turns

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    real = take_in.ingest
    with monkeypatch.context() as patch:
        patch.setattr(take_in, "ingest", interrupted)
        with pytest.raises(KeyboardInterrupt):
            memory.importers.run(path, user="ana")
    before = len(held(memory))
    assert before >= (4 if form == "claude-code" else 3) * after, "a conversation may end inside a batch"
    rest = memory.importers.run(path, user="ana")
    assert rest.turns == total - before
    assert held(memory) == held(whole)


def test_bad_lines_and_unreadable_files_do_not_stop_the_rest(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", talk(2) + b"{oops\n" + lines([claude(7, "user", "after", uuid="x" * 600)]))
    write(tmp_path / "b.zip", b"PK\x03\x04broken")
    write(tmp_path / "c.jsonl", b"odd\n")
    write(tmp_path / "d.jsonl", lines([claude(9, "user", "last")]))
    (tmp_path / "e.jsonl").symlink_to(tmp_path / "gone")
    taken = memory.importers.run(tmp_path, user="ana")
    assert [file.state for file in taken.files] == ["taken", "unreadable", "left", "taken", "unreadable"]
    assert (taken.turns, taken.bad) == (4, 1)
    assert taken.files[0].problems[0].where == f"{tmp_path / 'a.jsonl'}:3"
    assert "cannot be unpacked" in taken.files[1].why
    with pytest.raises(FormatError, match=r"a\.jsonl:3"):
        fresh().importers.run(tmp_path / "a.jsonl", strict=True)


def test_duplicate_ids_texts_that_are_too_long_and_policy(tmp_path: Path) -> None:
    double = [claude(1, "user", "same"), claude(1, "user", "same"), claude(1, "user", "different")]
    path = write(tmp_path / "s.jsonl", lines([*double, claude(2, "user", "y" * 5000)]))
    memory = Memory(
        DictStore(), HashEmbedder(16), settings=Settings.load(environment={}, arguments={"ingest.max_text_chars": 4000})
    )
    taken = memory.importers.run(path)
    assert (taken.turns, taken.known) == (1, 1)
    assert taken.left == {"stored before with other words": 1, "longer than ingest.max_text_chars": 1}


def test_a_refused_turn_costs_no_other_its_place(tmp_path: Path) -> None:
    values = [conversation(conversation_id="one-conversation", title="")]
    branch = {f"n{n}": node(f"n{n}", f"n{n - 1}", "user", said(f"Fact {n}."), 1740000000.0 + n) for n in range(30)}
    branch["n9"]["message"]["id"] = "n8"  # the id of another, with other words
    values[0] |= {"mapping": branch, "current_node": "n29"}
    taken = fresh(batch=4).importers.run(write(tmp_path / "conversations.json", json.dumps(values).encode()))
    assert (taken.turns, taken.known, taken.left) == (29, 0, {"stored before with other words": 1})


def test_what_is_forgotten_stays_forgotten_and_leaves_no_name_behind(tmp_path: Path) -> None:
    path = write(tmp_path / "projects" / f"{SESSION}.jsonl", lines(CLAUDE_CODE))
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(16), settings=Settings(), clock=standing_clock) as memory:
        memory.importers.run(path, user="anabel-lee")
        assert memory.forget(["u-0001"], user="anabel-lee").proven
        assert memory.importers.run(path, user="anabel-lee").turns == 0
        assert memory.forget(user="anabel-lee", everything=True).proven, (
            "no mark names the session, the path or the user"
        )
        assert memory.importers.run(path, user="anabel-lee").turns == 8, "with everything forgotten, it starts anew"


def test_an_openclaw_workspace(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "MEMORY.md", b"# Memory\n\nThe greenhouse is unlocked.\n")
    write(tmp_path / "memory" / "2026-02-06.md", b"Tomatoes planted.\n")
    write(tmp_path / "sessions" / "claw.jsonl", lines(OPENCLAW))
    taken = memory.importers.run(tmp_path, user="ana")
    assert taken.turns == 4
    assert any(str(tmp_path) in note for note in taken.notes)
    if hasattr(memory, "index"):
        assert [hit.record.text for hit in memory.search("greenhouse", user="ana") if "greenhouse" in hit.record.text]


def test_without_a_path_the_standard_place_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    memory = fresh()
    with pytest.raises(InputError, match="There is nothing at"):
        memory.importers.run(format="claude-code")
    write(tmp_path / "claude" / "projects" / "x" / "s.jsonl", talk(3))
    assert memory.importers.run(format="claude-code").turns == 3
    with pytest.raises(InputError, match="no path was given"):
        memory.importers.run(format="chatgpt")


def test_progress_runs_to_the_end(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", talk(50))
    write(tmp_path / "b.json", json.dumps([conversation()] * 3).encode())
    seen: list[tuple[int, int]] = []
    fresh(batch=8).importers.run(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == sum(file.stat().st_size for file in tmp_path.iterdir())


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inner:
        yield from places_in(item, (*path, name))


def swapped(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = swapped(value[path[0]], path[1:], new)
    return copy


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_place_of_any_field_is_no_crash(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(sorted(SAMPLES)))
    values = SAMPLES[form]
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places_in(values))[1:]))
        values = swapped(values, path, data.draw(ANY_JSON)) if path in list(places_in(values)) else values
    parser = PARSERS[form]("stem", ImportOptions(thinking=True, sidechains=True, branches=True))
    for number, value in enumerate(values, 1):
        for item in parse_value(parser, value, number):
            assert not isinstance(item, Invalid) or item.message


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_append_and_interrupt_anywhere_is_one_import(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("live")
    form = data.draw(st.sampled_from(["claude-code", "codex", "openclaw", "jsonl"]))
    whole_file = lines(
        [*SAMPLES[form], *SAMPLES[form][-2:], *[{"role": "user", "content": "again"}] * (form == "jsonl")]
    )  # type: ignore[index]
    path = write(folder / "s.jsonl", whole_file)
    whole = fresh()
    whole.importers.run(path, form, user="ana")  # type: ignore[arg-type]
    memory = fresh(batch=data.draw(st.integers(1, 4)))
    for cut in sorted(data.draw(st.lists(st.integers(0, len(whole_file)), max_size=4))):
        write(path, whole_file[:cut])
        memory.importers.run(path, form, user="ana", limit=data.draw(st.none() | st.integers(1, 3)))  # type: ignore[arg-type]
    write(path, whole_file)
    memory.importers.run(path, form, user="ana")  # type: ignore[arg-type]
    assert held(memory) == held(whole)
    assert memory.importers.run(path, form, user="ana").turns == 0  # type: ignore[arg-type]


def test_codex_ids_do_not_move_when_a_bad_line_is_mended(tmp_path: Path) -> None:
    broken = [lines([value]) for value in CODEX]
    broken[3] = b"{half\n"
    memory = fresh()
    path = write(tmp_path / "r.jsonl", b"".join(broken))
    assert memory.importers.run(path).turns == 5
    write(path, lines([*CODEX, codex(14, {"type": "message", "role": "user", "content": "more"})]))
    again = memory.importers.run(path)
    assert (again.turns, again.known) == (2, 5)

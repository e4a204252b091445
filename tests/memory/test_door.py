"""No secret that a caller gives reaches the disk, the log or a service, whatever argument it stands in."""

from __future__ import annotations

import logging
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from aforesaid.embed.endpoints import OpenAIEmbedder
from aforesaid.engine.door import CODED, NAMES, Door
from aforesaid.errors import InputError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Event, Provenance, Record, Turn
from support import loopback
from support.canaries import Planted, run_every_verb
from support.clock import NOW, standing_clock
from support.loopback import Reply

TOKEN = "gh" + "p_" + "a8Kd03LmQz71TyXbV5nPw9RsE2uHj6GfC4aZ"
DOOR = Door(Readers())


def vectors(_: str, body: Any) -> Reply:
    rows = [{"index": place, "embedding": [1.0, float(len(text))]} for place, text in enumerate(body["input"])]
    return Reply(body={"data": rows})


def test_no_argument_of_any_verb_leaks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "aforesaid")
    planted, files = Planted(), tmp_path / "files"
    files.mkdir()
    (tmp_path / "store").mkdir()
    settings = Settings.load(
        arguments={"search.log": "query", "store.synchronous": "normal", "search.thresholds": "literal"}, environment={}
    )
    with loopback.service(vectors) as service:
        embedder = OpenAIEmbedder("small", f"{service.url}/v1", "key", sleep=lambda _: None)
        store = SQLiteStore(tmp_path / "store" / "m.db", settings.store)
        with Memory(store, embedder, settings=settings, clock=standing_clock) as memory:
            called = run_every_verb(memory, files, planted)
            inside = b"".join(path.read_bytes() for path in (tmp_path / "store").iterdir())
        sent = repr(service.bodies).encode()
    assert len(called) > 50 and len(planted.tokens) > 150
    assert b"Lisbon" in inside and b"Lisbon" in sent, "the verbs did store and send"
    leaks = {
        "disk": planted.left_in(inside),
        "network": planted.left_in(sent),
        "log": planted.left_in(caplog.text.encode()),
    }
    assert leaks == {"disk": set(), "network": set(), "log": set()}


def text_fields(kind: type) -> list[str]:
    return [name for name, hint in get_type_hints(kind).items() if "str" in str(hint) or hint is Provenance | None]


@pytest.mark.parametrize("name", [name for name in text_fields(Record) if name not in CODED])
def test_every_field_of_a_record_is_redacted_or_refused(name: str) -> None:
    given: dict[str, Any] = {"id": "r", "kind": "turn", "text": "hm", "time": NOW}
    shapes: dict[str, Any] = {
        "provenance": Provenance(url=f"https://x/{TOKEN}", sources=(TOKEN,)),
        "meta": {TOKEN: [TOKEN]},
    }
    value = shapes.get(name, (TOKEN,) if name in ("allow", "states") else TOKEN)
    if name in NAMES:
        with pytest.raises(InputError, match=f"The {name} of a turn holds a secret \\(github-token\\)") as caught:
            DOOR.record(Record(**{**given, name: value}))
        assert TOKEN not in str(caught.value)
    else:
        passed = DOOR.record(Record(**{**given, name: value}))
        assert TOKEN not in repr(passed) and "[secret:github-token:" in repr(passed)


@pytest.mark.parametrize("name", [name for name in text_fields(Event) if name not in CODED])
def test_every_field_of_an_event_is_redacted_or_refused(name: str) -> None:
    given: dict[str, Any] = {"time": NOW, "tenant": "t", "topic": "x", "subject": None, "body": {}}
    if name == "tenant":
        with pytest.raises(InputError, match="The tenant holds a secret"):
            DOOR.event(Event(**{**given, name: TOKEN}))
    else:
        event = Event(**{**given, name: {"a": {TOKEN: TOKEN}} if name == "body" else TOKEN})
        assert TOKEN not in repr(DOOR.event(event))


@pytest.mark.parametrize("kind", ValueKind)
def test_every_value_is_redacted_or_refused(kind: ValueKind) -> None:
    for spec in (each.name for each in fields(Slot) if each.name != "kind"):
        with pytest.raises(InputError, match="holds a secret"):
            DOOR.value(Slot(**{"kind": kind, "tenant": "t", spec: TOKEN}), "1")
    try:
        stored = DOOR.value(Slot(kind, "t"), f'{{"a": "{TOKEN}"}}')
    except InputError:
        return
    assert TOKEN not in stored


def test_the_name_of_a_value_says_what_it_is(memory: Memory) -> None:
    record = memory.remember("The router is new.", meta={"password": "hunter2", "room": "hunter2", "n": 3})
    assert str(record.meta["password"]).startswith("[secret:password:")
    assert (record.meta["room"], record.meta["n"]) == ("hunter2", 3)
    assert memory.get(record.id) == record


@pytest.mark.parametrize("name", ["password=hunter2", f"run {TOKEN}", "https://ana:hunter22@example.com/x"])
def test_a_name_with_a_secret_is_refused_and_nothing_is_stored(memory: Memory, name: str) -> None:
    turn = Turn("t1", name, "user", "hello there", NOW)
    with pytest.raises(InputError, match="holds a secret") as caught:
        memory.ingest([turn], user="ana")
    assert "hunter2" not in str(caught.value) and "found by them" in caught.value.remedy
    assert memory.stats().records == 0


@pytest.mark.parametrize("name", ["5f0c2a4e-0000-4000-8000-000000000001", "agent:main:token:ab12cd34", "a" * 64, "x=1"])
def test_ordinary_names_pass(memory: Memory, name: str) -> None:
    assert memory.ingest([Turn(name, name, "user", "hello there", NOW)], user=name).outcomes[0].status == "stored"


def test_the_same_turn_again_is_a_duplicate_also_when_its_role_was_redacted(memory: Memory) -> None:
    turn = Turn("t1", "s1", f"Ana {TOKEN}", f"the token is {TOKEN}", NOW)
    assert [memory.ingest([turn]).outcomes[0].status for _ in range(2)] == ["stored", "duplicate"]


def test_digests_are_the_same_in_one_store_and_differ_between_stores(tmp_path: Path) -> None:
    def stored(store: Any) -> list[str]:
        with Memory(store, clock=standing_clock) as memory:
            memory.ingest([Turn(f"t{n}", "s", "user", f"{n}: password=hunter2", NOW) for n in range(2)])
            return [record.text[-10:] for record in memory.list()]

    first, again = stored(DictStore(b"k" * 32)), stored(DictStore(b"k" * 32))
    other, file = stored(DictStore()), stored(SQLiteStore(tmp_path / "a.db"))
    assert len({*first, *again}) == 1
    assert len({first[0], other[0], file[0]}) == 3
    assert stored_again(tmp_path / "a.db") == file[0], "the key outlives the process"


def stored_again(path: Path) -> str:
    with Memory(SQLiteStore(path), clock=standing_clock) as memory:
        return memory.remember("password=hunter2").text[-10:]

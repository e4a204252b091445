"""Wrong arguments: every public method refuses them with InputError and a remedy, before anything changes."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from aforesaid import AforesaidError, InputError, Memory, Provenance, Settings, Turn
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore

HANDLES = [name for name, value in vars(Memory).items() if isinstance(value, cached_property)]
QUICK = Settings().changed({"store.synchronous": "normal"}, "test")
STORED = (str, int, float, datetime, list, dict)
NOT_CALLED = ("close", "__init__")
NAIVE = datetime(2026, 5, 3)  # noqa: DTZ001 - a time without a zone is read as UTC


class Hostile:
    """Fails at whatever is asked of it: its text, its equality, its truth, its length."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("equal to nothing")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __fspath__(self) -> str:
        raise RuntimeError("no path")


class HostileText(str):
    """A text whose methods fail."""

    __slots__ = ()

    def strip(self, *_: object) -> str:  # type: ignore[override]
        raise RuntimeError("not to be stripped")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("equal to nothing")

    __hash__ = str.__hash__


EARLIEST, LATEST = datetime.min, datetime.max  # noqa: DTZ901 - without a zone on purpose
DEEP: list[Any] = []
for _ in range(2000):
    DEEP = [DEEP]

WRONG: list[Any] = [
    "loop", Path("loop"), Path("loop/a"), ["loop"],
    Hostile(), HostileText("abc"), [Hostile()], {"a": Hostile()}, {"a": DEEP}, DEEP, "\udfff tea", ["\ud800"], {"\ud800": "\ud800"},
    {"a": float("nan")}, {"a": {1, 2}}, -(10**30), 10**5000, float("-inf"), Decimal("1e999"), Fraction(1, 3), 1j, "1e999", "-1",
    "9999-12-31", "0001-01-01", "2026-13-99", EARLIEST, LATEST, datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))), date(1, 1, 1), timedelta(days=10**8), bytearray(b"a"), memoryview(b"a"),
    range(3), "../../etc", "a\nb", "\u202eabc", "%s%n", "' OR 1=1 --", "Helpful", "helpfull", "usr", "globall", Exception("x"),
    None, True, 0, -1, 3, 10**30, 1e20, float("nan"), float("inf"), 2.5, "", " ", "abc", "\x00", "\ud800", "x" * 9999,
    "2026-05-03", "bogus", b"abc", [], ["abc"], [1], [None], [[]], {}, {"a": 1}, {1: "a"}, [{"role": "user"}], (), set(),
    NAIVE, datetime.max.replace(tzinfo=UTC), object(), Path("nowhere"), Path("\x00"), Turn("t", "s", "user", "Hi."), lambda *_: None,
    Settings(), Memory,
]  # fmt: skip


def methods() -> Iterator[str]:
    for owner in ("", *HANDLES):
        kind = type(getattr(Memory(DictStore()), owner)) if owner else Memory
        for name, value in vars(kind).items():
            if not name.startswith("_") and inspect.isfunction(getattr(value, "__func__", value)):
                yield f"{owner}.{name}".lstrip(".")


def usual(tmp_path: Path, memory: Memory) -> dict[str, Any]:
    """A good value for each parameter that has no default."""
    stop = threading.Event()
    stop.set()
    return {
        "query": "tea", "text": "I like tea.", "prompt": "tea", "id": "m1", "signal": "helpful", "session": "s1",
        "turns": [Turn("m2", "s1", "user", "The tide is high.")], "lines": [], "path": tmp_path / "new",
        "paths": [tmp_path], "place": "a.md:1-1", "policy": 'version: "1"\n', "sources": ["m1"], "reason": "wrong",
        "provenance": Provenance(who="ben"), "weights": {"gate.threshold": 0.2}, "sessions": ["s1"], "tenant": "other",
        "stop": stop, "ids": ["m1"], "memory": memory, "folder": tmp_path, "backup": tmp_path / "backup.db",
    }  # fmt: skip


def opened(tmp_path: Path, store: str) -> Memory:
    where = DictStore() if store == "dict" else SQLiteStore(tmp_path / "attacked.db", QUICK.store)
    memory = Memory(where, HashEmbedder(), settings=Settings())
    memory.ingest([Turn("m1", "s1", "user", "I like tea.")])
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a.md").write_text("# Tea\n\nGreen.\n")
    return memory


def call(memory: Memory, name: str, arguments: dict[str, Any]) -> object:
    owner, _, verb = name.rpartition(".")
    method: Callable[..., Any] = getattr(getattr(memory, owner) if owner else memory, verb)
    found = method(**arguments)
    return list(found) if isinstance(found, Iterator) else found


def wrong_values(store: str) -> list[Any]:
    """The fixed values, and iterators, which can be read only once. A file sees only what passes the first checks."""
    kept = WRONG if store == "dict" else [each for each in WRONG if isinstance(each, STORED)]
    return [*kept, (item for item in ("abc",)), iter([]), iter([Hostile()])]


def told(value: object) -> str:
    """A value in the message of a failing test."""
    try:
        return repr(value)[:40]
    except Exception:  # noqa: BLE001 - some values fail on purpose
        return type(value).__name__


@pytest.mark.parametrize("store", ["dict", "sqlite"])
@pytest.mark.parametrize("name", [name for name in methods() if name not in NOT_CALLED])
def test_a_wrong_argument_gives_a_result_or_an_error_of_ours(
    name: str, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "inner" / "most"  # some values are paths that lead out of it
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    memory = opened(folder, store)
    owner, _, verb = name.rpartition(".")
    method = getattr(getattr(memory, owner) if owner else memory, verb)
    parameters = {each: value for each, value in inspect.signature(method).parameters.items() if each != "self"}
    good = usual(folder, memory)
    needed = {each: good[each] for each, value in parameters.items() if value.default is inspect.Parameter.empty}
    if verb == "watch":
        needed["stop"] = good["stop"]
    if verb == "restore":
        with Memory.open(folder / "other.db", embedder=HashEmbedder(), settings=QUICK) as other:
            other.maintenance.backup(good["backup"])
    failures = []
    for parameter in parameters:
        for wrong in wrong_values(store):
            if (verb, parameter) == ("watch", "stop") and wrong is None:
                continue  # it would watch for ever
            try:
                call(memory, name, needed | {parameter: wrong})
            except AforesaidError as error:
                if not error.remedy:
                    failures.append(f"{parameter}={told(wrong)}: no remedy: {error}")
            except Exception as error:  # noqa: BLE001 - the failure that the test looks for
                failures.append(f"{parameter}={told(wrong)}: {type(error).__name__}: {str(error)[:100]}")
    assert failures == []
    assert memory.maintenance.verify() == []
    memory.close()


def test_a_text_is_never_a_list() -> None:
    memory = Memory(DictStore())
    for letter in "abc":
        memory.ingest(Turn(letter, "s1", "user", f"The letter {letter}."))
    with pytest.raises(InputError, match=r"ids must be a list, not the text 'abc'. Give ids=\['abc'\]."):
        memory.forget("abc")
    with pytest.raises(InputError, match=r"Give kinds=\['turn'\]"):
        memory.search("letter", kinds="turn")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"Give reviewers=\['bo'\]"):
        memory.governance.upsert("Tea is green.", provenance=Provenance(who="bo"), reviewers="bo")
    assert len(memory.list()) == 3


def test_wrong_values_name_the_argument_and_what_to_give() -> None:
    memory = Memory(DictStore())
    with pytest.raises(InputError, match=r"scope 'bogus' is unknown\. Use one of: session, user, project, global"):
        memory.governance.observe("The door is open.", scope="bogus")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"turns\[0\] must be a Turn, not dict .* Give Turn\(id="):
        memory.ingest([{"role": "user", "content": "Hi."}])  # type: ignore[list-item]
    with pytest.raises(InputError, match="turns must be a Turn, not str 'hello'"):
        memory.ingest("hello")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="limit must be a whole number"):
        memory.search("door", limit="5")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="settings must be a Settings, not dict"):
        Memory.open("notes.db", settings={"gate.threshold": 0.2})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="clock must be a function that takes no values, not function"):
        Memory(DictStore(), clock=lambda zone: datetime.now(zone))  # type: ignore[arg-type, misc]
    with pytest.raises(InputError, match=r"store must be a Store, not str .* Memory.open"):
        Memory("notes.db")  # type: ignore[arg-type]
    assert memory.list() == []


@pytest.mark.parametrize("store", ["dict", "sqlite"])
def test_metadata_that_is_no_json_is_refused(store: str, tmp_path: Path) -> None:
    memory = opened(tmp_path, store)
    circle: dict[str, Any] = {}
    circle["a"] = circle
    for wrong in ({"a": {1, 2}}, {"a": float("nan")}, {"a": Hostile()}, circle, {"a": DEEP}):
        with pytest.raises(InputError, match="meta cannot be stored as JSON"):
            memory.remember("I like milk.", meta=wrong)
    nested: Any = "tea"
    for _ in range(60):
        nested = [{"a": nested}]
    with pytest.raises(InputError, match="nested over 50 deep"):
        memory.remember("I like milk.", meta={"a": nested})
    assert [record.id for record in memory.list()] == ["m1"]
    good = {"a": [{"b": None}, 1.5, True]}
    assert memory.remember("I like milk.", meta=good).meta["a"] == good["a"]
    memory.close()


def test_turns_of_an_iterator_are_checked_as_they_come() -> None:
    memory = Memory(DictStore())
    turns: Any = iter([Turn("m1", "s1", "user", "I like tea."), "I like milk."])
    with pytest.raises(InputError, match=r"turns\[1\] must be a Turn"):
        memory.ingest(turns)


def test_a_date_alone_means_the_end_of_that_day() -> None:
    memory = Memory(DictStore())
    memory.ingest([Turn("m1", "s1", "user", "I like tea.", "2026-05-03T10:00")])
    assert [record.id for record in memory.list(until="2026-05-03")] == ["m1"]
    assert [record.id for record in memory.list(until=NAIVE)] == []
    assert [hit.record.id for hit in memory.search("tea", as_of="2026-05-03")] == ["m1"]


def test_a_misspelt_role_is_refused_and_names_of_people_are_not() -> None:
    for role in ("usr", "asistant", "tol", "sytem"):
        with pytest.raises(InputError, match="Did you mean"):
            Turn("m1", "s1", role, "I like tea.")
    memory = Memory(DictStore())
    memory.ingest(Turn(role, "s1", role, f"I am {role}.") for role in ("Usher", "Toole", "user", "robot", "Ana"))
    assert len(memory.list()) == 5


def test_a_budget_for_no_record_says_so() -> None:
    memory = Memory(DictStore(), HashEmbedder())
    memory.remember("I like green tea very much.")
    assert "the budget is too small for any record" in memory.assemble("tea", budget_tokens=3).degraded
    assert memory.assemble("tea", budget_tokens=400).degraded == ""


def test_a_misspelt_variable_gives_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFORESAID_GATE_TRESHOLD", "0.2")
    with pytest.warns(UserWarning, match=r"Did you mean AFORESAID_GATE_THRESHOLD\?"):
        Memory.open(tmp_path / "notes.db", embedder=HashEmbedder()).close()

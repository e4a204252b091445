"""What a user holds: `Memory`, its handles, and the names that `aforesaid` exports."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import aforesaid
from aforesaid import Memory, StoreError
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.store.memory import DictStore

EXPORTS = {name: getattr(aforesaid, name) for name in aforesaid.__all__}
HANDLES = [name for name, value in vars(Memory).items() if isinstance(value, cached_property)]
VERBS = [
    "open",
    "restore",
    "close",
    "for_tenant",
    "acting",
    "ingest",
    "remember",
    "search",
    "assemble",
    "recall",
    "get",
    "list",
    "history",
    "activate",
    "feedback",
    "forget",
    "export",
    "import_",
    "stats",
    "where",
]
ARGUMENT = re.compile(r"^    (\w+): \S", re.M)


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    memory = Memory(DictStore())
    for owner in ("", *HANDLES):
        kind = type(getattr(memory, owner)) if owner else Memory
        for name, value in vars(kind).items():
            method = getattr(value, "__func__", value)
            if not name.startswith("_") and inspect.isfunction(method):
                yield f"{owner}.{name}".lstrip("."), method


METHODS = dict(methods())


def section(method: Callable[..., Any], title: str) -> str:
    """The lines under a title of a docstring."""
    found = re.search(rf"^{title}:\n((?:(?:    .*)?\n?)*)", inspect.getdoc(method) or "", re.M)
    return found[1] if found else ""


def hints(method: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(method, localns=EXPORTS | vars(import_module(method.__module__)))


def classes(hint: Any) -> Iterator[type]:
    """Our own classes in a type."""
    if get_origin(hint) is Literal:
        return
    for part in get_args(hint):
        for each in part if isinstance(part, list) else [part]:
            yield from classes(each)
    if inspect.isclass(hint) and hint.__module__.startswith("aforesaid."):
        yield hint


def test_memory_has_a_few_verbs_and_ten_handles() -> None:
    assert [name for name in METHODS if "." not in name] == VERBS
    assert len(HANDLES) == 10
    assert Memory.__mro__ == (Memory, object)


@pytest.mark.parametrize("name", METHODS)
def test_help_explains_every_parameter_and_the_result(name: str) -> None:
    method = METHODS[name]
    text = inspect.getdoc(method) or ""
    assert text.split("\n")[0].endswith("."), "the first line is a sentence"
    wanted = [each for each in inspect.signature(method).parameters if each not in ("self", "cls")]
    assert ARGUMENT.findall(section(method, "Args")) == wanted
    says_result = section(method, "Returns") or re.match(r"(.* )?(Return|return|List|Count) ", text)
    assert bool(says_result) == (hints(method)["return"] is not type(None))


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_takes_returns_and_raises_can_be_imported(name: str) -> None:
    method = METHODS[name]
    found = {each for hint in hints(method).values() for each in classes(hint)}
    assert {each.__name__ for each in found if EXPORTS.get(each.__name__) is not each} == set()
    assert set(ARGUMENT.findall(section(method, "Raises"))) <= set(EXPORTS)


def test_exported_classes_explain_themselves() -> None:
    ours = [value for value in EXPORTS.values() if inspect.isclass(value)]
    assert [each.__name__ for each in ours if not each.__doc__ or each.__doc__.startswith(f"{each.__name__}(")] == []


def test_a_memory_for_another_tenant_has_handles_of_its_own() -> None:
    memory = Memory(DictStore())
    assert memory.notes is memory.notes
    other = memory.for_tenant("other")
    other.remember("The tide is high.")
    assert other.sessions is not memory.sessions
    assert (len(memory.list()), len(other.list()), len(memory.acting("tool:mail").list())) == (0, 1, 0)


def test_a_named_project_owns_what_is_stored_on_purpose(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("- Be brief.\n")
    memory = Memory(DictStore())
    memory.remember("The shop opens at nine.", user="ana", project="shop")
    memory.governance.observe("The shop's log is full.", user="ana", project="shop")
    memory.documents.load(tmp_path / "AGENTS.md", user="ana", project="shop")
    memory.notes.index(tmp_path, user="ana", project="shop")
    assert {record.scope for record in memory.list(user="ben", project="shop")} == {"project"}
    assert memory.list(user="ana") == []
    memory.remember("I like tea.", user="ana", project="shop", scope="user")
    assert [record.scope for record in memory.list(user="ana")] == ["user"]


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "notes.db", embedder=HashEmbedder())
    other = memory.for_tenant("other")
    memory.close()
    for call in (memory.search, memory.remember, other.search, other.remember):
        with pytest.raises(StoreError, match=r"notes\.db is closed\. Open it again"):
            call("tea")
    assert "is closed" in memory.assemble("tea").degraded


def test_a_memory_names_its_file_verbs_and_groups(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "notes.db", embedder=HashEmbedder()) as memory:
        assert repr(memory) == f"Memory(SQLiteStore({str(tmp_path / 'notes.db')!r}), tenant='default')"
    assert all(name in (Memory.__doc__ or "") for name in (*VERBS[5:], *HANDLES, "restore"))

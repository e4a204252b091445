"""Checks the arguments of every public method of `Memory` and its handles by their type hints.

One rule for lists: a text is never taken as a list of its letters. It is refused, and the remedy shows the list.
"""

from __future__ import annotations

import errno
import math
import os
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, wraps
from inspect import getattr_static, signature
from numbers import Integral, Real
from pathlib import Path
from types import FunctionType, NoneType, SimpleNamespace
from typing import Any, Literal, NoReturn, Union, cast, get_args, get_origin, get_type_hints

from aforesaid.errors import InputError
from aforesaid.types import Boundary, TimeLike, as_end, as_time, check_choice, check_class
from aforesaid.types.checks import shown

LISTS = (Sequence, Iterable)
Check = Callable[[Any, str], Any]  # (value, name of the argument) → the value to use; raises InputError

MAX_INTEGER = 2**63 - 1  # the largest that SQLite can store
MAX_NAME_BYTES = 255  # of a file, on every common system
ENDS = ("until", "as_of")  # a date alone means the end of that day
WORDS: Mapping[Any, str] = {str: "text (str)", bool: "True or False", Path: "a Path"}
COUNTS: Mapping[int, str] = {0: "no values", 1: "one value"}
REMEDIES: Mapping[str, str] = {
    "Embedder": "Give an object with name, dimensions, embed and embed_query.",
    "Settings": "Give Settings.load(arguments={…}), or leave it out.",
    "Store": "Memory.open(path) opens a file.",
    "Turn": "Give Turn(id=…, session=…, role=…, text=…).",
}


def checked(method: FunctionType) -> FunctionType:
    """Wrap a method, so that wrong arguments raise InputError before it runs."""
    code = method.__code__
    names = code.co_varnames[1 : code.co_argcount]  # without self

    @cache  # at the first call, because some hints name types that are imported late
    def checks() -> dict[str, Check]:
        return _checks(method)

    @wraps(method)
    def call(self: Any, *args: Any, **given: Any) -> Any:
        check = checks()
        args = (*(check[name](value, name) for name, value in zip(names, args, strict=False)), *args[len(names) :])
        given = {name: check[name](value, name) if name in check else value for name, value in given.items()}
        return method(self, *args, **given)

    return cast(FunctionType, call)


def _checks(method: FunctionType) -> dict[str, Check]:
    """The check of each parameter. The type of the result is not read: it may be imported only by type checkers."""
    hints = {name: hint for name, hint in method.__annotations__.items() if name != "return"}
    found = get_type_hints(SimpleNamespace(__annotations__=hints), method.__globals__)
    return {name: _check_of(hint) for name, hint in found.items()}


def _check_of(hint: Any) -> Check:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(parts)
    if hint is Boundary:
        return lambda value, name: check_class(_plain(value))
    if origin is Literal:
        return lambda value, name: check_choice(_plain(value), parts, name)
    if origin in LISTS:
        return _items(_check_of(parts[0]))
    if origin in (Mapping, dict):
        return _mapping(_check_of(parts[1]))
    if origin is Callable or (getattr(hint, "_is_protocol", False) and "__call__" in vars(hint)):
        return _function(hint)
    return {int: _integer, float: _number, Any: lambda value, name: value}.get(hint) or _instance(hint)


def _union(parts: tuple[Any, ...]) -> Check:
    """One of several types. The error is that of the list when a list was given, else that of the first type."""
    optional = NoneType in parts
    kinds = tuple(part for part in parts if part is not NoneType)
    if set(kinds) == set(get_args(TimeLike)):
        one: Check = _time
    else:
        classes = [part for part in kinds if isinstance(part, type) and part not in (int, float)]
        lists = [_check_of(part) for part in kinds if get_origin(part) in LISTS]
        others = [_check_of(part) for part in kinds if part not in classes and get_origin(part) not in LISTS]
        one = _either([*([_instance(*classes)] if classes else []), *others], lists)
    return lambda value, name: None if optional and value is None else one(value, name)


def _either(single: Sequence[Check], lists: Sequence[Check]) -> Check:
    def check(value: Any, name: str) -> Any:
        is_list = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        first, *others = (lists if is_list else single) or single or lists
        try:
            return first(value, name)
        except InputError:
            for other in others:
                with suppress(InputError):
                    return other(value, name)
            raise

    return check


def _function(hint: Any) -> Check:
    """A function that can be called with as many values as the hint names."""
    values = get_args(hint)[0] if get_origin(hint) is Callable else [*signature(hint.__call__).parameters][1:]
    count = None if values is Ellipsis else len(values)

    def check(value: Any, name: str) -> Any:
        if not callable(value):
            _refuse(value, name, "a function")
        if count is not None and not _takes(value, count):
            _refuse(value, name, f"a function that takes {COUNTS.get(count) or f'{count} values'}")
        return value

    return check


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function can be called with that many values."""
    try:
        described = signature(function)
    except (TypeError, ValueError):  # some functions written in C do not say what they take
        return True
    try:
        described.bind(*range(count))
    except TypeError:
        return False
    return True


def _instance(*kinds: type) -> Check:
    what = " or ".join(WORDS.get(kind, f"a {kind.__name__}") for kind in kinds)
    remedy = next((REMEDIES[kind.__name__] for kind in kinds if kind.__name__ in REMEDIES), "")

    def check(value: Any, name: str) -> Any:
        if not any(_is(value, kind) for kind in kinds):
            _refuse(value, name, what, remedy)
        if Path in kinds and isinstance(value, (str, Path)):
            _check_path(str(value), name)
        return _plain(value)

    return check


def _plain(value: Any) -> Any:
    """A text as a plain str, because a subclass may change what a text does."""
    return str.__str__(value) if isinstance(value, str) else value


def _is(value: Any, kind: type) -> bool:
    """isinstance, but without calling properties of a protocol: a service would be asked for its dimensions."""
    if not getattr(kind, "_is_protocol", False):
        return isinstance(value, kind)
    protocols = (base for base in kind.__mro__ if getattr(base, "_is_protocol", False))
    names = {name for base in protocols for name in (*vars(base), *base.__annotations__) if name[0] != "_"}
    return all(getattr_static(value, name, None) is not None for name in names)


def _check_path(value: str, name: str) -> None:
    """Refuse what no file can be called. A policy may be a path or a text of several lines."""
    try:
        longest = max(map(len, os.fsencode(value).split(os.fsencode(os.sep))))
    except UnicodeEncodeError:
        longest = MAX_NAME_BYTES + 1
    if not value.strip() or "\x00" in value or ("\n" not in value and longest > MAX_NAME_BYTES):
        raise InputError(f"{name} is not a path: {shown(value)}.", "Name a file or a folder.")
    try:
        Path(value).stat() if "\n" not in value else None
    except OSError as error:
        if error.errno == errno.ELOOP:
            what = f"{name} is a symbolic link that leads back to itself: {value!r}."
            raise InputError(what, "Name a file or a folder.") from error


def _items(check_item: Check) -> Check:
    """A list. The items of an iterator are checked as they come, because it may be long."""

    def check(value: Any, name: str) -> Any:
        if isinstance(value, (str, bytes)):
            raise InputError(f"{name} must be a list, not the text {shown(value)}.", f"Give {name}=[{shown(value)}].")
        if not isinstance(value, Iterable):
            _refuse(value, name, "a list")
        items = (check_item(item, f"{name}[{index}]") for index, item in enumerate(value))
        return list(items) if isinstance(value, Collection) else items

    return check


def _mapping(check_value: Check) -> Check:
    def check(value: Any, name: str) -> Any:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            _refuse(value, name, "a dict whose keys are text")
        return {key: check_value(each, f"{name}[{key!r}]") for key, each in value.items()}

    return check


def _integer(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        _refuse(value, name, "a whole number (int)")
    number = int(value)
    if number > MAX_INTEGER:
        raise InputError(f"{name} is too large: {shown(number)}.", "Give a smaller number.")
    if number < 0:
        raise InputError(f"{name} is {shown(number)}.", "Give 0 or more.")
    return number


def _number(value: Any, name: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(value, name, "a finite number")
    return number


def _time(value: Any, name: str) -> datetime:
    return as_end(value, name) if name in ENDS else as_time(value, name)


def _refuse(value: Any, name: str, what: str, remedy: str = "") -> NoReturn:
    raise InputError(f"{name} must be {what}, not {type(value).__name__} {shown(value)}.", remedy or f"Give {what}.")

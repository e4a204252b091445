"""The base class of the handles. It explains the parameters that many methods share; `help()` shows them."""

from __future__ import annotations

import re
from inspect import cleandoc
from types import FunctionType
from typing import TypeVar

from aforesaid.engine.engine import Engine
from aforesaid.memory.argument_checks import checked

SHARED_ARGS = {
    "agent": "The agent that took part.",
    "allow": "Purposes that may see it, as globs; by default every purpose that the policy allows.",
    "boundary": "Its privacy class: `public`, `internal`, `pii` or `secret`.",
    "by": "Who does this, for the audit log.",
    "change_embedder": "Allow an embedder that differs from the store's; only `maintenance.reindex` needs it.",
    "reload": "Returns the settings of this moment. Asked when another program switched the store to another model.",
    "clock": "A function that returns the current time.",
    "dry_run": "Report only; change nothing.",
    "exclude": "Keys of records to leave out.",
    "id": "The record's id (yours) or key (ours, unique in the store). NotFoundError if this caller cannot see it.",
    "kinds": "Only records of these kinds: `turn`, `claim`, `summary`, `node`, `chunk`, `observation`.",
    "limit": "How many results to return.",
    "memory_type": "`evidence`, `working_state`, `knowledge`, `procedure` or `norm`.",
    "now": "The time from which ages are counted; the clock's if left out.",
    "offset": "How many results to skip first.",
    "path": "The file or folder.",
    "progress": "Called with (done, total) while the work goes on.",
    "project": "The project. Its shared records are included; a new claim, note or document belongs to it.",
    "query": "A question or some words.",
    "reason": "Why, for the audit log.",
    "reviewers": "Who reviewed it. A global claim needs at least one.",
    "scope": "Who shares it: `session`, `user`, `project` or `global`; `project` if one is named, else `user`.",
    "session": "Only records of this session.",
    "since": "Only what is of that time or later.",
    "superseded": "Include records that are no longer valid.",
    "tainted": "Whether the text comes from an untrusted source, such as a web page.",
    "text": "The text to store.",
    "tenant": "Whose memory this is. Nothing is shared between tenants.",
    "time": "When it became true; now if left out.",
    "tokenizer": "`o200k`, `cl100k`, or a function that counts the tokens of a text. Default: `tokens.exact`.",
    "type": "`fact`, `preference`, `task` or `policy_hint`.",
    "until": "Only what is of that time or earlier. A date alone, such as `2026-05-03`, means its end.",
    "user": "The user whose memory to use. Without one, only records without a user.",
}
_SECTION = re.compile(r"\n\n(?=(?:Args|Returns|Raises):\n)")
_ENTRY = re.compile(r"\n    (?=\w+: )")
Class = TypeVar("Class", bound=type)


class Handle:
    """A group of methods of `Memory`, such as `memory.notes`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __init_subclass__(cls) -> None:
        public(cls)


def public(kind: Class) -> Class:
    """Check the arguments of every public method of a class, and explain the shared parameters in its docstring."""
    for name, value in list(vars(kind).items()):
        method = getattr(value, "__func__", value)
        if isinstance(method, FunctionType) and method.__doc__ and (name == "__init__" or name[0] != "_"):
            method.__doc__ = _completed(method, method.__doc__)
            found = checked(method)
            setattr(kind, name, found if method is value else type(value)(found))
    return kind


def _completed(method: FunctionType, doc: str) -> str:
    summary, *sections = _SECTION.split(cleandoc(doc))
    own = next((section for section in sections if section.startswith("Args:")), "Args:")
    explained = SHARED_ARGS | dict(entry.split(": ", 1) for entry in _ENTRY.split(own)[1:])
    code = method.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]  # without self
    lines = ["Args:", *(f"    {name}: {explained.get(name, '')}" for name in names)] if names else []
    others = (section for section in sections if section != own)
    return "\n\n".join(part for part in (summary, "\n".join(lines), *others) if part)

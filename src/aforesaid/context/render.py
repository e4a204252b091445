"""Renders records as prompt text: rules as instructions, everything else as speech or as data inside a frame.

Every line of a context begins with words of ours: a title, a rule's place, a speaker, a handle, a heading or the frame.
A text of one line stands behind its head. A text of several lines stands below it, each line behind `>`; the further
lines of a rule are indented. So no stored text can look like a rule, a speaker or the end of its frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from aforesaid.context.marks import ASKED, CHANGED, GUIDANCE, INDENT, OUTSIDE, QUOTE, RULES
from aforesaid.context.neutralize import attempts, neutralised, neutralised_line
from aforesaid.context.skeleton import skeletons
from aforesaid.engine.rules import said_by_user
from aforesaid.text.echo import FRAME_CLOSE, FRAME_OPEN, handle
from aforesaid.types import AGENT_ROLES, SUPERSEDED_BY, USER_ROLES, Record

EMPTY = f"{FRAME_OPEN}\n{FRAME_CLOSE}"
NAME_SIGNS = str.maketrans({":": "∶", "[": "⟦", "]": "⟧"})  # what ends a speaker or a place
PLACE_SIGNS = str.maketrans({"[": "⟦", "]": "⟧"})
NAME = re.compile(r"(?=[^\W\d_])(?![a-z])[\w'’-]+\.?(?: [\w'’-]+\.?){0,3}")  # of a person: up to four words
NAME_CHARS = 40
NO_NAMES = USER_ROLES | AGENT_ROLES | {"rules", "guidance", "asked", "prompt", "admin", "instructions", "operator"}


# Recalled history


def recalled(records: Sequence[Record]) -> str:
    """Recalled history as one frame, with a heading for each day of a session; "" without records."""
    if not records:
        return ""
    lines = [line for day, run in groupby(records, heading) for line in (day, *map(item, run))]
    return "\n".join([FRAME_OPEN, *lines, FRAME_CLOSE])


def heading(record: Record) -> str:
    """The heading of recalled records: day and session, or file."""
    return f"{record.time:%Y-%m-%d} {neutralised_line(_origin(record))}".rstrip() + ":"


def item(record: Record) -> str:
    """One recalled record: handle, time of day and role, then its neutralised text."""
    who = f" {neutralised_line(record.role).translate(NAME_SIGNS)}" if record.role else ""
    marks = f" {OUTSIDE}" if record.tainted else ""
    marks += f" {CHANGED}" if SUPERSEDED_BY in record.meta else ""
    return quoted(f"{handle(record.key)} {record.time:%H:%M}{who}{marks}:", record.text)


def quoted(head: str, text: str) -> str:
    """A neutralised text after its head: behind it, or, if it has several lines, each on a line of its own."""
    safe = neutralised(text)
    if "\n" in safe:
        return "\n".join([head, *(f"{QUOTE} {line}" if line else QUOTE for line in safe.split("\n"))])
    return f"{head} {safe}" if safe else head


def disarmed(record: Record) -> str:
    """The injection attempts in a record's text and in the names that are shown with it, for the trace."""
    tried = attempts("\n".join(filter(None, (record.text, record.role, _origin(record)))))
    return f"; disarmed={', '.join(tried)}" if tried else ""


def _origin(record: Record) -> str:
    return (record.provenance.file if record.provenance and record.provenance.file else record.session) or ""


# Recent turns


def message(turn: Record) -> dict[str, str]:
    """A turn as a chat message that every host takes: what user and assistant said, others by name, the rest framed."""
    role, name = _speaker(turn)
    if not role:
        return {"role": "user", "content": _framed(turn)}
    return {"role": role, "content": quoted(f"{name} says:", turn.text) if name else neutralised(turn.text)}


def turn_text(turn: Record) -> str:
    """The same turn in the text of a context."""
    role, name = _speaker(turn)
    if not role:
        return _framed(turn)
    return quoted(f"{role}: {name} says:" if name else f"{role}:", turn.text)


def turn_tokens(count: Callable[[str], int], turn: Record) -> int:
    """The tokens of a turn in the text of a context."""
    return count(turn_text(turn) + "\n")


def speech(role: str, text: str) -> str:
    """The words of a speaker in the text of a context."""
    return quoted(f"{neutralised_line(role).translate(NAME_SIGNS)}:", text)


def _speaker(turn: Record) -> tuple[str, str]:
    """The role of a turn, and the name if another person speaks.

    Empty for data: results of tools, stored system messages, untrusted text, and roles that are not surely names.
    """
    name = turn.role or ""
    if turn.tainted:
        return "", ""
    if name.lower() == "assistant":
        return "assistant", ""
    if said_by_user(turn):
        return "user", ""
    return ("user", name) if _is_name(name) else ("", "")


def _is_name(role: str) -> bool:
    """Whether a role can be nothing but the name of a person, who is quoted: a frame for each turn would be long."""
    words = re.split(r"[\W_]+", next(skeletons(role)).seen)
    return len(role) <= NAME_CHARS and NAME.fullmatch(role) is not None and NO_NAMES.isdisjoint(words)


def _framed(turn: Record) -> str:
    return "\n".join([FRAME_OPEN, item(turn), FRAME_CLOSE])


# Rules


def rules(hard: Sequence[Record], soft: Sequence[Record], elevated: Sequence[Record] = ()) -> str:
    """The rules with their source, hard ones first; "" without rules."""
    parts = [(RULES, hard), (GUIDANCE, soft), (ASKED, elevated)]
    return "\n".join(line for title, records in parts if records for line in (title, *map(rule, records)))


def rule(record: Record) -> str:
    """One rule: file and lines, then the text; for a rule from a conversation, its day and the neutralised text."""
    if record.provenance is not None and record.provenance.file is None:
        return quoted(f"[{record.time:%Y-%m-%d}]", record.text)
    first, *more = record.text.splitlines() or [""]
    place_name = neutralised_line(place(record)).translate(PLACE_SIGNS)
    return "\n".join([f"[{place_name}] {first}", *(f"{INDENT}{line}" if line else "" for line in more)])


def place(record: Record) -> str:
    """The source of a rule, as path:first-last or path:line."""
    source = record.provenance
    if source is None or source.file is None:
        return record.id
    first, last = source.lines or (0, 0)
    span = f"{first}" if first == last else f"{first}-{last}"
    return f"{source.file}:{span}" if source.lines else source.file

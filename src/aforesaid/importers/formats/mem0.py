"""Exports of mem0: memories that were distilled already, each with the user whom it is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.items import (
    EMPTY,
    ForeignClaim,
    ImportedItem,
    Item,
    Left,
    Wanted,
    listed,
    mapping,
    moment,
    name_of,
    words,
)

MOST_CATEGORIES = 20


class Mem0:
    """The memories of one export. Its free `metadata` is left: nobody looked it through for secrets."""

    def __init__(self, session: str, wanted: Wanted) -> None:
        del session, wanted  # claims belong to no session

    def feed(self, value: Any, number: int) -> Iterable[Item]:
        """The claim that a memory holds; its words are as old as its last change."""
        found = mapping(value)
        if "memory" not in found:
            raise FormatError("it has no memory.", "A memory of mem0 has id, memory, user_id and created_at.")
        text = words(found["memory"]).strip()
        if not text:
            return [Left(EMPTY)]
        categories = [name for name in listed(found.get("categories")) if name_of(name)][:MOST_CATEGORIES]
        about = {"id": name_of(found.get("id")), "agent": name_of(found.get("agent_id")), "categories": categories}
        times = [moment(found.get(name)) for name in ("updated_at", "created_at")]
        meta = {"mem0": {name: value for name, value in about.items() if value}}
        return [ImportedItem(ForeignClaim(text, times[0] or times[1], name_of(found.get("user_id")), meta))]

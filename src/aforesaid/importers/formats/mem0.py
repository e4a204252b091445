"""Exports of mem0: facts that were already extracted, each with the user it is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.items import ImportedClaim, ImportOptions, Item, Reason, Skipped
from aforesaid.importers.formats.json_values import as_id, as_list, as_object, as_text, parse_time

MAX_CATEGORIES = 20


class Mem0:
    """Parses one export. The free-form `metadata` is not imported, because nothing checks it for secrets."""

    def __init__(self, session: str, options: ImportOptions) -> None:
        del session, options  # claims belong to no session

    def parse(self, value: Any, number: int) -> Iterable[Item]:
        """The claim of a memory, dated by its last update."""
        found = as_object(value)
        if "memory" not in found:
            raise FormatError("it has no memory.", "A memory of mem0 has id, memory, user_id and created_at.")
        text = as_text(found["memory"]).strip()
        if not text:
            return [Skipped(Reason.EMPTY)]
        categories = [name for name in as_list(found.get("categories")) if as_id(name)][:MAX_CATEGORIES]
        about = {"id": as_id(found.get("id")), "agent": as_id(found.get("agent_id")), "categories": categories}
        meta = {"mem0": {name: value for name, value in about.items() if value}}
        time = parse_time(found.get("updated_at")) or parse_time(found.get("created_at"))
        return [ImportedClaim(text, time, as_id(found.get("user_id")), meta)]

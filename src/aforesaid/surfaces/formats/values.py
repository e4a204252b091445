"""Values and errors as JSON; every surface uses these functions. Nothing here imports numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import visible

if TYPE_CHECKING:
    from aforesaid.errors import AforesaidError

# Derived properties that a program wants beside the fields, by the name of the class.
ADDED = {
    "ActiveItem": ("scope", "provenance"),
    "AuditReport": ("intact",),
    "CalibrationReport": ("stored",),
    "Context": ("text",),
    "NoteLines": ("place",),
    "OwnReport": ("passed",),
    "PassLine": ("passed",),
    "Freshness": ("line",),
    "ImporterReport": ("turns", "claims", "known", "left", "bad"),
    "ForgetReceipt": ("proven", "remedy"),
    "Record": ("key",),
    "Scan": ("bytes",),
    "PolicyValidation": ("allowed",),
}
# Fields that JSON leaves out.
LEFT_OUT = {"AdoptedPolicy": ("policy",), "Context": ("parts",), "NotesRoot": ("made", "generation", "linked")}


def to_json(value: Any) -> Any:
    """A value as JSON can hold it: dataclasses become dicts of their fields, times become ISO 8601 text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        own = [spec.name for spec in fields(value) if spec.init and spec.name not in LEFT_OUT.get(name, ())]
        return {each: to_json(getattr(value, each)) for each in (*ADDED.get(name, ()), *own)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def error_json(error: AforesaidError) -> dict[str, Any]:
    """An error for programs."""
    return {"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}}


def error_text(error: AforesaidError) -> str:
    """An error for people: what is wrong, then what to do."""
    remedy = f"\n  {visible(error.remedy)}" if error.remedy else ""
    return f"error: {visible(error.message)}{remedy}"

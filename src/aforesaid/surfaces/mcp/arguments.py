"""Parameters that several tools share. None is a union: whatever may be left out has a default of its own type."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

MAX_QUERY_CHARS = 4000
MAX_TEXT_CHARS = 20_000  # of one claim; longer things are turns or files
MAX_LIST = 200  # turns or ids in one call

Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS, description="What to look for, in plain words.")]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS, description="One self-contained sentence.")]
Id = Annotated[str, Field(min_length=1, description="The id of a record, as another tool gave it.")]
Session = Annotated[str, Field(description="Only this session; leave empty for all.")]
Limit = Annotated[int, Field(ge=1, le=50, description="How many at most.")]
Instant = Annotated[str, Field(description="A time such as 2026-05-03 or 2026-05-03T10:00Z; leave empty for none.")]
Shared = Annotated[
    Literal["user", "project"], Field(description="Whose it is: the user's own, or shared by the project.")
]
Claim = Annotated[
    Literal["fact", "preference", "task", "policy_hint"], Field(description="What kind of statement it is.")
]
Class = Annotated[
    Literal["public", "internal", "pii", "secret"],
    Field(description="How closed it is; personal data and secrets that are found raise it by themselves."),
]


def given(value: str) -> str | None:
    """The value, or None for the empty text that stands for nothing."""
    return value or None

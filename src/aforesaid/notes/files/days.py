"""The day that a heading names, for journals that keep many days in one file."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from aforesaid.text.extract.reader import guarded


@lru_cache(maxsize=1024)  # the chunks of a section follow each other
def day_of_heading(headings: str, written: datetime) -> datetime | None:
    """The day that the innermost heading with a date names; None without one. "May 12" is of the year of the note."""
    if not any(char.isdigit() for char in headings):
        return None
    from aforesaid.text.extract.dates import resolve  # its patterns take a tenth of a second to compile

    spans = guarded("dates", lambda: resolve(headings, written), ())
    days = [span.start for span in spans if span.expression.kind == "date"]
    return days[-1] if days else None

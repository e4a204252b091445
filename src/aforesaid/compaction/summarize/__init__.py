"""Summarisers: many turns in, one short text out."""

from __future__ import annotations

from collections.abc import Callable

from aforesaid.compaction.summarize.base import Summarizer, SummaryDraft, SummarySource, Tightness
from aforesaid.settings import Settings

__all__ = ["Summarizer", "SummaryDraft", "SummarySource", "Tightness", "open_summarizer"]


def open_summarizer(settings: Settings, count: Callable[[str], int]) -> Summarizer | None:
    """The model that the settings allow to summarise; None for `off`. Nothing is asked before first use."""
    rows = settings.compact
    if rows.provider == "off":
        return None
    from aforesaid.compaction.summarize.endpoints import OllamaSummarizer, OpenAISummarizer

    made = OpenAISummarizer if rows.provider == "openai" else OllamaSummarizer
    return made(rows.model, previous_tokens=rows.previous_tokens, count=count)

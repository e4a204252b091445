"""Summarisers: they turn many turns into one short text."""

from __future__ import annotations

from collections.abc import Callable

from aforesaid.compaction.summarize.base import Summarizer, SummaryDraft, SummarySource, Tightness
from aforesaid.settings import Settings

__all__ = ["Summarizer", "SummaryDraft", "SummarySource", "Tightness", "open_summarizer"]


def open_summarizer(settings: Settings, count: Callable[[str], int]) -> Summarizer | None:
    """The summarising model of the settings; None for `off`. It is not called before its first use."""
    rows = settings.compact
    if rows.provider == "off":
        return None
    from aforesaid.compaction.summarize.endpoints import OllamaSummarizer, OpenAISummarizer

    kind = OpenAISummarizer if rows.provider == "openai" else OllamaSummarizer
    return kind(rows.model, previous_tokens=rows.previous_tokens, count=count)

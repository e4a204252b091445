"""Summarisers turn many turns into one short text (spec 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from aforesaid.settings import Settings

Method = Literal["extractive", "abstractive"]
Tightness = Literal["normal", "aggressive", "bounded"]


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A turn or summary to be summarised."""

    text: str
    role: str | None
    time: datetime


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A proposed summary, its method, and the confidence of the model if known."""

    text: str
    method: Method
    decoder_confidence: float | None = None


class Summarizer(Protocol):
    """Summarises what is new in the sources since `previous`, the summary before them, in at most `cap_tokens`."""

    @property
    def name(self) -> str: ...
    def summarize(
        self, sources: Sequence[SummarySource], cap_tokens: int, previous: str, *, tightness: Tightness
    ) -> SummaryDraft: ...


def open_summarizer(settings: Settings, count: Callable[[str], int]) -> Summarizer | None:
    """The summarising model of the settings; None for `off`. It is not called before its first use."""
    rows = settings.compact
    if rows.provider == "off":
        return None
    from aforesaid.compaction.summarize.endpoints import OllamaSummarizer, OpenAISummarizer

    service = OpenAISummarizer if rows.provider == "openai" else OllamaSummarizer
    return service(rows.model, previous_tokens=rows.previous_tokens, count=count)

"""The seam to a summariser: sources and a cap in, a draft out (spec 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Method = Literal["extractive", "abstractive"]
Tightness = Literal["normal", "aggressive", "bounded"]


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A turn or summary to be summarised: what was said, by whom and when."""

    text: str
    role: str | None
    time: datetime


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A proposed summary, how it was made, and how sure a model was of its words when it says so."""

    text: str
    method: Method
    decoder_confidence: float | None = None


class Summarizer(Protocol):
    """Says in at most `cap_tokens` what the sources hold and `previous`, the summary before them, does not."""

    @property
    def name(self) -> str: ...
    def summarize(
        self, sources: Sequence[SummarySource], cap_tokens: int, previous: str, *, tightness: Tightness
    ) -> SummaryDraft: ...

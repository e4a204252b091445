"""The protocol of a summariser (spec 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

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

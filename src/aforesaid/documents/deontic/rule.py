"""A rule in the form in which rules are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Modality = Literal["obliged", "forbidden", "permitted"]


@dataclass(frozen=True, slots=True)
class DeonticRule:
    """An obliged, forbidden or permitted action: its terms, its conditions, and the sentence."""

    modality: Modality
    action: tuple[str, ...]
    conditions: tuple[str, ...]
    text: str

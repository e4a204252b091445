"""A rule as it is compared: what it does to which action, and under which conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Modality = Literal["obliged", "forbidden", "permitted"]


@dataclass(frozen=True, slots=True)
class DeonticRule:
    """An action obliged, forbidden or permitted: its terms, the conditions it is confined to, and the sentence."""

    modality: Modality
    action: tuple[str, ...]
    conditions: tuple[str, ...]
    text: str

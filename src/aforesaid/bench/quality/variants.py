"""The variants to compare: each is a profile with some settings changed. The first one is the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aforesaid.types import check_choice


@dataclass(frozen=True, slots=True)
class Variant:
    """A profile and the settings to change."""

    name: str
    profile: str = "default"
    settings: Mapping[str, str] = field(default_factory=dict)


SIGNALS = ("session", "near", "answers", "date", "personal", "speaker", "asks", "repeats", "agent")  # of `default`


def without(*signals: str) -> dict[str, str]:
    """The settings that switch off signals of the default profile."""
    return {f"default.weight_{signal}": "0" for signal in signals}


ALONE = without(*SIGNALS) | {"default.passages": "off"}
VARIANTS = (
    Variant("default"),
    *(Variant(f"without {signal}", settings=without(signal)) for signal in SIGNALS),
    Variant("without passages", settings={"default.passages": "off"}),
    Variant("convex fusion alone", settings=ALONE),
    Variant("rank fusion alone", settings=ALONE | {"default.fusion": "rrf"}),
    Variant("text alone", settings=ALONE | {"embed.provider": "off"}),
    Variant("vectors alone", settings=ALONE | {"default.alpha": "1", "default.alpha_unspaced": "1"}),
    Variant("default without vectors", settings={"embed.provider": "off"}),
    Variant("libra", "libra"),
    Variant("libra-two-pass", "libra-two-pass"),
    Variant("libra-single", "libra-single"),
    Variant("pce", "pce"),
    Variant("openclaw", "openclaw"),
)


def named(names: Sequence[str]) -> tuple[Variant, ...]:
    """The variants with these names."""
    table = {variant.name: variant for variant in VARIANTS}
    return tuple(table[check_choice(name, tuple(table), "variant")] for name in names)

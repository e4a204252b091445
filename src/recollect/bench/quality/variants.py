"""What is compared: each variant is a profile with a few settings changed. The first one is what others are held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.types import check_choice


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to rank, by name: a profile, and settings that differ from those in force."""

    name: str
    profile: str = "default"
    settings: Mapping[str, str] = field(default_factory=dict)


VARIANTS = (
    Variant("default"),
    Variant("text only", settings={"embed.provider": "off"}),
    Variant("vector only", settings={"default.alpha": "1", "default.alpha_unspaced": "1"}),
    Variant("libra", "libra"),
    Variant("libra-two-pass", "libra-two-pass"),
    Variant("libra-single", "libra-single"),
    Variant("pce", "pce"),
    Variant("openclaw", "openclaw"),
)


def named(names: Sequence[str]) -> tuple[Variant, ...]:
    """The variants of the table that are called so."""
    table = {variant.name: variant for variant in VARIANTS}
    return tuple(table[check_choice(name, tuple(table), "variant")] for name in names)

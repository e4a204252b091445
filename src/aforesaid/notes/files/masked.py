"""Secrets that run over several lines, taken out before a note is cut: a piece of one would not be recognised."""

from __future__ import annotations

from collections.abc import Sequence

HINT = "PRIVATE KEY"  # the one secret that runs over lines


def without_long_secrets(lines: Sequence[str]) -> list[str]:
    """The lines, each that is part of a longer secret replaced by what stands for it; as many as before."""
    if not any(HINT in line for line in lines):
        return list(lines)
    from aforesaid.text.extract.secrets import (  # its patterns take a tenth of a second to compile
        find_secrets,
        redact_secrets,
    )

    text = "\n".join(lines)
    parts, at = [], 0
    for secret in find_secrets(text):
        inside = text[secret.start : secret.end]
        if "\n" in inside:
            mark = redact_secrets(inside).text.replace("\n", " ")
            parts += [text[at : secret.start], "\n".join([mark] * (inside.count("\n") + 1))]
            at = secret.end
    return "".join([*parts, text[at:]]).split("\n")

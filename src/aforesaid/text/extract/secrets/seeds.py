"""Seed phrases of wallets: 12 to 24 words of the BIP-39 list whose last bits are a checksum of the others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from aforesaid.text.extract.spans import Span, TextView

LENGTHS = (24, 21, 18, 15, 12)
SHORTEST = LENGTHS[-1]
LOOK_BACK = 40  # characters before the words that are searched for a label
WORD = re.compile(r"[a-z]+")
BETWEEN = re.compile(r"[\s,;|>]*(?:\d{1,2}[.):]?\s*)?")  # two words of a phrase: a space, a comma, a line, a number
LABEL = re.compile(r"seed|mnemonic|recovery|backup|wallet|ledger|metamask|phrase|words|シード|フレーズ|助记词|фраз")


@cache
def _numbers() -> dict[str, int]:
    """The place of each word in the list, which is its value."""
    lines = Path(__file__).with_name("seed_words.txt").read_text("utf-8").splitlines()
    words = " ".join(line for line in lines if not line.startswith("#")).split()
    return {word: number for number, word in enumerate(words)}


def seed_phrases(view: TextView) -> Iterator[Span]:
    """The seed phrases of a text. Words of the list alone are enough behind a label; else the checksum must fit."""
    small, numbers = view.small, _numbers()
    if len(view.words) < SHORTEST or not _has_run(view.words, numbers):
        return
    run: list[tuple[int, int]] = []
    for match in WORD.finditer(small):
        apart = run and not BETWEEN.fullmatch(small, run[-1][1], match.start())
        if apart or match[0] not in numbers:
            yield from _phrases(small, run, numbers)
            run = []
        if match[0] in numbers:
            run.append(match.span())
    yield from _phrases(small, run, numbers)


def _has_run(words: list[str], numbers: dict[str, int]) -> bool:
    """Whether 12 words of the list may follow each other: then two of every sixth word are of it, and those between."""
    sampled = [_may_be(word, numbers) for word in words[::6]]
    return any(
        first and second and all(_may_be(word, numbers) for word in words[6 * at + 1 : 6 * at + 6])
        for at, (first, second) in enumerate(pairwise(sampled))
    )


def _may_be(word: str, numbers: dict[str, int]) -> bool:
    return word in numbers or not (bare := word.strip("0123456789.,;:)|>\"'`")) or bare in numbers


def _phrases(small: str, run: list[tuple[int, int]], numbers: dict[str, int]) -> Iterator[Span]:
    """The phrases in a run of words of the list. The run may begin or end with a word that belongs to the sentence."""
    if len(run) >= SHORTEST and LABEL.search(small, max(0, run[0][0] - LOOK_BACK), run[0][1]):
        yield Span("seed-phrase", run[0][0], run[-1][1])
        return
    start = 0
    while len(run) - start >= SHORTEST:
        found = next((length for length in LENGTHS if _is_phrase(small, run[start : start + length], length)), 0)
        if found:
            yield Span("seed-phrase", run[start][0], run[start + found - 1][1])
        start += found or 1


def _is_phrase(small: str, places: list[tuple[int, int]], length: int) -> bool:
    return len(places) == length and has_checksum([small[start:end] for start, end in places])


def has_checksum(words: list[str]) -> bool:
    """Whether the last bits of the words are the first bits of the sha256 of the others (BIP-39)."""
    numbers = _numbers()
    bits = "".join(f"{numbers[word]:011b}" for word in words)
    size = len(bits) * 32 // 33
    entropy = int(bits[:size], 2).to_bytes(size // 8, "big")
    return f"{hashlib.sha256(entropy).digest()[0]:08b}"[: len(bits) - size] == bits[size:]

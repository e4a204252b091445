"""Selects questions by fold, type and number, without randomness."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from aforesaid.bench.quality.types import BenchQuestion
from aforesaid.errors import InputError

FOLDS = 5


def fold_of(group: str) -> int:
    """The fold of a conversation, article or question: blake2b of its name, 8 bytes as a number, modulo 5."""
    return digest(group) % FOLDS


def choose(
    questions: Sequence[BenchQuestion],
    *,
    types: Sequence[str] = (),
    fold: int | None = None,
    without_fold: int | None = None,
    limit: int | None = None,
) -> tuple[BenchQuestion, ...]:
    """The questions of these types, of one fold or of all but one, at most `limit`, in their order."""
    known = sorted({question.type for question in questions})
    unknown = sorted(set(types) - set(known))
    if unknown:
        raise InputError(f"There is no question of type {unknown[0]!r}.", f"Types here: {', '.join(known)}.")
    kept = [
        question
        for question in questions
        if (not types or question.type in types)
        and fold in (None, fold_of(question.group))
        and without_fold != fold_of(question.group)
    ]
    if not kept:
        raise InputError("No question is left.", "Another --fold or other --types may have some.")
    return tuple(kept) if limit is None else stratified(kept, limit)


def stratified(questions: Sequence[BenchQuestion], limit: int) -> tuple[BenchQuestion, ...]:
    """At most `limit` questions that keep the mix of types, chosen by digest, in their order."""
    types = defaultdict(list)
    for question in sorted(questions, key=lambda question: (digest(question.id), question.id)):
        types[question.type].append(question)
    placed = [
        ((i + 0.5) / len(members), name, question)
        for name, members in types.items()
        for i, question in enumerate(members)
    ]
    chosen = {question.id for _, _, question in sorted(placed, key=lambda place: place[:2])[:limit]}
    return tuple(question for question in questions if question.id in chosen)


def digest(text: str) -> int:
    """A number that depends only on the text: blake2b, 8 bytes."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

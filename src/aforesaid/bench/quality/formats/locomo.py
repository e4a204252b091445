"""LoCoMo: long conversations of two people, with questions on single turns (https://github.com/snap-research/locomo)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from aforesaid.bench.quality.types import BenchMessage, BenchQuestion, Corpus, Dataset, Session, session_of
from aforesaid.errors import FormatError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
SESSION = re.compile(r"session_\d+")
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def read(name: str, rows: Sequence[Any]) -> Dataset:
    """Every conversation as a corpus; the speakers' names are the roles."""
    corpora, questions, skipped = {}, [], Counter[str]()
    for row in rows:
        corpus = Corpus.of(row["sample_id"], _sessions(row["conversation"]))
        corpora[corpus.name] = corpus
        for number, item in enumerate(row["qa"]):
            turns = corpus.turn_ids(evidence_marks(item.get("evidence") or []))
            if turns:
                questions.append(_question(item, number, corpus, turns))
            else:
                skipped["no evidence"] += 1
    return Dataset(name, "locomo", corpora, tuple(questions), skipped)


def evidence_marks(strings: Sequence[str]) -> frozenset[str]:
    """The turns that evidence names, mended: `D8:6; D9:17` is two, `D:11:26` is D11:26 and `D30:05` is D30:5."""
    return frozenset(_mark(*found) for text in strings for found in EVIDENCE.findall(text))


def moment(text: str) -> datetime:
    """A time like `1:56 pm on 8 May, 2023`, taken as UTC."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        raise FormatError(f"{text!r} is not a time of LoCoMo.", "Expected is 1:56 pm on 8 May, 2023.") from None


def _mark(session: str, turn: str) -> str:
    return f"D{int(session)}:{int(turn)}"


def _sessions(conversation: Mapping[str, Any]) -> list[Session]:
    names = [name for name in conversation if SESSION.fullmatch(name)]
    return [
        Session(name, moment(conversation[f"{name}_date_time"]), tuple(_message(turn) for turn in conversation[name]))
        for name in names
    ]


def _message(turn: Mapping[str, Any]) -> BenchMessage:
    """A picture counts by its caption."""
    photo = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    [mark] = evidence_marks([turn["dia_id"]]) or {""}
    return BenchMessage(turn["speaker"], turn["text"] + photo, mark)


def _question(item: Mapping[str, Any], number: int, corpus: Corpus, turns: frozenset[str]) -> BenchQuestion:
    return BenchQuestion(
        id=f"{corpus.name}-q{number + 1}",
        text=item["question"],
        type=CATEGORIES.get(item["category"], str(item["category"])),
        corpus=corpus.name,
        group=corpus.name,
        now=corpus.last_time,
        evidence_turns=turns,
        evidence_sessions=frozenset(map(session_of, turns)),
        answer=str(item.get("answer", item.get("adversarial_answer", ""))),
    )

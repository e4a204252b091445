"""LoCoMo: long conversations of two people, with questions on single turns (https://github.com/snap-research/locomo)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from aforesaid.bench.quality.types import BenchMessage, Corpus, Dataset, Session, conversation_question
from aforesaid.errors import FormatError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
SESSION = re.compile(r"session_\d+")
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def read(name: str, rows: Sequence[Any]) -> Dataset:
    """Each conversation is a corpus. The names of the speakers are the roles."""
    corpora, questions, skipped = {}, [], Counter[str]()
    for row in rows:
        corpus = Corpus.of(row["sample_id"], _sessions(row["conversation"]))
        corpora[corpus.name] = corpus
        for number, item in enumerate(row["qa"]):
            turns = corpus.turn_ids(evidence_ids(item.get("evidence") or []))
            if turns:
                id_ = f"{corpus.name}-q{number + 1}"
                type_ = CATEGORIES.get(item["category"], str(item["category"]))
                answer = str(item.get("answer", item.get("adversarial_answer", "")))
                questions.append(conversation_question(id_, item["question"], type_, corpus, turns, answer))
            else:
                skipped["no evidence"] += 1
    return Dataset(name, "locomo", corpora, tuple(questions), skipped)


def evidence_ids(strings: Sequence[str]) -> frozenset[str]:
    """The turns that evidence names, with errors corrected: `D8:6; D9:17`, `D:11:26` (D11:26), `D30:05` (D30:5)."""
    return frozenset(f"D{int(session)}:{int(turn)}" for text in strings for session, turn in EVIDENCE.findall(text))


def moment(text: str) -> datetime:
    """A time like `1:56 pm on 8 May, 2023`, in UTC."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        raise FormatError(f"{text!r} is not a time of LoCoMo.", "Expected is 1:56 pm on 8 May, 2023.") from None


def _sessions(conversation: Mapping[str, Any]) -> list[Session]:
    names = [name for name in conversation if SESSION.fullmatch(name)]
    return [
        Session(name, moment(conversation[f"{name}_date_time"]), tuple(_message(turn) for turn in conversation[name]))
        for name in names
    ]


def _message(turn: Mapping[str, Any]) -> BenchMessage:
    """A turn with the caption of its photo."""
    photo = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    [source_id] = evidence_ids([turn["dia_id"]]) or {""}
    return BenchMessage(turn["speaker"], turn["text"] + photo, source_id)

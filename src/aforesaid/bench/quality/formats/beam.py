"""BEAM: conversations of 100 thousand tokens to 10 million (https://github.com/mohammadtavakoli78/BEAM).

Reads the folders of the repository, with chat.json and probing_questions/probing_questions.json, or rows with `chat`
and `probing_questions`, which may be text. Batches may be nested in different ways.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aforesaid.bench.quality.files import find, read_rows
from aforesaid.bench.quality.types import UNDATED, BenchMessage, Corpus, Dataset, Session, conversation_question
from aforesaid.errors import FormatError

ABSTENTION = "abstention"
ANCHORS = ("%B-%d-%Y", "%b-%d-%Y", "%B %d, %Y", "%Y-%m-%d")
LABEL = re.compile(r"\s*->->\s*[\d,\s]*$")  # the numbering that the generator puts at the end of a message


def read_folder(folder: Path) -> Dataset:
    """All folders below that contain a conversation and its questions."""
    rows = []
    for chat in sorted(folder.rglob("chat.json"), key=_natural):
        questions = find(chat.parent / "probing_questions", "probing_questions.json")
        if questions is not None:
            name = chat.parent.relative_to(folder).as_posix() if chat.parent != folder else folder.name
            [asked] = read_rows(questions)
            rows.append({"conversation_id": name, "chat": read_rows(chat), "probing_questions": asked})
    return read(folder.name, rows)


def read(name: str, rows: Sequence[Any]) -> Dataset:
    """Each conversation is a corpus. The type of a question is the ability that it tests."""
    corpora, questions, skipped = {}, [], Counter[str]()
    for number, row in enumerate(rows):
        corpus = Corpus.of(str(row.get("conversation_id", number + 1)), _sessions(row["chat"]))
        corpora[corpus.name] = corpus
        known = Counter(message.source_id for session in corpus.sessions for message in session.messages)
        for ability, items in _parsed(row["probing_questions"]).items():
            for i, item in enumerate(items):
                sources = frozenset(_source_ids(item.get("source_chat_ids")))
                reason = _skip_reason(ability, sources, known)
                if reason:
                    skipped[reason] += 1
                    continue
                answer = item.get("answer") or item.get("ideal_answer") or item.get("ideal_response") or ""
                questions.append(
                    conversation_question(
                        f"{corpus.name}-{ability}-{i + 1}",
                        item["question"],
                        ability.replace("_", "-"),
                        corpus,
                        corpus.turn_ids(sources),
                        str(answer),
                    )
                )
    return Dataset(name, "beam", corpora, tuple(questions), skipped)


def moment(text: str) -> datetime:
    """A time anchor like `March-15-2024`, in UTC."""
    for form in ANCHORS:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise FormatError(f"{text!r} is not a time anchor of BEAM.", "Expected is March-15-2024.")


def _skip_reason(ability: str, sources: frozenset[str], known: Mapping[str, int]) -> str:
    """Why to skip a question; empty if it is used."""
    if ability == ABSTENTION:
        return "abstention"
    if any(known[source] > 1 for source in sources):
        return "evidence names several turns"
    return "" if any(known[source] for source in sources) else "no evidence"


def _parsed(questions: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The questions by ability. Some files contain them as a Python literal."""
    if isinstance(questions, str):
        try:
            questions = ast.literal_eval(questions)
        except (ValueError, SyntaxError) as error:
            raise FormatError(f"probing_questions cannot be read: {error}.", "Fetch the file again.") from None
    found: Mapping[str, Sequence[Mapping[str, Any]]] = questions
    return found


def _source_ids(value: Any) -> Iterator[str]:
    """Ids from a list, or from the lists of a dict."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _source_ids(item)
    elif value is not None:
        yield str(value)


def _sessions(chat: Any) -> list[Session]:
    """Each batch is a session. One without a time anchor has the time of the previous one."""
    batches = [list(_messages(batch)) for batch in _batches(chat)]
    anchors = [next((str(m["time_anchor"]) for m in batch if m.get("time_anchor")), "") for batch in batches]
    time = next((moment(anchor) for anchor in anchors if anchor), UNDATED)
    sessions = []
    for number, (batch, anchor) in enumerate(zip(batches, anchors, strict=True)):
        time = moment(anchor) if anchor else time
        sessions.append(Session(str(number), time, tuple(_dated(batch))))
    return sessions


def _batches(value: Any) -> Iterator[Any]:
    """The batches of a chat: objects with `turns`, or lists of messages. The longest chats nest them in plans."""
    inner = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(inner, list):
        return
    if (isinstance(value, Mapping) and "turns" in value) or any(map(_is_message, inner)):
        yield value
    else:
        for item in inner:
            yield from _batches(item)


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and {"role", "content"} <= value.keys()


def _messages(value: Any) -> Iterator[Mapping[str, Any]]:
    """All messages of a batch, at any depth."""
    if _is_message(value):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _messages(item)


def _dated(batch: Sequence[Mapping[str, Any]]) -> Iterator[BenchMessage]:
    """The messages of a batch. A time anchor is valid until the next one."""
    time = None
    for message in batch:
        time = moment(str(message["time_anchor"])) if message.get("time_anchor") else time
        yield BenchMessage(message["role"], LABEL.sub("", message["content"]), str(message.get("id", "")), time)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts 2 before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in path.parts]

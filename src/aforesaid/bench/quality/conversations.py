"""Question sets about conversations: LongMemEval, LoCoMo and BEAM."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from aforesaid.bench.quality.types import (
    UNDATED,
    BenchMessage,
    BenchQuestion,
    Corpus,
    Dataset,
    Session,
    digest,
    session_of,
)
from aforesaid.errors import FormatError

TIMES = {
    "LongMemEval": ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M"),
    "LoCoMo": ("%I:%M %p on %d %B, %Y",),
    "BEAM": ("%B-%d-%Y", "%b-%d-%Y", "%B %d, %Y", "%Y-%m-%d"),
}
LOCOMO_TYPES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
LOCOMO_SESSION = re.compile(r"session_\d+")
LOCOMO_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
BEAM_NUMBERING = re.compile(r"\s*->->\s*[\d,\s]*$")  # the generator puts it at the end of a message


def moment(text: str, source: str) -> datetime:
    """A time in the notation of a source, in UTC."""
    for form in TIMES[source]:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise FormatError(f"{text!r} is not a time of {source}.", f"Expected is {TIMES[source][0]}.")


def _question(id_: str, text: str, type_: str, corpus: Corpus, turns: frozenset[str], answer: object) -> BenchQuestion:
    """A question about a conversation, asked after its last turn."""
    sessions = frozenset(map(session_of, turns))
    return BenchQuestion(id_, text, type_, corpus.name, corpus.name, corpus.last_time, turns, sessions, str(answer))


# LongMemEval (https://github.com/xiaowu0162/LongMemEval): every question has its own haystack of sessions.


def read_longmemeval(name: str, rows: Sequence[Any], pool: int = 0) -> Dataset:
    """Each haystack is a corpus. `pool` fills it up to this number of sessions with those of other questions.

    Reads the published form, a list with `haystack_sessions`, and a compact form of JSON lines: each session once as
    `{"session": n, "turns": […]}`, then each question as `{"question": {…, "session_refs": [n, …]}}`.
    """
    items = list(_items(rows))
    others: dict[str, Session] = {}
    for item in items if pool else ():
        for session in _haystack(item):
            others.setdefault(session.source_id, session)
    corpora, questions, skipped = {}, [], Counter[str]()
    for item in items:
        id_, evidence = item["question_id"], set(item["answer_session_ids"])
        if id_.endswith("_abs"):  # its answer is not in the history
            skipped["abstention"] += 1
            continue
        sessions = _haystack(item)
        now = moment(item["question_date"], "LongMemEval")
        if len(sessions) < pool:
            sessions += _pooled(item, sessions, others, now, pool - len(sessions))
        corpus = Corpus.of(id_, sessions)
        turns, found = corpus.turn_ids(evidence), corpus.session_ids(evidence)
        if not found:
            skipped["no evidence"] += 1
            continue
        corpora[id_] = corpus
        answer = str(item.get("answer", ""))
        questions.append(
            BenchQuestion(id_, item["question"], item["question_type"], id_, id_, now, turns, found, answer)
        )
    return Dataset(f"{name} ({pool} sessions)" if pool else name, "longmemeval", corpora, tuple(questions), skipped)


def _items(rows: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Questions in the published form, from either form."""
    stored: dict[int, Any] = {}
    for row in rows:
        if "turns" in row:
            stored[row["session"]] = row["turns"]
        elif isinstance(row.get("question"), dict):
            question = row["question"]
            yield {**question, "haystack_sessions": [stored[ref] for ref in question["session_refs"]]}
        else:
            yield row


def _haystack(item: Mapping[str, Any]) -> list[Session]:
    """The sessions of a question. Only messages with the answer get a source id."""
    return [
        Session(
            name,
            moment(date, "LongMemEval"),
            tuple(BenchMessage(t["role"], t["content"], name if t.get("has_answer") else "") for t in turns),
        )
        for name, date, turns in zip(
            item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True
        )
    ]


def _pooled(
    item: Mapping[str, Any], sessions: Sequence[Session], others: Mapping[str, Session], now: datetime, count: int
) -> list[Session]:
    """Sessions of other questions, chosen by digest: no evidence, no duplicates, none from the future.

    A session that is later than the question is moved to one of the haystack's times.
    """
    taken = {session.source_id for session in sessions} | set(item["answer_session_ids"])
    digests = {name: digest(f"{item['question_id']}\x1f{name}") for name in others if name not in taken}
    times = [session.time for session in sessions if session.time <= now] or [now]
    return [
        others[name] if others[name].time <= now else replace(others[name], time=times[digests[name] % len(times)])
        for name in sorted(digests, key=digests.__getitem__)[:count]
    ]


# LoCoMo (https://github.com/snap-research/locomo): long conversations of two people, with questions on single turns.


def read_locomo(name: str, rows: Sequence[Any]) -> Dataset:
    """Each conversation is a corpus. The names of the speakers are the roles."""
    corpora, questions, skipped = {}, [], Counter[str]()
    for row in rows:
        corpus = Corpus.of(row["sample_id"], _dated_sessions(row["conversation"], row.get("session_summary", {})))
        corpora[corpus.name] = corpus
        for number, item in enumerate(row["qa"], 1):
            turns = corpus.turn_ids(evidence_ids(item.get("evidence") or []))
            if not turns:
                skipped["no evidence"] += 1
                continue
            type_ = LOCOMO_TYPES.get(item["category"], str(item["category"]))
            answer = item.get("answer", item.get("adversarial_answer", ""))
            questions.append(_question(f"{corpus.name}-q{number}", item["question"], type_, corpus, turns, answer))
    return Dataset(name, "locomo", corpora, tuple(questions), skipped)


def evidence_ids(strings: Sequence[str]) -> frozenset[str]:
    """The turns that evidence names, with errors corrected: `D8:6; D9:17`, `D:11:26` (D11:26), `D30:05` (D30:5)."""
    pairs = (pair for text in strings for pair in LOCOMO_EVIDENCE.findall(text))
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in pairs)


def _dated_sessions(conversation: Mapping[str, Any], written: Mapping[str, str]) -> Iterator[Session]:
    for name in filter(LOCOMO_SESSION.fullmatch, conversation):
        messages = []
        for turn in conversation[name]:
            photo = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            [source_id] = evidence_ids([turn["dia_id"]]) or {""}
            messages.append(BenchMessage(turn["speaker"], turn["text"] + photo, source_id))
        time = moment(conversation[f"{name}_date_time"], "LoCoMo")
        yield Session(name, time, tuple(messages), written.get(f"{name}_summary", ""))


# BEAM (https://github.com/mohammadtavakoli78/BEAM): conversations of 100 thousand tokens to 10 million.


def read_beam(name: str, rows: Sequence[Any]) -> Dataset:
    """Each conversation is a corpus. The type of a question is the ability that it tests."""
    corpora, questions, skipped = {}, [], Counter[str]()
    for number, row in enumerate(rows, 1):
        corpus = Corpus.of(str(row.get("conversation_id", number)), _batch_sessions(row["chat"]))
        corpora[corpus.name] = corpus
        known = Counter(message.source_id for session in corpus.sessions for message in session.messages)
        for ability, items in _by_ability(row["probing_questions"]).items():
            for i, item in enumerate(items, 1):
                sources = frozenset(_source_ids(item.get("source_chat_ids")))
                reason = _skip_reason(ability, sources, known)
                if reason:
                    skipped[reason] += 1
                    continue
                answer = item.get("answer") or item.get("ideal_answer") or item.get("ideal_response") or ""
                id_, type_ = f"{corpus.name}-{ability}-{i}", ability.replace("_", "-")
                questions.append(_question(id_, item["question"], type_, corpus, corpus.turn_ids(sources), answer))
    return Dataset(name, "beam", corpora, tuple(questions), skipped)


def _skip_reason(ability: str, sources: frozenset[str], known: Mapping[str, int]) -> str:
    """Why to skip a question; empty if it is used."""
    if ability == "abstention":
        return ability
    if any(known[source] > 1 for source in sources):
        return "evidence names several turns"
    return "" if any(known[source] for source in sources) else "no evidence"


def _by_ability(questions: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The questions by ability. Some files contain them as a Python literal."""
    try:
        found: Mapping[str, Any] = ast.literal_eval(questions) if isinstance(questions, str) else questions
    except (ValueError, SyntaxError) as error:
        raise FormatError(f"probing_questions cannot be read: {error}.", "Fetch the file again.") from None
    return found


def _source_ids(value: Any) -> Iterator[str]:
    """Ids from a list, or from the lists of a dict."""
    if isinstance(value, Mapping | list):
        for item in _items_of(value):
            yield from _source_ids(item)
    elif value is not None:
        yield str(value)


def _items_of(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else value


def _batch_sessions(chat: Any) -> list[Session]:
    """Each batch is a session. One without a time anchor has the time of the previous one."""
    batches = [list(_messages(batch)) for batch in _batches(chat)]
    anchors = [next((time for message in batch if (time := _anchor(message))), None) for batch in batches]
    last = next(filter(None, anchors), UNDATED)
    sessions = []
    for number, (batch, anchor) in enumerate(zip(batches, anchors, strict=True)):
        last = anchor or last
        sessions.append(Session(str(number), last, tuple(_dated(batch))))
    return sessions


def _anchor(message: Mapping[str, Any]) -> datetime | None:
    return moment(str(message["time_anchor"]), "BEAM") if message.get("time_anchor") else None


def _dated(batch: Sequence[Mapping[str, Any]]) -> Iterator[BenchMessage]:
    """The messages of a batch. A time anchor is valid until the next one."""
    time = None
    for message in batch:
        time = _anchor(message) or time
        text = BEAM_NUMBERING.sub("", message["content"])
        yield BenchMessage(message["role"], text, str(message.get("id", "")), time)


def _batches(value: Any) -> Iterator[Any]:
    """The batches of a chat: objects with `turns`, or lists of messages. The longest chats nest them in plans."""
    if not isinstance(value, Mapping | list):
        return
    if (isinstance(value, Mapping) and "turns" in value) or any(map(_is_message, _items_of(value))):
        yield value
    else:
        for item in _items_of(value):
            yield from _batches(item)


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and {"role", "content"} <= value.keys()


def _messages(value: Any) -> Iterator[Mapping[str, Any]]:
    """All messages of a batch, at any depth."""
    if _is_message(value):
        yield value
    elif isinstance(value, Mapping | list):
        for item in _items_of(value):
            yield from _messages(item)

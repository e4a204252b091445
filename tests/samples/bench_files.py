"""Question sets of a few lines in every format, with the traps of the real ones; made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def write_lines(path: Path, *values: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
    return path


def turn(role: str, content: str, *, answer: bool = False) -> dict[str, Any]:
    return {"role": role, "content": content} | ({"has_answer": True} if answer else {})


LME_SESSIONS = {
    "answer_cat": [turn("user", "My cat is called Figo.", answer=True), turn("assistant", "A fine name for a cat.")],
    "plain_1": [turn("user", "How do I boil eggs?"), turn("assistant", "Seven minutes in boiling water.")],
    "plain_2": [turn("user", "Which train goes to Porto?"), turn("assistant", "The one at nine.")],
    "answer_dog": [turn("user", "My dog is called Rex.", answer=True), turn("assistant", "A royal name.")],
    "plain_3": [turn("user", "Tell me of volcanoes."), turn("assistant", "They are hot.")],
}


def lme_question(name: str, text: str, sessions: list[str], dates: list[str], answers: list[str]) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": text,
        "answer": "see there",
        "question_date": "2023/05/30 (Tue) 20:36",
        "haystack_session_ids": sessions,
        "haystack_dates": dates,
        "answer_session_ids": answers,
    }


LME_QUESTIONS = [
    lme_question(
        "q_cat",
        "What is my cat called?",
        ["plain_1", "answer_cat"],
        ["2023/05/20 (Sat) 10:00", "2023/05/10 (Wed) 09:00"],  # not in order of time
        ["answer_cat"],
    ),
    lme_question(
        "q_dog",
        "What is my dog called?",
        ["answer_dog", "plain_2", "plain_3"],
        ["2023/05/02 (Tue) 08:00", "2023/06/20 (Tue) 10:00", "2023/05/21 (Sun) 10:00"],  # one after the question
        ["answer_dog"],
    ),
    lme_question("q_bird_abs", "What is my bird called?", ["plain_1"], ["2023/05/20 (Sat) 10:00"], ["plain_1"]),
]


def longmemeval(folder: Path) -> Path:
    rows = [q | {"haystack_sessions": [LME_SESSIONS[s] for s in q["haystack_session_ids"]]} for q in LME_QUESTIONS]
    return write(folder / "longmemeval.json", rows)


def longmemeval_compact(folder: Path) -> Path:
    numbers = {name: number for number, name in enumerate(LME_SESSIONS)}
    return write_lines(
        folder / "longmemeval.jsonl",
        *({"session": numbers[name], "turns": turns} for name, turns in LME_SESSIONS.items()),
        *({"question": q | {"session_refs": [numbers[s] for s in q["haystack_session_ids"]]}} for q in LME_QUESTIONS),
    )


def locomo(folder: Path) -> Path:
    one = {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a parrot yesterday."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kayak on a lake"},
        ],
        "session_2_date_time": "9:05 am on 2 June, 2023",
        "session_2": [
            {"speaker": "Ana", "dia_id": "D2:1", "text": "The parrot sings opera now."},
            {"speaker": "Bo", "dia_id": "D2:2", "text": "I sold my old bicycle."},
        ],
        "session_3_date_time": "9:05 am on 9 June, 2023",
    }
    asked = [
        {"question": "When did Ana adopt a parrot?", "answer": "7 May", "evidence": ["D1:1"], "category": 2},
        {"question": "What does the parrot do?", "answer": "sing", "evidence": ["D1:1; D2:01"], "category": 1},
        {"question": "Which boat does Bo show?", "answer": "a kayak", "evidence": ["D:1:2"], "category": 4},
        {"question": "What did Ana sell?", "adversarial_answer": "a bicycle", "evidence": ["D2:2"], "category": 5},
        {"question": "Is Ana kind?", "answer": "yes", "evidence": [], "category": 3},
        {"question": "Is Bo kind?", "answer": "yes", "evidence": ["D9:9"], "category": 3},
    ]
    written = {
        "session_1_summary": "Ana adopted a parrot yesterday. Bo has a red kayak on a lake.",
        "session_2_summary": "The parrot of Ana sings opera now. Bo sold his old bicycle.",
    }
    first = {"sample_id": "conv-1", "conversation": one, "qa": asked, "session_summary": written}
    return write(folder / "locomo.json", [first])


def squad(folder: Path) -> Path:
    def paragraph(context: str, name: str, question: str, *, impossible: bool = False) -> dict[str, Any]:
        answers = [] if impossible else [{"text": "x", "answer_start": 0}]
        return {
            "context": context,
            "qas": [{"id": name, "question": question, "answers": answers, "is_impossible": impossible}],
        }

    rain = paragraph("梅雨は東アジアでみられる気象現象である。", "a1", "梅雨はどこでみられるか。")
    again = paragraph("梅雨は東アジアでみられる  気象現象である。", "a2", "東アジアの気象現象は何か。")
    again["context"] = rain["context"]
    tea = paragraph("京都の宇治は緑茶で知られている。", "b1", "宇治は何で知られているか。")
    none = paragraph("大阪は商業の町である。", "b2", "大阪の天気は？", impossible=True)
    articles = [{"title": "梅雨", "paragraphs": [rain, again]}, {"title": "茶", "paragraphs": [tea, none]}]
    return write(folder / "jsquad.json", {"version": "1", "data": articles})


def beir(folder: Path) -> Path:
    folder = folder / "tiny"
    write_lines(
        folder / "corpus.jsonl",
        {"_id": "doc-a", "title": "Kiwi", "text": "A flightless bird of New Zealand."},
        {"_id": "doc-b", "title": "", "text": "Granite is an igneous\u2028rock."},
        {"_id": "doc-c", "title": "Basalt", "text": "Basalt is an igneous rock too."},
    )
    write_lines(
        folder / "queries.jsonl",
        {"_id": "q1", "text": "Which bird cannot fly?"},
        {"_id": "q2", "text": "igneous rock"},
        {"_id": "q3", "text": "judged by nobody"},
        {"_id": "q4", "text": "judged by a document that is not here"},
    )
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tdoc-a\t1\nq1\tdoc-b\t0\nq2\tdoc-b\t2\nq2\tdoc-c\t1\nq4\tdoc-z\t1\n"
    )
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq3\tdoc-a\t1\n")
    return folder


BEAM_BATCHES = [
    [
        {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "My sprint ends on March 29. ->-> 1,1"},
        {"role": "assistant", "id": 1, "content": "Noted."},
    ],
    [
        {"role": "user", "id": 2, "time_anchor": "April-02-2024", "content": "The API answers in 300 ms. ->-> 2,1"},
        {"role": "assistant", "id": 3, "content": "Good."},
        {"role": "user", "id": 4, "content": "Now the API answers in 250 ms."},
        {"role": "user", "id": 5, "content": "First five."},
        {"role": "user", "id": 5, "content": "Second five."},
    ],
    [{"role": "user", "id": 6, "content": "A batch without a time."}],
]
BEAM_QUESTIONS = {
    "abstention": [{"question": "What is my background?", "ideal_response": "nothing is said"}],
    "information_extraction": [{"question": "When does my sprint end?", "answer": "March 29", "source_chat_ids": [0]}],
    "knowledge_update": [
        {
            "question": "How fast is the API?",
            "answer": "250 ms",
            "source_chat_ids": {"original_info": [2], "updated_info": [4]},
        },
        {"question": "Which five?", "answer": "unclear", "source_chat_ids": [5]},
        {"question": "Nothing?", "answer": "unclear"},
    ],
}


def beam_folder(folder: Path) -> Path:
    """As the repository lays it out: batches of turns of messages."""
    here = folder / "beam" / "100K" / "1"
    write(here / "chat.json", [{"batch_number": n, "turns": [batch]} for n, batch in enumerate(BEAM_BATCHES, 1)])
    write(here / "probing_questions" / "probing_questions.json", BEAM_QUESTIONS)
    return folder / "beam"


def beam_rows(folder: Path) -> Path:
    """As the hub has it: lists of messages, the questions as a Python literal."""
    row = {"conversation_id": "1", "chat": BEAM_BATCHES, "probing_questions": repr(BEAM_QUESTIONS)}
    return write(folder / "beam.json", [row])


def beam_plans(folder: Path) -> Path:
    """As the longest chats are: batches inside plans."""
    plans = [{"plan-1": [{"batch_number": 1, "turns": [BEAM_BATCHES[0]]}]}]
    plans += [{"plan-2": [{"batch_number": 2, "turns": [batch]} for batch in BEAM_BATCHES[1:]]}]
    return write(folder / "beam10m.json", {"conversation_id": "1", "chat": plans, "probing_questions": BEAM_QUESTIONS})

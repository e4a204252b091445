"""Every format is recognised and read as it is published, and nothing of its ids reaches a store."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aforesaid.bench.quality.conversations import evidence_ids, moment, read_longmemeval
from aforesaid.bench.quality.load import FORMATS, load, read_rows
from aforesaid.bench.quality.types import BenchQuestion, Corpus, Dataset
from aforesaid.errors import InputError
from samples import bench_files

FILES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "longmemeval": ("longmemeval", bench_files.longmemeval),
    "longmemeval-compact": ("longmemeval", bench_files.longmemeval_compact),
    "locomo": ("locomo", bench_files.locomo),
    "squad": ("squad", bench_files.squad),
    "beir": ("beir", bench_files.beir),
    "beam-folder": ("beam", bench_files.beam_folder),
    "beam-rows": ("beam", bench_files.beam_rows),
    "beam-plans": ("beam", bench_files.beam_plans),
}


def asked(dataset: Dataset, text: str) -> BenchQuestion:
    [question] = [question for question in dataset.questions if text in question.text]
    return question


def evidence_texts(dataset: Dataset, question: BenchQuestion) -> set[str]:
    turns = dataset.corpora[question.corpus].turns
    return {turn.text for turn in turns if turn.id in question.evidence_turns}


@pytest.mark.parametrize("form", FILES)
def test_a_format_is_found_by_looking_and_its_ids_stay_out(form: str, tmp_path: Path) -> None:
    expected, make = FILES[form]
    dataset = load(make(tmp_path))
    assert dataset.format == expected
    assert dataset.questions
    marks = {"answer_", "plain_", "D1:", "doc-", "conv-", "q_cat", "->->"}
    for corpus in dataset.corpora.values():
        turns = list(corpus.turns)
        assert len({turn.id for turn in turns}) == len(turns) == corpus.size
        for turn in turns:
            assert not any(mark in part for mark in marks for part in (turn.id, turn.session, turn.role, turn.text))
            assert turn.time is not None
    for question in dataset.questions:
        ids = {turn.id for turn in dataset.corpora[question.corpus].turns}
        sessions = {turn.session for turn in dataset.corpora[question.corpus].turns}
        assert question.evidence_turns <= ids
        assert question.evidence_sessions <= sessions


def test_every_format_is_tried_above() -> None:
    assert {form for form, _ in FILES.values()} == set(FORMATS)


@pytest.mark.parametrize("make", [bench_files.longmemeval, bench_files.longmemeval_compact])
def test_longmemeval(make: Callable[[Path], Path], tmp_path: Path) -> None:
    dataset = load(make(tmp_path))
    assert [question.id for question in dataset.questions] == ["q_cat", "q_dog"]
    assert dataset.skipped == {"abstention": 1}
    cat = asked(dataset, "cat")
    assert cat.now == datetime(2023, 5, 30, 20, 36, tzinfo=UTC)
    assert evidence_texts(dataset, cat) == {"My cat is called Figo."}
    assert cat.evidence_sessions == {"s0001"}, "sessions are counted in order of time"
    times = [turn.time for turn in dataset.corpora["q_cat"].turns]
    assert times == sorted(times, key=str)


def test_both_forms_of_longmemeval_are_the_same(tmp_path: Path) -> None:
    whole, compact = load(bench_files.longmemeval(tmp_path)), load(bench_files.longmemeval_compact(tmp_path))
    assert whole.corpora == compact.corpora
    assert whole.questions == compact.questions


def test_a_pool_holds_other_sessions_once_and_none_from_the_future(tmp_path: Path) -> None:
    path = bench_files.longmemeval(tmp_path)
    dataset = load(path, pool=4)
    cat, dog = dataset.corpora["q_cat"], dataset.corpora["q_dog"]
    for corpus in (cat, dog):
        marks = [session.source_id for session in corpus.sessions]
        assert len(marks) == len(set(marks)) == 4
    assert [session.source_id for session in cat.sessions].count("answer_cat") == 1
    pooled = [session for session in cat.sessions if session.source_id not in ("plain_1", "answer_cat")]
    assert len(pooled) == 2
    assert all(session.time <= asked(dataset, "cat").now for session in pooled)
    assert evidence_texts(dataset, asked(dataset, "cat")) == {"My cat is called Figo."}
    assert load(path, pool=4).corpora == dataset.corpora
    assert len(load(path, pool=99).corpora["q_cat"].sessions) == 5, "no more than there are"


def test_a_pool_has_a_time_even_where_the_haystack_lies_in_the_future(tmp_path: Path) -> None:
    rows = read_rows(bench_files.longmemeval(tmp_path))
    rows[0]["haystack_dates"] = ["2024/01/01 (Mon) 10:00", "2024/01/02 (Tue) 10:00"]
    corpus = read_longmemeval("x", rows, pool=99).corpora["q_cat"]
    late = {
        session.source_id for session in corpus.sessions if session.time > moment("2023/05/30 20:36", "LongMemEval")
    }
    assert late == {"plain_1", "answer_cat"}, "its own sessions keep their times"


def test_a_pool_never_takes_what_is_evidence(tmp_path: Path) -> None:
    rows = read_rows(bench_files.longmemeval(tmp_path))
    rows[0]["answer_session_ids"] = ["answer_cat", "plain_3"]  # evidence that the haystack lacks
    dataset = read_longmemeval("x", rows, pool=99)
    assert "plain_3" not in {session.source_id for session in dataset.corpora["q_cat"].sessions}


def test_locomo(tmp_path: Path) -> None:
    dataset = load(bench_files.locomo(tmp_path))
    assert {question.type for question in dataset.questions} == {"temporal", "multi-hop", "single-hop", "adversarial"}
    assert dataset.skipped == {"no evidence": 2}
    turns = list(dataset.corpora["conv-1"].turns)
    assert [turn.role for turn in turns] == ["Ana", "Bo", "Ana", "Bo"]
    assert turns[1].text == "Look! [photo: a red kayak on a lake]"
    assert turns[0].time == turns[1].time == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert len(asked(dataset, "What does the parrot").evidence_sessions) == 2
    assert evidence_texts(dataset, asked(dataset, "boat")) == {turns[1].text}
    assert asked(dataset, "boat").now == turns[-1].time


def test_malformed_evidence_is_corrected() -> None:
    assert evidence_ids(["D8:6; D9:17"]) == {"D8:6", "D9:17"}
    assert evidence_ids(["D:11:26", "D30:05", "D"]) == {"D11:26", "D30:5"}


def test_squad(tmp_path: Path) -> None:
    dataset = load(bench_files.squad(tmp_path))
    [corpus] = dataset.corpora.values()
    assert corpus.size == 3, "a paragraph that is there twice is one record"
    assert dataset.skipped == {"no answer": 1}
    first, second = asked(dataset, "どこで"), asked(dataset, "現象は何")
    assert first.evidence_turns == second.evidence_turns
    assert first.group == "梅雨"
    assert first.evidence_sessions == frozenset(), "documents have no sessions to find"


def test_beir(tmp_path: Path) -> None:
    dataset = load(bench_files.beir(tmp_path))
    assert [question.id for question in dataset.questions] == ["q1", "q2"], "test.tsv counts, train.tsv does not"
    assert evidence_texts(dataset, asked(dataset, "bird")) == {"Kiwi\nA flightless bird of New Zealand."}
    assert len(asked(dataset, "igneous").evidence_turns) == 2
    assert dataset.skipped == {"no evidence": 1}


@pytest.mark.parametrize("make", [bench_files.beam_folder, bench_files.beam_rows, bench_files.beam_plans])
def test_beam(make: Callable[[Path], Path], tmp_path: Path) -> None:
    dataset = load(make(tmp_path))
    assert [question.type for question in dataset.questions] == ["information-extraction", "knowledge-update"]
    assert dataset.skipped == {"abstention": 1, "evidence names several turns": 1, "no evidence": 1}
    fast = asked(dataset, "API")
    assert evidence_texts(dataset, fast) == {"The API answers in 300 ms.", "Now the API answers in 250 ms."}
    [corpus] = dataset.corpora.values()
    times = [turn.time for turn in corpus.turns]
    assert times[:2] == [datetime(2024, 3, 15, tzinfo=UTC)] * 2
    assert times[2:] == [datetime(2024, 4, 2, tzinfo=UTC)] * 6, "a batch without a time has the last one's"
    assert len(corpus.sessions) == 3


@pytest.mark.parametrize(("end", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files_are_read(end: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    plain = bench_files.longmemeval_compact(tmp_path)
    packed = plain.with_name(plain.name + end)
    packed.write_bytes(pack(plain.read_bytes()))
    assert load(packed).questions == load(plain).questions


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'{"rows": []}', "no known format"),
        ("a.json", b"[1, 2]", "no known format"),
        ("a.json", b"[]", "no known format"),
        ("a.json", b"{", "is not JSON"),
        ("a.jsonl", b'{"session": 1}\n{', ":2 is not JSON"),
        ("a.json", b"\xff\xfe", "cannot be read"),
        ("a.json.xz", b"no xz", "cannot be read"),
        ("a.json.gz", b"no gzip", "cannot be read"),
        ("a.json", b'[{"haystack_sessions": []}]', "does not have the shape of longmemeval"),
        ("a.json", b'{"data": [{"paragraphs": []}]}', "does not have the shape of squad"),
        ("a.json", b'{"data": []}', "no question with evidence"),
        ("a.jsonl", b'{"data": []}\n{"data": []}', "does not have the shape of squad"),
        ("a.json", b'[{"sample_id": "c", "qa": [], "conversation": {"session_1": [], "session_1_date_time": "May"}}]', "LoCoMo"),
        ("a.json", b'[{"chat": [], "probing_questions": "{"}]', "probing_questions cannot be read"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_a_remedy(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert caught.value.remedy


def test_wrong_paths_and_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file or folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(InputError, match="of no known format"):
        load(tmp_path)
    with pytest.raises(InputError, match="only LongMemEval"):
        load(bench_files.locomo(tmp_path), pool=9)


def test_an_incomplete_beir_folder_is_refused(tmp_path: Path) -> None:
    folder = bench_files.beir(tmp_path)
    (folder / "queries.jsonl").unlink()
    with pytest.raises(InputError, match="has no queries"):
        load(folder)
    (folder / "qrels" / "test.tsv").write_text("q1 doc-a 1\n")
    with pytest.raises(InputError, match=r"test\.tsv:1"):
        load(folder)
    for file in (folder / "qrels").iterdir():
        file.unlink()
    with pytest.raises(InputError, match="has no qrels"):
        load(folder)


def test_times_are_read_or_refused() -> None:
    assert moment("2023/05/30 (Tue) 20:36", "LongMemEval") == moment("2023/05/30 20:36", "LongMemEval")
    assert moment("2024-03-15", "BEAM") == moment("March-15-2024", "BEAM")
    for source in ("LongMemEval", "LoCoMo", "BEAM"):
        with pytest.raises(InputError, match="someday"):
            moment("someday", source)


def test_a_corpus_without_turns_has_a_time() -> None:
    assert Corpus("empty", ()).last_time.year == 2020

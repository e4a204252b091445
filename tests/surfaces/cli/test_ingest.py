"""`aforesaid ingest`: formats, streams, bad lines, and what it says about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aforesaid.surfaces import turn_files as reading
from support.cli import TURNS, data, filled, jsonl, run, words


def stored(store: Path, *args: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = data(run(store, "list", "--json", "--limit", "1000", *args))["records"]
    return sorted(found, key=lambda record: (record["time"], record["id"]))


def test_json_lines_come_back_with_their_ids(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(jsonl(*TURNS, {**TURNS[0], "id": "t5", "time": 1780000000, "bundle": "b1", "extra": 1}))
    text = words(run(path, "ingest", str(file), "--user", "ana"))
    assert text.startswith("turns 5 stored 5 duplicate 0 echo 0 skipped 0 gate admitted ")
    assert text.endswith("search by meaning and by words; all records are indexed")
    records = stored(path, "--user", "ana")
    assert [record["id"] for record in records] == ["t1", "t2", "t3", "t4", "t5"]
    assert records[4]["time"] == "2026-05-28T20:26:40+00:00"
    assert records[4]["bundle"] == "b1"
    assert "turns 5 stored 0 duplicate 5" in words(run(path, "ingest", str(file), "--user", "ana"))


def test_messages_get_stable_ids_and_the_files_name_as_session(path: Path, tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "date", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Which day"}, {"type": "image_url"}, {"text": "is it?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call, {**call, "id": "c2"}]},
        {"role": "tool", "content": "Friday", "tool_call_id": "c2"},
        {"role": "assistant", "content": "Friday."},
    ]
    file = tmp_path / "monday.jsonl"
    file.write_text(jsonl(*messages))
    assert "stored 5" in words(run(path, "ingest", str(file)))
    assert "duplicate 5" in words(run(path, "ingest", str(file)))
    file.write_text(jsonl(*messages, {"role": "user", "content": "Thanks"}))
    assert "stored 1 duplicate 5" in words(run(path, "ingest", str(file)))
    records = {str(record["text"]): record for record in stored(path)}
    assert {record["session"] for record in records.values()} == {"monday"}
    assert "Which day\nis it?" in records
    assert records["date({})\ndate({})"]["bundle"] == records["Friday"]["bundle"] == "c1"
    assert records["Friday."]["bundle"] is None
    assert str(records["Be brief."]["id"]).startswith("000001-")


def test_transcripts_are_recognised(path: Path) -> None:
    script = "# planning\n[2026-03-05 10:12] User: hello\nmore\nAssistant: hi\nLena: I am here too\n"
    run(path, "ingest", stdin=script)
    assert [(record["id"], record["role"]) for record in stored(path)] == [
        ("planning-0001", "user"), ("planning-0002", "assistant"), ("planning-0003", "Lena"),
    ]  # fmt: skip


def test_the_session_of_turns_that_name_none(path: Path) -> None:
    run(path, "ingest", "--session", "today", stdin=jsonl({"role": "user", "content": "a"}, TURNS[0]))
    run(path, "ingest", "-", stdin="\n\nUser: from a pipe")
    assert {record["session"] for record in stored(path)} == {"today", "s1", "stdin"}


def test_a_format_can_be_named(path: Path) -> None:
    assert "it is not JSON" in run(path, "ingest", "--format", "jsonl", stdin="User: hi", code=2).stderr
    assert (
        "The line has no speaker" in run(path, "ingest", "--format", "transcript", stdin=jsonl(TURNS[0]), code=2).stderr
    )


def test_a_byte_order_mark_and_crlf_do_no_harm(path: Path) -> None:
    run(path, "ingest", stdin=b"\xef\xbb\xbf" + jsonl(TURNS[0]).replace("\n", "\r\n").encode())
    assert stored(path)[0]["id"] == "t1"


def test_the_first_bad_line_stops_and_its_batch_is_not_stored(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(jsonl(*TURNS[:3]) + "{broken\n" + jsonl(TURNS[3]))
    result = run(path, "ingest", str(file), "--set", "ingest.batch=2", code=2)
    assert f"error: {file}:4: it is not JSON" in result.stderr
    assert "2 turns had been stored before." in result.stderr
    assert [record["id"] for record in stored(path)] == ["t1", "t2"]
    error = json.loads(run(path, "ingest", str(file), "--json", code=2).stderr)["error"]
    assert error["type"] == "FormatError"
    assert "Nothing was stored." in error["remedy"]


def test_bad_lines_can_be_skipped_and_are_listed(path: Path, tmp_path: Path) -> None:
    lines = [
        jsonl(TURNS[0]).encode(), b"{broken\n", b"\n", b"[1, 2]\n", jsonl({"role": "user"}).encode(),
        jsonl({"content": "x"}).encode(), b'{"role": "user", "content": "\xff"}\n', jsonl({**TURNS[1], "id": 7}).encode(),
        jsonl({**TURNS[1], "time": "soon"}).encode(), jsonl({**TURNS[0], "text": "other words"}).encode(),
        b"[" * 200_000 + b"\n", jsonl(TURNS[1]).encode(),
    ]  # fmt: skip
    file = tmp_path / "chat.jsonl"
    file.write_bytes(b"".join(lines))
    text = words(run(path, "ingest", str(file), "--continue-on-error"))
    for number, why in (
        (2, "not JSON"), (4, "not an object"), (5, "no text"), (6, "no role"), (7, "(0xff) is not UTF-8"),
        (8, "must be text"), (9, "not a time"), (10, "stored with a different text"), (11, "not JSON"),
    ):  # fmt: skip
        assert why in text.partition(f"where {file}:{number} ")[2].partition(" where ")[0], number
    assert "turns 2 stored 2" in text
    found = data(run(path, "ingest", str(file), "--continue-on-error", "--json"))
    assert found["duplicate"] == 2
    assert found["errors"][0]["where"] == f"{file}:2"


def test_bad_utf8_names_the_line_and_the_byte(path: Path) -> None:
    result = run(path, "ingest", stdin=b'{"role":"user","content":"ok"}\nUser \xff\n', code=2)
    assert "<stdin>:2: byte 6 of the line (0xff) is not UTF-8." in result.stderr
    assert "<stdin>:1: byte 1" in run(path, "ingest", stdin="User: hi".encode("utf-16"), code=2).stderr


def test_a_line_without_end_is_refused_not_swallowed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 1000)
    script = b"User: " + b"x" * 5000 + b"\n" + b"User: short\n" + b"y" * 3000
    assert "<stdin>:1: the line is longer" in run(path, "ingest", stdin=script, code=2).stderr
    found = data(run(path, "ingest", "--continue-on-error", "--json", stdin=script))
    assert [error["where"] for error in found["errors"]] == ["<stdin>:1", "<stdin>:3"]
    assert [record["text"] for record in stored(path)] == ["short"]


def test_a_transcript_goes_on_after_bad_lines_with_the_right_numbers(path: Path) -> None:
    script = b"prose\nUser: hi\n\xff\xfe\nBot: ```\nUser: hidden\n"
    found = data(run(path, "ingest", "--continue-on-error", "--json", "--show-gate", stdin=script))
    assert [(error["where"], error["message"][:12]) for error in found["errors"]] == [
        ("<stdin>:1", "The line has"), ("<stdin>:3", "byte 1 of th"), ("<stdin>:5", "The code fen"),
    ]  # fmt: skip
    assert [outcome["id"] for outcome in found["outcomes"]] == ["stdin-0001", "stdin-0002"]


def test_a_conflict_stops_its_batch_and_says_so(path: Path) -> None:
    filled(path)
    result = run(path, "ingest", "--user", "ana", stdin=jsonl({**TURNS[0], "text": "no"}), code=2)
    assert "'t1' of session 's1' is already stored with a different text" in result.stderr


def test_the_gate_shows_each_decision(path: Path) -> None:
    turns = [*TURNS, {**TURNS[0], "id": "t5", "text": "HEARTBEAT_OK"}, {**TURNS[0], "id": "t6", "text": " "}]
    lines = run(path, "ingest", "--show-gate", stdin=jsonl(*turns)).stdout.splitlines()
    assert lines[0].startswith("admit    t1  G=")
    assert lines[1] == "stored   t2  kept as history; the gate only scores user messages"
    assert lines[4:6] == ["skipped  t5  heartbeat", "skipped  t6  empty"]
    assert [line.split() for line in lines[6:8]] == [["turns", "6"], ["stored", "4"]]
    outcomes = data(run(path, "ingest", "--show-gate", "--json", stdin=jsonl(*turns)))["outcomes"]
    assert outcomes[0]["gate"]["signals"]["H"] == 1.0


def test_secrets_are_counted(path: Path) -> None:
    leak = {**TURNS[0], "text": "postgresql://reader:EXAMPLE-lowtide-4471@db.example:5432/gauges"}
    result = run(path, "ingest", stdin=jsonl(leak))
    assert "redacted 1" in words(result)
    assert "lowtide" not in run(path, "show", "t1").stdout
    assert b"lowtide" not in path.read_bytes()


def test_nothing_is_stored_when_a_file_is_missing(path: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(jsonl(TURNS[0]))
    result = run(path, "ingest", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), code=2)
    assert "There is no file" in result.stderr
    assert not path.exists()
    assert "cannot be read: Is a directory" in run(path, "ingest", str(tmp_path), code=2).stderr


def test_nothing_in_nothing_out(path: Path) -> None:
    assert words(run(path, "ingest")).startswith("turns 0 stored 0")
    assert data(run(path, "ingest", "--json"))["freshness"]["records"] == 0


def test_several_files_and_stdin_in_one_call(path: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("User: one")
    (tmp_path / "b.jsonl").write_text(jsonl(TURNS[0]))
    text = words(run(path, "ingest", str(tmp_path / "a.txt"), "-", str(tmp_path / "b.jsonl"), stdin="User: two"))
    assert text.startswith("turns 3 stored 3")
    assert {record["session"] for record in stored(path)} == {"a", "stdin", "s1"}

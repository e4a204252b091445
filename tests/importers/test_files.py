"""Files as they lie on disks: what they are is told by what they hold, whatever their encoding, size or trickery."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from aforesaid.errors import FormatError, InputError
from aforesaid.importers.formats import growing_file
from aforesaid.importers.formats.claude_code import ClaudeCode
from aforesaid.importers.formats.detect import PARSERS, SourceFile, Unread, is_own, places, source_of, sources
from aforesaid.importers.formats.growing_file import LineFile
from aforesaid.importers.formats.items import ImportedClaim, ImportOptions, Invalid, Item, Skipped
from aforesaid.importers.formats.json_document import DocumentFile, JsonListReader, document_values
from aforesaid.importers.formats.transcript import without_injected
from aforesaid.types import Turn
from samples.import_files import CHAT, CLAUDE_CODE, CODEX, MEM0, OPENCLAW, claude, conversation, lines, write
from support.growth import is_linear

EXPORT = b'{"aforesaid":1,"tenant":"default","records":0,"space":null}\n'


def read(path: Path, form: Any = None) -> list[Item]:
    source = source_of(path, form)
    assert isinstance(source, SourceFile), source
    return [item for step in source.open(ImportOptions()).values() for item in step.items]


def zipped(path: Path, *members: tuple[str, bytes], **options: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("data", "found", "by_line"),
    [
        (lines(CLAUDE_CODE), "claude-code", True),
        (lines(CLAUDE_CODE[1:]), "claude-code", True),
        (b"\xef\xbb\xbf" + lines(CLAUDE_CODE), "claude-code", True),
        (lines(CLAUDE_CODE).replace(b"\n", b"\r\n"), "claude-code", True),
        (b"not json\n" + lines(CODEX), "codex", True),
        (lines(CODEX), "codex", True),
        (lines([{"id": "x", "timestamp": "2025-01-01", "instructions": None}]), "codex", True),
        (lines(OPENCLAW), "openclaw", True),
        (lines(OPENCLAW[2:]), "openclaw", True),
        (json.dumps([conversation()]).encode(), "chatgpt", False),
        (json.dumps([conversation()], indent=2).encode(), "chatgpt", False),
        (json.dumps({"conversations": [conversation()]}).encode(), "chatgpt", False),
        (json.dumps(MEM0, indent=1).encode(), "mem0", False),
        (json.dumps({"results": MEM0}).encode(), "mem0", False),
        (json.dumps({"results": MEM0}, indent=2).encode(), "mem0", False),
        (lines(MEM0), "mem0", True),
        (lines(CHAT), "jsonl", True),
        (json.dumps(CHAT).encode(), "jsonl", False),
        (b"[\n" + b",\n".join(json.dumps(each).encode() for each in CHAT) + b"\n]\n", "jsonl", False),
        (json.dumps({"messages": CHAT}, indent=2).encode(), "jsonl", False),
    ],
)
def test_formats_are_told_by_content(tmp_path: Path, data: bytes, found: str, by_line: bool) -> None:
    path = write(tmp_path / "file.bin", data)
    assert source_of(path) == SourceFile(path, found, by_line)  # type: ignore[arg-type]
    items = read(path)
    assert sum(isinstance(item, Turn | ImportedClaim) for item in items) >= 1 or found == "codex"


@pytest.mark.parametrize(
    "data", [b"", b"hello", b'{"a":1}\n{"b":2}\n', b"[]", b"[1,2]", b'"x"', b"\x00" * 100, b"{", b"[" * 9]
)
def test_what_is_nothing_we_know_is_left(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "file.jsonl", data)
    assert isinstance(source_of(path), Unread)


def test_our_own_export_is_recognised(tmp_path: Path) -> None:
    assert is_own(write(tmp_path / "a.jsonl", EXPORT))
    assert not is_own(write(tmp_path / "b.jsonl", lines(CHAT)))
    assert not is_own(tmp_path / "none")
    found = source_of(tmp_path / "a.jsonl")
    assert isinstance(found, Unread)
    assert not found.failed


def test_a_folder_is_walked_in_order(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "a/1.jsonl", "notes.md", "b/sessions.json", "deep/er/3.JSONL"):
        write(tmp_path / name, lines(CLAUDE_CODE))
    write(tmp_path / "b" / "odd.jsonl", b"nothing\n")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    (tmp_path / "b" / "dangling.jsonl").symlink_to(tmp_path / "gone")
    names_of_transcripts = ["1.jsonl", "2.jsonl", "3.JSONL"]
    found = list(sources(tmp_path))
    names = [str(each.path.relative_to(tmp_path)) for each in found]
    assert names == ["a/1.jsonl", "b/2.jsonl", "b/dangling.jsonl", "b/odd.jsonl", "deep/er/3.JSONL"]
    assert [type(each).__name__ for each in found] == ["SourceFile", "SourceFile", "Unread", "Unread", "SourceFile"]
    assert [
        each.path.name for each in sources(tmp_path, "claude-code") if isinstance(each, SourceFile)
    ] == names_of_transcripts
    assert not [each for each in sources(tmp_path, "codex") if isinstance(each, SourceFile)], (
        "a folder may hold several"
    )
    with pytest.raises(InputError, match="cannot be read"):
        list(sources(tmp_path / "none"))


def test_standard_places() -> None:
    home = Path("/home/ana")
    assert places("claude-code", {}, home) == [home / ".claude/projects"]
    assert places("claude-code", {"CLAUDE_CONFIG_DIR": "/x"}, home) == [Path("/x/projects")]
    assert places("codex", {"CODEX_HOME": "/y"}, home) == [Path("/y/sessions")]
    assert places("openclaw", {}, home) == [home / ".openclaw/workspace", home / ".openclaw/agents"]
    assert places("mem0", {}, home) == []


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = lines([claude(1, "user", "one")]), lines([claude(2, "user", "two")])
    path = write(tmp_path / "s.jsonl", good[0] + b"{oops\n\n\xff\xfe\n[1]\n" + b"[" * 100_000 + b"\n" + good[1])
    reader = LineFile(path, ClaudeCode("s", ImportOptions()))
    steps = list(reader.values())
    bad = [
        (step.where.rpartition(":")[2], item.message)
        for step in steps
        for item in step.items
        if isinstance(item, Invalid)
    ]
    assert [number for number, _ in bad] == ["2", "4", "6"]
    assert "not JSON" in bad[0][1]
    assert "byte 1 of the line (0xff) is not UTF-8" in bad[1][1]
    assert len([item for step in steps for item in step.items if isinstance(item, Turn | ImportedClaim)]) == 2
    assert reader.position == path.stat().st_size


def test_a_line_that_is_being_written_is_left_for_next_time(tmp_path: Path) -> None:
    whole = lines([claude(1, "user", "one"), claude(2, "user", "two")])
    path = write(tmp_path / "s.jsonl", whole[:-20])
    source = source_of(path)
    assert isinstance(source, SourceFile)
    reader = source.open(ImportOptions())
    steps = list(reader.values())
    assert steps[-1].items == (Skipped("unfinished last line"),)
    assert reader.position == whole.index(b"\n") + 1
    assert reader.fingerprint == growing_file.fingerprint(path, reader.position)
    write(path, whole[:-1])
    assert len(read(path)) == 2, "a last line without its end is complete if it is JSON"


def test_long_lines_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x " * 5_000_000}
    path = write(tmp_path / "s.jsonl", lines([claude(1, "user", [result]), claude(2, "user", "after")]))
    found = [item for item in read(path) if isinstance(item, Turn | ImportedClaim)]
    assert [len(turn.text) < 4100 for turn in found] == [True, True], "ten megabytes are read, and cut"
    assert "9,996,0" in found[0].text
    monkeypatch.setattr(growing_file, "MAX_LINE_BYTES", 1 << 20)
    items = read(path)
    assert isinstance(items[0], Invalid)
    assert "longer than 1 MB" in items[0].message
    assert isinstance(items[1], Turn)


def test_documents_are_read_value_by_value() -> None:
    data = json.dumps([{"é": "x" * size} for size in (0, 10, 1000, 70)], ensure_ascii=False, indent=1).encode()
    for chunk in (1, 2, 7, 64, 1 << 20):
        read_bytes: list[int] = []
        listing = JsonListReader(io.BytesIO(data), read_bytes.append, 1 << 20, chunk)
        assert list(listing.values()) == json.loads(data)
        assert sum(read_bytes) <= len(data)
    numbers = JsonListReader(io.BytesIO(b"[12345, 6]"), lambda n: None, 100, 3)
    assert list(numbers.values()) == [12345, 6], "a number is not cut where a chunk ends"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'[{"mapping": {}}, {"mapping": ', "not JSON"),
        (b'[{"mapping": {}}', "breaks off"),
        (b'[{"mapping": {}} 7]', "found '7' instead of a comma"),
        (b'[{"mapping": {}}, "\xff"]', "not UTF-8"),
        (b'[{"mapping": {}}, ' + b"[" * 200_000, "nested too deeply"),
    ],
)
def test_a_broken_document_gives_what_came_before(tmp_path: Path, data: bytes, message: str) -> None:
    path = write(tmp_path / "conversations.json", data)
    steps = list(DocumentFile(path, PARSERS["chatgpt"]("conversations", ImportOptions())).values())
    bad = [item for step in steps for item in step.items if isinstance(item, Invalid)]
    assert len(bad) == 1
    assert message in bad[0].message


def test_the_zip_of_an_export(tmp_path: Path) -> None:
    data = json.dumps([conversation()]).encode()
    path = zipped(
        tmp_path / "e.zip", ("chat.html", b"<p>"), ("x/conversations.json", data), ("conversations-001.json", data)
    )
    source = source_of(path)
    assert source == SourceFile(path, "chatgpt", False)
    steps = list(source.open(ImportOptions()).values())
    assert [step.where for step in steps] == [f"{path}!conversations-001.json[0]", f"{path}!x/conversations.json[0]"]
    assert sum(isinstance(item, Turn | ImportedClaim) for item in steps[0].items) == 6


@pytest.mark.parametrize("name", ["../conversations.json", "/conversations.json", "a/../../conversations.json"])
def test_a_zip_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "e.zip", (name, b"[]"))
    with pytest.raises(FormatError, match="leads elsewhere"):
        SourceFile(path, "chatgpt", False).open(ImportOptions())


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "e.zip", ("conversations.json", b"[" + b" " * (20 << 20) + b"]"))
    with pytest.raises(FormatError, match="times its packed size"):
        SourceFile(path, "chatgpt", False).open(ImportOptions())


def test_a_zip_that_lies_about_its_size_or_is_damaged(tmp_path: Path) -> None:
    data = json.dumps([conversation(), conversation(conversation_id="c2-000000000000")]).encode()
    path = zipped(tmp_path / "e.zip", ("conversations.json", data))
    raw = path.read_bytes()
    declared = len(data).to_bytes(4, "little")
    write(path, raw.replace(declared, (100).to_bytes(4, "little")))
    items = [item for step in SourceFile(path, "chatgpt", False).open(ImportOptions()).values() for item in step.items]
    assert any(isinstance(item, Invalid) for item in items)
    with pytest.raises(FormatError, match="cannot be unpacked"):
        SourceFile(write(path, raw[: len(raw) // 2]), "chatgpt", False).open(ImportOptions())
    with pytest.raises(FormatError, match=r"holds no conversations\.json"):
        SourceFile(zipped(tmp_path / "f.zip", ("a.txt", b"x")), "chatgpt", False).open(ImportOptions())


def test_hostile_text_takes_linear_time() -> None:
    def read_nested(size: int) -> None:
        nested = io.BytesIO(b'[{"a": ' + b'"' + b"x" * size)
        assert len(list(document_values(nested, lambda number: None))) == 1

    assert is_linear(lambda size: without_injected("<system-reminder>" * size), 1000, 8000)
    assert is_linear(lambda size: without_injected("<system-reminder></system-reminder>" * size), 1000, 8000)
    assert is_linear(read_nested, 100_000, 800_000)


def test_reading_takes_linear_time(tmp_path: Path) -> None:
    def file(turns: int) -> Path:
        talk = [
            claude(n, "user" if n % 2 else "assistant", f"The bucket moved to shelf {n * 7}. ") for n in range(turns)
        ]
        return write(tmp_path / f"{turns}.jsonl", lines(talk))

    files = {turns: file(turns) for turns in (100, 800)}
    assert is_linear(lambda turns: read(files[turns]), 100, 800)

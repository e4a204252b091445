"""Chunks: exact lines, every line in one, cut where the author paused, whatever the file is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.math.tokens import estimate_tokens
from aforesaid.notes.files.blocks import blocks_of, lines_of
from aforesaid.notes.files.chunks import Chunk, chunks_of
from aforesaid.settings.rows import FileRows
from support.growth import is_linear

USUAL = FileRows()
SMALL = FileRows(chunk_tokens=20, overlap_tokens=6)


def cut(text: str, rows: FileRows = USUAL) -> list[Chunk]:
    return chunks_of(lines_of(text), estimate_tokens, rows)


def spans(text: str, rows: FileRows = USUAL) -> list[tuple[int, int]]:
    return [(chunk.first, chunk.last) for chunk in cut(text, rows)]


PIECES = st.sampled_from(
    [
        "", "  ", "# Head", "## 見出し", "Title\n=====", "word " * 9, "漢字かな交じりの文章です。" * 6, "```py", "```", "~~~",
        "| a | b |\n|---|---|\n| 1 | 2 |", "- item\n- item two\n  - nested", "> quote", "---", "key: value", "x" * 300,
        "One. Two! Three? " * 30, "これは文です。" * 90, "\tindented", "text ^block-1", "[[Link]]", "\u2028odd\u2028break",
        "- ```\n  code\n  ```", "emoji 🙂🙂", "\x0c",
    ]
)  # fmt: skip
ENDINGS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])


@st.composite
def files(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.tuples(PIECES, ENDINGS), max_size=30))
    return "".join(piece + ending for piece, ending in parts) + draw(PIECES)


@given(files(), st.sampled_from([SMALL, FileRows(), FileRows(chunk_tokens=50, overlap_tokens=200)]))
def test_every_line_is_in_a_chunk_and_ranges_are_exact(text: str, rows: FileRows) -> None:
    lines = lines_of(text)
    found = chunks_of(lines, estimate_tokens, rows)
    covered: set[int] = set()
    columns: dict[int, set[int]] = {}
    for chunk in found:
        if chunk.columns is None:
            assert chunk.text == "\n".join(lines[chunk.first - 1 : chunk.last])
            covered |= set(range(chunk.first, chunk.last + 1))
        else:
            assert chunk.first == chunk.last
            assert chunk.text == lines[chunk.first - 1][slice(*chunk.columns)]
            columns.setdefault(chunk.first, set()).update(range(*chunk.columns))
        assert lines[chunk.first - 1].strip() and lines[chunk.last - 1].strip(), "no blank ends"
        assert estimate_tokens(chunk.text) <= rows.chunk_tokens * 1.3 + 2
    for number, line in enumerate(lines, 1):
        if number in columns:
            assert columns[number] == set(range(len(line)))
        assert not line.strip() or number in covered or number in columns
    assert found == chunks_of(lines, estimate_tokens, rows)
    starts = [(chunk.first, (chunk.columns or (0, 0))[0]) for chunk in found]
    assert starts == sorted(set(starts)), "each begins after the one before"


@given(st.text(max_size=400))
def test_any_text_at_all(text: str) -> None:
    lines = lines_of(text)
    blocks = list(blocks_of(lines))
    inside = {at for block in blocks for at in range(block.start, block.end)}
    assert all(at in inside for at, line in enumerate(lines) if line.strip())
    assert all(a.end <= b.start for a, b in pairwise(blocks))
    cut(text, SMALL)


def test_lines_as_editors_number_them() -> None:
    assert lines_of("") == []
    assert lines_of("a") == ["a"]
    assert lines_of("a\n") == ["a"]
    assert lines_of("\ufeffa\r\nb\rc\n\n") == ["a", "b", "c", ""]
    assert lines_of("a\u2028b\x0bc") == ["a\u2028b\x0bc"], "only line ends end a line"
    assert cut("") == [] and cut("\n \n\t\n") == []


def test_a_short_note_is_one_chunk_whatever_its_line_ends() -> None:
    for text in ("# A\n\nb\n\n## C\n\nd", "# A\r\n\r\nb\r\n\r\n## C\r\n\r\nd\r\n"):
        (only,) = cut(text)
        assert (only.first, only.last, only.heading) == (1, 7, "A")
        assert only.text == "# A\n\nb\n\n## C\n\nd"


def test_a_new_section_begins_a_chunk_once_there_is_something_to_end() -> None:
    body = "word " * 100
    text = f"# A\n\n{body}\n\n## B\n\n{body}\n\n## C\n\nshort\n\n## D\n\nshort\n"
    assert spans(text) == [(1, 3), (5, 7), (9, 15)]
    assert [chunk.heading for chunk in cut(text)] == ["A", "A › B", "A › C"]


def test_paragraphs_of_a_section_overlap_and_are_not_cut() -> None:
    paragraphs = [f"Paragraph {n}: " + "word " * 50 for n in range(12)]  # about 65 tokens each
    found = spans("\n\n".join(paragraphs))
    assert len(found) > 1
    assert all(b[0] <= a[1] < b[1] for a, b in pairwise(found)), "each shares a paragraph"
    no_overlap = spans("\n\n".join(paragraphs), FileRows(overlap_tokens=0))
    assert all(b[0] > a[1] for a, b in pairwise(no_overlap))


def test_code_is_not_cut_unless_it_is_longer_than_a_chunk() -> None:
    code = "```python\n" + "\n\n".join(f"call_{n}(one, two, three)" for n in range(20)) + "\n```"  # about 160 tokens
    text = "intro " * 200 + "\n\n" + code + "\n\n" + "outro " * 200
    lines = lines_of(text)
    opened = lines.index("```python") + 1
    closed = lines.index("```") + 1
    for first, last in spans(text):
        assert not opened < first <= closed and not opened <= last < closed
    long = "```\n" + "\n".join(f"line {n} of the long code" for n in range(400)) + "\n```"
    assert len(spans(long)) > 4
    assert spans(long)[0][0] == 1 and spans(long)[-1][1] == 402


def test_a_heading_stays_with_what_follows() -> None:
    text = "word " * 300 + "\n\n# Next\n\n" + "more " * 100
    assert spans(text) == [(1, 1), (3, 5)]


def test_a_blank_line_in_code_or_a_hash_in_it_ends_nothing() -> None:
    blocks = list(blocks_of(lines_of("```\n# no heading\n\nstill\n```\n# yes\n")))
    assert [(block.kind, block.start, block.end) for block in blocks] == [("fence", 0, 5), ("heading", 5, 6)]
    assert [b.kind for b in blocks_of(["~~~", "a"])] == ["fence"], "code that is never closed goes to the end"
    assert [b.kind for b in blocks_of(["````", "```", "````", "x"])] == ["fence", "text"]


def test_front_matter_is_yaml_between_rules_at_the_top() -> None:
    assert next(iter(blocks_of(["---", "title: x", "---", "text"]))).kind == "front matter"
    assert next(iter(blocks_of(["---", "", "Just a rule above", "---"]))).kind != "front matter"
    assert next(iter(blocks_of(["---", "title: x"]))).kind != "front matter"
    assert next(iter(blocks_of(["text", "---", "a: b", "---"]))).kind != "front matter"


def test_headings_with_marks_under_them() -> None:
    found = [
        (b.words, b.level)
        for b in blocks_of(["Title", "=====", "", "Sub", "---", "", "- a", "---", "| a |", "---"])
        if b.kind == "heading"
    ]
    assert found == [("Title", 1), ("Sub", 2)]
    assert [b.words for b in blocks_of(["## Closed ##", "#no", "#", "####### seven"]) if b.kind == "heading"] == [
        "Closed",
        "",
    ]


@pytest.mark.parametrize("line", ["Ein Satz. " * 1000, "これは一つの文です。" * 800, "x" * 8000, "word " * 3000])
def test_an_endless_line_is_cut_at_sentences(line: str) -> None:
    found = cut(f"# Head\n\n{line}\n")
    pieces = [chunk for chunk in found if chunk.columns]
    assert len(pieces) > 3
    assert {chunk.heading for chunk in pieces} == {"Head"}
    for a, b in pairwise(pieces):
        assert a.columns and b.columns and a.columns[0] < b.columns[0] <= a.columns[1]
    if line[0] in "Eこ":
        assert all(piece.text.rstrip()[-1] in ".。" for piece in pieces)


def test_japanese_counts_as_its_tokens() -> None:
    text = "\n\n".join(
        "会議では来期の予算と採用計画について話し合い、資料は来週までに共有することになった。" for _ in range(60)
    )
    sizes = [estimate_tokens(chunk.text) for chunk in cut(text)]
    assert len(sizes) > 3 and all(300 <= size <= 420 for size in sizes[:-1])


@pytest.mark.parametrize("piece", ["```\n", "# a\n", "- ", "| ", "`" * 3, "---\n", "[", "a\n=\n", "^", "> " * 3, "x. "])
def test_time_grows_with_the_text(piece: str) -> None:
    assert is_linear(lambda chars: cut(piece * (chars // len(piece))), 12_500, 100_000)

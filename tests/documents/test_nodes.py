"""Authored Markdown: tiers, lines, headings, links and edits; and that no text, however odd, makes it fail or hang."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.documents.nodes import Document, content_key, parse
from support.growth import is_linear

AGENTS = """---
title: Handbook
owner: platform
---

# Agents

A service that remembers things.

## Style

Use tabs.

- Keep functions small.
  Two lines at most.

  Say why.
  - Nested *rule*.

  After the nested one.
- Second rule:
  ```python
  x = 1
  ```

> Be kind.
> - a list in the quote

| a | b |
|---|---|
| 1 | 2 |

***

## Empty

## Code

```sh
- make
```
"""


def _brief(document: Document) -> list[tuple[int, str, tuple[int, int], str]]:
    return [(node.tier, node.kind, node.lines, node.heading) for node in document.nodes]


def _texts(text: str) -> list[str]:
    return [node.text for node in parse(text).nodes]


def test_a_document_becomes_nodes_in_order() -> None:
    document = parse(AGENTS)
    style = "Agents › Style"
    assert _brief(document) == [
        (1, "front matter", (2, 3), ""),
        (0, "paragraph", (8, 8), "Agents"),
        (2, "paragraph", (12, 12), style),
        (1, "list item", (14, 17), style),
        (1, "list item", (18, 18), style),
        (1, "list item", (20, 20), style),
        (1, "list item", (21, 24), style),
        (2, "quote", (26, 27), style),
        (0, "table", (29, 31), style),
        (0, "code", (39, 41), "Agents › Code"),
    ]
    assert [node.text for node in document.nodes][2:8] == [
        "Use tabs.",
        "Keep functions small.\nTwo lines at most.\n\nSay why.",
        "Nested *rule*.",
        "After the nested one.",
        "Second rule:\n```python\nx = 1\n```",
        "Be kind.\n- a list in the quote",
    ]
    assert document.nodes[-1].text == "```sh\n- make\n```"
    assert document.nodes[0].kind == "front matter"
    assert document.nodes[2].reason == "paragraph with a command"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n\t\n", []),
        ("# Only a heading", []),
        ("***", []),
        ("- - - deep", ["deep"]),
        ("1. one\n2. two", ["one", "two"]),
        ("- [ ] open task", ["[ ] open task"]),
        ("-\n- a", ["a"]),
        ("* a\n\n\n* b", ["a", "b"]),
        ("- a\nlazy", ["a\nlazy"]),
        ("- a\n\n      code", ["a\n\n    code"]),
        ("> a\n> > b\nlazy", ["a\n> b\nlazy"]),
        ("    indented code", ["    indented code"]),
        ("- a\n\n  > quoted in the item\n- b", ["a\n\n> quoted in the item", "b"]),
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("<!-- note -->", []),
        ("<!-- two\n\nlines -->\ntext", ["text"]),
        ("before <!-- note --> after", ["before  after"]),
        ("- a <!-- note -->", ["a"]),
        ("<!-- open", ["<!-- open"]),
        ("<b>bold</b>", ["<b>bold</b>"]),
        ("`<!-- shown -->` is a comment\n", ["`<!-- shown -->` is a comment"]),
        ("[a]: b.md", []),
        ("- 箇条書き\n\n段落です。", ["箇条書き", "段落です。"]),
        ("-\ttab", ["tab"]),
    ],
)
def test_the_text_of_nodes(text: str, expected: list[str]) -> None:
    assert _texts(text) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(newline: str) -> None:
    assert parse("\ufeff" + AGENTS.replace("\n", newline)) == parse(AGENTS)


def test_front_matter_is_yaml_or_a_rule_line() -> None:
    for text in ("---\n\nSome lore.\n\n---\n\nMore.\n", "---\nkey: never closed\n"):
        assert "front matter" not in [node.kind for node in parse(text).nodes]
    assert parse("---\n---\n").nodes == ()


def test_japanese_commands_are_soft() -> None:
    assert [node.tier for node in parse("必ずテストを書くこと。\n\nテストは速い。\n").nodes] == [2, 0]


def test_headings_nest_and_end() -> None:
    document = parse("# A\n\na\n\n### B\n\nb\n\n## C <!-- x -->\n\nc\n\nD\n=\n\nd\n")
    assert [node.heading for node in document.nodes] == ["A", "A › B", "A › C", "D"]


def test_links_to_other_documents() -> None:
    text = (
        'See [one](one.md), [two](../up/two.md#part "title"), [web](https://example.org/a.md), [here](#here),\n'
        "[mail](mailto:a@b.c), ![image](a.png), `[code](no.md)` and [[Wiki Page#Spot|shown]].\n\n"
        "- [ref][r], [r], [other](<with space.md>), [q](q%20r.md?x#y)\n\n```\n[code](no.md)\n```\n\n[r]: ref.md\n"
    )
    assert [node.links for node in parse(text, "docs/index.md").nodes] == [
        (("docs/one.md", ""), ("up/two.md", "part"), ("Wiki Page", "Spot")),
        (("docs/ref.md", ""), ("docs/ref.md", ""), ("docs/with space.md", ""), ("docs/q r.md", "y")),
        (),
    ]


def test_the_cache_key_is_of_the_text() -> None:
    assert content_key("a") == content_key("a")
    assert len({content_key("a"), content_key("a "), content_key("\ud800")}) == 3


def test_the_markdown_parser_is_imported_when_it_is_needed() -> None:
    code = "import sys, aforesaid.documents.nodes; assert 'markdown_it' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


PIECES = st.sampled_from(
    ["- ", "  ", "    ", "1. ", "> ", "# ", "\n", "\n\n", "a", "Use tabs.", "```", "~~~\n", "|", "|-|-|\n", "---\n", "k: v\n", "<!--", "-->", "[a](b.md)",
     "[[w]]", "[a]: b\n", "\t", "***\n", "`", "===\n", "<div>\n", "\r\n", "\r", "必ず書くこと。", "\ufeff", "\x00", "\u2028", "\x0b", "...\n"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_becomes_nodes_that_share_no_line(text: str) -> None:
    document = parse(text)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    last = 0
    for node in document.nodes:
        assert last < node.lines[0] <= node.lines[1] <= len(lines), "in order, without overlap"
        last = node.lines[1]
        assert lines[node.lines[0] - 1].strip() and lines[last - 1].strip(), "no blank line at either end"
        source = "".join("\n".join(lines[node.lines[0] - 1 : last]).split()).replace("\x00", "\ufffd")
        assert _in_order("".join(node.text.split()).replace("\x00", "\ufffd"), source), "nothing but source"


def _in_order(part: str, whole: str) -> bool:
    signs = iter(whole)
    return all(sign in signs for sign in part)


@pytest.mark.parametrize(
    "part",
    [
        ">", "> ", "- ", "1. ", "[", "[a](", "![", "`", "*", "<!--", "<a ", "#", "|", "~~~ ", "[[", "\t", "[a]: b\n", "---\na: b\n",
        "- a\n\n  b\n", "The cat sat on the mat and looked at it. ",
        "A line of lore that is as long as lines usually are in such files, or longer.\n" * 4 + "\n",
    ],
)  # fmt: skip
def test_hostile_and_large_texts_take_linear_time(part: str) -> None:
    assert is_linear(lambda chars: parse((part * chars)[:chars]), 5000, 40_000)


@pytest.mark.parametrize(
    ("rows", "small", "large"),
    [
        (lambda count: ["a|" * count, "-|" * count, *["b|"] * count], 250, 1000),  # only so many cells are filled up
        (lambda count: ["> " * depth + "a" for depth in range(count)], 40, 120),
        (lambda count: [" " * depth + "- a" for depth in range(count)], 40, 320),
    ],
)
def test_wide_and_deep_texts_take_linear_time(rows: Callable[[int], list[str]], small: int, large: int) -> None:
    texts = {len(text): text for text in ("\n".join(rows(count)) for count in (small, large))}
    assert is_linear(lambda chars: parse(texts[chars]), *texts)

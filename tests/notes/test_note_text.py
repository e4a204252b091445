"""Tiers, front matter, links and tags of notes, and the choice of snippets."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from aforesaid.math.tokens import estimate_tokens
from aforesaid.notes.files.blocks import blocks_of, lines_of
from aforesaid.notes.files.links import ChunkMarkup, NoteNames, markup_in, prose_of, slug
from aforesaid.notes.files.note import FrontMatter, front_of, note_of, without_long_secrets
from aforesaid.policy.enforcement import Cleaned
from aforesaid.retrieval.ranking.file_tiers import day_of, tier_of
from aforesaid.settings.rows import FileRows
from aforesaid.text.extract import secrets
from aforesaid.text.extract.reader import STRICT
from support.growth import is_linear


def front(text: str) -> FrontMatter:
    lines = lines_of(text)
    return front_of(lines, list(blocks_of(lines)))


def marks(text: str, path: str = "a.md") -> ChunkMarkup:
    lines = lines_of(text)
    return markup_in(prose_of(lines, list(blocks_of(lines)), path), 1, len(lines))


@pytest.mark.parametrize(
    ("path", "said", "tier"),
    [
        ("MEMORY.md", "", "curated"), ("USER.md", "", "curated"), ("agents/bo/MEMORY.md", "", "curated"),
        ("memory/topics/deploy.md", "", "topic"), ("memory/topics/sub/x.md", "", "topic"), ("topics/x.md", "", "topic"),
        ("memory/2026-05-03.md", "", "log"), ("memory/2026-05-03-standup.md", "", "log"), ("daily/20260503.md", "", "log"),
        ("日記/2026年5月3日.md", "", "log"), ("2026-05-03 Sunday.md", "", "log"),
        ("memory/2026-13-40.md", "", "note"), ("notes/a.md", "", "note"), ("hot-topics.md", "", "note"),
        ("notes/2026-05-031.md", "", "note"), ("memory-of-water.md", "", "note"),
        ("notes/a.md", "curated", "curated"), ("notes/a.md", "T3", "topic"), ("MEMORY.md", "log", "log"),
        ("MEMORY.md", "unknown", "curated"), ("memory/topics/a.md", " Note ", "note"),
    ],
)  # fmt: skip
def test_tiers(path: str, said: str, tier: str) -> None:
    assert tier_of(path, said) == tier


def test_the_day_of_a_log() -> None:
    assert day_of("memory/2026-05-03-standup.md") == datetime(2026, 5, 3, tzinfo=UTC)
    assert day_of("2026年5月3日.md") == datetime(2026, 5, 3, tzinfo=UTC)
    assert day_of("2026-02-30.md") is None and day_of("notes.md") is None


def test_front_matter() -> None:
    found = front(
        "---\nTitle: The Plan\ntags:\n  - '#ops'\n  - infra/db\naliases: [plan, the plan]\ntier: T3\ndate: 2026-05-03\n"
        "boundary: PII\n---\nbody\n"
    )
    assert (found.title, found.tags, found.aliases) == ("The Plan", ("ops", "infra/db"), ("plan", "the plan"))
    assert (found.tier, found.day, found.boundary) == ("T3", datetime(2026, 5, 3, tzinfo=UTC), "pii")
    assert front("---\ntags: one, two\n---\n").tags == ("one", "two")
    assert front("---\ntags: one two\n---\n").tags == ("one", "two")
    assert front("---\nsource: https://a.example/x\n---\n").foreign
    assert not front("---\nsource: a book\n---\n").foreign
    assert front("---\nupdated: 2026-05-03T10:00:00+02:00\n---\n").day == datetime(2026, 5, 3, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "---\na: [\n---\n", "---\na: !!python/object/apply:os.system [x]\n---\n", "---\n" + "a: " + "[" * 2000 + "\n---\n",
        "---\nx: &a [*a, *a]\n---\n", "---\n- a\n- b\n---\n", "---\ndate: never\ntitle: {a: b}\n---\n", "---\n? :\n---\n", "---\na: 2026-13-45\n---\n",
    ],
)  # fmt: skip
def test_broken_front_matter_is_none(text: str) -> None:
    assert front(text) == FrontMatter()


def test_links_tags_and_anchors() -> None:
    found = marks(
        "# Head One\n\nsee [[Note#Some Heading|alias]], ![[Embed]] and [t](../a%20b.md#X-y) or [r][lab], not `[[code]]`\n\n"
        "```\n[[in code]] #no\n```\n#tag #work/日本語 #123 a#b https://x.example/#frag\n\nblock ^id-1\n\n[lab]: sub/z.md 'T'\n"
        "[w](https://x.example/y.md) [m](mailto:a@b.c) [[#Head One]] [abs](/etc/passwd) [up](../../x.md)\n",
        "f/s.md",
    )
    assert found.links == (
        ("Note", "some-heading"), ("Embed", ""), ("./a b.md", "x-y"), ("./f/sub/z.md", ""),
    )  # fmt: skip
    assert found.tags == ("tag", "work/日本語")
    assert found.anchors == ("head-one", "^id-1")
    assert slug("  What's up, Doc? ") == "what-s-up-doc"


def test_what_a_link_means() -> None:
    names = NoteNames(
        ["a.md", "x/Note.md", "x/y/Note.md", "z/Note.md", "Other.md", "x/Other.md", "x/日記.md"],
        {"a.md": ("Start Here",)},
    )
    assert names.target("note", "x/y/b.md") == "x/y/Note.md", "beside it"
    assert names.target("Note", "q/b.md") == "x/Note.md", "the shortest path, then the alphabet"
    assert names.target("y/Note", "z/b.md") == "x/y/Note.md", "a part of the path"
    assert names.target("Note.md", "z/b.md") == "z/Note.md"
    assert names.target("Other", "x/b.md") == "Other.md", "the path from the root before one beside it"
    assert names.target("start here", "x/b.md") == "a.md"
    assert names.target("./x/Other.md", "a.md") == "x/Other.md"
    assert names.target("./q/日記.md", "a.md") == "x/日記.md", "Obsidian writes the name alone in Markdown links too"
    assert names.target("none", "a.md") is None
    assert names.target("q/Note", "a.md") is None


def test_long_secrets_go_line_by_line() -> None:
    body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"] * 5
    lines = ["before", "-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----", "after"]
    found = without_long_secrets(lines)
    assert len(found) == len(lines) and (found[0], found[-1]) == ("before", "after")
    assert all("MIIE" not in line and "[secret:" in line for line in found[1:-1])
    assert without_long_secrets(["no PRIVATE KEY here"]) == ["no PRIVATE KEY here"]


def test_a_note_is_withheld_when_its_secrets_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)
    monkeypatch.setattr(secrets, "find_secrets", lambda text: 1 / 0)
    assert without_long_secrets(["PRIVATE KEY", "hunter22"]) == ["[withheld: could not be checked]", ""]


def note(path: str, text: str):  # type: ignore[no-untyped-def]
    return note_of(path, text, 0, estimate_tokens, lambda text, boundary: Cleaned(text, (), boundary), FileRows())


def test_a_note_is_found_by_its_name_and_embedded_without_it() -> None:
    found = note("trips/Kyoto plan.md", "Book the ryokan.\n\n# Food\n\nTofu.\n")
    assert found.role(found.chunks[0]) == "Kyoto plan" and found.headings(found.chunks[0]) == ""
    titled = note("x.md", "---\ntitle: The Plan\n---\n# Steps\n\nOne.\n")
    assert titled.headings(titled.chunks[0]) == "The Plan › Steps"
    assert titled.role(titled.chunks[0]) == "x › The Plan › Steps"
    same = note("deploy-steps.md", "# Deploy steps\n\nOne.\n")
    assert same.role(same.chunks[0]) == "Deploy steps", "a name that the heading says already is not said twice"


@pytest.mark.parametrize("piece", ["[", "[[", "[a](", "[[a#", "#", "`", "[a]: ", "^", "[x][", "#a/", "![", "]("])
def test_hostile_links_take_linear_time(piece: str) -> None:
    assert is_linear(lambda chars: marks((piece * chars)[:chars]), 12_500, 100_000)

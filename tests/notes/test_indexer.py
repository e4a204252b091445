"""`Memory.index`: what changed is taken in, what is gone goes, and the index follows the files to the letter."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory import Memory
from aforesaid.notes.indexer import IndexReport
from aforesaid.notes.state import path_digest
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import ValueKind
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import USES, Filter
from support.file_trees import PAST_NS, chunks, edges, places, write

WORKSPACE = {
    "MEMORY.md": "# Memory\n\nAna likes green tea. See [[deploy#Rollback]].\n",
    "memory/topics/deploy.md": "---\ntags: [ops]\n---\n# Deploy\n\nRun make ship on Tuesdays.\n\n## Rollback\n\nRun make undo.\n",
    "memory/2026-05-03.md": "Talked with Ana about the kettle. #shopping\n",
    "notes/plain.md": "The router password is kept in the safe.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "ws", WORKSPACE)


def fresh(folder: Path, **settings: object) -> Memory:
    memory = Memory(DictStore(), HashEmbedder(64), settings=Settings().changed(settings, "test"))
    memory.notes.index(folder, user="ana")
    return memory


def counts(report: IndexReport) -> tuple[int, int, int, int, int]:
    return report.added, report.changed, report.renamed, report.removed, report.unchanged


def test_a_folder_becomes_chunks_with_file_and_lines(memory: Memory, folder: Path) -> None:
    report = memory.notes.index(folder, user="ana")
    assert counts(report) == (4, 0, 0, 0, 0)
    assert (report.root, report.chunks, report.embedded, report.skipped) == ("ws", 4, 4, ())
    assert places(memory) == [
        "ws/MEMORY.md:1-3",
        "ws/memory/2026-05-03.md:1-1",
        "ws/memory/topics/deploy.md:1-10",
        "ws/notes/plain.md:1-1",
    ]
    tiers = [record.meta["tier"] for record in chunks(memory)]
    assert tiers == ["curated", "log", "topic", "note"]
    assert memory.store.pending(Filter(memory.tenant), 10) == []
    assert edges(memory) == [(chunks(memory)[0].id, chunks(memory)[2].id, "hop")]


def test_what_did_not_change_is_not_read_again(memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.notes.index(folder, user="ana")

    def refused(*_: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr("aforesaid.notes.changes.read_note", refused)
    assert counts(memory.notes.index(folder, user="ana")) == (0, 0, 0, 0, 4)


def test_a_touched_file_is_unchanged_and_a_fresh_one_is_compared_by_content(memory: Memory, folder: Path) -> None:
    memory.notes.index(folder, user="ana")
    os.utime(folder / "MEMORY.md", ns=(PAST_NS + 5, PAST_NS + 5))
    report = memory.notes.index(folder, user="ana")
    assert counts(report) == (0, 0, 0, 0, 4) and report.embedded == 0
    now = (folder / "notes/plain.md").stat().st_mtime_ns
    (folder / "notes/plain.md").write_text("The router password is kept in the SAFE.\n")  # as long as before
    memory.notes.index(folder, user="ana")
    stat = (folder / "notes/plain.md").stat()
    assert stat.st_mtime_ns != now
    (folder / "notes/plain.md").write_text("The router password is kept in the cave.\n")
    os.utime(folder / "notes/plain.md", ns=(stat.st_mtime_ns, stat.st_mtime_ns))  # same size, same time
    assert counts(memory.notes.index(folder, user="ana")) == (0, 1, 0, 0, 3)


def test_an_edit_replaces_what_changed_and_embeds_nothing_else(memory: Memory, folder: Path) -> None:
    memory.notes.index(folder, user="ana")
    file = folder / "memory/topics/deploy.md"
    file.write_text(file.read_text() + "\n# Later\n\n" + "word " * 450 + "\n\nAsk Bo.\n")
    report = memory.notes.index(folder, user="ana")
    assert counts(report) == (0, 1, 0, 0, 3)
    assert 0 < report.embedded < report.chunks
    assert memory.search("ask bo", user="ana")[0].record.text.endswith("Ask Bo.")


def test_a_renamed_file_keeps_its_vectors_and_what_use_taught(memory: Memory, folder: Path) -> None:
    memory.notes.index(folder, user="ana")
    old = next(record for record in chunks(memory) if record.meta["tier"] == "topic")
    memory.store.put([replace(old, utility=0.5, meta={**old.meta, USES: 3})])
    vector = memory.store.vectors([old.key])[old.key]
    (folder / "memory/topics/deploy.md").rename(folder / "memory/topics/ship.md")
    report = memory.notes.index(folder, user="ana")
    assert counts(report) == (0, 0, 1, 0, 3) and report.embedded == 0
    moved = next(record for record in chunks(memory) if record.meta["tier"] == "topic")
    assert moved.provenance is not None and moved.provenance.file == "ws/memory/topics/ship.md"
    assert np.array_equal(memory.store.vectors([moved.key])[moved.key], vector)
    assert (moved.utility, moved.meta[USES]) == (0.5, 3)
    assert edges(memory) == [], "nothing is called deploy any more"


def test_the_same_text_twice_is_stored_once_with_its_places(memory: Memory, folder: Path) -> None:
    write(folder, {"memory/topics/kettle.md": WORKSPACE["memory/2026-05-03.md"], "z.md": WORKSPACE["notes/plain.md"]})
    report = memory.notes.index(folder, user="ana")
    assert report.chunks == 4
    by_text = {record.text: record for record in chunks(memory)}
    kettle = by_text[WORKSPACE["memory/2026-05-03.md"].strip()]
    assert kettle.id.startswith("ws/memory/topics/kettle.md#"), "named after the better tier"
    assert [place[0] for place in kettle.meta["places"]] == ["memory/topics/kettle.md", "memory/2026-05-03.md"]
    (folder / "memory/topics/kettle.md").unlink()
    again = memory.notes.index(folder, user="ana")
    assert again.embedded == 0
    assert places(memory) == places(fresh(folder))
    assert chunks(memory) == chunks(fresh(folder))


def test_links_are_made_whichever_file_came_first(memory: Memory, folder: Path) -> None:
    write(folder, {"a.md": "See [[later]] and [there](notes/plain.md).\n"})
    memory.notes.index(folder, user="ana")
    assert [(a.split("#")[0], b.split("#")[0]) for a, b, _ in edges(memory)] == [
        ("ws/MEMORY.md", "ws/memory/topics/deploy.md"),
        ("ws/a.md", "ws/notes/plain.md"),
    ]
    write(folder, {"sub/deep/later.md": "Deep.\n"})
    memory.notes.index(folder, user="ana")
    assert ("ws/a.md", "ws/sub/deep/later.md") in [(a.split("#")[0], b.split("#")[0]) for a, b, _ in edges(memory)]
    write(folder, {"sub/later.md": "Shorter.\n"})
    memory.notes.index(folder, user="ana")
    targets = [b.split("#")[0] for a, b, _ in edges(memory) if a.startswith("ws/a.md")]
    assert sorted(targets) == ["ws/notes/plain.md", "ws/sub/later.md"], "the shortest path wins, the old edge goes"


def test_deleting_the_index_and_making_it_again_gives_the_same(memory: Memory, folder: Path) -> None:
    memory.notes.index(folder, user="ana")
    before = chunks(memory), edges(memory)
    gone = memory.notes.unindex(folder, user="ana")
    assert gone.removed == 4 and chunks(memory) == []
    kinds = ValueKind.NOTES_FILE, ValueKind.NOTES_ROOT
    assert not [slot for kind in kinds for slot in memory.store.values.items(kind, "default")]
    memory.notes.index(folder, user="ana")
    assert (chunks(memory), edges(memory)) == before


def test_a_forgotten_chunk_comes_back_because_the_file_is_the_truth(memory: Memory, folder: Path) -> None:
    memory.notes.index(folder, user="ana")
    before = chunks(memory)
    memory.forget([before[0].id], user="ana")
    assert len(chunks(memory)) == 3
    memory.notes.index(folder, user="ana")
    assert chunks(memory) == before


def test_two_roots_with_the_same_files_do_not_collide(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "one/notes", WORKSPACE)
    write(tmp_path / "two/notes", WORKSPACE)
    memory.notes.index(tmp_path / "one/notes", user="ana")
    with pytest.raises(InputError, match="indexed already"):
        memory.notes.index(tmp_path / "two/notes", user="ana")
    memory.notes.index(tmp_path / "two/notes", user="ana", name="second")
    assert len(chunks(memory, "notes")) == len(chunks(memory, "second")) == 4
    assert [root.name for root in memory.notes.roots(user="ana")] == ["notes", "second"]
    shutil.rmtree(tmp_path / "one/notes/memory")
    memory.notes.index(tmp_path / "one/notes", user="ana")
    assert (len(chunks(memory, "notes")), len(chunks(memory, "second"))) == (2, 4)
    assert len(memory.notes.search("green tea", user="ana")) > 0
    texts = [snippet.text for snippet in memory.notes.search("green tea", user="ana")]
    assert len(texts) == len(set(texts)), "one copy is shown"
    assert memory.notes.search("green tea", user="bob").snippets == ()


def test_a_root_that_moved_on_the_disk_goes_on(memory: Memory, folder: Path, tmp_path: Path) -> None:
    memory.notes.index(folder, user="ana")
    folder.rename(tmp_path / "elsewhere")
    (tmp_path / "parent").mkdir()
    (tmp_path / "elsewhere").rename(tmp_path / "parent/ws")
    report = memory.notes.index(tmp_path / "parent/ws", user="ana")
    assert counts(report) == (0, 0, 0, 0, 4) and report.embedded == 0
    assert memory.notes.roots(user="ana")[0].folder == str(tmp_path / "parent/ws")
    assert memory.notes.lines("ws/notes/plain.md:1", user="ana").changed is False


def test_a_path_inside_a_root_means_that_root(memory: Memory, folder: Path) -> None:
    memory.notes.index(folder, user="ana")
    write(folder, {"memory/topics/new.md": "New.\n"})
    report = memory.notes.index(folder / "memory/topics", user="ana")
    assert report.root == "ws" and counts(report) == (1, 0, 0, 0, 4)


def test_a_dry_run_says_the_same_and_writes_nothing(memory: Memory, folder: Path) -> None:
    said = memory.notes.index(folder, user="ana", dry_run=True)
    assert chunks(memory) == [] and not memory.store.values.items(ValueKind.NOTES_ROOT, "default", "user:ana")
    done = memory.notes.index(folder, user="ana")
    assert (counts(said), said.chunks, said.embedded) == (counts(done), done.chunks, done.embedded)
    (folder / "MEMORY.md").unlink()
    before = chunks(memory), edges(memory)
    assert memory.notes.index(folder, user="ana", dry_run=True).removed == 1
    assert (chunks(memory), edges(memory)) == before


def test_progress_counts_files(memory: Memory, folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    memory.notes.index(folder, user="ana", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)


def test_a_crash_in_the_middle_leaves_what_is_done_done(folder: Path, tmp_path: Path) -> None:
    class Breaking(HashEmbedder):
        calls = 0

        def embed(self, texts: object) -> object:  # type: ignore[override]
            Breaking.calls += 1
            if Breaking.calls == 3:
                raise KeyboardInterrupt
            return super().embed(texts)  # type: ignore[arg-type]

    settings = Settings().changed({"files.batch": 1}, "test")
    with Memory(SQLiteStore(tmp_path / "m.db"), Breaking(64), settings=settings) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.notes.index(folder, user="ana")
        assert len(chunks(memory)) == 2
        report = memory.notes.index(folder, user="ana")
        assert counts(report) == (2, 0, 0, 0, 2) and report.embedded == 2
        assert (chunks(memory), edges(memory)) == (chunks(fresh(folder)), edges(fresh(folder)))


def test_other_sizes_of_chunks_make_the_root_anew(memory: Memory, folder: Path) -> None:
    write(folder, {"long.md": "\n\n".join(f"Paragraph {n} says something of its own." for n in range(80))})
    memory.notes.index(folder, user="ana")
    smaller = Memory(memory.store, HashEmbedder(64), settings=Settings().changed({"files.chunk_tokens": 50}, "test"))
    report = smaller.notes.index(folder, user="ana")
    assert report.unchanged == 5 and report.chunks > 10
    assert chunks(smaller) == chunks(fresh(folder, **{"files.chunk_tokens": 50}))
    assert counts(smaller.notes.index(folder, user="ana")) == (0, 0, 0, 0, 5)


def test_two_who_index_at_once_notice_each_other(folder: Path, tmp_path: Path) -> None:
    with (
        Memory(SQLiteStore(tmp_path / "m.db"), HashEmbedder(64)) as one,
        Memory(SQLiteStore(tmp_path / "m.db"), HashEmbedder(64)) as two,
    ):
        first, second = one.notes.indexer(folder, user="ana"), two.notes.indexer(folder, user="ana")
        first.run()
        second.run()
        (folder / "MEMORY.md").write_text("Changed.\n")
        first.run()
        (folder / "notes/plain.md").write_text("Changed too.\n")
        assert second.run().changed == 1, "it saw what the other did"
        assert chunks(one) == chunks(fresh(folder))


def test_secrets_never_reach_the_store(memory: Memory, folder: Path) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2 for _ in range(60))
    key += "\n-----END PRIVATE KEY-----"
    write(folder, {"keys.md": f"# Keys\n\ntoken = ghp_{'a1B2' * 9}\n\n{key}\n\nAfter the key.\n"})
    memory.notes.index(folder, user="ana")
    texts = "\n".join(record.text for record in chunks(memory))
    assert "ghp_" not in texts and "MIIEvQ" not in texts and "[secret:" in texts
    last = next(record for record in chunks(memory) if "After the key." in record.text)
    assert last.provenance is not None and last.provenance.lines is not None and last.provenance.lines[1] == 68
    assert "MIIEvQ" not in memory.notes.lines("ws/keys.md:30-40", user="ana").text


def test_front_matter_says_class_tier_and_where_words_come_from(memory: Memory, folder: Path) -> None:
    write(
        folder,
        {
            "diary.md": "---\nboundary: secret\n---\nThe treasure is under the oak.\n",
            "clip.md": "---\nsource: https://example.com/a\ntier: curated\ntags: web, oak\n---\nOaks grow slowly. #tree\n",
        },
    )
    memory.notes.index(folder, user="ana")
    assert all("treasure" not in snippet.text for snippet in memory.notes.search("treasure oak", user="ana"))
    clip = next(record for record in chunks(memory) if "Oaks" in record.text)
    assert clip.tainted and clip.meta["tier"] == "curated" and clip.meta["tags"] == ["web", "oak", "tree"]
    with pytest.raises(NotFoundError):
        memory.notes.lines("ws/diary.md", user="ana")


def test_what_is_wrong_is_said_with_what_to_do(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no folder"):
        memory.notes.index(tmp_path / "none", user="ana")
    (tmp_path / "file.md").write_text("x")
    with pytest.raises(InputError, match="not a folder"):
        memory.notes.index(tmp_path / "file.md", user="ana")
    with pytest.raises(NotFoundError, match="Indexed here: nothing"):
        memory.notes.unindex("none", user="ana")
    write(tmp_path / "ws", WORKSPACE)
    with pytest.raises(InputError, match="cannot be called"):
        memory.notes.index(tmp_path / "ws", user="ana", name="a/b")


def test_without_an_embedder_words_still_find_notes(folder: Path) -> None:
    memory = Memory(DictStore())
    report = memory.notes.index(folder, user="ana")
    assert report.embedded == 0 and report.vector_off == "no embedder"
    assert memory.notes.search("kettle", user="ana")[0].place == "ws/memory/2026-05-03.md:1"


# Random edits


WORDS = "alpha beta gamma delta omega kappa sigma".split()  # noqa: SIM905


def _text(chance: random.Random) -> str:
    """A small note out of few words, so that texts are often the same; some link, some have front matter."""
    parts = []
    if chance.random() < 0.2:
        parts.append(
            f"---\ntier: {chance.choice(['curated', 'topic', 'log'])}\naliases: [{chance.choice(WORDS)}x]\n---"
        )
    for _ in range(chance.randint(0, 4)):
        word = chance.choice(WORDS)
        parts.append(
            chance.choice(
                [f"# {word}", f"{word} {word}", f"see [[{word}]] now", f"see [[{word}#{chance.choice(WORDS)}]]",
                 f"[x]({word}.md)", f"[[{word}x]]", " ".join([word] * 60)]
            )
        )  # fmt: skip
    return "\n\n".join(parts) + ("\n" if parts else "")


def _file(root: Path, chance: random.Random) -> Path:
    folder = chance.choice(["", "sub", "sub/deep", "memory/topics", "memory"])
    return root / folder / f"{chance.choice(WORDS)}.md"


def _create(root: Path, chance: random.Random) -> None:
    file = _file(root, chance)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_text(chance))


def _edit(root: Path, chance: random.Random) -> None:
    files = sorted(root.rglob("*.md"))
    if files:
        file = chance.choice(files)
        kept = file.read_text()
        file.write_text(chance.choice([_text(chance), kept + "\nmore\n", kept[: len(kept) // 2], _text(chance) + kept]))


def _rename(root: Path, chance: random.Random) -> None:
    files = sorted(root.rglob("*.md"))
    target = _file(root, chance)
    if files:
        target.parent.mkdir(parents=True, exist_ok=True)
        chance.choice(files).replace(target)


def _delete(root: Path, chance: random.Random) -> None:
    files = sorted(root.rglob("*.md"))
    if files:
        chance.choice(files).unlink()


def _touch(root: Path, chance: random.Random) -> None:
    files = sorted(root.rglob("*.md"))
    if files:
        os.utime(chance.choice(files), ns=(PAST_NS + chance.randint(0, 10**9),) * 2)


def _move_folder(root: Path, chance: random.Random) -> None:
    folders = sorted(path for path in root.rglob("*") if path.is_dir())
    if folders:
        folder = chance.choice(folders)
        target = root / f"moved{chance.randint(0, 3)}"
        if not target.exists():
            folder.rename(target)


def _ignore(root: Path, chance: random.Random) -> None:
    (root / ".aforesaidignore").write_text(chance.choice(["", "sub/\n", "alpha.md\n", "memory/topics/*\n!beta.md\n"]))


EDITS: list[Callable[[Path, random.Random], None]] = [
    _create, _create, _create, _edit, _edit, _rename, _delete, _touch, _move_folder, _ignore,
]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["dict", "sqlite"])
def test_after_random_edits_the_index_is_that_of_a_fresh_start(seed: int, kind: str, tmp_path: Path) -> None:
    chance = random.Random(seed)
    root = tmp_path / "root"
    root.mkdir()
    settings = Settings().changed({"files.chunk_tokens": 40, "files.overlap_tokens": 10, "files.batch": 3}, "test")
    store = DictStore() if kind == "dict" else SQLiteStore(tmp_path / "m.db")
    with Memory(store, HashEmbedder(32), settings=settings) as memory:
        keeper = memory.notes.indexer(root, user="ana")
        for _ in range(12):
            for _ in range(chance.randint(1, 6)):
                chance.choice(EDITS)(root, chance)
            report = keeper.run() if chance.random() < 0.5 else memory.notes.index(root, user="ana")
            other = Memory(DictStore(), HashEmbedder(32), settings=settings)
            first = other.notes.index(root, user="ana")
            assert chunks(memory) == chunks(other)
            assert edges(memory) == edges(other)
            assert report.chunks == first.chunks
            assert counts(memory.notes.index(root, user="ana"))[:4] == (0, 0, 0, 0)
        keys = [record.key for record in chunks(memory)]
        mine, theirs = memory.store.vectors(keys), other.store.vectors(keys)
        assert mine.keys() == theirs.keys() == set(keys)
        assert all(np.allclose(mine[key], theirs[key], atol=1e-6) for key in keys)
        assert memory.store.maintenance.verify() == []
        known = {path_digest(file.relative_to(root).as_posix()) for file in root.rglob("*.md")}
        files = memory.store.values.items(ValueKind.NOTES_FILE, "default")
        stamped = {slot.name.rpartition("/")[2] for slot in files}
        assert stamped <= known


def test_forgetting_somebody_leaves_nothing_of_their_notes(folder: Path, tmp_path: Path) -> None:
    with Memory(SQLiteStore(tmp_path / "m.db"), HashEmbedder(64)) as memory:
        memory.notes.index(folder, user="ana")
        receipt = memory.forget(user="ana", everything=True)
        assert receipt.proven, receipt.proof
        assert chunks(memory) == [] and not [
            kind for kind in ValueKind if memory.store.values.items(kind, "default", "user:ana")
        ]
        raw = b"".join(file.read_bytes() for file in tmp_path.glob("m.db*"))
        assert b"green tea" not in raw and b"deploy.md" not in raw
        assert memory.notes.index(folder, user="ana").added == 4


POLICY = """
version: "1"
boundary_classes:
  public: {allow: ["*"]}
  internal: {allow: ["*"]}
  pii: {allow: ["*"]}
  secret: {allow: []}
invariants:
  - {name: no-logs, rule: "meta.tier != 'log'", on: [write]}
redact:
  - {detect: secret}
  - {detect: email}
"""


def test_a_policy_cleans_notes_and_refuses_some(memory: Memory, folder: Path) -> None:
    write(folder, {"contact.md": "Write to bo@example.com about the roof.\n"})
    memory.notes.index(folder, user="ana")
    memory.policy.apply(POLICY)
    report = memory.notes.index(folder, user="ana")
    assert report.chunks == 4
    assert [why for path, why in report.skipped if path == "memory/2026-05-03.md" and "no-logs" in why]
    assert all("bo@example.com" not in record.text for record in chunks(memory))
    assert "bo@example.com" not in memory.notes.lines("ws/contact.md", user="ana").text
    assert counts(memory.notes.index(folder, user="ana"))[:4] == (0, 0, 0, 0), "and it is settled"

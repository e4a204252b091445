"""Authored documents in the store: loaded once, edits replace what changed, rules reach every prompt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import FormatError, InputError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from support.clock import NOW

AGENTS = """# Shop

The shop sells tea and was founded in Porto.

## Rules

- Run the tests before you commit.
- Never push to main.

Always write a changelog line.

> Prefer small commits.

See [deploying](docs/deploy.md#smoke-test).
"""
DEPLOY = "# Deploy\n\nReleases go out on Thursdays.\n\n## Smoke test\n\nThe smoke test buys one tin of tea.\n"


def test_rules_reach_every_prompt_and_lore_is_found(memory: Memory) -> None:
    loaded = memory.documents.load("AGENTS.md", text=AGENTS, project="shop")
    assert (loaded.added, loaded.removed, loaded.same) == (6, 0, 0)
    context = memory.assemble("where was the shop founded?", project="shop", budget_tokens=300)
    assert context.system.splitlines() == [
        "Rules that hold:",
        "[AGENTS.md:7] Run the tests before you commit.",
        "[AGENTS.md:8] Never push to main.",
        "Guidance, to be followed where it fits:",
        "[AGENTS.md:10] Always write a changelog line.",
        "[AGENTS.md:12] Prefer small commits.",
    ]
    assert "The shop sells tea and was founded in Porto." in context.recall
    assert "Never push" not in context.recall, "a rule is not recalled beside itself"
    assert [c.lines for c in context.citations if c.part == "rules"] == [(7, 7), (8, 8), (10, 10), (12, 12)]
    assert context.chat()[0]["role"] == "system"
    assert memory.assemble("anything", user="bo", budget_tokens=300).system == "", "another's project is not under them"


def test_an_edit_replaces_exactly_what_changed(memory: Memory) -> None:
    memory.documents.load("AGENTS.md", text=AGENTS)
    before = {record.text: record for record in memory.list(kinds=["node"])}
    edited = AGENTS.replace("- Never push to main.", "- Never push to main without a review.")
    loaded = memory.documents.load("AGENTS.md", text="\n\n" + edited)
    assert (loaded.added, loaded.removed, loaded.same) == (1, 1, 5)
    after = {record.text: record for record in memory.list(kinds=["node"])}
    kept = before["Run the tests before you commit."]
    moved = after["Run the tests before you commit."]
    assert moved.key == kept.key
    assert moved.provenance is not None
    assert moved.provenance.lines == (9, 9), "its lines follow it"
    again = memory.documents.load("AGENTS.md", text="\n\n" + edited)
    assert (again.added, again.removed, again.same) == (0, 0, 6)
    assert memory.maintenance.verify() == []


def test_a_document_can_be_taken_out(memory: Memory) -> None:
    memory.documents.load("AGENTS.md", text=AGENTS)
    assert memory.documents.unload("AGENTS.md").removed == 6
    assert memory.assemble("tea", budget_tokens=300).system == ""
    with pytest.raises(InputError, match="No document"):
        memory.documents.unload("AGENTS.md")


@pytest.mark.parametrize("order", [["AGENTS.md", "docs/deploy.md"], ["docs/deploy.md", "AGENTS.md"]])
def test_links_become_edges_whichever_came_first(memory: Memory, order: list[str]) -> None:
    texts = {"AGENTS.md": AGENTS, "docs/deploy.md": DEPLOY}
    for name in order:
        memory.documents.load(name, text=texts[name])
    nodes = {record.text: record for record in memory.list(kinds=["node"])}
    [edge] = memory.store.edges([nodes["See [deploying](docs/deploy.md#smoke-test)."].key])
    assert (edge.kind, edge.target) == ("hop", nodes["The smoke test buys one tin of tea."].key)


def test_what_a_found_node_links_to_comes_along() -> None:
    few = Settings(default=replace(Settings().default, candidates=20, pool=20))
    memory = Memory(DictStore(), HashEmbedder(64), settings=few, clock=lambda: NOW)
    memory.documents.load("AGENTS.md", text="# Shop\n\nOpening hours of the shop are in [them](them.md#summer).")
    memory.documents.load("them.md", text="# Them\n\n## Summer\n\nFrom nine until everybody went home.")
    for i in range(60):
        memory.remember(f"The shop had box {i}.")
    hits = {hit.record.text: hit for hit in memory.search("opening hours of the shop", limit=10)}
    parent = hits["Opening hours of the shop are in [them](them.md#summer)."]
    linked = hits["From nine until everybody went home."]
    assert linked.reason.startswith("hop=")
    assert linked.score == pytest.approx(0.5 * min(parent.score, 1.0))
    assert len(hits) == 10
    nowhere = memory.search("opening hours of the shop", kinds=["claim"], limit=10)
    assert {hit.record.kind for hit in nowhere} == {"claim"}, "links lead nowhere that the filter does not allow"


def test_hard_rules_that_outgrow_their_share_are_refused(memory: Memory) -> None:
    memory.documents.load("AGENTS.md", text=AGENTS)
    heavy = "\n".join(f"- Rule number {i} is a long one about everything in the shop." for i in range(60))
    with pytest.raises(InputError, match=r"need \d+ tokens, and 500 are reserved"):
        memory.documents.load("heavy.md", text=heavy)
    assert len(memory.list(kinds=["node"], limit=99)) == 6, "nothing was stored"


def test_disagreements_are_told(memory: Memory) -> None:
    loaded = memory.documents.load("AGENTS.md", text="- Use tabs.\n\nDo not use tabs.\n")
    assert loaded.conflicts == ("AGENTS.md:1 and :3 disagree: obliged: “Use tabs.”; forbidden: “Do not use tabs.”",)
    assert memory.documents.lint("x.md", text="- Use tabs.\n\nDo not use tabs.\n").problems


def test_secrets_in_documents_do_not_arrive(memory: Memory) -> None:
    memory.documents.load("AGENTS.md", text="- Log in with AKIAIOSFODNN7EXAMPLQ and the key below.\n")
    [node] = memory.list(kinds=["node"])
    assert "AKIAIOSFODNN7EXAMPLQ" not in node.text
    assert "[secret:" in node.text


def test_an_agent_that_recites_the_rules_is_an_echo(memory: Memory) -> None:
    rule = "Before every release run the whole test suite twice and write down which machines it ran on."
    memory.documents.load("AGENTS.md", text=f"- {rule}\n")
    [recited] = memory.ingest([Turn("1", "s", "assistant", f"Understood. {rule}", NOW)])
    assert recited.status == "echo"
    [own] = memory.ingest([Turn("2", "s", "user", rule, NOW)])
    assert own.status == "stored", "a person may say it again"


def test_soft_rules_are_a_prefix_and_hard_ones_whole_or_told() -> None:
    memory = Memory(DictStore(), HashEmbedder(64), settings=Settings(), clock=lambda: NOW)
    soft = "\n\n".join(f"Always do thing number {i} before lunch." for i in range(20))
    memory.documents.load("AGENTS.md", text=f"- Never push to main.\n\n{soft}\n")
    sizes = []
    for budget in range(1, 900, 20):
        context = memory.assemble("thing", budget_tokens=budget)
        assert context.tokens <= budget
        taken = [item.taken for item in context.trace if item.part == "rules"]
        assert taken[1:] == sorted(taken[1:], reverse=True), "a prefix in authored order"
        assert taken[0] or "hard rules need" in context.degraded
        sizes.append(sum(taken))
    assert sizes == sorted(sizes)


def test_files_are_read_as_they_are(tmp_path: Path, memory: Memory) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"\xef\xbb\xbf- Never push to main.\r\n")
    assert memory.documents.load(file).added == 1
    file.write_bytes(b"\xff\xfe nothing")
    with pytest.raises(FormatError, match="not UTF-8"):
        memory.documents.load(file)
    file.write_bytes(b"- x\n" * 300_000)
    with pytest.raises(InputError, match="bytes"):
        memory.documents.load(file)
    with pytest.raises(InputError, match="no file"):
        memory.documents.load(tmp_path / "none.md")


lines = st.lists(
    st.sampled_from(
        ["- Run the tests.", "- Never push.", "> Be kind.", "Always write tests.", "Tea is sold here.", "## Part", ""]
    ),
    max_size=12,
)


@example_settings(max_examples=40)
@given(st.lists(lines, min_size=1, max_size=5))
def test_reloading_is_the_same_as_loading_afresh(versions: list[list[str]]) -> None:
    edited = Memory(DictStore(), HashEmbedder(32), settings=Settings(), clock=lambda: NOW)
    for version in versions:
        edited.documents.load("A.md", text="\n".join(version))
    fresh = Memory(DictStore(), HashEmbedder(32), settings=Settings(), clock=lambda: NOW)
    fresh.documents.load("A.md", text="\n".join(versions[-1]))

    def held(memory: Memory) -> list[tuple[object, ...]]:
        found = memory.list(kinds=["node"], limit=99)
        return sorted((r.key, r.text, r.durable, str(r.provenance), str(sorted(r.meta.items()))) for r in found)

    assert held(edited) == held(fresh)
    everything = replace(edited.where(), kinds=("node",))
    assert edited.store.coverage(everything)[1] == 0, "every node has its vector"

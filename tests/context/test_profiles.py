"""`assemble(profile=…)`: each system's own way to rank and pack the past (spec 6, L3, L7.8, P1, O1, 10)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.context.render import EMPTY
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError
from aforesaid.math.packing import longest_prefix
from aforesaid.math.tokens import safe_tokens
from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Context, TraceItem, Turn
from support.clock import NOW, standing_clock
from support.file_trees import write

LIBRA = ["libra", "libra-two-pass", "libra-single"]
WORDS = ["tea", "Lisbon", "train", "cat", "Kyoto", "rent", "shop", "deploy"]
NEAR = Settings().changed({"search.thresholds": "literal", "libra.theta1": -1.0}, "test")
WHEN = "how many days between the tea and the train?"


def memory_of(settings: Settings = NEAR) -> Memory:
    return Memory(DictStore(), HashEmbedder(64), settings=settings, clock=standing_clock)


def talked(seed: int, turns: int = 40) -> Memory:
    chance, memory = random.Random(seed), memory_of()
    said = [" ".join(chance.choices(WORDS, k=chance.choice([3, 5, 30]))) for _ in range(turns)]
    memory.ingest(
        [Turn(f"t{i}", "old", "user", f"{text}.", NOW + timedelta(days=i)) for i, text in enumerate(said)], user="ana"
    )
    return memory


def recalled(context: Context) -> list[str]:
    tail = {item.key for item in context.trace if item.part == "tail" and item.taken}
    return [each.id for each in context.records if each.kind != "node" and each.key not in tail]


def considered(context: Context) -> list[TraceItem]:
    return [item for item in context.trace if item.part == "recall"]


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(InputError, match="profile"):
        talked(1, 2).assemble("tea", user="ana", profile="best")


@pytest.mark.parametrize("profile", LIBRA)
@pytest.mark.parametrize("query", ["tea in Lisbon", WHEN])
@given(seed=st.integers(0, 50), budget=st.integers(100, 900))
def test_libra_packs_the_longest_prefix_of_what_it_found(profile: str, query: str, seed: int, budget: int) -> None:
    memory = talked(seed)
    context = memory.assemble(query, user="ana", budget_tokens=budget, profile=profile)
    found = [hit.record.id for hit in memory.search(query, user="ana", limit=200, profile=profile)]
    assert [item.id for item in considered(context)] == found[: len(considered(context))]
    assert profile == "libra-single" or len(considered(context)) == len(found), "all of C2 ∪ C*_hop, or 𝒮* ∪ C*_hop"
    sizes = [item.tokens for item in considered(context)]
    room = budget - safe_tokens(f"\n{EMPTY}\n")
    assert recalled(context) == found[: longest_prefix(sizes, room)], "by score, up to the first that does not fit"


@pytest.mark.parametrize("profile", ["libra", "libra-two-pass"])
@pytest.mark.parametrize("query", ["opening hours of the shop", "how many days are the opening hours of the shop?"])
def test_libra_packs_linked_records_behind_their_parents(profile: str, query: str) -> None:
    memory = memory_of(NEAR.changed({"libra.theta1": 0.4, "time.recovery_cosine": 0.4}, "test"))
    shop = "# Shop\n\nOpening hours of the shop are in [them](them.md#summer)."
    memory.documents.load("AGENTS.md", text=shop, user="ana")
    memory.documents.load("them.md", text="# Them\n\n## Summer\n\nFrom nine until everybody went home.", user="ana")
    parent, linked = considered(memory.assemble(query, user="ana", budget_tokens=400, profile=profile))
    assert parent.taken and linked.taken and linked.reason.startswith("hop=")
    assert ("xi=" in parent.reason) == (profile == "libra" and query.startswith("how many days"))


@pytest.mark.parametrize("profile", PROFILES)
def test_one_long_memory_ends_a_prefix_and_no_other_context(profile: str) -> None:
    memory = memory_of()
    long = "green tea from Kyoto, " + "with a very long story about the kettle, " * 40
    said = ["Green tea from Kyoto.", long, "Tea from Kyoto is green and dear.", "The cat likes tea."]
    memory.ingest([Turn(f"t{i}", f"s{i}", "user", text, NOW) for i, text in enumerate(said)], user="ana")
    context = memory.assemble("green tea from Kyoto", user="ana", budget_tokens=200, profile=profile)
    order = [item.id for item in considered(context)]
    taken = [item.id for item in considered(context) if item.taken]
    assert "t1" in order and "t1" not in taken
    before = order[: order.index("t1")]
    unlikely = {item.id for item in considered(context) if "not worth its tokens" in item.reason}
    assert taken == before if profile in LIBRA else set(taken) == set(order) - {"t1"} - unlikely


def test_a_context_by_profile_has_nothing_twice_and_no_rule_as_memory() -> None:
    for profile in PROFILES:
        memory = talked(3)
        memory.documents.load("AGENTS.md", text="- Tea comes from Kyoto.\n\nAlways offer tea.\n", user="ana")
        memory.ingest([Turn(f"n{i}", "now", "user", f"Tea in Lisbon {i}.", NOW) for i in range(6)], user="ana")
        context = memory.assemble("tea in Lisbon", user="ana", session="now", budget_tokens=1500, profile=profile)
        keys = [record.key for record in context.records]
        tail = {item.id for item in context.trace if item.part == "tail"}
        assert len(keys) == len(set(keys)) and tail == {f"n{i}" for i in range(6)}
        assert recalled(context) and not tail & {item.id for item in considered(context)}
        assert "Tea comes from Kyoto." in context.system and "Always offer tea." in context.system


def test_only_default_repeats_what_it_showed() -> None:
    for profile in PROFILES:
        memory = memory_of()
        memory.ingest([Turn("a", "s1", "user", "The rent of the shop.", NOW)], user="ana")
        memory.ingest([Turn("b", "s2", "user", "A train to Kyoto.", NOW)], user="ana")
        first = memory.assemble("rent of the shop", user="ana", session="now", budget_tokens=400, profile=profile)
        second = memory.assemble("train to Kyoto", user="ana", session="now", budget_tokens=400, profile=profile)
        best = memory.search("train to Kyoto", user="ana", profile=profile)[0].record.id
        assert recalled(first) and best == "b"
        assert recalled(second)[0] == ("a" if profile == "default" else "b")


def test_pce_packs_the_active_context_in_its_order() -> None:
    memory = talked(5, 60)
    context = memory.assemble("tea for the cat", user="ana", budget_tokens=3000, profile="pce")
    hits = memory.search("tea for the cat", user="ana", profile="pce")
    assert recalled(context) == [hit.record.id for hit in hits] and len(hits) == memory.settings.search.limit
    scores = [hit.score for hit in hits]
    assert scores != sorted(scores, reverse=True) and min(scores) >= 0.15, "the order of MMR"
    alike = memory_of()
    alike.remember("The tea is in the blue tin.", user="ana")
    alike.remember("Trains to Kyoto leave at nine.", user="ana")
    active = {item.record.id for item in alike.activate("where is the tea?", user="ana").items}
    assert set(recalled(alike.assemble("where is the tea?", user="ana", profile="pce"))) == active


def notes(count: int) -> Mapping[str, str]:
    """Logs that match a question best, and a brief and a curated file that match it well."""
    story = "the kettle was cold and nobody knew why " * 8
    return {
        **{f"memory/2026-05-{i:02}.md": f"Green tea from Kyoto: delivery {i}. {story}" for i in range(1, count)},
        "memory/topics/tea.md": f"# Drinks\n\nThe tea that we buy comes from Kyoto, and is green. {story}{story}",
        "MEMORY.md": f"# Memory\n\nAna drinks green tea, mostly from Kyoto. {story}{story}",
    }


@pytest.mark.parametrize("profile", PROFILES)
def test_notes_do_not_flood_a_prompt(tmp_path: Path, profile: str) -> None:
    memory = memory_of()
    memory.notes.index(write(tmp_path / "ws", notes(28)), user="ana")
    memory.ingest([Turn("t1", "s1", "user", "I bought green tea from Kyoto.", NOW)], user="ana")
    for session in (None, "now", "now"):
        context = memory.assemble(
            "green tea from Kyoto", user="ana", session=session, budget_tokens=9000, profile=profile
        )
        chunks = [record for record in context.records if record.kind == "chunk"]
        assert 3 <= len(chunks) <= 6, profile
        assert sum(item.tokens for item in considered(context) if item.taken and item.id != "t1") <= 1200
        assert profile in LIBRA or "t1" in recalled(context), "other memories are not counted"
    left = [item.reason for item in considered(context) if not item.taken]
    assert profile in LIBRA or "a prompt takes at most 6 snippets and 1200 tokens of notes" in left


def test_openclaw_prefers_briefs_to_curated_files_to_logs(tmp_path: Path) -> None:
    memory = memory_of(NEAR.changed({"files.max_snippets": 2}, "test"))
    memory.notes.index(write(tmp_path / "ws", notes(5)), user="ana")
    hits = memory.search("green tea from Kyoto", user="ana", profile="openclaw")
    assert ["2026-05" in str(hit.record.session) for hit in hits] == [True] * 4 + [False] * 2, "logs match best"
    context = memory.assemble("green tea from Kyoto", user="ana", budget_tokens=4000, profile="openclaw")
    files = [record.session for record in context.records]
    assert files == ["ws/memory/topics/tea.md", "ws/MEMORY.md"]
    assert [snippet.path for snippet in memory.notes.search("green tea from Kyoto", user="ana")] == files


def test_default_prefers_a_brief_to_a_log_that_matches_about_as_well(tmp_path: Path) -> None:
    files = {f"n{i}.md": f"The {word} of the house is number {i}." for i, word in enumerate(WORDS[2:6])}
    files["memory/2026-05-03.md"] = "---\ntier: log\n---\nGreen tea from Kyoto arrived ."
    files["memory/topics/drinks.md"] = "---\ntier: topic\n---\nGreen tea from Kyoto arrived !"
    memory = memory_of(NEAR.changed({"files.max_snippets": 1}, "test"))
    memory.notes.index(write(tmp_path / "ws", files), user="ana")
    log, brief, *_ = memory.search("green tea from Kyoto", user="ana")
    assert [log.record.meta["tier"], brief.record.meta["tier"]] == ["log", "topic"]
    assert log.score - 0.1 < brief.score < log.score
    context = memory.assemble("green tea from Kyoto", user="ana", budget_tokens=900)
    assert [record.session for record in context.records] == ["ws/memory/topics/drinks.md"]


def test_a_good_log_comes_before_a_weak_brief(tmp_path: Path) -> None:
    settings = NEAR.changed({"files.max_snippets": 1}, "test")
    files = {
        "memory/2026-05-03.md": "The staging deploy broke at nine.",
        "memory/topics/tea.md": "Green tea comes from Kyoto.",
    }
    for profile in ("openclaw", "default"):
        memory = memory_of(settings)
        memory.notes.index(write(tmp_path / "ws", files), user="ana")
        context = memory.assemble("staging deploy broke", user="ana", budget_tokens=900, profile=profile)
        assert [record.session for record in context.records] == ["ws/memory/2026-05-03.md"]


def test_snippets_shown_before_do_not_keep_out_the_best_one(tmp_path: Path) -> None:
    memory = memory_of()
    memory.notes.index(write(tmp_path / "ws", {**notes(28), "ops.md": "The staging deploy broke at nine."}), user="ana")

    def ask(query: str) -> Context:
        return memory.assemble(query, user="ana", session="now", budget_tokens=9000)

    first = ask("green tea from Kyoto")
    assert ask("green tea from Kyoto").text == first.text, "the same question keeps its snippets"
    assert "staging deploy" not in first.text
    other = ask("what broke the staging deploy?")
    assert "The staging deploy broke at nine." in other.recall
    assert sum(record.kind == "chunk" for record in other.records) <= 6


def test_a_recall_for_a_hook_has_no_flood_either(tmp_path: Path) -> None:
    memory = memory_of(replace(NEAR, hooks=replace(NEAR.hooks, candidates=40)))
    memory.notes.index(write(tmp_path / "ws", notes(28)), user="ana")
    context = memory.recall("green tea from Kyoto", user="ana", budget_tokens=9000)
    assert 3 <= len(context.records) <= 6

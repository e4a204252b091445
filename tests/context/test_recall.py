"""What is added to a prompt, with the real model: what has to do with it, and no junk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aforesaid.context.prompt import query_of
from aforesaid.context.recall import NEAR_UNKNOWN, floor_of, relevant, with_answers
from aforesaid.embed import open_embedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from samples.recall_prompts import BLIND, BLIND_STRANGERS, SAID, TUNED, TUNED_STRANGERS

AGENT = (10, 11, 12)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[Memory]:
    path: Path = tmp_path_factory.mktemp("team") / "memory.db"
    with Memory.open(path, settings=Settings()) as memory:
        memory.ingest(
            [Turn(f"t{i}", f"s{i // 4}", "assistant" if i in AGENT else "user", said) for i, said in enumerate(SAID)]
        )
        yield memory


def found(memory: Memory, prompt: str, background: float = 0.0) -> set[str]:
    text = query_of(prompt)
    hits = memory.search(text, limit=60) if text else []
    return {hit.record.id for hit in relevant(hits, text, floor_of(memory.settings.hooks, background))}


def measured(memory: Memory, about: Mapping[str, int], strangers: Sequence[str]) -> tuple[float, float, float]:
    """Recall, precision over the prompts that have an answer, and the share of strangers that get something."""
    background = getattr(open_embedder(memory.settings), "background", 0.0)
    given = {prompt: found(memory, prompt, background) for prompt in about}
    right = sum(f"t{number}" in given[prompt] for prompt, number in about.items())
    junk = sum(bool(found(memory, prompt, background)) for prompt in strangers)
    return right / len(about), right / max(sum(map(len, given.values())), 1), junk / len(strangers)


def test_on_what_the_floor_was_chosen_with(team: Memory) -> None:
    recall, precision, junk = measured(team, TUNED, TUNED_STRANGERS)
    assert (recall >= 0.8, precision >= 0.9, junk) == (True, True, 0)


def test_on_what_was_written_afterwards(team: Memory) -> None:
    recall, precision, junk = measured(team, BLIND, BLIND_STRANGERS)
    assert (recall >= 0.85, precision >= 0.9, junk <= 0.1) == (True, True, True), (recall, precision, junk)


def test_the_floor_of_other_models_and_by_setting() -> None:
    assert floor_of(Settings().hooks, 0.0).near == NEAR_UNKNOWN
    assert floor_of(Settings().changed({"hooks.min_cosine": 0.9}, "test").hooks, 0.5).near == 0.9


def test_without_vectors_words_decide() -> None:
    with Memory(DictStore(), None, settings=Settings()) as memory:
        memory.ingest([Turn(f"t{i}", "s", "user", said) for i, said in enumerate(SAID)])
        assert found(memory, "which port does the staging server use?") == {"t0"}
        assert found(memory, "write a haiku about autumn") == set()


def talked(*said: tuple[str, str]) -> Memory:
    memory = Memory(DictStore(), None, settings=Settings())
    start = datetime(2026, 5, 1, 10, tzinfo=UTC)
    memory.ingest([Turn(f"t{i}", "s", role, text, start + timedelta(minutes=i)) for i, (role, text) in enumerate(said)])
    return memory


def told(memory: Memory, *ids: str) -> list[str]:
    records = [memory.get(name) for name in ids]
    keys = with_answers(memory.store, records, memory.where())
    return [record.id for record in memory.store.get(keys)]


def test_a_question_comes_with_its_answer_and_not_alone() -> None:
    with talked(
        ("user", "On which day do we deploy, and to which city?"),
        ("assistant", "On Fridays, to Lisbon."),
        ("user", "Who opens the gate?"),
        ("assistant", "Which gate do you mean?"),
        ("user", "We moved the gate to the north side. Is that noted?"),
        ("user", "And when?"),
    ) as memory:
        assert told(memory, "t0") == ["t0", "t1"]
        assert told(memory, "t2", "t5") == [], "nobody answered"
        assert told(memory, "t4", "t1") == ["t4", "t1"], "it says something too"
        assert told(memory, "t0", "t1") == ["t0", "t1"]


def test_an_answer_is_found_behind_the_tools_that_were_used_for_it() -> None:
    with talked(("user", "Which port is staging on?")) as memory:
        memory.ingest([Turn("c", "s", "assistant", "Read(conf.toml)", datetime(2026, 5, 1, 11, tzinfo=UTC), "b1"),
                       Turn("r", "s", "tool", "port = 7443", datetime(2026, 5, 1, 12, tzinfo=UTC), "b1"),
                       Turn("a", "s", "assistant", "On 7443.", datetime(2026, 5, 1, 13, tzinfo=UTC))])  # fmt: skip
        assert told(memory, "t0") == ["t0", "a"]


PORT = "Which port does the staging server use?"


def test_recall_adds_little_and_nothing_twice_in_a_session() -> None:
    with talked(("user", "The staging server uses port 7443."), ("user", "Lena plays the cello.")) as memory:
        context = memory.recall(PORT, session="now")
        assert [record.id for record in context.records] == ["t0"]
        assert "7443" in context.recall
        assert context.messages != ()
        assert 0 < context.tokens <= context.budget_tokens == memory.settings.hooks.budget_tokens
        assert memory.recall(PORT, session="now").text == "", "the session was shown it"
        assert memory.recall(PORT, session="other").recall, "this one was not"
        assert memory.recall(PORT, session="s").text == "", "its own turns are in the host's context"
        memory.sessions.reset_recall("now")
        assert memory.recall(PORT, session="now").recall
        assert memory.recall(PORT).recall == memory.recall(PORT).recall != "", "without a session nothing is noted"
        assert memory.recall("go on", session="new").text == ""
        assert memory.recall(PORT, user="ben").text == ""


def test_recall_leaves_out_files_that_the_agent_reads_itself(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("The staging server uses port 7443.\n")
    with Memory(DictStore(), None, settings=Settings()) as memory:
        memory.documents.load(tmp_path / "AGENTS.md")
        assert "7443" in memory.recall(PORT).recall
        assert memory.recall(PORT, skip_files=["agents.md"]).text == ""

"""What is added to a prompt, with the real model: what has to do with it, and no junk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from recall_prompts import BLIND, BLIND_STRANGERS, SAID, TUNED, TUNED_STRANGERS
from recollect.embed.hashing import HashEmbedder
from recollect.hosts.asked import asked
from recollect.hosts.recall import NEAR_UNKNOWN, floor_of, relevant
from recollect.memory import Memory
from recollect.settings import Settings
from recollect.store.memory import DictStore
from recollect.types import Turn

AGENT = (10, 11, 12)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path: Path = tmp_path_factory.mktemp("team") / "memory.db"
    with Memory.open(path, settings=Settings()) as memory:
        memory.ingest(
            [Turn(f"t{i}", f"s{i // 4}", "assistant" if i in AGENT else "user", said) for i, said in enumerate(SAID)]
        )
        yield memory


def found(memory: Memory, prompt: str) -> set[str]:
    text = asked(prompt)
    hits = memory.search(text, limit=60) if text else []
    return {hit.record.id for hit in relevant(hits, text, floor_of(memory))}


def measured(memory: Memory, about: Mapping[str, int], strangers: Sequence[str]) -> tuple[float, float, float]:
    """Recall, precision over the prompts that have an answer, and the share of strangers that get something."""
    given = {prompt: found(memory, prompt) for prompt in about}
    right = sum(f"t{number}" in given[prompt] for prompt, number in about.items())
    junk = sum(bool(found(memory, prompt)) for prompt in strangers)
    return right / len(about), right / max(sum(map(len, given.values())), 1), junk / len(strangers)


def test_on_what_the_floor_was_chosen_with(team: Memory) -> None:
    recall, precision, junk = measured(team, TUNED, TUNED_STRANGERS)
    assert (recall >= 0.8, precision >= 0.9, junk) == (True, True, 0)


def test_on_what_was_written_afterwards(team: Memory) -> None:
    recall, precision, junk = measured(team, BLIND, BLIND_STRANGERS)
    assert (recall >= 0.85, precision >= 0.9, junk <= 0.1) == (True, True, True), (recall, precision, junk)


def test_the_floor_of_other_models_and_by_setting() -> None:
    with Memory(DictStore(), HashEmbedder(64), settings=Settings()) as memory:
        assert floor_of(memory).near == NEAR_UNKNOWN
    rows = Settings().changed({"hooks.min_cosine": 0.9}, "test")
    with Memory(DictStore(), HashEmbedder(64), settings=rows) as memory:
        assert floor_of(memory).near == 0.9


def test_without_vectors_words_decide() -> None:
    with Memory(DictStore(), None, settings=Settings()) as memory:
        memory.ingest([Turn(f"t{i}", "s", "user", said) for i, said in enumerate(SAID)])
        assert found(memory, "which port does the staging server use?") == {"t0"}
        assert found(memory, "write a haiku about autumn") == set()

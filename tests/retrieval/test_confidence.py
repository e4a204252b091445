"""How sure a result is, through the public verbs: for every profile, without a model, and with the default model."""

from __future__ import annotations

from pathlib import Path

import pytest

from aforesaid.embed.local import LocalEmbedder
from aforesaid.errors import InputError
from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from support.clock import NOW, standing_clock

TOLD = (
    "I moved to Lisbon in May, to a flat near the river.",
    "My sister Clara works as a nurse in the hospital of Porto.",
    "We adopted a grey cat called Miso last winter.",
    "I drive an old green Volvo that needs new brakes.",
    "For breakfast I eat oats with honey, and I can't stand cilantro.",
    "The boiler was repaired by Mr Sousa for 240 euros.",
    "On Tuesdays I play chess at the club behind the library.",
    "My daughter starts school in September and is afraid of the bus.",
)
ANSWERED = ("Where does my sister work?", "What is the name of my cat?", "What did the boiler repair cost?")
UNANSWERED = ("What is my blood type?", "Which bank holds my mortgage?", "Who won the marathon in Tokyo?")


@pytest.fixture(scope="module")
def told(model_folder: Path) -> Memory:
    memory = Memory(DictStore(), LocalEmbedder(model_folder), settings=Settings(), clock=standing_clock)
    memory.ingest([Turn(f"t{i}", f"s{i}", "user", text, NOW) for i, text in enumerate(TOLD)], user="ana")
    return memory


def test_answers_and_no_answers_are_told_apart(told: Memory) -> None:
    answered, unanswered = (
        [told.search(question, user="ana").confidence for question in asked] for asked in (ANSWERED, UNANSWERED)
    )
    assert min(answered) > 0.4 > 0.2 > max(unanswered), (answered, unanswered)


def test_nothing_found_is_an_answer(told: Memory) -> None:
    for question in UNANSWERED:
        assert len(told.search(question, user="ana", min_confidence=0.3)) == 0
        assert not told.assemble(question, user="ana", min_confidence=0.3).records
    for question in ANSWERED:
        assert len(told.search(question, user="ana", min_confidence=0.3)) == 1


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_gives_probabilities(memory: Memory, profile: str) -> None:
    memory.ingest([Turn(f"t{i}", f"s{i}", "user", text, NOW) for i, text in enumerate(TOLD)], user="ana")
    result = memory.search("where does my sister Clara work?", user="ana", profile=profile, now=NOW)
    assert 0 < result.confidence < 1 and result.signals
    shares = [hit.confidence for hit in result]
    assert all(0 <= share <= result.confidence for share in shares)
    least = shares[len(shares) // 2]
    cut = memory.search("where does my sister Clara work?", user="ana", profile=profile, now=NOW, min_confidence=least)
    assert {hit.record.id for hit in cut} == {hit.record.id for hit in result if hit.confidence >= least}
    assert memory.search("where?", user="nobody", profile=profile).confidence == 0.0


def test_confidence_falls_with_the_rank(memory: Memory) -> None:
    memory.ingest([Turn(f"t{i}", f"s{i}", "user", text, NOW) for i, text in enumerate(TOLD)], user="ana")
    for limit in (1, 3, 8):
        result = memory.search("where does my sister Clara work?", user="ana", limit=limit)
        assert len(result) <= limit and result[0].confidence == max(hit.confidence for hit in result)
    whole, one = (memory.search("my sister Clara", user="ana", limit=limit) for limit in (8, 1))
    assert whole.confidence == one.confidence, "how many hits are asked for changes nothing"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_confidence_is_between_0_and_1(memory: Memory, wrong: float) -> None:
    for verb in (memory.search, memory.assemble):
        with pytest.raises(InputError, match="min_confidence"):
            verb("anything", user="ana", min_confidence=wrong)


def test_a_context_leaves_out_what_is_not_worth_its_tokens(told: Memory) -> None:
    context = told.assemble("What is the name of my cat?", user="ana", budget_tokens=2000)
    assert {record.id for record in context.records} == {"t2"}
    left = [item for item in context.trace if not item.taken]
    assert left and all("not worth its tokens" in item.reason for item in left)

"""What cosines mean with a model: measured, stored, used for every threshold, and refused for a blind model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from aforesaid import Memory, Turn
from aforesaid.embed.base import Vectors
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.embed.local import LocalEmbedder
from aforesaid.embed.scale import Ends, ModelScale, derive_scale, dialogues, shipped_scale
from aforesaid.engine.thresholds import derived_settings
from aforesaid.errors import EmbedError
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from support.loopback import Reply, service

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class Counting(HashEmbedder):
    """Counts the texts that it embeds."""

    texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        Counting.texts += len(texts)
        return super().embed(texts)


class Blind(HashEmbedder):
    """Every text has the same vector."""

    name = "blind"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.eye(1, self.dimensions, dtype=np.float32), (len(texts), 1))


def test_a_place_lies_between_the_ends() -> None:
    ends = Ends(0.5, 0.7)
    assert [ends.cosine(place) for place in (0, 0.5, 1)] == pytest.approx([0.5, 0.6, 0.7])
    assert ends.cosine(9) == 1.0
    assert ends.place(ends.cosine(0.35)) == pytest.approx(0.35)


def test_the_dialogues_are_complete() -> None:
    assert len(dialogues()) == 12
    for dialogue in dialogues():
        assert len(dialogue.turns) == 16
        assert len(dialogue.questions) == 5
        assert all(0 <= row < 16 for row, _ in dialogue.questions)


def test_a_scale_survives_json_and_sets_every_threshold() -> None:
    scale = derive_scale(HashEmbedder(64))
    assert ModelScale.from_json(scale.to_json()) == scale
    rows = derived_settings(Settings(), scale)
    assert rows.libra.theta1 == scale.query.cosine(0.2)
    assert rows.time.recovery_cosine == scale.query.cosine(0.15)
    assert rows.time.slot_cosine == scale.slot.cosine(0.5)
    assert rows.compact.align == scale.align.cosine(0.65)
    assert rows.compact.support == scale.support.cosine(0.65)
    assert rows.cascade.exit1 == Settings().cascade.exit1  # this model has no tiers


def test_a_model_trained_for_prefixes_gets_exits_of_its_own() -> None:
    class Nested(HashEmbedder):
        matryoshka = True

    scale = derive_scale(Nested(384))
    rows = derived_settings(Settings(), scale).cascade
    assert set(scale.prefixes) == {64, 256}
    assert (scale.prefixes[64].apart, scale.prefixes[256].apart) == (False, True)
    assert (rows.exit1, rows.exit2) == (1.0, scale.prefixes[256].cosine(0.75))
    longer = replace(Settings().cascade, tier2_dimensions=300)
    assert set(derive_scale(Nested(384), rows=longer).prefixes) == {64, 300}


def test_a_blind_model_is_refused_where_thresholds_matter_and_still_embeds() -> None:
    memory = Memory(DictStore(), Blind(64), clock=lambda: NOW)
    memory.remember("The boiler was serviced in March.", user="ana")
    with pytest.raises(EmbedError, match="cannot tell related texts"):
        memory.search("boiler", user="ana", profile="libra")
    assert memory.search("boiler", user="ana").freshness.vector_off == ""
    literal = Settings().changed({"search.thresholds": "literal"}, "test")
    with Memory(memory.store, Blind(64), settings=literal, clock=lambda: NOW) as plain:
        assert plain.search("boiler", user="ana", profile="libra")


def test_an_unknown_model_is_measured_once_for_a_store(path: Path) -> None:
    with Memory.open(path, embedder=Counting(64)) as memory:
        memory.remember("The boiler was serviced in March.", user="ana")
        memory.search("boiler", user="ana", profile="libra")
        measured = Counting.texts
        assert measured > 200
    with Memory.open(path, embedder=Counting(64)) as memory:
        memory.search("boiler", user="ana", profile="libra")
        assert Counting.texts < measured + 5
        assert memory.calibration.measure_model().model == "hash-64-0"
        assert Counting.texts > measured + 200


def test_measuring_needs_embeddings() -> None:
    with pytest.raises(EmbedError, match="no embeddings"):
        Memory(DictStore(), clock=lambda: NOW).calibration.measure_model()


@pytest.fixture(scope="module")
def local(model_folder: Path) -> LocalEmbedder:
    return LocalEmbedder(model_folder, fetch=None)


def test_the_shipped_scale_is_what_the_default_model_measures(local: LocalEmbedder) -> None:
    shipped = shipped_scale(local.name)
    assert shipped is not None
    measured = derive_scale(local)
    for ends in ("query", "slot", "align", "support"):
        found, expected = getattr(measured, ends), getattr(shipped, ends)
        assert (found.unrelated, found.related) == pytest.approx((expected.unrelated, expected.related), abs=0.01)
    assert measured.centre == pytest.approx(shipped.centre, abs=0.01)


def test_libra_leaves_out_most_records_that_are_not_related(local: LocalEmbedder) -> None:
    found = 0
    for talk, other in zip(dialogues(), dialogues()[1:], strict=False):
        memory = Memory(DictStore(), local, clock=lambda: NOW)
        row, question = talk.questions[0]
        memory.ingest([Turn("1", "s", "user", other.turns[row], NOW)], user="ana")
        found += len(memory.search(question, user="ana", profile="libra"))
        memory.ingest([Turn("2", "s", "user", talk.turns[row], NOW)], user="ana")
        assert memory.search(question, user="ana", profile="libra")[0].record.id == "2"
    assert found <= 4


@pytest.mark.parametrize(
    ("summary", "method"),
    [
        ("own", "abstractive"),
        ("half", "extractive"),
        ("other", "extractive"),
        ("The mitochondria is the powerhouse of the cell.", "extractive"),
    ],
)
def test_only_a_summary_of_its_own_turns_is_kept(
    local: LocalEmbedder, summary: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, other = dialogues()[4], dialogues()[9]
    half = f"{talk.summary.split('. ')[0]}. {'. '.join(other.summary.split('. ')[-2:])}"
    text = {"own": talk.summary, "half": half, "other": other.summary}.get(summary, summary)
    rows = {"abstractive_gate": 0, "trigger_tokens": 0, "provider": "openai", "model": "small"}
    values = {f"compact.{name}": value for name, value in rows.items()} | {"assemble.tail_turns": 0, "assemble.tail": 0}
    memory = Memory(DictStore(), local, settings=Settings().changed(values, "test"), clock=lambda: NOW)
    turns = [line.split(": ", 1) for line in talk.turns]
    memory.ingest(
        [Turn(str(i), "s", role, said, NOW + timedelta(minutes=i)) for i, (role, said) in enumerate(turns)], user="ana"
    )
    answer = Reply(body={"choices": [{"message": {"role": "assistant", "content": text}}]})
    with service(lambda path, body: answer) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        report = memory.sessions.compact("s", user="ana")
    assert [each.method for each in report.summaries] == [method]

"""What cosines mean with one embedding model (spec 3).

Every model puts unrelated texts at another cosine: one at 0.1, another at 0.5. A threshold from a paper is therefore
read as a place between the cosines of unrelated pairs (0) and of related pairs (1). This module measures both ends with
dialogues that come with the package, and turns places into cosines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from aforesaid.embed.base import Embedder, Vectors
from aforesaid.errors import EmbedError
from aforesaid.math.cascade import tier_vectors, tiers_for
from aforesaid.math.summaries import alignment, support
from aforesaid.settings.rows import CascadeRows, TimeRows
from aforesaid.text.extract.temporal import event_slots
from aforesaid.text.sentences import sentences
from aforesaid.types import Progress

SHIPPED = "scales.json"  # scales of the models that people use without choosing one
DIALOGUES = "dialogues.txt"
CASCADE = CascadeRows()
LEAST_SPREAD = 0.02  # a model whose related pairs are not nearer than this cannot tell them apart
QUESTION = re.compile(r"Q (\d+): (.+)")


@dataclass(frozen=True, slots=True)
class Ends:
    """The median cosines of unrelated and of related pairs."""

    unrelated: float
    related: float

    def cosine(self, place: float) -> float:
        """The cosine at a place: 0 is unrelated, 1 is related; θ = u + place·(r − u)."""
        return min(max(self.unrelated + place * (self.related - self.unrelated), -1.0), 1.0)

    @property
    def apart(self) -> bool:
        """Whether related pairs are clearly nearer than unrelated ones."""
        return self.related - self.unrelated >= LEAST_SPREAD

    def place(self, cosine: float) -> float:
        """The place of a cosine: (cos − u) / (r − u)."""
        return (cosine - self.unrelated) / (self.related - self.unrelated)


@dataclass(frozen=True, slots=True)
class ModelScale:
    """The cosines of one embedding model.

    Attributes:
        model: The name of the embedder.
        query: Questions and messages.
        slot: Events named in a question, and messages.
        align: Summaries and the centroids of dialogues.
        support: The less supported half of a summary's sentences and the nearest messages, with `centre` removed.
        draft_gap: How much less a good written summary may align than one made of the dialogue's own sentences.
        prefixes: By number of dimensions, for models trained for it. `related`: a question and the message that is
            nearest to it with all dimensions; `unrelated`: a question and the nearest of all other messages.
        centre: The mean vector of messages.
    """

    model: str
    query: Ends
    slot: Ends
    align: Ends
    support: Ends
    draft_gap: float
    prefixes: Mapping[int, Ends] = field(default_factory=dict)
    centre: tuple[float, ...] = ()

    def to_json(self) -> str:
        """The scale as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ModelScale:
        """Read a scale that `to_json` wrote."""
        return cls._from(json.loads(text))

    @classmethod
    def _from(cls, value: Mapping[str, Any]) -> ModelScale:
        return cls(
            model=value["model"],
            query=Ends(**value["query"]),
            slot=Ends(**value["slot"]),
            align=Ends(**value["align"]),
            support=Ends(**value["support"]),
            draft_gap=value["draft_gap"],
            prefixes={int(width): Ends(**found) for width, found in value["prefixes"].items()},
            centre=tuple(value["centre"]),
        )


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Messages, a good summary of them, one made of their sentences, and questions with the answering message."""

    turns: tuple[str, ...]
    summary: str
    extract: str
    questions: tuple[tuple[int, str], ...]


def shipped_scale(model: str) -> ModelScale | None:
    """The scale that comes with the package; None for a model that has none."""
    found = _shipped().get(model)
    return ModelScale._from(found) if found else None


def derive_scale(embedder: Embedder, progress: Progress | None = None, rows: CascadeRows = CASCADE) -> ModelScale:
    """Measure a model, and the tiers that `rows` asks for, with the dialogues of the package.

    Raises EmbedError when related texts are not nearer than unrelated ones: the model cannot be used for search.
    """
    talk = _Measured(embedder, progress)
    lower = tiers_for(embedder.dimensions, bool(getattr(embedder, "matryoshka", False)), rows)[:-1]
    align, gap = talk.alignments()
    return ModelScale(
        model=embedder.name,
        query=_ends(talk.question_pairs(), "questions", embedder.name),
        slot=_ends(talk.slot_pairs(), "events", embedder.name),
        align=_ends(align, "summaries", embedder.name),
        support=_ends(talk.supports(), "sentences of summaries", embedder.name),
        draft_gap=gap,
        prefixes={width: _medians(talk.tier_pairs(width, rows.epsilon)) for width in lower},
        centre=tuple(float(value) for value in np.round(talk.centre, 5)),
    )


Pairs = tuple[list[float], list[float]]  # cosines of unrelated and of related pairs


class _Measured:
    """The dialogues as vectors of one model."""

    def __init__(self, embedder: Embedder, progress: Progress | None) -> None:
        self._embedder = embedder
        self._dialogues = dialogues()
        self._turns = []
        for done, dialogue in enumerate(self._dialogues, 1):
            self._turns.append(embedder.embed(dialogue.turns))
            if progress is not None:
                progress(done, len(self._dialogues))
        self.centre: Vectors = np.concatenate(self._turns).mean(axis=0)

    def question_pairs(self) -> Pairs:
        """Each question with the message that answers it, and with the messages of the other dialogues."""
        asked = [(i, row, self._embedder.embed_query(text)) for i, row, text in self._questions()]
        return self._pairs(asked, self._turns)

    def tier_pairs(self, width: int, epsilon: float) -> Pairs:
        """Each question in a tier: with the message that the exact search puts first, and with the best other one."""
        exact = np.concatenate(self._turns)
        short = tier_vectors(exact, width, epsilon)
        found: Pairs = ([], [])
        for _, _, text in self._questions():
            vector = self._embedder.embed_query(text)
            first = int(np.argmax(exact @ vector))
            scores = short @ tier_vectors(vector, width, epsilon)
            found[1].append(float(scores[first]))
            found[0].append(float(np.delete(scores, first).max()))
        return found

    def slot_pairs(self) -> Pairs:
        """The same with the events that a question names."""
        named = [
            (i, row, slots) for i, row, text in self._questions() if (slots := event_slots(text, TimeRows().max_slots))
        ]
        return self._pairs(
            [(i, row, vector) for i, row, slots in named for vector in self._embedder.embed(slots)], self._turns
        )

    def alignments(self) -> tuple[Pairs, float]:
        """Each summary with its own dialogue and the others, and how far good ones stay behind the extracts."""
        written = self._embedder.embed([dialogue.summary for dialogue in self._dialogues])
        extracts = self._embedder.embed([dialogue.extract for dialogue in self._dialogues])
        own = [alignment(vector, rows) for vector, rows in zip(written, self._turns, strict=True)]
        others = [
            alignment(vector, rows) for i, vector in enumerate(written) for j, rows in enumerate(self._turns) if i != j
        ]
        gaps = [alignment(vector, rows) - near for vector, rows, near in zip(extracts, self._turns, own, strict=True)]
        return (others, own), max(*gaps, 0.0)

    def supports(self) -> Pairs:
        """The support of each summary's sentences by its own dialogue and by the others."""
        written = [self._embedder.embed(sentences(dialogue.summary)) for dialogue in self._dialogues]
        found: Pairs = ([], [])
        for i, rows in enumerate(written):
            for j, turns in enumerate(self._turns):
                found[i == j].append(support(rows, turns, self.centre))
        return found

    def _questions(self) -> list[tuple[int, int, str]]:
        return [(i, row, text) for i, dialogue in enumerate(self._dialogues) for row, text in dialogue.questions]

    @staticmethod
    def _pairs(asked: Sequence[tuple[int, int, Vectors]], turns: Sequence[Vectors]) -> Pairs:
        found: Pairs = ([], [])
        for i, row, vector in asked:
            found[1].append(float(turns[i][row] @ vector))
            found[0].extend(float(value) for j, rows in enumerate(turns) if j != i for value in rows @ vector)
        return found


def _ends(pairs: Pairs, what: str, model: str) -> Ends:
    ends = _medians(pairs)
    if not ends.apart:
        raise EmbedError(
            f"{model} cannot tell related texts from unrelated ones"
            f" ({what}: {ends.related:.2f} and {ends.unrelated:.2f}).",
            "Use another model, or set search.thresholds = 'literal' to take the numbers of the settings as cosines.",
        )
    return ends


def _medians(pairs: Pairs) -> Ends:
    unrelated, related = (round(float(np.median(found)), 4) for found in pairs)
    return Ends(unrelated, related)


@cache
def dialogues() -> tuple[Dialogue, ...]:
    """The dialogues that come with the package."""
    text = files("aforesaid.embed").joinpath(DIALOGUES).read_text("utf-8")
    return tuple(_dialogue(block.splitlines()[1:]) for block in re.split(r"^== ", text, flags=re.M)[1:])


def _dialogue(lines: Sequence[str]) -> Dialogue:
    named = {line[0]: line[3:] for line in lines if line[:3] in ("S: ", "X: ")}
    asked = [found for line in lines if (found := QUESTION.fullmatch(line))]
    turns = [line for line in lines if line and line[:3] not in ("S: ", "X: ") and not QUESTION.fullmatch(line)]
    return Dialogue(tuple(turns), named["S"], named["X"], tuple((int(found[1]) - 1, found[2]) for found in asked))


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(files("aforesaid.embed").joinpath(SHIPPED).read_text("utf-8"))
    return found

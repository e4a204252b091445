"""A summary made of the sources' own sentences: deterministic, and there without any model (spec 8)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from aforesaid.compaction.summarize.base import SummaryDraft, SummarySource, Tightness
from aforesaid.compaction.summarize.phrases import dated, rendered, shortened, trimmed
from aforesaid.compaction.summarize.worth import SentenceWorth, facts_of, speaker_names, worth_of
from aforesaid.errors import AforesaidError
from aforesaid.math.domain import Floats
from aforesaid.math.preservation import centroid, cosines
from aforesaid.math.tokens import estimate_tokens
from aforesaid.math.vectors import Vectors
from aforesaid.text.analyze import terms
from aforesaid.text.sanitize import sanitised, without_fences
from aforesaid.text.sentences import sentences
from aforesaid.types import AGENT_ROLES

Embed = Callable[[Sequence[str]], Vectors | None]

MOST_SENTENCES = 96  # of which meanings are compared; of more, those with the most facts
CENTRAL = 1.0  # weight of nearness to the centroid, against one for a name nobody mentioned yet
REDUNDANT = 3.0  # taken for what a chosen sentence says already, by the square of their cosine
TOLD = 3.0  # the same for the previous summary
SAME_SOURCE = 0.3  # taken for each sentence already chosen from the same source: many turns, not one
AGENT = 0.4  # share of its worth that an agent's sentence keeps: people's facts come first
THRIFT = 0.5  # 1 takes the most worth a token, 0 the most worth a sentence
SHORT_TOKENS = 12  # shorter sentences are no cheaper: what they say hangs on what was said before
LEAST_WORTH = 0.8  # what adds less is left out even if there is room
LEAST_CHARS = 12


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of one source, with what it is worth."""

    text: str
    source: int
    role: str | None
    worth: SentenceWorth


@dataclass(slots=True)
class ExtractiveSummarizer:
    """Chooses sentences near the centroid that hold what must survive, says each thing once, and keeps their order.

    `embed` gives meanings; without it, or where it gives None, words are compared. `count` counts tokens.
    """

    embed: Embed | None = None
    count: Callable[[str], int] = estimate_tokens
    dated: bool = True  # put the date behind "yesterday", which a later reader cannot know
    name: str = field(default="extractive", init=False)

    def summarize(
        self, sources: Sequence[SummarySource], cap_tokens: int, previous: str = "", *, tightness: Tightness = "normal"
    ) -> SummaryDraft:
        """A draft of at most `cap_tokens`: half of them when aggressive, and when bounded also half of the sources.

        It is empty if the sources are; one short source is its own summary. Where not even one sentence fits, the
        most valuable is cut at a word.
        """
        ordered = sorted(sources, key=lambda source: source.time)
        clean = [without_fences(sanitised(source.text)) for source in ordered]
        room = self._room(clean, cap_tokens, tightness)
        if room < 1 or not any(text.strip() for text in clean):
            return SummaryDraft("", "extractive")
        if len(clean) == 1 and tightness == "normal" and self.count(clean[0].strip()) <= room:
            return SummaryDraft(clean[0].strip(), "extractive")
        found = self._candidates(ordered, clean)
        values = _Values(found, *self._meanings(found, clean, previous), facts_of(previous) if previous else {})
        return SummaryDraft(self._chosen(found, values, room), "extractive")

    def _room(self, texts: Sequence[str], cap: int, tightness: Tightness) -> int:
        if tightness == "normal":
            return cap
        return cap // 2 if tightness == "aggressive" else min(cap, self.count("\n".join(texts))) // 2

    def _candidates(self, sources: Sequence[SummarySource], clean: Sequence[str]) -> list[Sentence]:
        """The sentences that stand on their own, the earliest of each wording; of very many, the most telling."""
        speakers = speaker_names(source.role for source in sources)
        seen: set[str] = set()
        found: list[Sentence] = []
        for place, (source, text) in enumerate(zip(sources, clean, strict=True)):
            for raw in sentences(text):
                said = trimmed(raw, speakers)
                key = re.sub(r"\W+", " ", said.casefold()).strip()
                if key and key not in seen and (len(said) >= LEAST_CHARS or not said.isascii()):
                    seen.add(key)
                    said = dated(said, source) if self.dated else said
                    found.append(Sentence(said, place, source.role, worth_of(said, speakers)))
        if not found:  # only tiny pieces: better they than nothing
            found = [Sentence(t.strip(), i, sources[i].role, worth_of(t)) for i, t in enumerate(clean) if t.strip()]
        if len(found) <= MOST_SENTENCES:
            return found
        best = sorted(range(len(found)), key=lambda i: (-_telling(found[i].worth), i))[:MOST_SENTENCES]
        return [found[i] for i in sorted(best)]

    def _meanings(self, found: list[Sentence], clean: Sequence[str], previous: str) -> tuple[Floats, Floats, Floats]:
        """Vectors of the sentences, of the sources and of the previous summary's sentences."""
        told = sentences(previous)[:MOST_SENTENCES]
        texts = [*(each.text for each in found), *(text for text in clean if text.strip()), *told]
        rows = self._embedded(texts)
        if rows is None:
            rows = _word_vectors(texts)
        split = np.split(rows, [len(found), len(texts) - len(told)])
        return split[0], split[1], split[2]

    def _embedded(self, texts: list[str]) -> Floats | None:
        try:
            rows = self.embed(texts) if self.embed else None
        except AforesaidError:  # a summary by words is better than none
            return None
        return None if rows is None or len(rows) != len(texts) else np.asarray(rows, dtype=np.float64)

    def _chosen(self, found: list[Sentence], values: _Values, room: int) -> str:
        """Greedy: what adds most for its length, as long as it fits and adds something."""
        costs = np.array([max(self.count(each.text), SHORT_TOKENS) for each in found], dtype=np.float64) ** THRIFT
        taken: list[int] = []
        open_places = list(range(len(found)))
        while open_places:
            gains = {place: values.gain(place) for place in open_places}
            best = max(open_places, key=lambda place: (gains[place] / costs[place], -place))
            if taken and gains[best] < LEAST_WORTH:
                break
            open_places.remove(best)
            if self.count(_written(found, [*taken, best])) <= room:
                taken.append(best)
                values.take(best)
        if taken:
            return _written(found, taken)
        best = max(range(len(found)), key=lambda place: (values.gain(place), -place))
        return shortened(found[best].text, room, self.count)


class _Values:
    """What each sentence would add to those already chosen."""

    def __init__(
        self, found: list[Sentence], vectors: Floats, sources: Floats, told: Floats, told_facts: dict[str, float]
    ) -> None:
        self._found = found
        self._alike = _beyond(vectors @ vectors.T)
        near = cosines(centroid(sources), vectors)
        spread = float(near.max() - near.min())
        central = (near - near.min()) / spread if spread > 0 else np.zeros(len(near))
        known = _beyond(vectors @ told.T).max(axis=1) if len(told) else np.zeros(len(found))
        self._fixed = CENTRAL * central - TOLD * known
        self._nearest = np.zeros(len(found))
        self._covered = set(told_facts)
        self._from: dict[int, int] = {}

    def gain(self, place: int) -> float:
        """The worth of a sentence beside the chosen ones."""
        each = self._found[place]
        worth = each.worth.wording + sum(
            weight for fact, weight in each.worth.facts.items() if fact not in self._covered
        )
        if (each.role or "").lower() in AGENT_ROLES and worth > 0:
            worth *= AGENT
        again = float(self._nearest[place])
        same = SAME_SOURCE * self._from.get(each.source, 0)
        return worth + float(self._fixed[place]) - REDUNDANT * again - same

    def take(self, place: int) -> None:
        """Count a sentence as chosen."""
        each = self._found[place]
        self._covered |= each.worth.facts.keys()
        self._nearest = np.maximum(self._nearest, self._alike[place])
        self._from[each.source] = self._from.get(each.source, 0) + 1


def _beyond(likeness: Floats) -> Floats:
    """How far two texts are more alike than any two texts here: (cos − median) / (1 − median), at least 0, squared.

    Sentences of one conversation are alike in some embedding spaces before they say the same.
    """
    usual = min(max(float(np.median(likeness)), 0.0), 0.99)
    return np.asarray(np.clip((likeness - usual) / (1 - usual), 0.0, 1.0) ** 2)


def _telling(worth: SentenceWorth) -> float:
    return worth.wording + sum(worth.facts.values())


def _written(found: list[Sentence], places: list[int]) -> str:
    return rendered((found[place].role, found[place].text) for place in sorted(places))


def _word_vectors(texts: Sequence[str]) -> Floats:
    """Unit rows of log-scaled term frequencies over the terms of these texts."""
    counts = [Counter(terms(text)) for text in texts]
    place = {term: number for number, term in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
    rows = np.zeros((len(texts), max(len(place), 1)))
    for row, found in zip(rows, counts, strict=True):
        for term, times in found.items():
            row[place[term]] = 1 + math.log(times)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1.0, lengths))

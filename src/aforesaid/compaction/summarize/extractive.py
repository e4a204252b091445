"""Extractive summaries: chosen sentences of the sources. Deterministic and without a model (spec 8)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from aforesaid.compaction.summarize import SummaryDraft, SummarySource, Tightness
from aforesaid.compaction.summarize.phrases import render, shorten, with_dates, without_fillers
from aforesaid.compaction.summarize.sentence_score import SentenceScore, facts_of, score_sentence, speaker_names
from aforesaid.math.domain import Floats
from aforesaid.math.summaries import centroid, cosines
from aforesaid.math.tokens import estimate_tokens
from aforesaid.math.vectors import Vectors
from aforesaid.text.analyze import terms
from aforesaid.text.sanitize import sanitised, without_fences
from aforesaid.text.sentences import sentences
from aforesaid.types import AGENT_ROLES

Embed = Callable[[Sequence[str]], Vectors | None]

MAX_SENTENCES = 96  # to compare; if there are more, those with the highest scores
CENTRAL = 1.0  # weight of similarity to the centroid; a new name weighs 1
REDUNDANT = 3.0  # penalty for repeating a chosen sentence, by the square of their cosine
KNOWN = 3.0  # penalty for repeating the previous summary
SAME_SOURCE = 0.3  # penalty for each chosen sentence of the same source, to cover many turns
AGENT = 0.4  # factor for sentences of an agent: facts from people come first
THRIFT = 0.5  # 1 maximises the score per token, 0 the score per sentence
SHORT_TOKENS = 12  # shorter sentences count as this long: they need their context
MIN_GAIN = 0.8  # sentences that add less are left out even if there is room
MIN_CHARS = 12


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source, with its score."""

    text: str
    source: int
    role: str | None
    score: SentenceScore


@dataclass(slots=True)
class ExtractiveSummarizer:
    """Chooses sentences with many facts near the centroid, without repetition, in their order.

    Compares sentences by `embed`; without it, or when it returns None, by words. `count` counts tokens.
    """

    embed: Embed | None = None
    count: Callable[[str], int] = estimate_tokens
    dated: bool = True  # add the date after words like "yesterday"
    name: str = field(default="extractive", init=False)

    def summarize(
        self, sources: Sequence[SummarySource], cap_tokens: int, previous: str = "", *, tightness: Tightness = "normal"
    ) -> SummaryDraft:
        """A draft of at most `cap_tokens`; half of that when aggressive, and at most half of the sources when bounded.

        A single short source is its own summary. If no sentence fits, the best one is shortened.
        """
        ordered = sorted(sources, key=lambda source: source.time)
        clean = [without_fences(sanitised(source.text)) for source in ordered]
        room = self._room(clean, cap_tokens, tightness)
        if room < 1 or not any(text.strip() for text in clean):
            return SummaryDraft("", "extractive")
        if len(clean) == 1 and tightness == "normal" and self.count(clean[0].strip()) <= room:
            return SummaryDraft(clean[0].strip(), "extractive")
        found = self._candidates(ordered, clean)
        values = _Values(found, *self._vectors(found, clean, previous), facts_of(previous) if previous else {})
        return SummaryDraft(self._choose(found, values, room), "extractive")

    def _room(self, texts: Sequence[str], cap: int, tightness: Tightness) -> int:
        if tightness == "normal":
            return cap
        return cap // 2 if tightness == "aggressive" else min(cap, self.count("\n".join(texts))) // 2

    def _candidates(self, sources: Sequence[SummarySource], clean: Sequence[str]) -> list[Sentence]:
        """The sentences of all sources without duplicates; if there are too many, the best ones."""
        speakers = speaker_names(source.role for source in sources)
        seen: set[str] = set()
        found: list[Sentence] = []
        for i, (source, source_text) in enumerate(zip(sources, clean, strict=True)):
            for raw in sentences(source_text):
                text = without_fillers(raw, speakers)
                key = re.sub(r"\W+", " ", text.casefold()).strip()
                if key and key not in seen and (len(text) >= MIN_CHARS or not text.isascii()):
                    seen.add(key)
                    text = with_dates(text, source) if self.dated else text
                    found.append(Sentence(text, i, source.role, score_sentence(text, speakers)))
        if not found:  # only very short sentences
            found = [
                Sentence(t.strip(), i, sources[i].role, score_sentence(t)) for i, t in enumerate(clean) if t.strip()
            ]
        if len(found) <= MAX_SENTENCES:
            return found
        best = sorted(range(len(found)), key=lambda i: (-_total(found[i].score), i))[:MAX_SENTENCES]
        return [found[i] for i in sorted(best)]

    def _vectors(self, found: list[Sentence], clean: Sequence[str], previous: str) -> tuple[Floats, Floats, Floats]:
        """Vectors of the sentences, of the sources and of the previous summary's sentences."""
        known = sentences(previous)[:MAX_SENTENCES]
        texts = [*(each.text for each in found), *(text for text in clean if text.strip()), *known]
        embedded = self.embed(texts) if self.embed else None
        rows = _word_vectors(texts) if embedded is None else np.asarray(embedded, dtype=np.float64)
        split = np.split(rows, [len(found), len(texts) - len(known)])
        return split[0], split[1], split[2]

    def _choose(self, found: list[Sentence], values: _Values, room: int) -> str:
        """Greedily add the sentence with the best score for its length, as long as it fits and adds enough."""
        costs = np.array([max(self.count(each.text), SHORT_TOKENS) for each in found], dtype=np.float64) ** THRIFT
        taken: list[int] = []
        remaining = list(range(len(found)))
        while remaining:
            gains = {i: values.gain(i) for i in remaining}
            best = max(remaining, key=lambda i: (gains[i] / costs[i], -i))
            if taken and gains[best] < MIN_GAIN:
                break
            remaining.remove(best)
            if self.count(_text(found, [*taken, best])) <= room:
                taken.append(best)
                values.take(best)
        if taken:
            return _text(found, taken)
        best = max(range(len(found)), key=lambda i: (values.gain(i), -i))
        return shorten(found[best].text, room, self.count)


class _Values:
    """Computes what each sentence adds to those already chosen."""

    def __init__(
        self, found: list[Sentence], vectors: Floats, sources: Floats, known: Floats, known_facts: dict[str, float]
    ) -> None:
        self._found = found
        self._similar = _above_usual(vectors @ vectors.T)
        nearness = cosines(centroid(sources), vectors)
        spread = float(nearness.max() - nearness.min())
        central = (nearness - nearness.min()) / spread if spread > 0 else np.zeros(len(nearness))
        repeated = _above_usual(vectors @ known.T).max(axis=1) if len(known) else np.zeros(len(found))
        self._fixed = CENTRAL * central - KNOWN * repeated
        self._nearest = np.zeros(len(found))
        self._covered = set(known_facts)
        self._per_source: Counter[int] = Counter()

    def gain(self, place: int) -> float:
        """The score of a sentence next to the chosen ones."""
        each = self._found[place]
        facts = sum(weight for fact, weight in each.score.facts.items() if fact not in self._covered)
        score = each.score.wording + facts
        if (each.role or "").lower() in AGENT_ROLES and score > 0:
            score *= AGENT
        penalty = REDUNDANT * float(self._nearest[place]) + SAME_SOURCE * self._per_source[each.source]
        return score + float(self._fixed[place]) - penalty

    def take(self, place: int) -> None:
        """Count a sentence as chosen."""
        each = self._found[place]
        self._covered |= each.score.facts.keys()
        self._nearest = np.maximum(self._nearest, self._similar[place])
        self._per_source[each.source] += 1


def _above_usual(similarity: Floats) -> Floats:
    """How much more similar two texts are than usual here: (cos − median) / (1 − median), at least 0, squared.

    In some embedding spaces all sentences of one conversation are similar, even if they say different things.
    """
    usual = min(max(float(np.median(similarity)), 0.0), 0.99)
    return np.asarray(np.clip((similarity - usual) / (1 - usual), 0.0, 1.0) ** 2)


def _total(score: SentenceScore) -> float:
    return score.wording + sum(score.facts.values())


def _text(found: list[Sentence], places: list[int]) -> str:
    return render((found[place].role, found[place].text) for place in sorted(places))


def _word_vectors(texts: Sequence[str]) -> Floats:
    """Unit vectors of log-scaled term frequencies."""
    counts = [Counter(terms(text)) for text in texts]
    columns = {term: number for number, term in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
    rows = np.zeros((len(texts), max(len(columns), 1)))
    for row, found in zip(rows, counts, strict=True):
        for term, times in found.items():
            row[columns[term]] = 1 + math.log(times)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1.0, lengths))

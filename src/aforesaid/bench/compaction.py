"""What summaries keep of real conversations, and what they cost.

Every session of a conversation is compacted as a whole. For each turn that a question asks about, we look for its
names, numbers and dates in the summary that covers it, and in what `expand` returns. The baseline is random sentences
of the same turns with the same length. The cost is measured on generated sessions of growing length.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aforesaid.bench.measuring import USER, Figures, generated_turns, mean, seconds, temporary_memory
from aforesaid.bench.quality.types import BenchQuestion, Dataset
from aforesaid.embed.base import Embedder
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.math.tokens import estimate_tokens
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.text.analyze import query_terms
from aforesaid.text.extract.dates import time_expressions
from aforesaid.text.sentences import sentences
from aforesaid.types import Progress, Record

NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'-]+")  # a capital letter not at the start of a sentence
NUMBER = re.compile(r"\d+")
PRONOUNS = {"i", "i'm", "i've", "i'll", "i'd"}
KINDS = ("names", "numbers", "dates")


def facts_of(text: str) -> dict[str, set[str]]:
    """The names, numbers and dates of a text, by simple patterns that do not depend on the summariser's."""
    names = {match.group().lower() for match in NAME.finditer(text)} - PRONOUNS
    dates = {found.text.lower() for found in time_expressions(text)}
    return dict(zip(KINDS, (names, set(NUMBER.findall(text)), dates), strict=True))


def measure(
    dataset: Dataset, embedder: Embedder | None, settings: Settings, progress: Progress | None = None
) -> Figures:
    """Compact every conversation: means over summaries, and shares of the facts in turns with evidence."""
    reports = []
    wanted: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for done, corpus in enumerate(dataset.corpora.values(), 1):
        asked = [question for question in dataset.questions if question.corpus == corpus.name]
        with temporary_memory(embedder, settings) as memory:
            memory.ingest(corpus.turns, user=USER)
            names = dict.fromkeys(turn.session for turn in corpus.turns)
            reports += [memory.sessions.compact(name, user=USER) for name in names]
            for summary, turns in _summaries(memory):
                for figure, facts, found in _checks(summary, turns, asked):
                    wanted[figure] += len(facts)
                    kept[figure] += len(found)
        if progress is not None:
            progress(done, len(dataset.corpora))

    def share(*figures: str) -> float:
        total = sum(wanted[figure] for figure in figures)
        return sum(kept[figure] for figure in figures) / total if total else 1.0

    made = [summary for report in reports for summary in report.summaries]
    before, after = sum(each.tokens_before for each in made), sum(each.tokens_after for each in made)
    return {
        "name": dataset.name,
        "turns": sum(corpus.size for corpus in dataset.corpora.values()),
        "summaries": len(made),
        "declined": sum(report.declined for report in reports),
        "tokens_before": before,
        "tokens_after": after,
        "compression": after / max(before, 1),
        "align": mean([each.align or 0.0 for each in made]),
        "cover": mean([each.cover or 0.0 for each in made]),
        "confidence": mean([each.confidence for each in made]),
        "facts": sum(wanted[kind] for kind in KINDS),
        "facts_kept": share(*KINDS),
        **{f"{kind}_kept": share(kind) for kind in KINDS},
        "facts_kept_at_random": share("at_random"),
        "facts_reached_by_expand": share("expanded"),
        "answer_words": wanted["answers"],
        "answer_words_kept": share("answers"),
    }


def _summaries(memory: Memory) -> Iterator[tuple[Record, list[Record]]]:
    """The summaries of raw turns, with what `expand` returns."""
    for summary in memory.list(user=USER, kinds=["summary"], limit=1_000_000):
        if not any(source.kind == "summary" for source in memory.store.get(summary.provenance.sources)):  # type: ignore[union-attr]
            yield summary, memory.sessions.expand(summary.id, user=USER, session=summary.session)


def _checks(
    summary: Record, turns: Sequence[Record], asked: Sequence[BenchQuestion]
) -> Iterator[tuple[str, set[str], set[str]]]:
    """For each figure: the facts of the turns with evidence, and those of them that the text kept."""
    evidence = {turn for question in asked for turn in question.evidence_turns}
    expanded = "\n".join(turn.text for turn in turns)
    at_random = _random_sentences(turns, estimate_tokens(summary.text))
    for turn in turns:
        if turn.id in evidence:
            for kind, facts in facts_of(turn.text).items():
                for figure, text in ((kind, summary.text), ("at_random", at_random), ("expanded", expanded)):
                    yield figure, facts, {fact for fact in facts if fact in text.lower()}
    for question in asked:
        stated = {term for turn in turns if turn.id in question.evidence_turns for term in query_terms(turn.text)}
        words = set(query_terms(question.answer)) & stated
        yield "answers", words, words & set(query_terms(summary.text))


def _random_sentences(turns: Sequence[Record], tokens: int) -> str:
    """Random sentences of the turns, as long as the summary."""
    found = [sentence for turn in turns for sentence in sentences(turn.text)]
    random.Random(turns[0].key).shuffle(found)
    taken: list[str] = []
    for sentence in found:
        if estimate_tokens("\n".join([*taken, sentence])) <= tokens:
            taken.append(sentence)
    return "\n".join(taken)


def measure_growth(sizes: Sequence[int]) -> list[Figures]:
    """The time for sessions of growing length, with the hashing embedder; linear if `ms_a_turn` is constant."""
    rows = []
    for size in sizes:
        with temporary_memory(HashEmbedder(), without_tail(Settings())) as memory:
            memory.ingest((replace(turn, session="long", role="user") for turn in generated_turns(size)), user=USER)
            taken = seconds(lambda: memory.sessions.compact("long", user=USER))
        rows.append({"turns": size, "seconds": taken, "ms_a_turn": 1000 * taken / size})
    return rows


def without_tail(settings: Settings) -> Settings:
    """The same settings without a recent tail, so that a whole session is compacted."""
    return replace(settings, assemble=replace(settings.assemble, tail_turns=0, tail=0.0))

"""What summaries keep of real conversations, and what they cost.

Every session of a conversation is compacted as a whole. For each turn that a question asks about, we look for its
names, numbers and dates in the summary that covers it, and in what `expand` returns. The baseline is random sentences
of the same turns with the same length. The cost is measured on generated sessions of growing length.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from aforesaid.bench.measuring import USER, generated_turns, mean, seconds, temporary_memory
from aforesaid.bench.quality.types import BenchQuestion, Corpus, Dataset
from aforesaid.compaction.compact import Summarised
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
GROWTH = (500, 1000, 2000, 4000)


@dataclass(frozen=True, slots=True)
class FactsKept:
    """How many facts there were, and how many a summary kept."""

    facts: int = 0
    kept: int = 0

    def __add__(self, other: FactsKept) -> FactsKept:
        return FactsKept(self.facts + other.facts, self.kept + other.kept)

    @property
    def share(self) -> float:
        """The share kept, from 0 to 1; 1 when there were no facts."""
        return self.kept / self.facts if self.facts else 1.0


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """Means over summaries, and counts of the facts in turns with evidence."""

    name: str
    turns: int
    summaries: int
    declined: int
    tokens_before: int
    tokens_after: int
    align: float
    cover: float
    confidence: float
    kinds: Mapping[str, FactsKept]
    at_random: FactsKept
    answers: FactsKept
    expanded: FactsKept

    @property
    def facts(self) -> FactsKept:
        """Names, numbers and dates together."""
        return sum(self.kinds.values(), FactsKept())

    @property
    def compression(self) -> float:
        """Tokens of a summary for each token of its turns."""
        return self.tokens_after / max(self.tokens_before, 1)


@dataclass(frozen=True, slots=True)
class Growth:
    """How long it took to compact a session of this many turns."""

    turns: int
    seconds: float

    @property
    def ms_a_turn(self) -> float:
        """Milliseconds a turn; constant when the cost is linear."""
        return 1000 * self.seconds / self.turns


def facts_of(text: str) -> dict[str, set[str]]:
    """The names, numbers and dates of a text, by simple patterns that do not depend on the summariser's."""
    return {
        "names": {match.group().lower() for match in NAME.finditer(text)} - {"i", "i'm", "i've", "i'll", "i'd"},
        "numbers": set(NUMBER.findall(text)),
        "dates": {found.text.lower() for found in time_expressions(text)},
    }


def kept_in(text: str, facts: set[str]) -> FactsKept:
    """How many of the facts a text contains."""
    lower = text.lower()
    return FactsKept(len(facts), sum(fact in lower for fact in facts))


def measure(
    dataset: Dataset, embedder: Embedder | None, settings: Settings, progress: Progress | None = None
) -> CompactionReport:
    """Compact every conversation and examine each summary."""
    parts = []
    for done, corpus in enumerate(dataset.corpora.values(), 1):
        asked = [question for question in dataset.questions if question.corpus == corpus.name]
        with temporary_memory(embedder, settings) as memory:
            parts.append(_conversation(memory, corpus, asked))
        if progress is not None:
            progress(done, len(dataset.corpora))
    return _report(dataset.name, parts)


@dataclass(frozen=True, slots=True)
class _Part:
    made: list[Summarised]
    declined: int
    turns: int
    kinds: dict[str, FactsKept]
    at_random: FactsKept
    answers: FactsKept
    expanded: FactsKept


def _conversation(memory: Memory, corpus: Corpus, asked: Sequence[BenchQuestion]) -> _Part:
    memory.ingest(corpus.turns, user=USER)
    reports = [
        memory.sessions.compact(name, user=USER) for name in dict.fromkeys(turn.session for turn in corpus.turns)
    ]
    evidence = {turn for question in asked for turn in question.evidence_turns}
    kinds = {kind: FactsKept() for kind in facts_of("")}
    at_random, answers, expanded = FactsKept(), FactsKept(), FactsKept()
    for summary, turns in _summaries(memory):
        whole = "\n".join(turn.text for turn in turns)
        drawn = _at_random(turns, estimate_tokens(summary.text))
        for turn in turns:
            if turn.id in evidence:
                for kind, facts in facts_of(turn.text).items():
                    kinds[kind] += kept_in(summary.text, facts)
                    at_random += kept_in(drawn, facts)
                    expanded += kept_in(whole, facts)
        answers += sum((_answer(question, summary, turns) for question in asked), FactsKept())
    made = [each for report in reports for each in report.summaries]
    declined = sum(report.declined for report in reports)
    return _Part(made, declined, corpus.size, kinds, at_random, answers, expanded)


def _summaries(memory: Memory) -> Iterator[tuple[Record, list[Record]]]:
    """The summaries of raw turns, with what `expand` returns."""
    for summary in memory.list(user=USER, kinds=["summary"], limit=1_000_000):
        if not any(source.kind == "summary" for source in memory.store.get(summary.provenance.sources)):  # type: ignore[union-attr]
            yield summary, memory.sessions.expand(summary.id, user=USER, session=summary.session)


def _answer(question: BenchQuestion, summary: Record, turns: Sequence[Record]) -> FactsKept:
    """The words of an answer that occur in its turns, and how many of them the summary keeps."""
    stated = {term for turn in turns if turn.id in question.evidence_turns for term in query_terms(turn.text)}
    wanted = set(query_terms(question.answer)) & stated
    return FactsKept(len(wanted), len(wanted & set(query_terms(summary.text))))


def _at_random(turns: Sequence[Record], tokens: int) -> str:
    """Random sentences of the turns, as long as the summary."""
    found = [sentence for turn in turns for sentence in sentences(turn.text)]
    random.Random(turns[0].key).shuffle(found)
    taken: list[str] = []
    for sentence in found:
        if estimate_tokens("\n".join([*taken, sentence])) <= tokens:
            taken.append(sentence)
    return "\n".join(taken)


def _report(name: str, parts: Sequence[_Part]) -> CompactionReport:
    made = [each for part in parts for each in part.made]
    return CompactionReport(
        name,
        sum(part.turns for part in parts),
        len(made),
        sum(part.declined for part in parts),
        sum(each.tokens_before for each in made),
        sum(each.tokens_after for each in made),
        mean([each.align or 0.0 for each in made]),
        mean([each.cover or 0.0 for each in made]),
        mean([each.confidence for each in made]),
        {kind: sum((part.kinds[kind] for part in parts), FactsKept()) for kind in facts_of("")},
        sum((part.at_random for part in parts), FactsKept()),
        sum((part.answers for part in parts), FactsKept()),
        sum((part.expanded for part in parts), FactsKept()),
    )


def measure_growth(sizes: Sequence[int] = GROWTH) -> list[Growth]:
    """The time for sessions of growing length, with the hashing embedder."""
    rows = []
    for size in sizes:
        with temporary_memory(HashEmbedder(), whole_settings(Settings())) as memory:
            memory.ingest((replace(turn, session="long", role="user") for turn in generated_turns(size)), user=USER)
            rows.append(Growth(size, seconds(lambda: memory.sessions.compact("long", user=USER))))
    return rows


def whole_settings(settings: Settings) -> Settings:
    """The same settings without a recent tail, so that a whole session is compacted."""
    return replace(settings, assemble=replace(settings.assemble, tail_turns=0, tail=0.0))


def figures(report: CompactionReport, growth: Sequence[Growth]) -> dict[str, Any]:
    """The figures as JSON."""
    shares = {f"{kind}_kept": kept.share for kind, kept in report.kinds.items()}
    shares |= {"facts_kept": report.facts.share, "facts_kept_at_random": report.at_random.share}
    shares |= {"answer_words_kept": report.answers.share, "facts_reached_by_expand": report.expanded.share}
    rows = [asdict(row) | {"ms_a_turn": row.ms_a_turn} for row in growth]
    return asdict(report) | {"compression": report.compression, **shares, "growth": rows}


def table(report: CompactionReport) -> str:
    """The figures as text."""
    shares = ", ".join(f"{kind} {kept.share:.2f} of {kept.facts}" for kind, kept in report.kinds.items())
    declined = f", {report.declined} declined" if report.declined else ""
    return "\n".join(
        (
            f"{report.name}: {report.turns:,} turns, {report.summaries} summaries{declined}",
            f"tokens      {report.tokens_before:,} → {report.tokens_after:,} (compression {report.compression:.2f})",
            f"alignment   {report.align:.3f}   coverage {report.cover:.3f}   confidence {report.confidence:.3f}",
            f"of turns with evidence, kept in the summary: {report.facts.share:.2f} of {report.facts.facts} facts "
            f"({shares})",
            f"    sentences at random, as long: {report.at_random.share:.2f}",
            f"    words of answers: {report.answers.share:.2f} of {report.answers.facts}",
            f"    reached by `expand`: {report.expanded.share:.2f}",
        )
    )


def growth_table(rows: Sequence[Growth]) -> str:
    """The growth as text, and how much more a turn costs than in the shortest session."""
    lines = ["turns of a session   seconds   ms a turn   ÷ shortest"]
    lines += [
        f"{row.turns:>18,} {row.seconds:>9.2f} {row.ms_a_turn:>11.2f} {row.ms_a_turn / rows[0].ms_a_turn:>12.2f}"
        for row in rows
    ]
    return "\n".join(lines)

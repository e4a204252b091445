"""Snippets of notes in a prompt: how many, and which ones first (spec 10, O1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aforesaid.retrieval.ranking.file_tiers import TIER, TIERS, Tier
from aforesaid.settings import Settings
from aforesaid.settings.rows import OpenclawRows
from aforesaid.types import Hit, Record


@dataclass(frozen=True, slots=True)
class SnippetBudget:
    """How many snippets a prompt may still take, and how many tokens of them."""

    snippets: int
    tokens: int

    def fits(self, tokens: int) -> bool:
        """Whether one more snippet of this size may go in."""
        return self.snippets > 0 and tokens <= self.tokens

    def less(self, tokens: int) -> SnippetBudget:
        """What is left after a snippet of this size."""
        return SnippetBudget(self.snippets - 1, self.tokens - tokens)


def is_snippet(record: Record) -> bool:
    """Whether a record is a piece of a note."""
    return record.kind == "chunk"


def tier_of_snippet(record: Record) -> Tier:
    """The tier of a snippet's note."""
    tier: Tier = record.meta.get(TIER, "note")
    return tier


def by_tier(hits: Sequence[Hit], rows: OpenclawRows) -> list[Hit]:
    """Snippets in the order of the `openclaw` policy: topics, curated memory, plain notes, logs (spec O1).

    The tier decides between snippets that score at least `openclaw.threshold`. The rest follows by score, so that no
    weak topic comes before a good log.
    """

    def place(hit: Hit) -> tuple[int, float, int, str]:
        tier = TIERS.index(tier_of_snippet(hit.record))
        return tier if hit.score >= rows.threshold else len(TIERS), -hit.score, tier, hit.record.key

    return sorted(hits, key=place)


def by_boosted_score(hits: Sequence[Hit], rows: OpenclawRows) -> list[Hit]:
    """Snippets by score with the boosts for topics and curated memory, so that the tier decides between near scores."""
    boosts = {"topic": rows.boost_topic, "curated": rows.boost_curated}

    def place(hit: Hit) -> tuple[float, str]:
        return -(hit.score + boosts.get(tier_of_snippet(hit.record), 0.0)), hit.record.key

    return sorted(hits, key=place)


def order_snippets(
    hits: Sequence[Hit], profile: str, settings: Settings, count_tokens: Callable[[str], int]
) -> Sequence[Hit]:
    """The hits of a profile with their snippets in the order in which a prompt takes them; the rest keeps its places.

    `openclaw` goes by tier. `default` looks at tiers only if there are more snippets than a prompt may have.
    """
    snippets = [hit for hit in hits if is_snippet(hit.record)]
    if profile == "openclaw":
        ordered = iter(by_tier(snippets, settings.openclaw))
    elif profile == "default" and _too_many(snippets, snippet_budget(settings), count_tokens):
        ordered = iter(by_boosted_score(snippets, settings.openclaw))
    else:
        return hits
    return [next(ordered) if is_snippet(hit.record) else hit for hit in hits]


def snippet_budget(settings: Settings) -> SnippetBudget:
    """What notes may have of a prompt."""
    return SnippetBudget(settings.files.max_snippets, settings.files.max_tokens)


def _too_many(snippets: Sequence[Hit], most: SnippetBudget, count_tokens: Callable[[str], int]) -> bool:
    return len(snippets) > most.snippets or sum(count_tokens(hit.record.text) for hit in snippets) > most.tokens

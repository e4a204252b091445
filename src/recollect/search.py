"""Query → hits: filter → analyse → candidates → fuse → select → explain. The filter works inside the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.engine import Engine
from recollect.errors import InputError
from recollect.math.fusion import convex, relative, stretched
from recollect.math.vectors import Vectors
from recollect.text.analyze import query_terms
from recollect.types import Filter, Hit, Record, SearchResult, check_choice, storable

PROFILES = ("default",)
SECONDS_A_DAY = 86_400
MAX_QUERY_CHARS = 20_000  # more than any question; a pasted file is searched by its beginning


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of the order the caller wants."""

    limit: int
    offset: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1 or self.offset < 0:
            raise InputError(
                f"limit {self.limit}, offset {self.offset}: no such page.", "Use limit ≥ 1 and offset ≥ 0."
            )

    @property
    def end(self) -> int:
        return self.limit + self.offset


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the two arms found, in order of discovery; a record that an arm did not reach has None there."""

    keys: list[str]
    bm25: list[float | None]
    cosines: list[float | None]


def search(
    engine: Engine, query: str, where: Filter, page: Page, now: datetime, profile: str = "default"
) -> SearchResult:
    """The best records for a query under a filter, each with its parts and its reason."""
    check_choice(profile, PROFILES, "profile")
    query = _checked(query)
    vector = engine.arm.embed_query(query)
    candidates = _candidates(engine, query, vector, where, page)
    weighed = _weighed(candidates, engine.settings.search.alpha if vector is not None else 0.0)
    order = sorted(range(len(candidates.keys)), key=lambda i: (-weighed.scores[i], candidates.keys[i]))
    chosen = {candidates.keys[i]: _parts(candidates, weighed, i) for i in order[page.offset : page.end]}
    hits = tuple(_explained(record, chosen[record.key], now) for record in engine.store.get(list(chosen)))
    return SearchResult(hits, engine.freshness(where), query, profile)


def _checked(query: str) -> str:
    if not isinstance(query, str) or not query.strip():
        raise InputError(f"The query is empty: {query!r}.", "Ask for something, or use `list` to see everything.")
    return storable(query.strip()[:MAX_QUERY_CHARS])


def _candidates(engine: Engine, query: str, vector: Vectors | None, where: Filter, page: Page) -> Candidates:
    """Both arms, each wider than the page; a record found by words alone gets its true cosine too."""
    rows, store = engine.settings.search, engine.store
    found = store.text_search(query_terms(query), where, max(rows.min_candidates, rows.text_factor * page.end))
    bm25 = {item.key: item.score for item in found}
    cosines: dict[str, float] = {}
    if vector is not None:
        near = store.vector_search(vector, where, max(rows.min_candidates, rows.vector_factor * page.end))
        cosines = {item.key: item.score for item in near}
        missing = store.vectors([key for key in bm25 if key not in cosines])
        cosines |= {key: float(row @ vector) for key, row in missing.items()}
    keys = list(dict.fromkeys([*bm25, *cosines]))
    return Candidates(keys, [bm25.get(key) for key in keys], [cosines.get(key) for key in keys])


@dataclass(frozen=True, slots=True)
class Weighed:
    """Each candidate's score and the two sides it is made of: score = α·meaning + (1 − α)·words."""

    alpha: float
    meaning: list[float]
    words: list[float]
    scores: list[float]


def _weighed(candidates: Candidates, alpha: float) -> Weighed:
    """Words against the best of the query, cosines stretched over the candidates; without a vector, the farthest."""
    words = relative([value or 0.0 for value in candidates.bm25])
    far = min((value for value in candidates.cosines if value is not None), default=0.0)
    meaning = stretched([far if value is None else value for value in candidates.cosines])
    return Weighed(alpha, meaning.tolist(), words.tolist(), convex(meaning, words, alpha).tolist())


def _parts(candidates: Candidates, weighed: Weighed, i: int) -> dict[str, float]:
    """All that went into one candidate's score."""
    parts = {"score": weighed.scores[i], "alpha": weighed.alpha}
    parts |= {"meaning": weighed.meaning[i], "words": weighed.words[i]}
    bm25, cosine = candidates.bm25[i], candidates.cosines[i]
    if bm25 is not None:
        parts |= {"bm25": bm25, "text_rank": float(i + 1)}  # text hits come first among the candidates, in their order
    if cosine is not None:
        parts["cos"] = cosine
    return parts


def _explained(record: Record, parts: dict[str, float], now: datetime) -> Hit:
    days = max((now - record.time).total_seconds(), 0.0) / SECONDS_A_DAY
    reasons = [f"fts=rank:{parts['text_rank']:.0f}"] if "text_rank" in parts else []
    reasons += [f"cos={parts['cos']:.2f}"] if "cos" in parts else []
    reasons += [f"age={days:.0f}d", *(["durable=yes"] if record.durable else [])]
    score = parts["score"]
    rest = {name: value for name, value in parts.items() if name != "score"}
    return Hit(record, score, rest | {"age_days": days}, "; ".join(reasons))

"""Every setting as one row: name, default, range, help. One class per group. `docs/settings.md` is made from here."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

LN2_IN_30_DAYS = math.log(2) / (30 * 86_400)  # per second: a half-life of 30 days


def number(default: float, low: float, high: float, text: str) -> Any:
    """A setting that is a real number in [low, high]."""
    return field(default=float(default), metadata={"low": low, "high": high, "help": text})


def whole(default: int, low: int, high: int, text: str) -> Any:
    """A setting that is a whole number in [low, high]."""
    return field(default=default, metadata={"low": low, "high": high, "help": text})


def choice(default: str, choices: tuple[str, ...], text: str) -> Any:
    """A setting that is one of a few words."""
    return field(default=default, metadata={"choices": choices, "help": text})


def free(default: str | bool, text: str) -> Any:
    """A setting that is any text, or on or off."""
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True)
class StoreRows:
    """The SQLite file and the vector index."""

    lock_timeout_ms: int = whole(30_000, 1, 3_600_000, "how long a write waits for the lock of another process")
    synchronous: str = choice("full", ("full", "normal"), "full: every confirmed write survives a power loss")
    private: bool = free(True, "take the permissions of other users away from the store's files")
    frozen_log_mb: int = whole(1024, 1, 1_000_000, "growth of the log that ends an export or another long read")
    key_file: str = free("", "file of the key for digests of secrets and the audit log (empty: beside the store)")
    segment_rows: int = whole(2048, 16, 65_536, "vectors stored in one block of the file")
    vector_cache_mb: int = whole(512, 0, 1_000_000, "memory for cached vector blocks, per process")
    sketch_from: int = whole(200_000, 0, 1_000_000_000, "from this many records on, search binary sketches first")
    sketch_survivors: int = whole(2000, 10, 1_000_000, "least sketch candidates to compare exactly")
    sketch_share: float = number(0.02, 0, 1, "share of the records to compare exactly, if that is more")


@dataclass(frozen=True, slots=True)
class EmbedRows:
    """The embedding model."""

    provider: str = choice("local", ("local", "openai", "ollama", "hash", "off"), "the embedder that Memory.open uses")
    model: str = free("", "model name for a service, or a folder with weights for local (empty: the default model)")
    dimensions: int = whole(0, 0, 16_384, "vector length of a service (0: use what it sends)")
    batch: int = whole(64, 1, 2048, "texts sent to a service in one request")
    timeout_ms: int = whole(30_000, 1, 600_000, "how long a request to a service may take")
    retries: int = whole(3, 0, 20, "retries after a temporary failure of a service")
    max_tokens: int = whole(256, 8, 8192, "tokens of a text that the local model reads; keyword search reads all of it")
    passages: int = whole(12, 0, 100, "sentences of a user message that get their own vector (0: none)")
    threads: int = whole(0, 0, 256, "texts that the local model embeds in parallel (0: one per core)")
    cache_texts: int = whole(4096, 0, 10_000_000, "recent texts whose vectors a process keeps in memory")


@dataclass(frozen=True, slots=True)
class TokenRows:
    """How tokens are counted: exactly, by an estimate that is safe for budgets, or by characters per token."""

    exact: str = choice("off", ("off", "o200k", "cl100k"), "count with this tokenizer; needs aforesaid[tokens]")
    estimate: str = choice("safe", ("safe", "literal"), "at least what real tokenizers count, or the published formula")
    margin: float = number(1.0, 0.1, 10, "factor of the safe estimate, for a tokenizer that needs more or fewer tokens")
    chars_cjk: float = number(1.6, 0.1, 100, "literal: characters per token in Chinese, Japanese and Korean")
    chars_dense: float = number(2.5, 0.1, 100, "literal: characters per token in Cyrillic, Arabic and Hebrew")
    chars_other: float = number(4.0, 0.1, 100, "literal: characters per token in every other script")
    gate_chars: float = number(4.0, 0.1, 100, "characters per token in the gate's own estimate")


@dataclass(frozen=True, slots=True)
class CascadeRows:
    """The cascade: search with short prefixes of the vectors first (Matryoshka models only)."""

    epsilon: float = number(1e-8, 1e-30, 1e-2, "ε, which keeps the length of a zero prefix over 0")
    tier1_dimensions: int = whole(64, 1, 16_384, "vector length of the first tier (L1)")
    tier2_dimensions: int = whole(256, 1, 16_384, "vector length of the second tier (L2)")
    exit1: float = number(0.65, -1, 1, "stop after L1 if its best score is at this place or higher (search.thresholds)")
    exit2: float = number(0.75, -1, 1, "stop after L2 if its best score is at this place or higher (search.thresholds)")


@dataclass(frozen=True, slots=True)
class GateRows:
    """The gate: which messages count as important (durable). G = (1−T)·Gconv + T·Gtech."""

    threshold: float = number(0.35, 0, 1, "a message with G of at least this is durable")
    weight_novelty: float = number(0.35, 0, 1, "weight of novelty H in Gconv")
    weight_repetition: float = number(0.40, 0, 1, "weight of repetition R in Gconv")
    weight_natural: float = number(0.25, 0, 1, "weight of personal facts Dnl in Gconv")
    weight_specificity: float = number(0.40, 0, 1, "weight of specificity P in Gtech")
    weight_action: float = number(0.35, 0, 1, "weight of actions A in Gtech")
    weight_structure: float = number(0.25, 0, 1, "weight of code structure Dtech in Gtech")
    technical_norm: float = number(1.5, 0.01, 100, "sum of technical signals at which T is 1")
    novelty_neighbours: int = whole(5, 1, 1000, "nearest durable records that H and S compare with")
    frequency_neighbours: int = whole(10, 1, 1000, "nearest messages that F compares with")
    frequency_cosine: float = number(0.80, -1, 1, "least cosine at which F counts an earlier message as a repeat")
    frequency_norm: int = whole(5, 1, 1000, "repeats at which F is 1")
    saturation_cosine: float = number(0.85, -1, 1, "least cosine at which S counts a durable record as the same")
    saturation_norm: int = whole(3, 1, 1000, "equal durable records at which S is 1")
    technical_code_fence: float = number(0.5, 0, 1, "T: weight of a code fence")
    technical_path: float = number(0.4, 0, 1, "T: weight of a file path")
    technical_function: float = number(0.4, 0, 1, "T: weight of a function definition")
    technical_shell: float = number(0.4, 0, 1, "T: weight of a shell command")
    technical_url: float = number(0.3, 0, 1, "T: weight of a URL or endpoint")
    technical_trace: float = number(0.5, 0, 1, "T: weight of a stack trace")
    technical_hash: float = number(0.3, 0, 1, "T: weight of a hash")
    natural_date: float = number(0.3, 0, 1, "Dnl: weight of a date")
    natural_quantity: float = number(0.2, 0, 1, "Dnl: weight of a quantity")
    natural_person: float = number(0.3, 0, 1, "Dnl: weight of a person")
    natural_preference: float = number(0.4, 0, 1, "Dnl: weight of a preference")
    natural_assertion: float = number(0.3, 0, 1, "Dnl: weight of a statement about oneself")
    specific_path: float = number(0.4, 0, 1, "P: weight of each file path")
    specific_function: float = number(0.3, 0, 1, "P: weight of each function reference")
    specific_error: float = number(0.5, 0, 1, "P: weight of each error code")
    specific_git: float = number(0.4, 0, 1, "P: weight of each git reference")
    specific_url: float = number(0.3, 0, 1, "P: weight of each URL")
    specific_tokens: int = whole(100, 1, 100_000, "P: the sum is divided by (tokens ÷ this) if that is over 1")
    action_decision: float = number(0.5, 0, 1, "A: weight of a decision")
    action_resolution: float = number(0.4, 0, 1, "A: weight of a resolution")
    action_milestone: float = number(0.3, 0, 1, "A: weight of a milestone")
    action_configuration: float = number(0.4, 0, 1, "A: weight of a configuration")
    structure_definition: float = number(0.4, 0, 1, "Dtech: weight of a definition")
    structure_data: float = number(0.3, 0, 1, "Dtech: weight of a data structure")
    structure_dependency: float = number(0.3, 0, 1, "Dtech: weight of a dependency")
    structure_test: float = number(0.2, 0, 1, "Dtech: weight of a test")
    structure_comment: float = number(0.2, 0, 1, "Dtech: weight of a doc comment")


@dataclass(frozen=True, slots=True)
class IngestRows:
    """How messages are stored."""

    max_text_chars: int = whole(1_000_000, 1, 1_000_000_000, "longest text of one record, in characters")
    batch: int = whole(64, 1, 100_000, "messages embedded and committed together")
    echo_share: float = number(0.8, 0, 1, "an agent message is an echo if it repeats a recalled text with this share")
    echo_words: int = whole(8, 1, 10_000, "shorter messages, in words, are never an echo")
    echo_recalled: int = whole(200, 0, 100_000, "recalled records of a session to compare with")


@dataclass(frozen=True, slots=True)
class ReaderRows:
    """The text readers that run on every message. Secrets are always found."""

    dates: bool = free(True, "find the dates and times that a message names")
    statements: bool = free(True, "mark older statements as outdated when a user states something newer")
    signals: bool = free(True, "find the patterns that the gate counts (off: only novelty and frequency count)")
    rules: bool = free(True, "find the rules that a user lays down for the agent, and keep them as guidance")
    pii: bool = free(True, "find personal data where a policy or caller asks for it (off: only secrets are redacted)")


@dataclass(frozen=True, slots=True)
class SearchRows:
    """What all ranking profiles share."""

    limit: int = whole(12, 1, 10_000, "hits returned by default (k)")
    text_factor: int = whole(4, 1, 1000, "keyword candidates = this · k")
    vector_factor: int = whole(8, 1, 1000, "vector candidates = this · k")
    log: str = choice(
        "off", ("off", "on", "query"), "write an event for every search: without, or with the words of the query"
    )
    widen: int = whole(2, 1, 100, "if keywords or vectors find fewer than k/2, ask again for this many times as much")
    thresholds: str = choice(
        "derived",
        ("derived", "literal"),
        "read cosine thresholds as places between unrelated (0) and related texts (1), or as cosines",
    )
    weight_session: float = number(1.0, 0, 1, "S(d): weight of the active session")
    weight_user: float = number(0.6, 0, 1, "S(d): weight of a user's memory")
    weight_project: float = number(0.6, 0, 1, "S(d): weight of a project's memory")
    weight_global: float = number(0.3, 0, 1, "S(d): weight of global memory")


@dataclass(frozen=True, slots=True)
class DefaultRows:
    """The `default` profile: score = α·vector + (1−α)·keyword, adjusted by the records around a hit."""

    candidates: int = whole(200, 1, 100_000, "keyword candidates, and as many vector candidates (twice k if more)")
    fusion: str = choice("convex", ("convex", "rrf"), "how keyword and vector scores are joined; rrf is for comparison")
    alpha: float = number(0.55, 0, 1, "α: weight of the vector score; the keyword score gets 1−α")
    alpha_unspaced: float = number(0.2, 0, 1, "α for queries in a script without spaces, such as Japanese")
    pool: int = whole(60, 1, 100_000, "best candidates that are ranked in detail (twice k if more)")
    anchors: int = whole(30, 0, 10_000, "best candidates whose neighbours in the session are considered too")
    passages: bool = free(True, "score a record by its best sentence if that is higher")
    reach: int = whole(2, 0, 100, "neighbours considered on each side")
    fade: float = number(0.7, 0, 1, "share of a score that passes on to the next neighbour")
    weight_session: float = number(0.35, 0, 10, "weight of the best score in the record's session")
    weight_near: float = number(0.1, 0, 10, "weight of the best neighbour, less with distance")
    weight_answers: float = number(0.35, 0, 10, "weight of the question that a record answers")
    weight_context: float = number(0.25, 0, 10, "weight of the query's words in a record and its neighbours together")
    weight_asks: float = number(0.1, 0, 10, "penalty for a record that only asks, by the share that asks")
    weight_repeats: float = number(1.5, 0, 10, "penalty for a stored question that only repeats the query")
    weight_agent: float = number(0.25, 0, 10, "penalty for agent messages when users ask about themselves")
    weight_date: float = number(0.4, 0, 10, "boost for a day or week that the query names; half for longer periods")
    date_grace_days: float = number(7, 0, 3650, "days after that period that still get the boost")
    newest_margin: float = number(
        0.2, 0, 1, "of hits about the same thing within this share of the best score, the newest is first"
    )
    newest_words: float = number(
        0.25, 0, 1, "about the same thing: shares of the query's words that differ by no more than this"
    )
    weight_personal: float = number(0.15, 0, 10, "boost for users' own statements when they ask about themselves")
    weight_speaker: float = number(0.08, 0, 10, "boost for messages of the one speaker that the query names")


@dataclass(frozen=True, slots=True)
class LibraRows:
    """The `libra` profile."""

    alpha: float = number(0.7, 0, 1, "α: weight of the cosine in the single pass")
    beta: float = number(0.2, 0, 1, "β: weight of recency in the single pass")
    gamma: float = number(0.1, 0, 1, "γ: weight of the scope in the single pass")
    delta: float = number(0.5, 0, 1, "δ: penalty for a summary's decay rate")
    decay_session: float = number(1e-4, 0, 1, "λ of session records, per second")
    decay_user: float = number(1e-5, 0, 1, "λ of user and project records, per second")
    decay_global: float = number(2e-6, 0, 1, "λ of global records, per second")
    k1: int = whole(16, 1, 100_000, "candidates of the first pass")
    theta1: float = number(
        0.2, -1, 1, "least place of a first-pass candidate and of elevated guidance (search.thresholds)"
    )
    k2: int = whole(8, 1, 100_000, "records that the second pass keeps")
    kappa: float = number(0.3, 0, 1000, "κ: weight of keyword coverage")
    authority_recency: float = number(0.5, 0, 1, "weight of recency r in the authority ω")
    authority_frequency: float = number(0.2, 0, 1, "weight of access frequency f in ω")
    authority_authored: float = number(0.3, 0, 1, "weight of authored documents a in ω")
    authority_decay: float = number(LN2_IN_30_DAYS, 0, 1, "λ of r, per second; r halves in 30 days by default")
    hop_decay: float = number(0.5, 0, 1, "share of its parent's score that a linked record gets")
    hop_threshold: float = number(0.15, 0, 1, "least score of a linked record")


@dataclass(frozen=True, slots=True)
class TimeRows:
    """Queries about time ("how long", "before", "when did"): records are chosen to cover all events asked about."""

    norm: float = number(1.5, 0.01, 100, "sum of temporal signals at which ξ is 1")
    threshold: float = number(0.3, 0, 1, "use the temporal path if ξ is at least this")
    how_many_days: float = number(1.0, 0, 1, "ξ: weight of 'how many days'")
    how_long: float = number(0.9, 0, 1, "ξ: weight of 'how long'")
    before_after: float = number(0.8, 0, 1, "ξ: weight of 'before' and 'after'")
    first: float = number(0.8, 0, 1, "ξ: weight of 'first', 'earlier', 'which came first'")
    since_between: float = number(0.7, 0, 1, "ξ: weight of 'since' and 'between'")
    when_did: float = number(0.7, 0, 1, "ξ: weight of 'when did'")
    anchor_norm: int = whole(3, 1, 1000, "distinct dates and times in a record at which A(d) is 1")
    max_slots: int = whole(4, 1, 100, "events taken from a query, at most")
    slot_cosine: float = number(0.50, -1, 1, "least place at which a record covers an event (search.thresholds)")
    weight_final: float = number(0.6, 0, 1, "weight of the ordinary score S_final in S_cov")
    weight_anchor: float = number(0.2, 0, 1, "weight of dates A in S_cov")
    weight_coverage: float = number(0.2, 0, 1, "weight of newly covered events ΔΦ in S_cov")
    recovery_limit: int = whole(10, 0, 10_000, "further records with dates to consider, at most")
    recovery_cosine: float = number(0.15, -1, 1, "least place of such a record (search.thresholds)")
    k_coverage: int = whole(3, 1, 1000, "records chosen to cover the events, at most")
    stop: float = number(0.10, 0, 1, "stop choosing when the best score is under this")


@dataclass(frozen=True, slots=True)
class PceRows:
    """The `pce` profile."""

    alpha: float = number(0.65, 0, 1, "α of an ordinary query: weight of the vector score")
    alpha_exact_low: float = number(0.3, 0, 1, "least α of a short or quoted query")
    alpha_exact_high: float = number(0.5, 0, 1, "largest α of a short or quoted query")
    alpha_long_low: float = number(0.7, 0, 1, "least α of a long sentence")
    alpha_long_high: float = number(0.85, 0, 1, "largest α of a long sentence")
    k_txt: int = whole(0, 0, 100_000, "keyword candidates (0: search.text_factor · k)")
    k_vec: int = whole(0, 0, 100_000, "vector candidates (0: search.vector_factor · k)")
    short_tokens: int = whole(2, 0, 1000, "a query of at most this many tokens is short")
    utility_base: float = number(0.6, 0, 1, "g: least factor of utility")
    confidence_base: float = number(0.5, 0, 1, "g: least factor of confidence")
    recency_base: float = number(0.3, 0, 1, "g: least factor of recency")
    quality_base: float = number(0.5, 0, 1, "g: least factor of quality")
    use_quality: bool = free(False, "multiply g by quality")
    half_life_fact: float = number(120, 0.001, 1e6, "days until the recency of a fact halves")
    half_life_task: float = number(14, 0.001, 1e6, "days until the recency of a task halves")
    half_life_preference: float = number(90, 0.001, 1e6, "days until the recency of a preference halves")
    half_life_policy_hint: float = number(365, 0.001, 1e6, "days until the recency of a policy hint halves")
    half_life_other: float = number(30, 0.001, 1e6, "days until the recency of any other record halves")
    threshold: float = number(0.15, 0, 1, "least score of a hit")
    per_entity: int = whole(2, 1, 1000, "hits about one entity, at most")
    mmr_lambda: float = number(0.85, 0, 1, "λ of maximal marginal relevance: 1 is relevance only")
    epsilon: float = number(1e-6, 0, 0.1, "ε of clipping and of min–max normalisation")


@dataclass(frozen=True, slots=True)
class OpenclawRows:
    """The `openclaw` profile."""

    vector_hybrid: int = whole(12, 1, 10_000, "mode A (hybrid): vector candidates")
    text_hybrid: int = whole(12, 1, 10_000, "mode A (hybrid): keyword candidates")
    text_exact: int = whole(20, 1, 10_000, "mode B (exact): keyword candidates")
    strong_exact: int = whole(3, 1, 1000, "mode B (exact): strong hits from which vectors are searched too")
    vector_exact: int = whole(6, 1, 10_000, "mode B (exact): vector candidates")
    vector_semantic: int = whole(20, 1, 10_000, "mode C (semantic): vector candidates")
    text_semantic: int = whole(8, 1, 10_000, "mode C (semantic): keyword candidates")
    threshold: float = number(0.35, 0, 1, "early stop: least score of the best hits")
    boost_topic: float = number(0.10, 0, 1, "boost for a topic file")
    boost_curated: float = number(0.05, 0, 1, "boost for a curated file")
    penalty_old: float = number(0.10, 0, 1, "penalty for an old chunk")
    old_days: int = whole(365, 1, 100_000, "age in days from which a chunk is old")
    stop_top: int = whole(3, 1, 1000, "early stop: number of best hits to check")
    stop_files: int = whole(2, 1, 1000, "early stop: most files that they come from")
    max_expansions: int = whole(4, 0, 4, "variants of a query to try, at most")


@dataclass(frozen=True, slots=True)
class ExpandRows:
    """Other wordings of a query from a chat model, for the `openclaw` profile and notes. Private data is never sent."""

    provider: str = choice("off", ("off", "openai", "ollama"), "service that may reword queries (off: rules only)")
    model: str = free("", "model of that service")
    timeout_ms: int = whole(5000, 1, 600_000, "how long to wait for it; then the search goes on with rules only")


@dataclass(frozen=True, slots=True)
class RecoveryRows:
    """When a search counts as failed and falls back to the original messages."""

    top_score: float = number(0.15, 0, 1, "failed if the best score is under this (S2)")
    summaries: int = whole(4, 1, 1000, "failed if this many best hits are all summaries (S3) …")
    confidence: float = number(0.5, 0, 1, "… and their mean confidence is under this")


@dataclass(frozen=True, slots=True)
class AssembleRows:
    """What goes into a prompt, as shares of the token budget τ."""

    budget_tokens: int = whole(2000, 1, 10_000_000, "default token budget τ")
    hard: float = number(0.25, 0, 1, "α1: share reserved for hard rules from documents")
    soft: float = number(0.20, 0, 1, "α2: share reserved for soft rules from documents")
    tail: float = number(0.25, 0, 1, "β: share that recent messages may use")
    elevated: float = number(0.10, 0, 1, "ρ: share reserved for elevated guidance")
    fill: float = number(0.6, 0, 1, "share of the recall room that the first context of a session uses")
    fresh: float = number(0.1, 0, 1, "share of the recall room that each later turn may add")
    tail_turns: int = whole(4, 0, 10_000, "m: recent messages that are always included")
    least_confidence: float = number(
        0.002, 0, 1, "leave out hits with a lower confidence: they are not worth their tokens"
    )
    candidates: int = whole(400, 1, 10_000, "hits considered for a context, at most")
    tokens_a_hit: int = whole(20, 1, 100_000, "hits considered = budget ÷ this + 50")


@dataclass(frozen=True, slots=True)
class CompactRows:
    """Compaction: summaries of older messages."""

    cluster_turns: int = whole(20, 1, 100_000, "k: messages per cluster")
    provider: str = choice("off", ("off", "openai", "ollama"), "service that may write summaries (off: extract only)")
    model: str = free("", "model of that service")
    cap_tokens: int = whole(200, 8, 100_000, "longest summary, in tokens")
    previous_tokens: int = whole(96, 0, 100_000, "tokens of the previous summary shown to the summariser")
    abstractive_gate: float = number(0.60, 0, 1, "least mean G of a cluster that an LLM may summarise")
    align: float = number(0.65, -1, 1, "least place of an LLM summary's Q_align (search.thresholds)")
    support: float = number(0.65, -1, 1, "least place of the support for the weaker half of its sentences")
    weight_embedding: float = number(0.8, 0, 1, "weight of that similarity in the confidence of an LLM summary")
    weight_decoder: float = number(0.2, 0, 1, "weight of the LLM's own confidence in it")
    trigger_tokens: int = whole(2000, 0, 100_000_000, "compact a session after this many new tokens (0: never)")


@dataclass(frozen=True, slots=True)
class GovernRows:
    """Observations, active contexts and feedback."""

    observation_days: float = number(30, 0, 1e6, "days until an observation expires")
    context_minutes: float = number(60, 0.01, 1e7, "minutes until an active context expires")
    helpful_utility: float = number(0.10, -1, 1, "feedback 'helpful': added to utility")
    helpful_confidence: float = number(0.05, -1, 1, "feedback 'helpful': added to confidence")
    harmful_utility: float = number(-0.20, -1, 1, "feedback 'harmful': added to utility")
    harmful_confidence: float = number(-0.10, -1, 1, "feedback 'harmful': added to confidence")
    outdated_confidence: float = number(-0.20, -1, 1, "feedback 'outdated': added to confidence")
    utility_half_life_days: float = number(30, 0.001, 1e6, "days until utility halves")
    quality_half_life_days: float = number(120, 0.001, 1e6, "days until quality halves")


@dataclass(frozen=True, slots=True)
class FileRows:
    """Notes: folders of Markdown and text files."""

    chunk_tokens: int = whole(400, 16, 100_000, "tokens per chunk")
    overlap_tokens: int = whole(80, 0, 100_000, "tokens that two neighbouring chunks share")
    max_snippets: int = whole(6, 1, 1000, "snippets in a prompt, at most")
    max_tokens: int = whole(1200, 1, 1_000_000, "tokens of snippets in a prompt, at most")
    endings: str = free("md markdown mdx txt", "file name endings of notes")
    max_bytes: int = whole(2_000_000, 1, 1_000_000_000, "largest note, in bytes")
    batch: int = whole(64, 1, 10_000, "notes read, embedded and committed together")
    debounce_ms: int = whole(300, 10, 60_000, "how long to collect changes of a watched folder, at most")


@dataclass(frozen=True, slots=True)
class ImportRows:
    """What `aforesaid import` reads from other programs' files."""

    tool_chars: int = whole(4000, 100, 1_000_000, "characters of a tool call or result to keep; the rest is cut")


@dataclass(frozen=True, slots=True)
class HookRows:
    """What `aforesaid hook` does for a coding agent."""

    prompt_ms: int = whole(3000, 50, 600_000, "longest delay of a prompt; after that nothing is added to it")
    event_ms: int = whole(30_000, 50, 3_600_000, "longest time for every other event")
    budget_tokens: int = whole(1000, 50, 100_000, "tokens added to a prompt, at most")
    candidates: int = whole(60, 1, 1000, "hits considered for a prompt")
    min_confidence: float = number(0.15, 0, 1, "add nothing when the memory holds an answer with less confidence")
    min_cosine: float = number(0.0, -1, 1, "add records with at least this cosine to the prompt (0: set by the model)")
    min_words: float = number(0.5, 0, 1, "also add related records with at least this share of the prompt's words")
    documents: bool = free(False, "load AGENTS.md and CLAUDE.md of the working folder when a session starts")


@dataclass(frozen=True, slots=True)
class DaemonRows:
    """The background process that answers `aforesaid mcp` and `aforesaid hook` quickly."""

    on: bool = free(True, "use a background process and start it if needed (off: open the memory in every process)")
    idle_seconds: int = whole(900, 1, 31_536_000, "stop after this many seconds without a request")
    start_ms: int = whole(10_000, 100, 600_000, "how long to wait for it to start")
    folder: str = free("", "folder of its socket (empty: /run/user/<uid>/aforesaid, else /tmp/aforesaid-<uid>)")

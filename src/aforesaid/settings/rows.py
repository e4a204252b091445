"""Every number of the engine as one row: name, default, range, help. Groups are the rooms they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def number(default: float, low: float, high: float, text: str) -> Any:
    """A row that holds a real number in [low, high]."""
    return field(default=default, metadata={"low": low, "high": high, "help": text})


def whole(default: int, low: int, high: int, text: str) -> Any:
    """A row that holds a whole number in [low, high]."""
    return field(default=default, metadata={"low": low, "high": high, "help": text})


def choice(default: str, choices: tuple[str, ...], text: str) -> Any:
    """A row that holds one of a few words."""
    return field(default=default, metadata={"choices": choices, "help": text})


def words(default: str, text: str) -> Any:
    """A row that holds free text."""
    return field(default=default, metadata={"help": text})


def switch(default: bool, text: str) -> Any:
    """A row that is on or off."""
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True)
class StoreRows:
    """The database file and its derived structures."""

    lock_timeout_ms: int = whole(30_000, 1, 3_600_000, "how long a writer waits for its turn before it gives up")
    synchronous: str = choice("full", ("full", "normal"), "full: an acknowledged write survives power loss")
    segment_rows: int = whole(2048, 16, 65_536, "vectors packed into one block of the file")
    vector_cache_mb: int = whole(512, 0, 1_000_000, "memory a process may use to keep vector blocks at hand")
    sketch_from: int = whole(200_000, 0, 1_000_000_000, "records in view from which sign sketches are scanned first")
    sketch_survivors: int = whole(2000, 10, 1_000_000, "how many of them, at least, are then compared exactly")
    sketch_share: float = number(0.02, 0, 1, "share of them that is compared exactly when that is more")


@dataclass(frozen=True, slots=True)
class EmbedRows:
    """Where vectors come from."""

    provider: str = choice("local", ("local", "openai", "ollama", "hash", "off"), "which embedder Memory.open uses")
    model: str = words("", "model name for an endpoint; a folder with weights for local (empty: the default model)")
    dimensions: int = whole(0, 0, 16_384, "vector length expected from an endpoint (0: take what it sends)")
    batch: int = whole(64, 1, 2048, "texts sent to an endpoint at once")
    timeout_ms: int = whole(30_000, 1, 600_000, "how long an endpoint may take")
    retries: int = whole(3, 0, 20, "further tries after a passing fault of an endpoint")
    max_tokens: int = whole(256, 8, 8192, "tokens of a text that the local model reads; words are found beyond them")
    passages: int = whole(12, 0, 100, "sentences of what a person says that are embedded on their own too (0: none)")
    threads: int = whole(0, 0, 256, "texts the local model embeds side by side (0: one a core)")
    cache_texts: int = whole(4096, 0, 10_000_000, "recent texts whose vectors a process keeps")


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Token estimates: characters a token, by script."""

    chars_cjk: float = number(1.6, 0.1, 100, "χ for Chinese, Japanese and Korean")
    chars_dense: float = number(2.5, 0.1, 100, "χ for Cyrillic, Arabic and Hebrew")
    chars_other: float = number(4.0, 0.1, 100, "χ for every other script")
    gate_chars: float = number(4.0, 0.1, 100, "characters a token in the gate's own estimator")


@dataclass(frozen=True, slots=True)
class CascadeRows:
    """Matryoshka tiers."""

    epsilon: float = number(1e-8, 1e-30, 1e-2, "ε under the square root of a prefix's length")
    tier1_dimensions: int = whole(64, 1, 16_384, "length of L1")
    tier2_dimensions: int = whole(256, 1, 16_384, "length of L2")
    exit1: float = number(0.65, -1, 1, "a best score in L1 from which the cascade stops")
    exit2: float = number(0.75, -1, 1, "a best score in L2 from which the cascade stops")


@dataclass(frozen=True, slots=True)
class GateRows:
    """What becomes durable: G = (1−T)·Gconv + T·Gtech."""

    threshold: float = number(0.35, 0, 1, "G at or above this makes a turn durable")
    weight_novelty: float = number(0.35, 0, 1, "weight of H in Gconv")
    weight_repetition: float = number(0.40, 0, 1, "weight of R in Gconv")
    weight_natural: float = number(0.25, 0, 1, "weight of Dnl in Gconv")
    weight_specificity: float = number(0.40, 0, 1, "weight of P in Gtech")
    weight_action: float = number(0.35, 0, 1, "weight of A in Gtech")
    weight_structure: float = number(0.25, 0, 1, "weight of Dtech in Gtech")
    technical_norm: float = number(1.5, 0.01, 100, "sum of technical signals at which T is 1")
    novelty_neighbours: int = whole(5, 1, 1000, "durable records that H and S look at")
    frequency_neighbours: int = whole(10, 1, 1000, "turns that F looks at")
    frequency_cosine: float = number(0.80, -1, 1, "cosine from which a turn counts as said before")
    frequency_norm: int = whole(5, 1, 1000, "such turns at which F is 1")
    saturation_cosine: float = number(0.85, -1, 1, "cosine from which a durable record counts as the same")
    saturation_norm: int = whole(3, 1, 1000, "such records at which S is 1")
    technical_code_fence: float = number(0.5, 0, 1, "T: a code fence")
    technical_path: float = number(0.4, 0, 1, "T: a file path")
    technical_function: float = number(0.4, 0, 1, "T: a function definition")
    technical_shell: float = number(0.4, 0, 1, "T: a shell command")
    technical_url: float = number(0.3, 0, 1, "T: a url or endpoint")
    technical_trace: float = number(0.5, 0, 1, "T: a stack trace")
    technical_hash: float = number(0.3, 0, 1, "T: a hash")
    natural_date: float = number(0.3, 0, 1, "Dnl: a date")
    natural_quantity: float = number(0.2, 0, 1, "Dnl: a quantity")
    natural_person: float = number(0.3, 0, 1, "Dnl: a person")
    natural_preference: float = number(0.4, 0, 1, "Dnl: a preference")
    natural_assertion: float = number(0.3, 0, 1, "Dnl: an assertion about oneself")
    specific_path: float = number(0.4, 0, 1, "P: each file path")
    specific_function: float = number(0.3, 0, 1, "P: each function reference")
    specific_error: float = number(0.5, 0, 1, "P: each error code")
    specific_git: float = number(0.4, 0, 1, "P: each git reference")
    specific_url: float = number(0.3, 0, 1, "P: each url")
    specific_tokens: int = whole(100, 1, 100_000, "tokens over which P's counts are spread")
    action_decision: float = number(0.5, 0, 1, "A: a decision")
    action_resolution: float = number(0.4, 0, 1, "A: a resolution")
    action_milestone: float = number(0.3, 0, 1, "A: a milestone")
    action_configuration: float = number(0.4, 0, 1, "A: a configuration")
    structure_definition: float = number(0.4, 0, 1, "Dtech: a definition")
    structure_data: float = number(0.3, 0, 1, "Dtech: a data structure")
    structure_dependency: float = number(0.3, 0, 1, "Dtech: a dependency")
    structure_test: float = number(0.2, 0, 1, "Dtech: a test")
    structure_comment: float = number(0.2, 0, 1, "Dtech: a doc comment")


@dataclass(frozen=True, slots=True)
class IngestRows:
    """How turns are taken in."""

    max_text_chars: int = whole(1_000_000, 1, 1_000_000_000, "longest text of one record")
    batch: int = whole(64, 1, 100_000, "turns embedded and committed together")
    echo_share: float = number(0.8, 0, 1, "share of an agent's words that repeat one recalled text to be an echo of it")
    echo_words: int = whole(8, 1, 10_000, "shortest text, in words, that can be an echo")
    echo_recalled: int = whole(200, 0, 100_000, "recalled records of a session that its turns are compared with")


@dataclass(frozen=True, slots=True)
class ReaderRows:
    """The readers of text that run on every message; secrets are always found."""

    dates: bool = switch(True, "find the dates and times that a message names")
    statements: bool = switch(True, "compare what people state with what they stated before, and mark what is stale")
    signals: bool = switch(True, "find the patterns by which the gate decides; off: only novelty and frequency count")
    pii: bool = switch(True, "find personal data where a policy or caller asks for it; off: only secrets are redacted")


@dataclass(frozen=True, slots=True)
class SearchRows:
    """What all profiles share."""

    limit: int = whole(12, 1, 10_000, "hits returned when the caller does not say (k)")
    text_factor: int = whole(4, 1, 1000, "text candidates = this · k")
    vector_factor: int = whole(8, 1, 1000, "vector candidates = this · k")
    widen: int = whole(2, 1, 100, "a side with fewer than k/2 hits is asked once more for this many times as much")
    weight_session: float = number(1.0, 0, 1, "S(d) of the active session")
    weight_user: float = number(0.6, 0, 1, "S(d) of a user's memory")
    weight_project: float = number(0.6, 0, 1, "S(d) of a project's memory")
    weight_global: float = number(0.3, 0, 1, "S(d) of everybody's memory")


@dataclass(frozen=True, slots=True)
class DefaultRows:
    """The `default` profile: fused = α·meaning + (1−α)·words, and what the surroundings of a record add to it."""

    candidates: int = whole(200, 1, 100_000, "candidates by words and as many by meaning, or twice the hits if more")
    fusion: str = choice("convex", ("convex", "rrf"), "how words and meaning are joined; rrf is there to compare")
    alpha: float = number(0.55, 0, 1, "α: share of meaning, against words")
    alpha_unspaced: float = number(0.2, 0, 1, "the same for queries in scripts without spaces, Japanese for one")
    pool: int = whole(60, 1, 100_000, "leading candidates that are looked at closely, or twice the hits")
    anchors: int = whole(30, 0, 10_000, "leading candidates whose neighbours in their session are looked at too")
    passages: bool = switch(True, "let a record be as near as the nearest of its sentences")
    reach: int = whole(2, 0, 100, "how many neighbours on each side")
    fade: float = number(0.7, 0, 1, "share of a fused score that reaches the next neighbour, and from there the next")
    weight_session: float = number(0.35, 0, 10, "weight of the best score in a record's session")
    weight_near: float = number(0.1, 0, 10, "weight of the best neighbour, faded by its distance")
    weight_answers: float = number(0.35, 0, 10, "weight of the question that a record answers")
    weight_asks: float = number(0.1, 0, 10, "taken for the share of a record that only asks")
    weight_repeats: float = number(1.5, 0, 10, "taken from a question that says no more than the query")
    weight_agent: float = number(0.25, 0, 10, "taken from an agent's words when people ask of themselves")
    weight_date: float = number(
        0.4, 0, 10, "added to records of a day or week the question names; half for longer periods"
    )
    date_grace_days: float = number(7, 0, 3650, "days after such a period in which it is still told of")
    weight_personal: float = number(0.15, 0, 10, "added to what people say of themselves when they ask of themselves")
    weight_speaker: float = number(0.08, 0, 10, "added to the words of the one speaker whom the question names")


@dataclass(frozen=True, slots=True)
class LibraRows:
    """The `libra` profile."""

    alpha: float = number(0.7, 0, 1, "weight of cosine, single pass")
    beta: float = number(0.2, 0, 1, "weight of recency, single pass")
    gamma: float = number(0.1, 0, 1, "weight of scope, single pass")
    delta: float = number(0.5, 0, 1, "penalty of a summary's decay rate")
    decay_session: float = number(1e-4, 0, 1, "λ of session records, per second")
    decay_user: float = number(1e-5, 0, 1, "λ of user and project records, per second")
    decay_global: float = number(2e-6, 0, 1, "λ of global records, per second")
    k1: int = whole(16, 1, 100_000, "first-pass candidates")
    theta1: float = number(0.2, -1, 1, "least cosine of a first-pass candidate, and of elevated guidance")
    k2: int = whole(8, 1, 100_000, "second-pass survivors")
    kappa: float = number(0.3, 0, 1000, "weight κ of keyword coverage")
    authority_recency: float = number(0.5, 0, 1, "weight of r in ω")
    authority_frequency: float = number(0.2, 0, 1, "weight of f in ω")
    authority_authored: float = number(0.3, 0, 1, "weight of a in ω")
    authority_decay: float = number(1e-5, 0, 1, "λ of r, per second")
    hop_decay: float = number(0.5, 0, 1, "share of its parent's score that a hop inherits")
    hop_threshold: float = number(0.15, 0, 1, "least score of a hop")


@dataclass(frozen=True, slots=True)
class TimeRows:
    """Temporal-compositional retrieval."""

    norm: float = number(1.5, 0.01, 100, "sum of temporal signals at which ξ is 1")
    threshold: float = number(0.3, 0, 1, "ξ from which the temporal path runs")
    how_many_days: float = number(1.0, 0, 1, "ξ: how many days")
    how_long: float = number(0.9, 0, 1, "ξ: how long")
    before_after: float = number(0.8, 0, 1, "ξ: before, after")
    first: float = number(0.8, 0, 1, "ξ: first, earlier, which came first")
    since_between: float = number(0.7, 0, 1, "ξ: since, between")
    when_did: float = number(0.7, 0, 1, "ξ: when did")
    anchor_norm: int = whole(3, 1, 1000, "distinct time expressions at which A(d) is 1")
    max_slots: int = whole(4, 1, 100, "event slots taken from a query")
    slot_cosine: float = number(0.50, -1, 1, "cosine from which a record covers a slot")
    weight_final: float = number(0.6, 0, 1, "weight of S_final in S_cov")
    weight_anchor: float = number(0.2, 0, 1, "weight of A in S_cov")
    weight_coverage: float = number(0.2, 0, 1, "weight of ΔΦ in S_cov")
    recovery_limit: int = whole(10, 0, 10_000, "records the recovery set may add")
    recovery_cosine: float = number(0.15, -1, 1, "least cosine of a recovered record")
    k_coverage: int = whole(3, 1, 1000, "records the greedy selector takes")
    stop: float = number(0.10, 0, 1, "score under which the greedy selector stops")


@dataclass(frozen=True, slots=True)
class PceRows:
    """The `pce` profile."""

    alpha: float = number(0.65, 0, 1, "α of an ordinary query")
    alpha_exact_low: float = number(0.3, 0, 1, "least α of a short or quoted query")
    alpha_exact_high: float = number(0.5, 0, 1, "largest α of a short or quoted query")
    alpha_long_low: float = number(0.7, 0, 1, "least α of a long sentence")
    alpha_long_high: float = number(0.85, 0, 1, "largest α of a long sentence")
    short_tokens: int = whole(2, 0, 1000, "a query of at most this many tokens is short")
    utility_base: float = number(0.6, 0, 1, "g: the part of utility's factor that is always there")
    confidence_base: float = number(0.5, 0, 1, "g: the part of confidence's factor that is always there")
    recency_base: float = number(0.3, 0, 1, "g: the part of recency's factor that is always there")
    quality_base: float = number(0.5, 0, 1, "g: the part of quality's factor that is always there")
    use_quality: bool = switch(False, "multiply g by quality")
    half_life_fact: float = number(120, 0.001, 1e6, "days until a fact's recency halves")
    half_life_task: float = number(14, 0.001, 1e6, "days until a task's recency halves")
    half_life_preference: float = number(90, 0.001, 1e6, "days until a preference's recency halves")
    half_life_policy_hint: float = number(365, 0.001, 1e6, "days until a policy hint's recency halves")
    half_life_other: float = number(30, 0.001, 1e6, "days until any other record's recency halves")
    threshold: float = number(0.15, 0, 1, "least score that is kept")
    per_entity: int = whole(2, 1, 1000, "hits kept for one entity cluster")
    mmr_lambda: float = number(0.85, 0, 1, "λ of maximal marginal relevance")
    epsilon: float = number(1e-6, 0, 0.1, "ε of clipping and of min–max")


@dataclass(frozen=True, slots=True)
class OpenclawRows:
    """The `openclaw` profile."""

    vector_hybrid: int = whole(12, 1, 10_000, "mode A: vector candidates")
    text_hybrid: int = whole(12, 1, 10_000, "mode A: text candidates")
    text_exact: int = whole(20, 1, 10_000, "mode B: text candidates")
    strong_exact: int = whole(3, 1, 1000, "mode B: strong hits from which vectors are asked too")
    vector_exact: int = whole(6, 1, 10_000, "mode B: vector candidates")
    vector_semantic: int = whole(20, 1, 10_000, "mode C: vector candidates")
    text_semantic: int = whole(8, 1, 10_000, "mode C: text candidates")
    threshold: float = number(0.35, 0, 1, "early stop: score that the leading hits must reach")
    boost_topic: float = number(0.10, 0, 1, "added to a topic file's score")
    boost_curated: float = number(0.05, 0, 1, "added to a curated file's score")
    penalty_old: float = number(0.10, 0, 1, "taken from an old chunk's score")
    old_days: int = whole(365, 1, 100_000, "age in days from which a chunk is old")
    stop_top: int = whole(3, 1, 1000, "early stop: leading hits that are looked at")
    stop_files: int = whole(2, 1, 1000, "early stop: files they may come from")
    max_expansions: int = whole(4, 0, 4, "variants of a query")


@dataclass(frozen=True, slots=True)
class RecoveryRows:
    """When retrieval fails."""

    top_score: float = number(0.15, 0, 1, "S2: a best score under this is a failure")
    summaries: int = whole(4, 1, 1000, "S3: leading hits that are all summaries")
    confidence: float = number(0.5, 0, 1, "S3: mean confidence under this is a failure")


@dataclass(frozen=True, slots=True)
class AssembleRows:
    """What goes into a prompt."""

    budget_tokens: int = whole(2000, 1, 10_000_000, "τ when the caller does not say")
    hard: float = number(0.25, 0, 1, "α1: share reserved for hard authored rules")
    soft: float = number(0.20, 0, 1, "α2: share reserved for soft authored rules")
    tail: float = number(0.25, 0, 1, "β: share the recent tail may grow to")
    elevated: float = number(0.10, 0, 1, "ρ: share reserved for elevated guidance")
    fill: float = number(0.6, 0, 1, "share of the room for recall that a session's context uses at first")
    fresh: float = number(0.1, 0, 1, "share of it that each later turn may add behind what is there")
    tail_turns: int = whole(4, 0, 10_000, "m: recent turns that always go in")
    candidates: int = whole(400, 1, 10_000, "hits considered for a context at most")
    tokens_a_hit: int = whole(20, 1, 100_000, "one hit is considered for so many tokens of the budget, and 50 more")


@dataclass(frozen=True, slots=True)
class CompactRows:
    """Compaction."""

    cluster_turns: int = whole(20, 1, 100_000, "k: turns a cluster")
    provider: str = choice("off", ("off", "openai", "ollama"), "who may summarise besides the extractive way")
    model: str = words("", "the model to ask there")
    cap_tokens: int = whole(200, 8, 100_000, "tokens of a summary at most")
    previous_tokens: int = whole(96, 0, 100_000, "tokens of the previous summary shown to the summariser")
    abstractive_gate: float = number(0.60, 0, 1, "mean G of a cluster from which an LLM may summarise it")
    align: float = number(0.65, -1, 1, "least Q_align of an abstractive summary")
    weight_embedding: float = number(0.8, 0, 1, "share of conf_e in an abstractive summary's confidence")
    weight_decoder: float = number(0.2, 0, 1, "share of the decoder's confidence in it")
    trigger_tokens: int = whole(2000, 0, 100_000_000, "new tokens of a session that start a compaction (0: never)")


@dataclass(frozen=True, slots=True)
class GovernRows:
    """Governance."""

    observation_days: float = number(30, 0, 1e6, "days an observation lives")
    context_minutes: float = number(60, 0.01, 1e7, "minutes an active context lives")
    helpful_utility: float = number(0.10, -1, 1, "helpful: added to utility")
    helpful_confidence: float = number(0.05, -1, 1, "helpful: added to confidence")
    harmful_utility: float = number(-0.20, -1, 1, "harmful: added to utility")
    harmful_confidence: float = number(-0.10, -1, 1, "harmful: added to confidence")
    outdated_confidence: float = number(-0.20, -1, 1, "outdated: added to confidence")
    utility_half_life_days: float = number(30, 0.001, 1e6, "days until utility halves")
    quality_half_life_days: float = number(120, 0.001, 1e6, "days until quality halves")


@dataclass(frozen=True, slots=True)
class FileRows:
    """Memory files."""

    chunk_tokens: int = whole(400, 16, 100_000, "tokens of a chunk")
    overlap_tokens: int = whole(80, 0, 100_000, "tokens two neighbouring chunks share")
    max_snippets: int = whole(6, 1, 1000, "snippets into a prompt")
    max_tokens: int = whole(1200, 1, 1_000_000, "tokens of snippets into a prompt")
    endings: str = words("md markdown mdx txt", "endings of the files that are notes")
    max_bytes: int = whole(2_000_000, 1, 1_000_000_000, "largest note, in bytes")
    batch: int = whole(64, 1, 10_000, "notes read, embedded and committed together")
    debounce_ms: int = whole(300, 10, 60_000, "how long changes in a watched folder are gathered, at most")


@dataclass(frozen=True, slots=True)
class ImportRows:
    """What `aforesaid import` takes of other programs' files."""

    tool_chars: int = whole(4000, 100, 1_000_000, "characters of a tool call or result that are kept; the rest is cut")


@dataclass(frozen=True, slots=True)
class HookRows:
    """What `aforesaid hook` does for a coding agent."""

    prompt_ms: int = whole(3000, 50, 600_000, "how long a prompt may be held up; then nothing is added to it")
    event_ms: int = whole(30_000, 50, 3_600_000, "how long every other event may take")
    budget_tokens: int = whole(1000, 50, 100_000, "tokens that are added to a prompt at most")
    candidates: int = whole(60, 1, 1000, "hits that are looked at for a prompt")
    min_cosine: float = number(0.0, -1, 1, "a record with this cosine to the prompt is added (0: by the model)")
    min_words: float = number(0.5, 0, 1, "so is one that holds this share of the prompt's words, and is not far")
    documents: bool = switch(False, "load AGENTS.md and CLAUDE.md of the working folder when a session starts")


@dataclass(frozen=True, slots=True)
class DaemonRows:
    """The warm process that `aforesaid mcp` and `aforesaid hook` ask."""

    on: bool = switch(True, "ask a daemon, and start one where there is none; else open the memory in each process")
    idle_seconds: int = whole(900, 1, 31_536_000, "it ends when nobody came for so long")
    start_ms: int = whole(10_000, 100, 600_000, "how long to wait for one that was started")
    folder: str = words("", "where its socket is (empty: /run/user/<uid>/aforesaid, else /tmp/aforesaid-<uid>)")

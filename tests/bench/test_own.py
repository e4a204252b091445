"""The benchmark of a user's own records: the split, the queries, the figures, and what it leaves behind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from aforesaid.bench.own import OwnPlan, PassLine, measure, ngram, pseudo_queries, split
from aforesaid.embed import open_embedder
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.text.normalize import fold
from aforesaid.types import Edge
from support.cli import data, run
from support.clock import NOW, standing_clock

THINGS = [
    "ledger",
    "kettle",
    "ladder",
    "lantern",
    "anchor",
    "barrel",
    "saddle",
    "hammer",
    "violin",
    "compass",
    "teapot",
    "basket",
]
PLACES = ["attic", "cellar", "harbour", "orchard", "library", "kitchen"]


def filled(path: Path, user: str = "ana") -> None:
    with Memory.open(
        path,
        embedder=open_embedder(Settings.load(environment={}, arguments={"embed.provider": "hash"})),
        settings=Settings(),
        clock=standing_clock,
    ) as memory:
        for i, thing in enumerate(THINGS):
            for j, place in enumerate(PLACES[:5]):
                text = f"Shelf {10 * i + j} in the {place} holds a painted {thing} from drawer {100 + 7 * i + j}."
                memory.remember(text, user=user, time=NOW)


def test_the_split_is_8_1_1_and_follows_the_seed() -> None:
    with Memory(DictStore(), settings=Settings(), clock=standing_clock) as memory:
        for i in range(40):
            memory.remember(f"Claim number {i} says something.", user="ana", time=NOW)
        records = memory.list(user="ana", limit=100)
    one, same, other = split(records, 1), split(records[::-1], 1), split(records, 2)
    assert [len(part) for part in one] == [4] * 10
    assert one == same != other
    assert sorted(record.key for part in one for record in part) == sorted(record.key for record in records)


def test_a_query_is_a_piece_and_its_gold_what_contains_it_or_is_linked() -> None:
    with Memory(DictStore(), settings=Settings(), clock=standing_clock) as memory:
        texts = ("the blue ledger of Rui", "Where is the blue ledger of Rui kept?", "Boats are painted in spring.")
        made = [memory.remember(text, user="ana", time=NOW) for text in texts]
        [first] = pseudo_queries(memory, made, made[:1], 0)
        assert fold(first.text) in texts[0] and first.gold == {made[0].key, made[1].key}
        memory.store.link([Edge(made[0].key, made[2].key, "evidence", NOW)])
        [linked] = pseudo_queries(memory, made, made[:1], 0)
        assert linked.gold == {each.key for each in made}


@pytest.mark.parametrize(
    ("text", "units"),
    [("one two  three\nfour five six", 4), ("short text", 2), ("港の青い帳簿は引き出しにあります。", 8)],
)
def test_a_piece_has_four_words_or_eight_characters(text: str, units: int) -> None:
    piece = ngram(text, random.Random(0))
    assert piece in fold(text) and len(piece.split() if " " in piece else piece) == units
    assert piece == ngram(text, random.Random(0))


def test_a_line_is_reached_from_its_own_side() -> None:
    assert PassLine("recall", 0.7, 0.7).passed and not PassLine("recall", 0.69, 0.7).passed
    assert PassLine("ms", 5, 5, at_most=True).passed and not PassLine("ms", 6, 5, at_most=True).passed


def test_the_command_measures_and_leaves_the_store_alone(path: Path) -> None:
    filled(path)
    before = path.read_bytes()
    arguments = ("bench", "own", "--user", "ana", "--now", NOW.isoformat())
    one, two = (data(run(path, *arguments, "--json", "--seed", "3", code=None)) for _ in range(2))
    assert path.read_bytes() == before
    assert (one["records"], one["train"], one["valid"], one["test"], one["queries"]) == (60, 48, 6, 6, 6)
    figures = [{f["name"]: f["value"] for f in found["figures"]} for found in (one, two)]
    assert list(figures[0]) == ["recall@12", "ndcg@12", "activate_ms_p90", "fallback_ratio"]
    assert all(figures[0][name] == figures[1][name] for name in ("recall@12", "ndcg@12", "fallback_ratio"))
    assert figures[0]["recall@12"] > 0 and figures[0]["fallback_ratio"] == 0
    assert one["passed"] is all(figure["passed"] for figure in one["figures"])
    text = run(path, *arguments, code=None)
    assert "60 records (48 train, 6 valid, 6 test); 6 queries from test; profile pce, seed 0." in text.stdout
    assert text.exit_code == (1 if "FAIL" in text.stdout else 0)
    off = run(path, *arguments, "--set", "embed.provider=off", "--json", code=1)
    assert data(off)["figures"][3] == {
        "passed": False, "name": "fallback_ratio", "value": 1.0, "line": 0.01, "at_most": True
    }  # fmt: skip


def test_too_few_records_say_what_to_do(memory: Memory) -> None:
    memory.remember("Only one.", user="ana", time=NOW)
    with pytest.raises(InputError, match="a split needs 10"):
        measure(memory, HashEmbedder(64), OwnPlan(user="ana", now=NOW))

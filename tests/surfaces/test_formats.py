"""The formatter: what fits a terminal, what JSON gets, and that both are the same whoever asks."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError, StoreError
from aforesaid.settings import Settings
from aforesaid.store.protocols import Space, StoreStats
from aforesaid.surfaces.cli.settings import settings_text, settings_toml
from aforesaid.surfaces.formats import columns, maintenance
from aforesaid.surfaces.formats import records as shown
from aforesaid.surfaces.formats.report import report_text, size
from aforesaid.surfaces.formats.values import error_json, error_text, to_json
from aforesaid.surfaces.verbs.declare import View
from aforesaid.types import (
    Context,
    Freshness,
    GateDecision,
    Hit,
    IngestReport,
    Outcome,
    Provenance,
    Record,
    SearchResult,
    TraceItem,
)

TIME = datetime(2026, 5, 1, 10, tzinfo=UTC)
GATE = GateDecision("admit", 0.5, 0.35, {"H": 1.0, "G": 0.5}, "G=0.50>=0.35; novelty=1.00")
RECORD = Record(
    "t1", "turn", "I moved to Lisbon in May.", TIME, session="s1", role="user", user="ana", durable=True, gate=GATE,
    provenance=Provenance("user", "ingest", sources=("a", "b"), lines=(3, 4)), redactions=("openai-key",), meta={"x": 1},
)  # fmt: skip
FRESH = Freshness(4, 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


# Columns


def test_widths() -> None:
    assert [columns.width_of(text) for text in ("abc", "日本", "é", "e\u0301", "ｶﾞ", "")] == [3, 4, 1, 1, 2, 0]
    assert columns.clip("abcdef", 6) == "abcdef"
    assert columns.clip("abcdef", 4) == "abc…"
    assert columns.clip("日本語です", 6) == "日本…"
    assert columns.pad("日", 4) == "日  "


def test_a_snippet_shows_what_was_asked_for() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve needle thirteen fourteen fifteen sixteen"
    assert columns.snippet(text, 40) == "one two three four five six seven eight…"
    assert columns.snippet(text, 40, "a NEEDLE") == "…twelve needle thirteen fourteen fiftee…"
    assert columns.snippet(text, 40, "sixteen").endswith("fifteen sixteen")
    assert columns.snippet("word " * 50 + "歯医者の予約は水曜日です", 30, "予約はいつ？").count("予約") == 1
    assert columns.snippet("a\n\n b\tc", 10) == "a b c"


def test_a_terminal_takes_no_orders_from_text() -> None:
    assert columns.visible("a\x1b[31mb\x07\r\nc\td\u202e") == "a�[31mb�\nc\td�"


def test_wrapping() -> None:
    assert columns.wrapped("one two three four five six", 24, "  ") == "  one two three four\n  five six"
    assert columns.wrapped("日本語" * 5, 20) == "日本語日本語日本語日\n本語日本語"
    assert columns.wrapped("x" * 45, 20) == "\n".join(["x" * 20, "x" * 20, "x" * 5])
    assert columns.wrapped("a\n\nb", 20) == "a\n\nb"


@given(TEXTS, st.integers(20, 80), TEXTS)
def test_nothing_is_wider_than_it_may_be(text: str, width: int, query: str) -> None:
    assert columns.width_of(columns.clip(columns.one_line(text), width)) <= width
    line = columns.snippet(text, width, query)
    assert columns.width_of(line) <= width
    assert "\n" not in line
    wrapped = columns.wrapped(text, width)
    assert all(columns.width_of(line) <= width for line in wrapped.split("\n"))
    assert "".join(wrapped.split()) == "".join(columns.visible(text).split())


def test_tables() -> None:
    assert columns.table([("a", "1", "x"), ("日本", "22", "")]) == ["a     1   x", "日本  22"]


# JSON


def test_plain_holds_every_field() -> None:
    found = json.loads(json.dumps(to_json(RECORD)))
    assert set(found) == {spec.name for spec in fields(Record) if spec.init} | {"key"}
    assert found["time"] == "2026-05-01T10:00:00+00:00"
    assert found["provenance"]["sources"] == ["a", "b"]
    assert found["gate"]["signals"] == {"H": 1.0, "G": 0.5}
    assert set(to_json(FRESH)) == {spec.name for spec in fields(Freshness)} | {"line"}
    assert (to_json(FRESH)["records"], to_json(FRESH)["line"]) == (4, FRESH.line)


def test_a_search_as_json_and_as_text() -> None:
    hit = Hit(RECORD, 0.5, {"cos": 0.25}, "cos=0.25; age=1d", 0.31)
    result = SearchResult((hit,), FRESH, "where", "default", confidence=0.62)
    found = shown.search_json(result, View({"user": "ana", "offset": 2}))
    assert (found["query"], found["user"], found["hits"][0]["rank"]) == ("where", "ana", 3)
    assert shown.search_text(result, 80, first_rank=3) == (
        " 3. 0.500  31%  2026-05-01 10:00  t1  s1/user\n    I moved to Lisbon in May.\n    cos=0.25; age=1d\n\n"
        "Holds an answer: 62% likely.\n"
        "search by meaning and by words; 1 of 4 records have no vector yet, so only their words are searched"
    )
    doubtful = shown.search_text(replace(result, confidence=0.04), 80)
    assert "This memory probably does not hold the answer: 4% likely." in doubtful
    assert "parts: cos=0.25" in shown.search_text(result, 80, explain=True)


# Text


def test_a_record_shows_all_it_has() -> None:
    text = " ".join(shown.record_text(RECORD, 80).split())
    for part in (" id t1 ", "redactions openai-key", "meta x 1", "sources a, b lines 3, 4", "signals H 1, G 0.5"):
        assert part in text
    gate = "\n".join(shown.gate_lines(GATE))
    assert "H  1.000  novelty" in gate and "G ≥ threshold 0.35" in gate
    claim = Record("c1", "claim", "x", TIME, claim_type="fact", valid_from=TIME, valid_to=TIME, echo_of="t0")
    assert "echo of     t0" in shown.record_text(claim, 80)
    assert shown.origin(claim) == "user/fact"
    assert shown.origin(Record("c", "claim", "x", TIME, scope="project", project="p")) == "p/claim"


def test_lists_mark_what_lasts_and_what_was_replaced() -> None:
    old = Record("c1", "claim", "x", TIME, valid_to=TIME, durable=True)
    assert [line[17] for line in shown.list_text([RECORD, old], 80).splitlines()] == ["●", "×"]
    assert shown.list_text([], 80) == ""


def test_a_trace_says_why_not() -> None:
    items = (
        TraceItem("t1", "tail", True, 7, "recent turn"),
        *(TraceItem(f"t{i}", "recall", False, 9, "does not fit") for i in range(2, 6)),
    )
    context = Context("", (), 7, 10, (RECORD,), items, FRESH, "one turn does not fit")
    text = shown.trace_text(context, 80)
    assert text.startswith("7 of 10 tokens, 1 record; degraded: one turn does not fit; search by meaning and by words")
    assert "  tail  t1  7 tokens  recent turn" in text
    assert text.endswith("  recall  t5  9 tokens  does not fit")
    assert to_json(context)["text"] == ""


def test_an_ingest_is_counted() -> None:
    outcomes = (
        Outcome("t1", "stored", "why", gate=GATE, redactions=("key",)),
        Outcome("t2", "echo", "repeats t0"),
        Outcome("t3", "skipped", "empty"),
    )
    report = IngestReport(outcomes, FRESH)
    found = shown.ingest_json(report, [("f:1", "bad")])
    assert (found["turns"], found["stored"], found["echo"], found["redacted"]) == (3, 1, 1, 1)
    assert found["gate"] == {"admitted": 1, "deferred": 0, "refused": 0}
    assert found["errors"] == [{"where": "f:1", "message": "bad"}]
    assert shown.outcomes_text(outcomes, 80) == ["admit    t1  why", "echo     t2  repeats t0", "skipped  t3  empty"]
    assert shown.outcomes_text([], 80) == []


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (34_015_111, "34.0 MB"), (5e13, "50000.0 GB")],
)
def test_sizes(number: float, text: str) -> None:
    assert size(number) == text


def test_a_report_shows_fields_tables_and_blocks() -> None:
    stats = StoreStats(1200, {"turn": 1199, "claim": 1}, 1000, 200, 3, 4, 5000, 1)
    found = {"stats": stats, "spaces": [Space("a", 384, True), Space("b", 32, False)]}
    text = report_text(maintenance.stats_json(found, View(store="x.db")), 80)
    assert "\nrecords        1200\nkinds          turn 1199, claim 1\n" in text
    assert "\nbytes on disk  5.0 kB\n" in text
    assert text.endswith("spaces:\n  name  dimensions  active\n  a     384         yes\n  b     32          no")
    assert report_text({"none": None, "empty": "", "list": [], "share": 0.12345, "freshness": to_json(FRESH)}, 80) == (
        f"list       none\nshare      0.123\nfreshness  {FRESH.line}"
    )
    assert report_text({"a\x1b": 1e-5, "rows": [{"b": None}]}, 80) == "a�  1e-05\nrows:"
    rows = [{"name": "x" * 60, "why": "y" * 60}, {"name": "z", "why": ""}]
    assert report_text(rows, 60).split("\n\n") == [f"name  {'x' * 60}\nwhy   {'y' * 60}", "name  z"]
    assert report_text([{"name": "x", "why": "y" * 90}], 60).splitlines()[1].endswith("y…")
    assert report_text([{"number": number} for number in range(1, 103)], 60).endswith(
        "100\n… and 2 more; --json lists them"
    )


def test_errors() -> None:
    assert error_text(InputError("Bad\x1b.", "Do this.")) == "error: Bad�.\n  Do this."
    assert error_text(StoreError("Bad.")) == "error: Bad."
    assert error_json(StoreError("Bad.", "Fix.")) == {
        "error": {"type": "StoreError", "message": "Bad.", "remedy": "Fix."}
    }


def test_settings_as_text_and_as_toml() -> None:
    rows = list(Settings.load(environment={}, arguments={"gate.threshold": 0.4, "pce.use_quality": True}).rows())
    assert len(settings_text(rows, 1000).splitlines()) == 2 * len(rows)
    assert settings_text([], 100) == "every setting has its default"
    toml = settings_toml(rows)
    assert "\nthreshold = 0.4\n" in toml
    assert "\nuse_quality = true\n" in toml
    assert '\n# provider = "local"\n' in toml

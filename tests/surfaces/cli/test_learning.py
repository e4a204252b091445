"""`feedback`, `calibrate` and `gate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import data, filled, jsonl, run, words

NOW = "2026-05-10T12:00:00Z"


def test_feedback_counts_once_a_minute(path: Path) -> None:
    filled(path)
    said = ("feedback", "t1", "helpful", "--user", "ana", "--now", NOW)
    text = words(run(path, *said, "--query", "where is Lisbon?"))
    assert "before utility 0, confidence 1 after utility 0.1, confidence 1 counted yes label bm25" in text
    assert "counted no" in words(run(path, *said))
    found = data(run(path, "--json", "feedback", "t1", "harmful", "--user", "ana", "--now", NOW))
    assert (found["id"], found["signal"], found["counted"]) == ("t1", "harmful", True)
    assert found["after"] == {"utility": pytest.approx(-0.1), "confidence": pytest.approx(0.9)}
    assert data(run(path, "--json", "show", "t1", "--user", "ana"))["utility"] == pytest.approx(-0.1)


def test_feedback_merges_duplicates(path: Path) -> None:
    filled(path)
    assert "into t3" in words(run(path, "feedback", "t1", "duplicate", "--of", "t3", "--user", "ana"))
    listed = data(run(path, "--json", "list", "--user", "ana"))["records"]
    assert "t1" not in [record["id"] for record in listed]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("feedback", "t1", "great", "--user", "ana"), "great"),
        (("feedback", "t1", "duplicate", "--user", "ana"), "needs a representative record"),
        (("feedback", "t1", "duplicate", "--of", "t1", "--user", "ana"), "they are one record"),
        (("feedback", "nobody", "helpful"), "nobody"),
        (("calibrate",), "0 labels"),
        (("calibrate", "--gate"), "gate: 0 labels"),
        (("calibrate", "/no/such/file"), "cannot be read"),
        (("calibrate", "--reset", "--dry-run"), "--reset"),
        (("gate", "show", "t2", "--user", "ana"), "did not judge"),
        (("gate", "replay", "--weights", "gate.threshold", "--user", "ana"), "NAME=NUMBER"),
        (("gate", "replay", "--weights", "gate.magic=1"), "Unknown setting"),
        (("gate", "replay", "--weights", "gate.natural_date=1"), "gate.natural_date cannot be replayed"),
        (("gate", "replay", "--weights", "gate.threshold=2"), "outside 0 … 1"),
        (("gate", "list", "--decision", "maybe"), "maybe"),
    ],
)
def test_mistakes_are_told(path: Path, args: tuple[str, ...], words: str) -> None:
    filled(path)
    code = 3 if "nobody" in args else 2
    assert words in run(path, *args, code=code).stderr
    assert json.loads(run(path, *args, "--json", code=code).stderr)["error"]["remedy"]


def boats(path: Path) -> list[dict[str, object]]:
    """Thirty turns, half about boats, and what is right for a question about them."""
    texts = [f"Boat {i} lies in the harbour at pier {i}." for i in range(15)] + [
        f"Soup {i} for lunch." for i in range(15)
    ]
    turns = [{"id": f"t{i}", "session": "s", "role": "user", "text": text} for i, text in enumerate(texts)]
    run(path, "ingest", "--user", "ana", stdin=jsonl(*turns))
    return [{"query": "which boat lies in the harbour?", "id": f"t{i}", "relevant": i < 15} for i in range(30)]


def test_calibrate_from_a_file_and_back(path: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(jsonl(*boats(path)) + "\n")
    dry = words(run(path, "calibrate", str(labels), "--user", "ana", "--dry-run"))
    assert "stored no" in dry and "side vector labels 30 relevant 15 held out 6 before log loss" in dry
    assert run(path, "calibrate", "--reset").stdout == "there was nothing to remove\n"
    kept = data(run(path, "--json", "calibrate", str(labels), "--user", "ana", "--side", "vector", "--method", "platt"))
    assert kept["stored"]
    [side] = kept["sides"]
    assert (side["labels"], side["stored"], side["calibration"]["method"]) == (30, True, "platt")
    assert run(path, "calibrate", "--reset").stdout == "removed calibration.vector\n"


def test_calibrate_from_feedback(path: Path) -> None:
    for label in boats(path):
        signal = "helpful" if label["relevant"] else "harmful"
        run(path, "feedback", str(label["id"]), signal, "--query", str(label["query"]), "--user", "ana", "--now", NOW)
    assert words(run(path, "calibrate")).startswith("stored yes method isotonic")
    gate = words(run(path, "calibrate", "--gate", "--dry-run"))
    assert "policy version none labels 30 useful 15" in gate
    assert "stored no" in gate
    assert "of 30 past decisions would change" in gate


def test_a_model_is_measured_and_shows_what_each_threshold_becomes(path: Path) -> None:
    dry = run(path, "calibrate", "--model", "--dry-run").stdout
    assert dry.startswith("hash-64-0: a dry run: not stored") and "libra.theta1" in dry
    found = data(run(path, "--json", "calibrate", "--model"))
    assert found["stored"] and found["used"] and set(found["ends"]) == {"query", "slot", "align", "support"}
    [theta1] = [row for row in found["thresholds"] if row["setting"] == "libra.theta1"]
    low, high = found["ends"]["query"]["unrelated"], found["ends"]["query"]["related"]
    assert theta1["place"] == 0.2 and theta1["cosine"] == pytest.approx(low + 0.2 * (high - low))
    assert not any(row["setting"].startswith("cascade.") for row in found["thresholds"])  # this model has no tiers
    literal = run(path, "calibrate", "--model", "--dry-run", "--set", "search.thresholds=literal")
    assert "used as cosines" in literal.stderr


def test_the_gate_is_calibrated_from_a_file(path: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(jsonl(*boats(path)))
    found = data(run(path, "--json", "calibrate", str(labels), "--gate", "--user", "ana"))
    assert (found["stored"], found["labels"], found["before"]) == (True, 30, 0.35)
    run(path, "ingest", "--user", "bo", stdin=jsonl({"id": "x", "session": "s", "role": "user", "text": "I like tea."}))
    [entry] = data(run(path, "--json", "gate", "list", "--user", "bo"))["entries"]
    assert entry["threshold"] == found["after"]
    assert "removed gate.threshold" in run(path, "calibrate", "--gate", "--reset").stdout


def test_a_fit_that_is_worse_is_not_kept(path: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    wrong = [{**label, "relevant": i % 2 == 0} for i, label in enumerate(boats(path))]
    labels.write_text(jsonl(*wrong))
    args = ("calibrate", str(labels), "--user", "ana", "--side", "vector")
    refused = run(path, *args, code=1)
    assert "refused worse than the raw scores" in words(refused)
    assert "--force" in refused.stderr
    assert not data(run(path, "--json", *args, code=1))["stored"]
    assert "stored yes" in words(run(path, *args, "--force"))


@pytest.mark.parametrize(
    "line", ['{"id": "t1"}', "[]", "not json", '{"id": "t1", "relevant": "yes"}', '{"query": "x", "relevant": true}']
)
def test_a_bad_label_is_named_by_its_line(path: Path, tmp_path: Path, line: str) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(jsonl(*boats(path)[:1]) + line + "\n")
    assert f"{labels}:2: " in run(path, "calibrate", str(labels), "--user", "ana", code=2).stderr


def test_gate_list_and_show(path: Path) -> None:
    filled(path)
    text = run(path, "gate", "list", "--user", "ana").stdout
    assert [line.split()[6] for line in text.splitlines()] == ["t4", "t3", "t1"]
    entries = data(run(path, "--json", "gate", "list", "--user", "ana"))["entries"]
    assert [entry["id"] for entry in entries] == ["t4", "t3", "t1"]
    admitted = [entry["id"] for entry in entries if entry["decision"] == "admit"]
    only = data(run(path, "--json", "gate", "list", "--user", "ana", "--decision", "admit"))["entries"]
    assert [entry["id"] for entry in only] == admitted
    assert "go on with --offset 1" in run(path, "gate", "list", "--user", "ana", "--limit", "1").stdout
    assert run(path, "gate", "list").stdout == "No such decisions.\n"
    shown = run(path, "gate", "show", "t1", "--user", "ana").stdout
    assert "novelty" in shown
    assert "threshold 0.35" in shown
    assert data(run(path, "--json", "gate", "show", "t1", "--user", "ana"))["signals"] == entries[-1]["signals"]


def test_gate_replay(path: Path) -> None:
    filled(path)
    assert "turns 3 before admit 2, defer 0, reject 1 after admit 2" in words(
        run(path, "gate", "replay", "--user", "ana")
    )
    args = ("gate", "replay", "--user", "ana", "--weights", "gate.threshold=1", "--weights", "gate.weight_novelty=0.5")
    text = run(path, *args, "--limit", "1").stdout
    assert "gate.threshold 1, gate.weight_novelty 0.5" in text
    assert "admit → reject" in text
    assert "more; --limit shows them" in text
    found = data(run(path, "--json", *args))
    assert found["changes"] == found["before"]["admit"] == len(found["changed"])
    assert found["after"] == {"admit": 0, "defer": 0, "reject": 3}
    change = found["changed"][0]
    assert (change["entry"]["decision"], change["decision"]) == ("admit", "reject")

"""The verbs of governance on the command line."""

from __future__ import annotations

from pathlib import Path

from support.cli import data, run, words

POLICY = """
version: "1"
boundary_classes:
  pii: {allow: ["tool:mail"]}
redact:
  - {detect: card}
invariants:
  - {name: no-global-tasks, rule: "!(scope == 'global' && type == 'task')"}
"""


def test_the_governed_way(path: Path) -> None:
    seen = data(run(path, "observe", "the log says port 5433", "--user", "ana", "--who", "ci", "--json"))
    assert seen["tainted"] is True
    made = data(run(path, "distill", seen["id"], "--as", "Staging runs on port 5433.", "--user", "ana", "--json"))
    assert [each["id"] for each in data(run(path, "candidates", "--user", "ana", "--json"))] == [made["id"]]
    assert "Staging runs on" in run(path, "candidates", "--user", "ana").stdout
    assert run(path, "promote", made["id"], "--user", "ana").stdout == f"promoted {made['id']}\n"
    assert "Nothing waits" in run(path, "candidates", "--user", "ana").stdout
    context = data(run(path, "activate", "staging port", "--user", "ana", "--max-uses", "1", "--json"))
    assert context["items"][0]["record"]["id"] == made["id"]
    assert made["id"] in run(path, "activate", "--again", context["id"], "--user", "ana").stdout
    assert "is used up" in run(path, "activate", "--again", context["id"], "--user", "ana", code=2).stderr
    done = run(path, "rollback", made["id"], "--reason", "wrong port", "--user", "ana").stdout
    assert done.startswith(f"ended {made['id']}")
    assert "×" in run(path, "history", made["id"], "--user", "ana").stdout
    assert (
        "needs 1 reviewer"
        in run(path, "upsert", "Deploys happen on Fridays.", "--who", "ops", "--scope", "global", code=2).stderr
    )
    kept = data(
        run(
            path,
            "upsert",
            "Deploys happen on Fridays.",
            "--who",
            "ops",
            "--scope",
            "global",
            "--reviewer",
            "bo",
            "--json",
        )
    )
    assert kept["provenance"]["who"] == "ops"
    assert "where it comes from" in run(path, "upsert", "Deploys happen.", code=2).stderr
    swept = data(run(path, "sweep", "--now", "2099-01-01", "--json"))
    assert swept == {"records": 1, "contexts": 1}


def test_policies(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY, encoding="utf-8")
    run(path, "remember", "Mail bo@example.org, card 4111 1111 1111 1111.", "--user", "ana")
    assert "fine" in run(path, "policy", "check", str(file)).stdout
    dry = run(path, "policy", "apply", str(file), "--dry-run")
    assert "unclean 1" in words(dry) and "text that the policy redacts" in dry.stderr
    assert "built-in defaults" in run(path, "policy", "show").stderr
    report = data(run(path, "policy", "apply", str(file), "--by", "ops", "--expected", "none", "--json"))
    assert (report["adopted"]["number"], report["unclean"]) == (1, 1)
    assert "current policy is 1" in run(path, "policy", "apply", str(file), "--expected", "none", code=2).stderr
    assert "ops" in run(path, "policy", "history").stdout
    assert 'version: "1"' in run(path, "policy", "show").stdout or "version: '1'" in run(path, "policy", "show").stdout
    assert data(run(path, "search", "mail", "--user", "ana", "--json", code=3))["hits"] == []
    assert len(data(run(path, "search", "mail", "--user", "ana", "--purpose", "tool:mail", "--json"))["hits"]) == 1
    assert "card 1" in run(path, "validate", "--stored", code=1).stdout
    assert "mended 1" in words(run(path, "validate", "--stored", "--mend"))
    assert "[pii:card]" in run(path, "search", "mail", "--user", "ana", "--purpose", "tool:mail").stdout
    denied = run(path, "validate", "Sweep the yard.", "--scope", "global", "--type", "task", code=1)
    assert "not allowed to be kept: no-global-tasks" in denied.stdout
    assert (
        "no-global-tasks"
        in run(path, "remember", "Sweep the yard.", "--scope", "global", "--type", "task", code=1).stderr
    )
    file.write_text(POLICY + "scops: {}\n", encoding="utf-8")
    bad = run(path, "policy", "apply", str(file), code=2).stderr
    assert f"{file}:9: unknown key 'scops'. Did you mean 'scopes'?" in bad
    assert run(path, "policy", "template", "team").stdout.count("\n") > 10
    run(path, "policy", "apply", str(tmp_path / "none.yaml"), code=2)


def test_requests_are_noted(path: Path) -> None:
    run(path, "remember", "The gate is green.", "--user", "ana", "--request-id", "r-17")
    assert [event["topic"] for event in data(run(path, "audit", "--request", "r-17", "--json"))["events"]] == [
        "remember"
    ]


def test_results_say_how_they_were_made(path: Path) -> None:
    for text in ("Staging runs on port 5433.", "The staging port changed.", "Ana likes tea."):
        run(path, "remember", text, "--user", "ana")
    first, call = ("--set", "pce.threshold=0.3", "--request-id", "r9"), ("--user", "ana", "--profile", "pce")
    found = data(run(path, *first, "search", "staging port", *call, "--json"))
    assert (found["policy_version"], found["request_id"], found["trace_id"]) == ("none", "r9", "r9")
    assert {"alpha", "k_txt", "k_vec", "k_final"} == set(found["details"]) and "below_threshold" not in found
    explained = data(run(path, *first, "search", "staging port", *call, "--explain", "--json"))
    assert explained["below_threshold"] and explained["below_threshold"][0]["reason"].startswith("reason=below_thresh")
    text = run(path, *first, "search", "staging port", *call, "--explain").stdout
    assert "below the threshold:" in text and "k_final: 12\npolicy: none; request: r9\n" in text
    context = run(path, *first, "activate", "staging port", "--user", "ana").stdout
    assert "k_final: 12\npolicy: none; request: r9\n" in context and "method=remember" in context
    item = data(run(path, "activate", "staging port", "--user", "ana", "--json"))["items"][0]
    assert (item["scope"], item["provenance"]["method"]) == ("user", "remember")

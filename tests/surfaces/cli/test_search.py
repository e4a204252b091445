"""`aforesaid search`, `show`, `list` and `assemble`: what people see, and what programs get."""

from __future__ import annotations

from pathlib import Path

from aforesaid.surfaces.formats.columns import width_of
from support.cli import TURNS, data, filled, jsonl, run, words


def test_search_shows_rank_score_time_origin_words_and_reason(path: Path) -> None:
    filled(path)
    lines = run(
        path, "search", "where", "is", "Lisbon?", "--user", "ana", "--now", "2026-05-11T10:00Z"
    ).stdout.splitlines()
    assert lines[0].startswith(" 1. ")
    assert lines[0].endswith("2026-05-01 10:00  t1  s1/user")
    assert lines[1] == "    I moved to Lisbon in May."
    assert lines[2].strip().startswith("fts=rank:1; cos=")
    assert "age=10d" in lines[2]
    assert lines[-1] == "search by meaning and by words; all records are indexed"


def test_search_as_json(path: Path) -> None:
    filled(path)
    found = data(run(path, "search", "Lisbon", "--user", "ana", "--json", "--limit", "2", "--offset", "1"))
    assert found["query"] == "Lisbon"
    assert found["user"] == "ana"
    assert [hit["rank"] for hit in found["hits"]] == [2, 3]
    assert set(found["hits"][0]) == {"rank", "record", "score", "confidence", "parts", "reason"}
    assert found["hits"][0]["record"]["session"] in ("s1", "s2")
    assert found["freshness"]["line"] == "search by meaning and by words; all records are indexed"


def test_the_active_session_changes_scopes_and_filters_nothing(path: Path) -> None:
    filled(path)

    def scopes(*args: str) -> dict[str, float]:
        asked = ("search", "Lisbon cat build", "--user", "ana", "--profile", "libra-single", "--json")
        found = data(run(path, *asked, *args))["hits"]
        return {hit["record"]["id"]: hit["parts"]["scope"] for hit in found}

    assert scopes() == dict.fromkeys(("t1", "t2", "t3", "t4"), 0.6)
    assert scopes("--active-session", "s2") == {"t1": 0.6, "t2": 0.6, "t3": 0.6, "t4": 1.0}
    asked = ("activate", "Lisbon cat build", "--user", "ana", "--json")
    here, nowhere = (data(run(path, *asked, *args)) for args in (("--active-session", "s2"), ()))
    assert (here["scope"], nowhere["scope"]) == ("session", "user")


def test_explain_shows_every_part(path: Path) -> None:
    filled(path)
    text = run(path, "search", "Lisbon", "--user", "ana", "--explain").stdout
    parts = data(run(path, "search", "Lisbon", "--user", "ana", "--json"))["hits"][0]["parts"]
    assert all(f"{name}=" in text for name in parts)
    assert "gate: admit; G=" in text
    assert "scope session, boundary internal, key " in text


def test_filters(path: Path) -> None:
    filled(path)
    run(path, "remember", "Lisbon has trams.", "--user", "ana", "--time", "2026-06-01")

    def ids(*args: str) -> list[str]:
        found = data(run(path, "search", "Lisbon cat build weather", "--user", "ana", "--json", *args))
        return sorted(hit["record"]["id"] for hit in found["hits"])

    assert ids("--session", "s2") == ["t4"]
    assert ids("--kind", "turn") == ["t1", "t2", "t3", "t4"]
    assert ids("--scope", "session", "--since", "2026-05-02") == ["t4"]
    assert ids("--until", "2026-05-01") == ["t1", "t2", "t3"], "a date alone is its end"
    assert ids("--until", "2026-05-01T10:00:30Z") == ["t1", "t2"]
    assert ids("--as-of", "2026-05-09") == ["t1", "t2", "t3", "t4"]
    assert ids("--since", "1777629700", "--until", "1777630000.5") == []
    assert len(ids("--kind", "turn", "--kind", "claim")) == 5


def test_nothing_found_says_where_it_looked(path: Path) -> None:
    filled(path)
    text = run(path, "search", "anything").stdout
    assert f"Nothing found: {path} holds no records without a user" in text
    assert "--user NAME" in text
    assert "holds no records of user 'bob'" in run(path, "search", "Lisbon", "--user", "bob", code=3).stdout
    text = run(path, "search", "Lisbon", "--user", "ana", "--session", "none", code=3).stdout
    assert "Nothing found among 4 records of user 'ana'." in text
    assert text.endswith("search by meaning and by words; all records are indexed\n")
    assert data(run(path, "search", "x", "--json", "--user", "bob", code=3))["hits"] == []


def test_the_user_may_come_from_the_environment(path: Path) -> None:
    filled(path)
    assert len(data(run(path, "list", "--json", env={"AFORESAID_USER": "ana"}))["records"]) == 4


def test_without_vectors_the_answer_says_so(path: Path) -> None:
    filled(path)
    text = run(path, "--set", "embed.provider=off", "search", "Lisbon", "--user", "ana").stdout
    assert "t1" in text
    assert text.endswith("no search by meaning (no embedder); all records are indexed\n")


def test_output_fits_the_terminal_and_gives_it_no_orders(path: Path) -> None:
    nasty = {**TURNS[0], "text": "a\x1b[31mred\x07\x9b alarm\n" + "日本語の長い文章です。" * 30 + "\x1b]0;title\x07"}
    run(path, "ingest", stdin=jsonl(nasty, {**TURNS[1], "id": "x" * 300, "text": "alarm " * 99}))
    for args in (("search", "alarm"), ("list",), ("show", "t1"), ("search", "alarm", "--explain")):
        text = run(path, *args, env={"COLUMNS": "60"}).stdout
        assert not any(ord(char) < 32 and char != "\n" for char in text)
        assert max(width_of(line) for line in text.splitlines() if "[secret" not in line) <= 100
    assert all(width_of(line) <= 60 for line in run(path, "list", env={"COLUMNS": "60"}).stdout.splitlines())


def test_show_tells_the_whole_record(path: Path) -> None:
    filled(path)
    text = words(run(path, "show", "t1", "--user", "ana"))
    for part in (
        "id t1 kind turn time 2026-05-01T10:00:00+00:00", "user ana", "session s1", "role user", "durable yes",
        "method ingest", "gate: decision admit", "signals T 0, H 1,", "I moved to Lisbon in May.",
    ):  # fmt: skip
        assert part in text
    found = data(run(path, "show", "t1", "--user", "ana", "--json"))
    assert found["gate"]["decision"] == "admit"
    assert data(run(path, "show", found["key"], "--user", "ana", "--json")) == found


def test_show_asks_for_the_session_when_a_name_is_taken_twice(path: Path) -> None:
    run(path, "ingest", stdin=jsonl(TURNS[0], {**TURNS[0], "session": "s9"}))
    assert "Name the session too." in run(path, "show", "t1", code=2).stderr
    assert "session s9" in words(run(path, "show", "t1", "--session", "s9"))


def test_show_takes_a_handle_and_what_list_prints(path: Path) -> None:
    run(path, "ingest", stdin=jsonl({**TURNS[0], "id": "2026-05-01-the-first-call-with-ines"}))
    shown = run(path, "assemble", "Lisbon").stdout
    handle = shown[shown.index("[m:") : shown.index("[m:") + 12]
    for name in (handle, handle[1:-1], "2026-05-01-the-first-ca…", "2026"):
        assert "I moved to Lisbon in May." in run(path, "show", name).stdout
    assert "2026-05-01-the-first-ca…" in run(path, "list").stdout


def test_list_is_newest_first_and_marks_what_lasts(path: Path) -> None:
    filled(path)
    run(path, "remember", "She lives in Porto.", "--user", "ana", "--time", "2026-05-10")
    old = data(run(path, "list", "--json", "--user", "ana", "--kind", "claim"))["records"][0]["id"]
    run(path, "remember", "She lives in Kyoto.", "--user", "ana", "--time", "2026-05-12", "--supersedes", old)
    lines = run(path, "list", "--user", "ana").stdout.splitlines()
    assert [line.split()[3 if "●" in line else 2] for line in lines[1:]] == ["t4", "t3", "t2", "t1"]
    assert lines[0].startswith("2026-05-12 00:00 ● claim-")
    assert lines[3].startswith("2026-05-01 10:00   t2  ")
    assert "user/fact" in lines[0]
    superseded = run(path, "list", "--user", "ana", "--superseded").stdout
    assert "× claim-" in superseded
    assert "Porto" in superseded
    durable = data(run(path, "list", "--json", "--user", "ana", "--durable"))["records"]
    rest = data(run(path, "list", "--json", "--user", "ana", "--not-durable"))["records"]
    assert len(durable) + len(rest) == 5
    assert all(record["durable"] for record in durable)


def test_list_in_pages(path: Path) -> None:
    filled(path)
    assert "2 shown; go on with --offset 2" in run(path, "list", "--user", "ana", "--limit", "2").stdout
    assert "t1" in run(path, "list", "--user", "ana", "--limit", "2", "--offset", "2").stdout
    assert "No such records of user 'bob'" in run(path, "list", "--user", "bob", code=3).stdout
    assert "No such records without a user" in run(path, "list").stdout


def test_assemble_prints_the_context_and_nothing_else(path: Path) -> None:
    filled(path)
    result = run(path, "assemble", "where is Lisbon", "--user", "ana", "--session", "s2", "--budget", "280")
    found = data(
        run(path, "assemble", "where is Lisbon", "--user", "ana", "--session", "s2", "--budget", "280", "--json")
    )
    assert result.stdout == found["text"] + "\n"
    assert "I moved to Lisbon" in found["recall"]
    assert found["kept_tokens"] == found["tokens"], "the same question of the same session again"
    assert found["messages"][0] == {"role": "user", "content": "The build fails with exit code 137."}
    assert [message["content"] for message in found["messages"][1:]] == [found["recall"]]
    assert found["tokens"] <= 280
    assert f"{found['tokens']} of 280 tokens, 4 records; search by meaning and by words" in result.stderr


def test_assemble_traces_what_it_left_out(path: Path) -> None:
    filled(path)
    text = run(
        path, "assemble", "where is Lisbon", "--user", "ana", "--session", "s2", "--budget", "90", "--trace"
    ).stdout
    taken, left = text.split("taken:")[1].split("left out:")
    assert "tail    t4" in taken
    assert "recall  t1" in taken
    assert "does not fit: " in left
    tight = run(path, "assemble", "Lisbon", "--user", "ana", "--session", "s1", "--budget", "5", "--trace").stdout
    assert "degraded: 3 of the last 4 turns do not fit in 5 tokens" in tight

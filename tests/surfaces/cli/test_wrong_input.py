"""Wrong input on the command line: exit code 2, one line with a remedy, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import filled, run


@pytest.mark.parametrize(
    "command",
    [
        ("search",), ("search", "--files"), ("remember",), ("assemble",), ("observe",), ("validate",), ("activate",),
        ("index",), ("load",), ("lint",), ("ingest",), ("import",), ("show",), ("compact",), ("end",), ("forget",),
        ("backup",), ("policy", "apply"), ("policy", "check"),
    ],
)  # fmt: skip
def test_an_empty_argument_is_refused(path: Path, command: tuple[str, ...]) -> None:
    filled(path)
    result = run(path, *command, "", code=2)
    assert "is empty." in result.stderr and "Example: aforesaid" in result.stderr
    error = json.loads(run(path, *command, " ", "--json", code=2).stderr)["error"]
    assert error["type"] == "InputError" and "is empty." in error["message"]


@pytest.mark.parametrize(
    "command",
    [
        ("search", "tea"), ("search", "--files", "tea"), ("list",), ("assemble", "tea"), ("stats",), ("index",),
        ("validate", "tea"), ("validate", "--stored"), ("history", "x"), ("index", "--remove", "x"),
    ],
)  # fmt: skip
def test_reading_a_store_that_is_not_there_says_so_and_makes_none(path: Path, command: tuple[str, ...]) -> None:
    assert f"There is no store at {path}." in run(path, *command, code=2).stderr
    assert not path.exists()


def test_a_file_that_cannot_be_imported_is_named_with_the_reason(path: Path, tmp_path: Path) -> None:
    script, wrong, good = tmp_path / "readme.py", tmp_path / "wrong.json", tmp_path / "chat.jsonl"
    script.write_text("print(1)\n")
    wrong.write_text('{"foo": [1, 2')
    for file in (script, wrong):
        result = run(path, "import", str(file), code=1, env={"COLUMNS": "400"})
        assert "unreadable" in result.stdout and "neither JSON lines with role and content" in result.stdout
        assert json.loads(run(path, "import", str(file), "--json", code=1).stdout)["files"][0]["state"] == "unreadable"
    good.write_text('{"role": "user", "content": "I like tea."}\n')
    assert "1 turn" in run(path, "import", str(script), str(good)).stdout


def test_errors_of_python_are_shown_in_the_words_of_the_command_line(path: Path, tmp_path: Path) -> None:
    filled(path)
    (tmp_path / "copy.db").write_text("")
    for command, remedy in {
        ("feedback", "t1", "duplicate", "--user", "ana"): "Give --of ID.",
        ("forget", "--user", "ana"): "or --everything.",
        ("backup", str(tmp_path / "copy.db")): "or give --force.",
        ("upsert", "Tea is green."): "Give --who NAME, --file PATH or --url URL.",
        ("show", "nosuch", "--user", "ana"): "See `aforesaid list`; those of a user need --user NAME.",
        ("promote", "nosuch"): "See `aforesaid candidates`.",
    }.items():
        assert remedy in run(path, *command, code=3 if "nosuch" in command else 2).stderr


def test_a_wrong_setting_says_what_to_use(path: Path) -> None:
    assert "Use a number from 0 to 1." in run(path, "--set", "gate.threshold=7", "settings", code=2).stderr
    assert "Use one of: " in run(path, "--set", "embed.provider=bogus", "settings", code=2).stderr


def test_a_misspelt_variable_gives_a_warning(path: Path) -> None:
    result = run(path, "settings", "--changed", env={"AFORESAID_GATE_TRESHOLD": "0.2"})
    assert result.stderr.count("Did you mean AFORESAID_GATE_THRESHOLD?") == 1
    assert "warning" not in run(path, "settings", env={"AFORESAID_DEBUG": "1", "AFORESAID_HOSTS": "x"}).stderr


def test_a_misspelt_command_or_a_misplaced_option_says_what_to_write(path: Path) -> None:
    assert "Did you mean 'search'?" in run(path, "serach", "tea", code=2).stderr
    assert "Write --user after the command." in run(path, "--user", "ana", "search", "tea", code=2).stderr


def test_a_hook_for_a_store_in_a_missing_folder_makes_nothing(tmp_path: Path) -> None:
    away = tmp_path / "away"
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "tea?", "cwd": "."})
    assert json.loads(run(away / "x.db", "hook", stdin=event, env={"HOME": str(tmp_path)}).stdout) == {}
    assert not away.exists()


@pytest.mark.parametrize(
    "args",
    [
        ("list", "--user", "bob"),
        ("search", "tea", "--user", "bob"),
        ("list", "--session", "nosuch", "--user", "ana"),
        ("compact", "nosuch", "--user", "ana"),
        ("forget", "--user", "bob", "--everything", "--yes"),
        ("forget", "--session", "nosuch", "--user", "ana", "--yes"),
    ],
)
def test_an_unknown_user_or_session_is_told(path: Path, args: tuple[str, ...]) -> None:
    filled(path)
    said = run(path, *args, code=3).stderr
    assert "Nothing found for" in said and ("'bob'" in said or "'nosuch'" in said) and "'t1'" not in said
    assert json.loads(run(path, "--json", *args, code=3).stdout) is not None


def test_an_unknown_id_has_the_same_exit_code_and_a_known_user_without_a_hit_has_none(path: Path) -> None:
    filled(path)
    for args in (("show", "nosuch"), ("history", "nosuch"), ("expand", "nosuch"), ("forget", "nosuch", "--yes")):
        run(path, *args, "--user", "ana", code=3)
    run(path, "list", "--user", "ana", "--until", "1999-01-01", code=0)


def test_an_unexpected_failure_is_one_line(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    (tmp_path / "loop").symlink_to("loop")
    for args in (("load", "loop"), ("lint", "loop"), ("export", "loop"), ("backup", "loop"), ("ingest", "loop")):
        result = run(path, *(str(tmp_path / each) if each == "loop" else each for each in args), code=None)
        assert result.exit_code in (1, 2) and "Traceback" not in result.output and "loop" in result.stderr


def test_settings_fit_a_terminal() -> None:
    text = run(None, "settings", env={"COLUMNS": "100"}).stdout
    assert max(map(len, text.splitlines())) <= 100


def test_looking_creates_nothing(tmp_path: Path) -> None:
    for args in (("list",), ("search", "tea"), ("stats",), ("show", "x"), ("audit",), ("verify",)):
        assert "There is no store" in run(tmp_path / "no.db", *args, code=2).stderr
    assert list(tmp_path.iterdir()) == []


GOOD_TURN = {"id": "t1", "session": "s1", "role": "user", "text": "I like tea.", "time": "2026-05-01T10:00:00Z"}
ODD: list[object] = [
    None, True, -1, 10**400, 1.5, float("nan"), float("inf"), "", " ", "\x00", "\ud800", "x" * 5000, [], {}, [[[]]], {"a": 1}, "1e999",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
]  # fmt: skip


def test_lines_of_any_shape_are_stored_or_refused_with_a_remedy(path: Path) -> None:
    lines = [json.dumps(GOOD_TURN | {name: odd}) for name in GOOD_TURN for odd in ODD]
    lines += [json.dumps(odd) for odd in ODD] + [
        "{",
        "[" * 5000,
        '{"a":' * 2000,
        "\ufeff{}",
        '{"id": 1e999}',
        "NaN",
        '{"id":"a","id":"b"}',
    ]
    for line in lines:
        result = run(path, "ingest", "--user", "ana", stdin=line.encode("utf-8", "surrogatepass") + b"\n", code=None)
        assert result.exit_code in (0, 1, 2), (line[:80], result.output)
        assert result.exit_code == 0 or ("error:" in result.stderr and "\n  " in result.stderr), (
            line[:80],
            result.output,
        )
        assert "unexpected" not in result.stderr, (line[:80], result.stderr)
    run(path, "verify")


@pytest.mark.parametrize("kind", ["policy", "settings", "variable"])
def test_files_and_variables_of_any_shape_are_read_or_refused(path: Path, tmp_path: Path, kind: str) -> None:
    filled(path)
    file = tmp_path / "file"
    texts = [
        b"", b"\x00", b"\xff\xfe", b"[", b"- " * 3000, b"{" * 3000, b"a: &a [*a]", b"a: *b", b"!!python/object:os.system x", b"version: 1e999",
        b"version: [1]", b'version: "1"\nscopes: 5', b'version: "1"\nscopes: {user: {ttl: .nan}}', b'version: "1"\ninvariants: [1, {}]',
        b'version: "1"\nboundaries: {x: y}', b"1: 2", b"? [a]\n: b", b"a = ", b"[gate]\nthreshold = nan", b"[gate]\nthreshold = 1e999", b"[gate]\nthreshold = []",
        b"[gate]\nthreshold = 99999999999999999999999999", b"gate = 5", b"[gate]\n\"\xc3\xbc\" = 1", b"[search]\nlimit = 1.5", b"[search]\nlimit = 2026-05-01",
    ]  # fmt: skip
    for text in texts:
        file.write_bytes(text)
        if kind == "policy":
            result = run(path, "policy", "apply", str(file), code=None)
        elif kind == "settings":
            result = run(path, "--config", str(file), "stats", code=None)
        else:
            value = text.decode("utf-8", "surrogateescape").replace("\x00", "")
            result = run(
                path, "stats", env={"AFORESAID_GATE_THRESHOLD": value, "AFORESAID_SEARCH_LIMIT": value}, code=None
            )
        assert result.exit_code in (0, 1, 2) and "unexpected" not in result.stderr, (text[:60], result.output)
        assert result.exit_code == 0 or "\n  " in result.stderr, (text[:60], result.output)
    run(path, "verify")

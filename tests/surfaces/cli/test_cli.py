"""The command line as a whole: help, global options, settings, completion, and how it fails."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from aforesaid import __version__
from aforesaid.settings import Settings
from aforesaid.surfaces.cli import main
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.commands import COMMANDS, command_named, summary_of
from aforesaid.types import DEFAULT_TENANT
from support.cli import CLEAN, data, filled, run


def commands() -> Iterator[click.Command]:
    for found in map(command_named, COMMANDS):
        assert found is not None
        yield from found.commands.values() if isinstance(found, click.Group) else (found,)


def test_help_lists_every_command_and_the_exit_codes() -> None:
    for flag in ("-h", "--help"):
        text = run(None, flag).stdout
        assert all(f"\n  {name} " in text for name in COMMANDS)
        assert all(f"\n    {code} " in text for code in (0, 1, 2, 130))


def test_the_table_of_commands_says_what_they_say_themselves() -> None:
    for name in COMMANDS:
        found = command_named(name)
        assert found is not None and found.name == name
        assert found.get_short_help_str(80) == summary_of(name)


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: command.callback.__name__)
def test_every_command_has_an_example_and_json(command: click.Command) -> None:
    assert command.help
    assert command.epilog
    assert f"Example:\n  aforesaid {command.name}" in re.sub(
        "aforesaid (models|bench|gate|policy) ", "aforesaid ", command.epilog
    ) or (command.name == "completion")
    assert any(option.name == "json" for option in command.params)


def test_version_and_default_tenant() -> None:
    assert run(None, "--version").stdout == f"aforesaid, version {__version__}\n"
    assert App().tenant == DEFAULT_TENANT


def test_global_options_may_stand_before_or_after_the_command(path: Path) -> None:
    filled(path)
    before = data(run(path, "--json", "--tenant", "x", "list"))
    after = data(run(None, "list", "--json", "--store", str(path), "--tenant", "x"))
    assert before == after
    assert data(run(path, "settings", "--json", "--changed", "--set", "gate.threshold=0.5"))["settings"] == [
        {
            "name": name,
            "value": value,
            "default": default,
            "range": span,
            "help": text,
            "origin": "argument",
        }
        for name, value, default, span, text in (
            (
                "embed.provider",
                "hash",
                "local",
                "local | openai | ollama | hash | off",
                "the embedder that Memory.open uses",
            ),
            ("gate.threshold", 0.5, 0.35, "0 … 1", "a message with G of at least this is durable"),
        )
    ]


def test_the_store_may_come_from_the_environment_or_be_the_default(tmp_path: Path) -> None:
    run(None, "remember", "hello there", env={"AFORESAID_STORE": str(tmp_path / "env.db")})
    assert (tmp_path / "env.db").is_file()
    run(None, "remember", "hello there", env={"XDG_DATA_HOME": str(tmp_path / "data")})
    assert (tmp_path / "data" / "aforesaid" / "memory.db").is_file(), "its folder is made on demand"
    run(tmp_path / "no" / "folder" / "x.db", "remember", "hello", code=1)


def test_a_tenant_sees_only_its_own(path: Path) -> None:
    run(path, "--tenant", "one", "remember", "the door code is green")
    assert len(data(run(path, "--tenant", "one", "--json", "search", "door"))["hits"]) == 1
    assert data(run(path, "--tenant", "two", "--json", "search", "door"))["hits"] == []


def test_settings_are_listed_with_who_changed_them() -> None:
    text = run(None, "settings").stdout
    assert all(row.name in text for row in Settings().rows())
    changed = run(
        None, "settings", "--changed", "--set", "gate.threshold=0.4", env={"AFORESAID_SEARCH_LIMIT": "7"}
    ).stdout
    assert "gate.threshold" in changed
    assert "default 0.35, set by argument" in changed
    assert "default 12, set by environment" in changed
    assert "gate.weight_novelty" not in changed


def test_the_toml_file_reads_back_as_the_same_settings(tmp_path: Path) -> None:
    text = run(None, "settings", "--toml", "--set", "gate.threshold=0.4", "--set", 'embed.model=a "b" \\ c').stdout
    assert tomllib.loads(text)["gate"] == {"threshold": 0.4}
    file = tmp_path / "aforesaid.toml"
    file.write_text(text)
    again = Settings.load(file, environment={})
    assert again.embed.model == 'a "b" \\ c'
    file.write_text("\n".join(line.removeprefix("# ") for line in text.splitlines()))
    assert {row.name: row.value for row in Settings.load(file, environment={}).rows()} == {
        row.name: row.value for row in again.rows()
    }
    assert data(run(None, "--config", str(file), "settings", "--json", "--changed"))["settings"][0]["value"] == "hash"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    script = run(None, "completion", shell).stdout
    assert "_AFORESAID_COMPLETE" in script
    assert data(run(None, "completion", shell, "--json"))["script"].strip() == script.strip()


def test_completion_completes() -> None:
    def completed(words: str, position: int) -> list[str]:
        env = {"_AFORESAID_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
        return CliRunner().invoke(main, [], env={**CLEAN, **env}).stdout.split()

    assert completed("aforesaid se", 1) == ["plain,search", "plain,settings"]
    assert "plain,claim" in completed("aforesaid search --kind ", 3)
    assert completed("aforesaid models ve", 2) == ["plain,verify"]


@pytest.mark.parametrize(
    ("args", "kind", "words"),
    [
        (("search",), "InputError", "Missing argument"),
        (("nonsense",), "InputError", "No such command"),
        (("search", "x", "--kind", "poem"), "InputError", "poem"),
        (("list", "--since", "yesterday"), "InputError", "not a time"),
        (("--set", "gate.threshold", "stats"), "InputError", "name=value"),
        (("--set", "gate.threshold=2", "stats"), "SettingsError", "outside 0 … 1"),
        (("--config", "/no/such.toml", "stats"), "SettingsError", "does not exist"),
        (("search", "x", "--profile", "magic"), "InputError", "magic"),
        (("search", "  "), "InputError", "empty"),
    ],
)
def test_mistakes_exit_with_2(path: Path, args: tuple[str, ...], kind: str, words: str) -> None:
    filled(path)
    plain = run(path, *args, code=2)
    assert words in plain.stderr
    assert plain.stdout == ""
    found = json.loads(run(path, *args, "--json", code=2).stderr)["error"]
    assert found["type"] == kind
    assert words in found["message"]
    assert found["remedy"]


def test_failures_exit_with_1_and_name_a_remedy(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a database at all" * 100)
    for args in (("search", "x"), ("stats",), ("ingest",), ("export",), ("verify",)):
        result = run(broken, *args, code=1)
        assert result.stderr.startswith("error: ")
        assert "is not a database" in result.stderr
        assert "\n  Use another file" in result.stderr
    assert json.loads(run(broken, "stats", "--json", code=1).stderr)["error"]["type"] == "StoreCorruptError"


def test_the_traceback_is_for_those_who_ask(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "Traceback" not in run(tmp_path, "stats", code=1).stderr
    assert "Traceback" in run(tmp_path, "stats", code=1, env={"AFORESAID_DEBUG": "1"}).stderr

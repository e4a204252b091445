"""Configuration of hosts: what is added, that the rest stays, and that the way back leads home."""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aforesaid.errors import FormatError, InputError
from aforesaid.hosts.config_edits import BEGIN, END, parse_json, quoted
from aforesaid.hosts.install import apply_steps, backup_of, install_steps
from aforesaid.hosts.plans import (
    EVENTS,
    NAMES,
    FilePlan,
    LaunchCommand,
    Places,
    codex_server,
    hooks_edit,
    plans,
)
from aforesaid.surfaces.cli import main

CALL = LaunchCommand(["/opt/my venv/bin/aforesaid"], ["--store", "/home/ana/my memory.db"], "ana")
SETTINGS = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}],
    },
    "env": {"TOKEN": "not ours"},
}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "home", tmp_path / "work", {})


def both(host: Any, places: Places, scope: Any = "user", call: LaunchCommand = CALL) -> list[FilePlan]:
    return plans(host, scope, places, call, True, True)


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize(
    ("host", "scope", "files"),
    [
        ("claude-code", "user", ["home/.claude/settings.json", "home/.claude.json"]),
        ("claude-code", "project", ["work/.claude/settings.json", "work/.mcp.json"]),
        ("codex", "user", ["home/.codex/hooks.json", "home/.codex/config.toml"]),
        ("codex", "project", ["work/.codex/hooks.json", "work/.codex/config.toml"]),
        ("cursor", "user", ["home/.cursor/mcp.json"]),
        ("cursor", "project", ["work/.cursor/mcp.json"]),
        ("openclaw", "user", ["home/.openclaw/openclaw.json"]),
    ],
)
def test_from_nothing_to_nothing(places: Places, tmp_path: Path, host: Any, scope: Any, files: list[str]) -> None:
    found = both(host, places, scope)
    assert apply_steps(install_steps(found)) == []
    assert sorted(tree(tmp_path)) == sorted(files)
    before = tree(tmp_path)
    assert not any(step.changes for step in install_steps(found)), "again, and nothing changes"
    apply_steps(install_steps(found))
    assert tree(tmp_path) == before
    assert all((tmp_path / file).stat().st_mode & 0o077 == 0 for file in files)
    apply_steps(install_steps(found, undo=True), undo=True)
    assert tree(tmp_path) == {}
    assert not any(step.changes for step in install_steps(found, undo=True))


def test_the_environment_may_name_the_folders(tmp_path: Path) -> None:
    names = {"CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "x", "OPENCLAW_CONFIG_PATH": "o.json"}
    places = Places(tmp_path, tmp_path, {name: str(tmp_path / value) for name, value in names.items()})
    assert [plan.path.relative_to(tmp_path).as_posix() for host in NAMES for plan in both(host, places)] == [
        "c/settings.json", "c/.claude.json", "x/hooks.json", "x/config.toml", ".cursor/mcp.json", "o.json",
    ]  # fmt: skip


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_hooks_stand_beside_the_others(places: Places, host: Any) -> None:
    plan = plans(host, "user", places, CALL, True, False)[0]
    put(plan.path, json.dumps(SETTINGS, indent=4) + "\n")
    made = apply_steps(install_steps([plan]))
    assert made == [backup_of(plan.path)]
    assert json.loads(made[0].read_text()) == SETTINGS
    text = plan.path.read_text()
    new = json.loads(text)
    assert text.startswith('{\n    "model"'), "the indentation stays"
    assert new["hooks"]["Stop"][0] == SETTINGS["hooks"]["Stop"][0]  # type: ignore[index]
    assert new["hooks"]["PreToolUse"] == SETTINGS["hooks"]["PreToolUse"]  # type: ignore[index]
    assert {**new, "hooks": None} == {**SETTINGS, "hooks": None}
    for event in EVENTS[host]:
        command = new["hooks"][event][-1]["hooks"][0]
        assert shlex.split(command["command"]) == [
            "/opt/my venv/bin/aforesaid", "hook", "--host", host, "--user", "ana", "--store", "/home/ana/my memory.db",
        ]  # fmt: skip
        assert command["timeout"] in (10, 60)
    apply_steps(install_steps([plan], undo=True), undo=True)
    assert plan.path.read_text() == json.dumps(SETTINGS, indent=4) + "\n"
    assert not backup_of(plan.path).exists()


def test_another_user_takes_the_place_of_the_first(places: Places) -> None:
    plan = plans("claude-code", "user", places, CALL, True, False)[0]
    put(plan.path, json.dumps(SETTINGS))
    apply_steps(install_steps([plan]))
    other = plans("claude-code", "user", places, LaunchCommand(["aforesaid"], (), "bob"), True, False)[0]
    apply_steps(install_steps([other]))
    text = plan.path.read_text()
    assert text.count("aforesaid hook") == len(EVENTS["claude-code"])
    assert "--user ana" not in text
    apply_steps(install_steps([plan], undo=True), undo=True)
    assert plan.path.read_text() == json.dumps(SETTINGS), "the first backup is the one that counts"


def test_what_was_changed_meanwhile_stays(places: Places) -> None:
    plan = plans("claude-code", "user", places, CALL, True, False)[0]
    put(plan.path, json.dumps(SETTINGS))
    apply_steps(install_steps([plan]))
    now = json.loads(plan.path.read_text())
    now["theme"] = "dark"
    now["hooks"]["Stop"][-1]["hooks"].append({"type": "command", "command": "mine"})
    now["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "aforesaid hook --host codex"}]})
    put(plan.path, json.dumps(now))
    assert not install_steps([plan])[0].after or "mine" in str(install_steps([plan])[0].after)
    apply_steps(install_steps([plan], undo=True), undo=True)
    left = json.loads(plan.path.read_text())
    assert left["theme"] == "dark"
    assert [hook["command"] for group in left["hooks"]["Stop"] for hook in group["hooks"]] == [
        "say done", "mine", "aforesaid hook --host codex",
    ]  # fmt: skip
    assert sorted(left["hooks"]) == ["PreToolUse", "Stop"]


KEYS = st.sampled_from(["hooks", "Stop", "UserPromptSubmit", "mcpServers", "mcp", "servers", "aforesaid"]) | st.text(
    max_size=6
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.sampled_from(["claude-code", "codex", "cursor", "openclaw"]),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.sampled_from(["", "\n", "\r\n"]),
)
def test_there_and_back_again(tmp_path: Path, value: dict[str, Any], host: Any, indent: Any, end: str) -> None:
    places = Places(tmp_path / "home", tmp_path / "work", {})
    text = json.dumps(value, indent=indent) + end
    found = [plan for plan in both(host, places) if plan.path.suffix == ".json"]
    for plan in found:
        put(plan.path, text)
    try:
        apply_steps(install_steps(found))
    except FormatError:
        assert all(plan.path.read_bytes() == text.encode() for plan in found), "refused, and nothing was written"
        return
    assert not any(step.changes for step in install_steps(found))
    for plan in found:
        assert json.loads(plan.path.read_text()) != value
    apply_steps(install_steps(found, undo=True), undo=True)
    assert all(plan.path.read_bytes() == text.encode() for plan in found)
    assert not any(backup_of(plan.path).exists() for plan in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.dictionaries(st.text(min_size=1, max_size=4), st.integers(), max_size=3),
)
def test_without_a_backup_the_way_back_still_leads_home(
    tmp_path: Path, value: dict[str, Any], more: dict[str, int]
) -> None:
    edit = hooks_edit("claude-code", CALL)
    try:
        there = {**edit.add(value), **{f"x{name}": number for name, number in more.items()}}
    except FormatError:
        return
    back = edit.remove(there)
    assert {name: held for name, held in back.items() if name != "hooks"} == {
        name: held
        for name, held in {**value, **{f"x{name}": number for name, number in more.items()}}.items()
        if name != "hooks"
    }
    kept = {
        event: groups
        for event, groups in value.get("hooks", {}).items()
        if groups or event not in EVENTS["claude-code"]
    }
    assert back.get("hooks", {}) == kept


def test_toml_keeps_every_other_byte(places: Places) -> None:
    plan = plans("codex", "user", places, CALL, False, True)[0]
    for text in (
        "",
        "model = 'x'",
        "# a comment\nmodel = \"x\" # another\n\n[mcp_servers.other]\ncommand = 'y'\n",
        "a = 1\r\n",
    ):
        put(plan.path, text)
        apply_steps(install_steps([plan]))
        new = plan.path.read_bytes().decode()
        assert new.startswith(text)
        server = tomllib.loads(new)["mcp_servers"]["aforesaid"]
        assert server == {
            "command": "/opt/my venv/bin/aforesaid",
            "args": ["mcp", "--store", "/home/ana/my memory.db"],
            "required": True,
            "startup_timeout_sec": 30,
            "env": {"AFORESAID_USER": "ana"},
        }
        assert not install_steps([plan])[0].changes
        put(plan.path, f"{new}\n[later]\nx = 1\n")
        apply_steps(install_steps([plan], undo=True), undo=True)
        assert plan.path.read_bytes().decode() == f"{text}\n[later]\nx = 1\n" or text == "model = 'x'"
        assert tomllib.loads(plan.path.read_text()) == {**tomllib.loads(text), "later": {"x": 1}}
        backup_of(plan.path).unlink(missing_ok=True)


@given(st.text())
def test_toml_strings(text: str) -> None:
    assert tomllib.loads(f"x = {quoted(text)}") == {"x": text}


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}\n",
        "[mcp_servers.aforesaid]\ncommand = 'mine'\n",
        "mcp_servers = 3\n",
        "[[mcp_servers]]\nx = 1\n",
    ],
)
def test_toml_that_leaves_no_room_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        codex_server(CALL).add_to(text)


TRUSTED = "[projects.'/home/ana/shop']\ntrust_level = \"trusted\"\n"


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace(END, f"\n{TRUSTED}\n{END}"),
        lambda text: text.replace(END, f"# mine\n{TRUSTED}{END}"),
        lambda text: text.replace(f"{BEGIN}\n", "").replace(END, f"\n{TRUSTED}{END}"),
        lambda text: text.replace(f"{BEGIN}\n", "").replace(f"{END}\n", "") + f"\n{TRUSTED}",
        lambda text: text.replace("[mcp_servers.aforesaid]", '[mcp_servers."aforesaid"]  # ours') + TRUSTED,
        lambda text: text.replace('args = ["mcp", ', 'args = [\n  "mcp",\n  ').replace(END, f"{END}\n{TRUSTED}"),
        lambda text: text.replace("model = 'x'\n", f"model = 'x'\n\n{TRUSTED}"),
    ],
)
def test_toml_that_its_host_edited(places: Places, edit: Callable[[str], str]) -> None:
    """Codex writes new tables before our last mark, and sometimes drops the first."""
    plan = plans("codex", "user", places, CALL, False, True)[0]
    put(plan.path, "model = 'x'\n")
    apply_steps(install_steps([plan]))
    edited = edit(plan.path.read_text())
    put(plan.path, edited)
    assert not install_steps([plan])[0].changes
    other = plans("codex", "user", places, replace(CALL, user="ben"), False, True)[0]
    apply_steps(install_steps([other]))
    assert tomllib.loads(plan.path.read_text())["mcp_servers"]["aforesaid"]["env"] == {"AFORESAID_USER": "ben"}
    apply_steps(install_steps([plan], undo=True), undo=True)
    left = plan.path.read_text()
    assert tomllib.loads(left) == tomllib.loads(f"model = 'x'\n{TRUSTED}")
    assert BEGIN not in left and END not in left and ("# mine" in left) == ("# mine" in edited)


def test_toml_that_a_person_added_to_our_table_stays(places: Places) -> None:
    plan = plans("codex", "user", places, CALL, False, True)[0]
    put(plan.path, codex_server(CALL).add_to(None) + "[mcp_servers.aforesaid.tools.memory_get]\napproval = 'yes'\n")
    assert not install_steps([plan])[0].changes
    apply_steps(install_steps([plan], undo=True), undo=True)
    assert not plan.path.exists()


def test_damaged_files_are_refused_with_the_line(places: Places) -> None:
    cases = {
        '{\n  "a": 1,\n  oops\n}': r"settings\.json: Line 3 is not JSON",
        '{"a": 1, "a": 2}': r"settings\.json: 'a' is there twice",
        '{"a": NaN}': "a number such as NaN",
        '{"a": 1e999}': "a number such as NaN",
        f'{{"a": {"9" * 5000}}}': "a number such as NaN",
        "[" * 100_000: "nested too deeply",
        "[]": r"settings\.json: It is not an object",
        '{"hooks": []}': "hooks is not an object",
        '{"hooks": {"Stop": 3}}': "hooks.Stop is not a list",
    }
    for text, message in cases.items():
        found = both("claude-code", places)
        put(found[0].path, text)
        with pytest.raises(FormatError, match=message):
            apply_steps(install_steps(found))
        assert tree(places.home) == {".claude/settings.json": text.encode()}, (
            "nothing was written, not even the other file"
        )
    found = both("codex", places)
    put(found[1].path, "a = 1\nb = = 2\n")
    with pytest.raises(FormatError, match="line 2"):
        install_steps(found)
    found[0].path.parent.mkdir(exist_ok=True)
    found[0].path.write_bytes(b"{\n\xff}")
    with pytest.raises(FormatError, match=r"hooks\.json: Line 2 is not UTF-8"):
        install_steps(found)
    assert parse_json("\ufeff{}") == {}


def test_a_server_of_that_name_that_is_not_ours_is_refused(places: Places) -> None:
    plan = plans("cursor", "user", places, CALL, True, True)[0]
    mine = put(plan.path, '{"mcpServers": {"aforesaid": {"command": "other"}}}')
    with pytest.raises(FormatError, match="is not ours"):
        install_steps([plan])
    assert not install_steps([plan], undo=True)[0].changes
    assert mine.read_text() == '{"mcpServers": {"aforesaid": {"command": "other"}}}'
    with pytest.raises(InputError, match="nothing to install for cursor"):
        plans("cursor", "user", places, CALL, True, False)
    with pytest.raises(InputError, match="one configuration"):
        plans("openclaw", "project", places, CALL, True, True)


def test_a_link_stays_a_link(places: Places, tmp_path: Path) -> None:
    plan = plans("claude-code", "user", places, CALL, True, False)[0]
    real = put(tmp_path / "dotfiles" / "settings.json", json.dumps(SETTINGS))
    real.chmod(0o640)
    plan.path.parent.mkdir(parents=True)
    plan.path.symlink_to(real)
    apply_steps(install_steps([plan]))
    assert plan.path.is_symlink()
    assert "aforesaid" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    apply_steps(install_steps([plan], undo=True), undo=True)
    assert plan.path.is_symlink()
    assert real.read_text() == json.dumps(SETTINGS)
    plan.path.unlink()
    plan.path.symlink_to(plan.path)
    with pytest.raises((FormatError, OSError)):
        install_steps([plan])


def test_nothing_is_written_when_a_file_may_not_be(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    found = both("claude-code", places)
    for plan in found:
        put(plan.path, "{}")
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != ".claude.json" and real(path, mode))
    with pytest.raises(PermissionError, match="nothing was written"):
        apply_steps(install_steps(found))
    assert set(tree(places.home).values()) == {b"{}"}


def test_a_failed_write_leaves_the_file_and_no_crumbs(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plans("claude-code", "user", places, CALL, True, False)[0]
    put(plan.path, "{}")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        apply_steps(install_steps([plan]))
    assert plan.path.read_text() == "{}"
    assert [file.name for file in plan.path.parent.iterdir() if file.name.startswith(".")] == []


def command(tmp_path: Path, *args: str, code: int = 0, yes: bool = True) -> Result:
    env = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    env |= dict.fromkeys(("CLAUDE_CONFIG_DIR", "CODEX_HOME", "AFORESAID_STORE", "AFORESAID_CONFIG", "AFORESAID_USER"))
    answer = [] if {"--dry-run", "--yes"} & set(args) or not yes else ["--yes"]
    result = CliRunner().invoke(main, ["--set", "embed.provider=hash", "install", *args, *answer], env=env)
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("more", [(), ("--json",), ("--undo",)])
def test_without_a_terminal_it_writes_only_with_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--undo" in more:
        command(tmp_path, "claude-code", "--user", "ana", "--no-mcp")
    before = tree(tmp_path)
    result = command(tmp_path, "claude-code", "--user", "ana", "--no-mcp", *more, code=2, yes=False)
    assert "Add --yes" in result.stderr
    assert tree(tmp_path) == before


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = command(tmp_path, "claude-code", "--user", "ana", "--no-mcp", "--dry-run").stdout
    assert '+            "command": ' in shown
    assert "hooks would be written" in shown
    assert tree(tmp_path) == {}
    command(tmp_path, "claude-code", "--user", "ana", "--no-mcp")
    text = (tmp_path / "home" / ".claude" / "settings.json").read_text()
    assert "hook --host claude-code --user ana --set embed.provider=hash" in text
    assert Path(shlex.split(json.loads(text)["hooks"]["Stop"][0]["hooks"][0]["command"])[0]).is_absolute()
    assert "up to date" in command(tmp_path, "claude-code", "--user", "ana", "--no-mcp").stdout
    data = json.loads(command(tmp_path, "codex", "--mcp", "--scope", "project", "--json").stdout)
    assert [Path(file["path"]).name for file in data["files"]] == ["hooks.json", "config.toml"]
    assert (
        tomllib.loads((tmp_path / ".codex" / "config.toml").read_text())["mcp_servers"]["aforesaid"]["command"]
        == "aforesaid"
    )
    command(tmp_path, "codex", "--scope", "project", "--undo")
    command(tmp_path, "claude-code", "--undo")
    assert tree(tmp_path) == {}
    put(tmp_path / "home" / ".openclaw" / "openclaw.json", "{\n  // mine\n}\n")
    assert "openclaw mcp set aforesaid" in command(tmp_path, "openclaw", "--mcp", code=2).stderr
    command(tmp_path, "emacs", code=2)

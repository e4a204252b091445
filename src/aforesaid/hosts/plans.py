"""Which files of a host to change: hooks that call `aforesaid hook`, and our MCP server."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from aforesaid.errors import FormatError, InputError
from aforesaid.hosts.config_edits import JsonEdit, TomlEdit, object_in, quoted, with_object

Name = Literal["claude-code", "codex", "cursor", "openclaw"]
Scope = Literal["user", "project"]
NAMES: tuple[Name, ...] = get_args(Name)
SCOPES: tuple[Scope, ...] = get_args(Scope)
SERVER = "aforesaid"  # the name of the server in a host's list
PROMPT_SECONDS, EVENT_SECONDS = 10, 60  # time limits of the host; our own are 3 and 30
STARTUP_SECONDS = 30  # Codex's own limit is 10, but loading a model may take longer on a busy machine
EVENTS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact"),
}  # not PostToolUse: it would start a process for each tool call, and Stop reads the same lines


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A file, its change, and what the change is for."""

    path: Path
    edit: JsonEdit | TomlEdit
    what: str


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """How a host starts aforesaid: the program and its global options."""

    program: Sequence[str]
    options: Sequence[str] = ()
    user: str | None = None

    def hook(self, host: str) -> str:
        """The command of a hook, quoted for a shell."""
        user = ["--user", self.user] if self.user is not None else []
        return shlex.join([*self.program, "hook", "--host", host, *user, *self.options])

    def server(self) -> dict[str, Any]:
        """The entry of the server, as most hosts write it."""
        entry: dict[str, Any] = {"command": self.program[0], "args": [*self.program[1:], "mcp", *self.options]}
        return entry | ({"env": {"AFORESAID_USER": self.user}} if self.user is not None else {})


@dataclass(frozen=True, slots=True)
class Places:
    """The home folder, the project's folder, and the environment, which may name others."""

    home: Path
    folder: Path
    environment: Mapping[str, str]

    def named(self, variable: str, default: str) -> Path:
        """The folder that an environment variable names, else the default in the home folder."""
        return Path(self.environment.get(variable) or self.home / default)


def plans(host: Name, scope: Scope, places: Places, call: LaunchCommand, hooks: bool, server: bool) -> list[FilePlan]:
    """The changes of a host's files, in order."""
    found: list[FilePlan] = []
    if hooks and host in EVENTS:
        found.append(FilePlan(_hooks_file(host, scope, places), hooks_edit(host, call), "hooks"))
    if server:
        found.append(FilePlan(*_server(host, scope, places, call), "MCP server"))
    if not found:
        raise InputError(f"Without MCP there is nothing to install for {host}.", "Leave --no-mcp out.")
    return found


def _hooks_file(host: Name, scope: Scope, places: Places) -> Path:
    if host == "claude-code":
        return _folder(scope, places, "CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    return _folder(scope, places, "CODEX_HOME", ".codex") / "hooks.json"


def _server(host: Name, scope: Scope, places: Places, call: LaunchCommand) -> tuple[Path, JsonEdit | TomlEdit]:
    if host == "claude-code":
        file = places.named("CLAUDE_CONFIG_DIR", "") / ".claude.json"
        file = file if scope == "user" else places.folder / ".mcp.json"
        return file, server_edit({"type": "stdio", **call.server()}, "mcpServers")
    if host == "codex":
        return _folder(scope, places, "CODEX_HOME", ".codex") / "config.toml", codex_server(call)
    if host == "cursor":
        return _folder(scope, places, "", ".cursor") / "mcp.json", server_edit(call.server(), "mcpServers")
    if scope == "project":
        raise InputError("OpenClaw has one configuration for all projects.", "Use --scope user.")
    default = places.named("OPENCLAW_STATE_DIR", ".openclaw") / "openclaw.json"
    file = Path(places.environment.get("OPENCLAW_CONFIG_PATH") or default)
    return file, server_edit(call.server(), "mcp", "servers")


def _folder(scope: Scope, places: Places, variable: str, name: str) -> Path:
    return places.named(variable, name) if scope == "user" else places.folder / name


def hooks_edit(host: Name, call: LaunchCommand) -> JsonEdit:
    """Adds our command to every event that we handle. Other hooks stay."""

    def add(value: dict[str, Any]) -> dict[str, Any]:
        now, others = object_in(value, "hooks"), object_in(remove(value), "hooks")
        wanted = {}
        for event in EVENTS[host]:
            ours = _ours(host, event, call)
            wanted[event] = now[event] if ours in _groups(now, event) else [*_groups(others, event), ours]
        return with_object(value, {**others, **wanted}, "hooks")

    def remove(value: dict[str, Any]) -> dict[str, Any]:
        hooks = object_in(value, "hooks")
        left = {event: _without_ours(groups, host) for event, groups in hooks.items()}
        kept = {event: groups for event, groups in left.items() if groups or not hooks[event]}
        return with_object(value, kept, "hooks") if "hooks" in value and kept != hooks else value

    return JsonEdit(add, remove)


def _ours(host: Name, event: str, call: LaunchCommand) -> dict[str, Any]:
    seconds = PROMPT_SECONDS if event == "UserPromptSubmit" else EVENT_SECONDS
    return {"hooks": [{"type": "command", "command": call.hook(host), "timeout": seconds}]}


def _groups(hooks: Mapping[str, Any], event: str) -> list[Any]:
    groups = hooks.get(event, [])
    if not isinstance(groups, list):
        raise FormatError(f"hooks.{event} is not a list.")
    return groups


def _without_ours(groups: Any, host: str) -> Any:
    """The groups of an event without our command. A group that is empty then is removed."""
    if not isinstance(groups, list):
        return groups
    left = []
    for group in groups:
        held = group.get("hooks") if isinstance(group, dict) else None
        others = [hook for hook in held if not _is_ours(hook, host)] if isinstance(held, list) else held
        if others == held:
            left.append(group)
        elif others:
            left.append({**group, "hooks": others})
    return left


def _is_ours(hook: Any, host: str) -> bool:
    """Whether a hook is ours: our program, `hook`, and the host."""
    command = hook.get("command") if isinstance(hook, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    at = next((i for i in range(1, len(words)) if words[i : i + 3] == ["hook", "--host", host]), None)
    return at is not None and Path(words[at - 1]).name.removesuffix(".exe") == SERVER


def server_edit(entry: dict[str, Any], *names: str) -> JsonEdit:
    """Adds our server to a host's list of servers."""

    def add(value: dict[str, Any]) -> dict[str, Any]:
        servers = object_in(value, *names)
        if SERVER in servers and not _is_our_server(servers[SERVER]):
            raise FormatError(
                f"{'.'.join((*names, SERVER))} exists already and is not ours.", "Rename it, or use --no-mcp."
            )
        return with_object(value, {**servers, SERVER: entry}, *names)

    def remove(value: dict[str, Any]) -> dict[str, Any]:
        servers = object_in(value, *names)
        if not _is_our_server(servers.get(SERVER)):
            return value
        return with_object(value, {name: kept for name, kept in servers.items() if name != SERVER}, *names)

    return JsonEdit(add, remove)


def _is_our_server(entry: Any) -> bool:
    """Whether a server is ours: our program with `mcp`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    words = [str(word) for word in (entry.get("command"), *entry["args"])]
    return any(Path(word).name.removesuffix(".exe") == SERVER and words[i + 1 : i + 2] == ["mcp"]
               for i, word in enumerate(words))  # fmt: skip


def codex_server(call: LaunchCommand) -> TomlEdit:
    """Our server as a TOML table. `required` makes Codex wait for it before the first turn."""
    entry = call.server()
    lines = [
        f"command = {quoted(entry['command'])}",
        f"args = [{', '.join(map(quoted, entry['args']))}]",
        "required = true",
        f"startup_timeout_sec = {STARTUP_SECONDS}",
    ]
    if "env" in entry:
        inside = ", ".join(f"{name} = {quoted(value)}" for name, value in entry["env"].items())
        lines.append(f"env = {{ {inside} }}")
    return TomlEdit("mcp_servers", SERVER, lines, _is_our_server)

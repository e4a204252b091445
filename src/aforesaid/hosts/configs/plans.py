"""Which files of a host get what: hooks that call `aforesaid hook`, and a server that speaks MCP."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from aforesaid.errors import FormatError, InputError
from aforesaid.hosts.configs.json_text import JsonEdit, object_in, with_object
from aforesaid.hosts.configs.toml_text import TomlEdit, quoted

Name = Literal["claude-code", "codex", "cursor", "openclaw"]
Scope = Literal["user", "project"]
NAMES: tuple[Name, ...] = get_args(Name)
SCOPES: tuple[Scope, ...] = get_args(Scope)
SERVER = "aforesaid"  # what the server is called in a host's list
PROMPT_SECONDS, EVENT_SECONDS = 10, 60  # after which the host gives up; our own limits are 3 and 30
STARTUP_SECONDS = 30  # Codex waits 10 for a server otherwise, less than a model may take to load on a busy machine
EVENTS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact"),
}  # not PostToolUse: it would start a process for each tool call, and Stop reads the same lines


class Edit(Protocol):
    """A change of a file's text, and the way back."""

    def holds(self, text: str, name: str) -> bool: ...

    def added(self, text: str | None, name: str) -> str: ...

    def removed(self, text: str, name: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A file, what is to be done to it, and what that is for."""

    path: Path
    edit: Edit
    what: str


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """How aforesaid is called: the program, and the global options for it."""

    program: Sequence[str]
    options: Sequence[str] = ()
    user: str | None = None

    def hook(self, host: str) -> str:
        """The command of a hook, for a shell."""
        user = ["--user", self.user] if self.user is not None else []
        return shlex.join([*self.program, "hook", "--host", host, *user, *self.options])

    def server(self) -> dict[str, Any]:
        """The server as most hosts want it."""
        entry: dict[str, Any] = {"command": self.program[0], "args": [*self.program[1:], "mcp", *self.options]}
        return entry | ({"env": {"AFORESAID_USER": self.user}} if self.user is not None else {})


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are: the home folder, the project's, and the environment that may name others."""

    home: Path
    folder: Path
    environment: Mapping[str, str]

    def named(self, variable: str, default: str) -> Path:
        """The folder that the environment names, else the default under home."""
        return Path(self.environment.get(variable) or self.home / default)


def plans(host: Name, scope: Scope, places: Places, call: LaunchCommand, hooks: bool, server: bool) -> list[FilePlan]:
    """The files of a host that are to be changed, in order."""
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
        home = places.named("CLAUDE_CONFIG_DIR", ".claude")
        return (home if scope == "user" else places.folder / ".claude") / "settings.json"
    home = places.named("CODEX_HOME", ".codex")
    return (home if scope == "user" else places.folder / ".codex") / "hooks.json"


def _server(host: Name, scope: Scope, places: Places, call: LaunchCommand) -> tuple[Path, Edit]:
    if host == "claude-code":
        own = places.environment.get("CLAUDE_CONFIG_DIR")
        home = Path(own) if own else places.home
        file = home / ".claude.json" if scope == "user" else places.folder / ".mcp.json"
        return file, server_edit({"type": "stdio", **call.server()}, "mcpServers")
    if host == "codex":
        home = places.named("CODEX_HOME", ".codex")
        return (home if scope == "user" else places.folder / ".codex") / "config.toml", codex_server(call)
    if host == "cursor":
        home = places.home if scope == "user" else places.folder
        return home / ".cursor" / "mcp.json", server_edit(call.server(), "mcpServers")
    if scope == "project":
        raise InputError("OpenClaw has one configuration for all projects.", "Use --scope user.")
    default = places.named("OPENCLAW_STATE_DIR", ".openclaw") / "openclaw.json"
    file = Path(places.environment.get("OPENCLAW_CONFIG_PATH") or default)
    return file, server_edit(call.server(), "mcp", "servers")


def hooks_edit(host: Name, call: LaunchCommand) -> JsonEdit:
    """Our command behind every event that we answer; other hooks stay where they are."""

    def add(value: dict[str, Any]) -> dict[str, Any]:
        hooks, others = object_in(value, "hooks"), object_in(remove(value), "hooks")
        answered = [
            event for event in dict.fromkeys([*hooks, *EVENTS[host]]) if event in EVENTS[host] or event in others
        ]
        wanted = {event: _wanted(host, event, call, hooks, others) for event in answered}
        return with_object(value, wanted, "hooks")

    def remove(value: dict[str, Any]) -> dict[str, Any]:
        hooks = object_in(value, "hooks")
        left = {event: _without_ours(groups, host) for event, groups in hooks.items()}
        kept = {event: groups for event, groups in left.items() if groups or not hooks[event]}
        return with_object(value, kept, "hooks") if "hooks" in value and kept != hooks else value

    return JsonEdit(add, remove)


def _wanted(host: Name, event: str, call: LaunchCommand, hooks: Mapping[str, Any], others: Mapping[str, Any]) -> Any:
    """An event's groups as they should be: ours among them if we answer it, and where it is already."""
    if event not in EVENTS[host]:
        return others[event]
    ours = _ours(host, event, call)
    return hooks[event] if ours in _groups(hooks, event) else [*_groups(others, event), ours]


def _ours(host: Name, event: str, call: LaunchCommand) -> dict[str, Any]:
    seconds = PROMPT_SECONDS if event == "UserPromptSubmit" else EVENT_SECONDS
    return {"hooks": [{"type": "command", "command": call.hook(host), "timeout": seconds}]}


def _groups(hooks: Mapping[str, Any], event: str) -> list[Any]:
    groups = hooks.get(event, [])
    if not isinstance(groups, list):
        raise FormatError(f"hooks.{event} is not a list.", "Nothing was written.")
    return groups


def _without_ours(groups: Any, host: str) -> Any:
    """The groups of an event without our command, and without a group that held nothing else."""
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
    """Whether a hook is the command that we write: a program of our name, `hook`, and the host."""
    command = hook.get("command") if isinstance(hook, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    at = next((i for i in range(1, len(words)) if words[i : i + 3] == ["hook", "--host", host]), None)
    return at is not None and Path(words[at - 1]).name.removesuffix(".exe") == SERVER


def server_edit(entry: dict[str, Any], *names: str) -> JsonEdit:
    """Our server in a host's list of them."""

    def add(value: dict[str, Any]) -> dict[str, Any]:
        servers = object_in(value, *names)
        if SERVER in servers and not _is_our_server(servers[SERVER]):
            raise FormatError(
                f"{'.'.join((*names, SERVER))} is there already, and is not ours.", "Rename it, or use --no-mcp."
            )
        return with_object(value, {**servers, SERVER: entry}, *names)

    def remove(value: dict[str, Any]) -> dict[str, Any]:
        servers = object_in(value, *names)
        if not _is_our_server(servers.get(SERVER)):
            return value
        return with_object(value, {name: kept for name, kept in servers.items() if name != SERVER}, *names)

    return JsonEdit(add, remove)


def _is_our_server(entry: Any) -> bool:
    """Whether a server is the one that we write: a program of our name, told `mcp`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    words = [str(word) for word in (entry.get("command"), *entry["args"])]
    return any(Path(word).name.removesuffix(".exe") == SERVER and words[i + 1 : i + 2] == ["mcp"]
               for i, word in enumerate(words))  # fmt: skip


def codex_server(call: LaunchCommand) -> TomlEdit:
    """Our server as a table; it must be there before the first turn, which Codex does not wait for by itself."""
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
    return TomlEdit(f"mcp_servers.{SERVER}", lines, _is_our_server)

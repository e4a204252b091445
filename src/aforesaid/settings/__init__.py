"""Settings: read once from defaults, a TOML file, the environment and arguments; the later ones win.

The file is the first of: the `path` argument, `$AFORESAID_CONFIG`, `aforesaid.toml` in the user's configuration
folder. A row `gate.threshold` is `threshold` under `[gate]` in TOML, `AFORESAID_GATE_THRESHOLD` in the
environment and `"gate.threshold"` among arguments.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from aforesaid.errors import SettingsError
from aforesaid.settings import rows as r

PREFIX = "AFORESAID_"
CONFIG_VARIABLE = "AFORESAID_CONFIG"
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """One setting as people see it."""

    name: str
    value: float | int | str | bool
    default: float | int | str | bool
    range: str
    help: str
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Every number of the engine, grouped; build it with `Settings.load` or take the defaults with `Settings()`."""

    store: r.StoreRows = field(default_factory=r.StoreRows)
    embed: r.EmbedRows = field(default_factory=r.EmbedRows)
    tokens: r.TokenRows = field(default_factory=r.TokenRows)
    cascade: r.CascadeRows = field(default_factory=r.CascadeRows)
    gate: r.GateRows = field(default_factory=r.GateRows)
    ingest: r.IngestRows = field(default_factory=r.IngestRows)
    readers: r.ReaderRows = field(default_factory=r.ReaderRows)
    search: r.SearchRows = field(default_factory=r.SearchRows)
    default: r.DefaultRows = field(default_factory=r.DefaultRows)
    libra: r.LibraRows = field(default_factory=r.LibraRows)
    time: r.TimeRows = field(default_factory=r.TimeRows)
    pce: r.PceRows = field(default_factory=r.PceRows)
    openclaw: r.OpenclawRows = field(default_factory=r.OpenclawRows)
    recovery: r.RecoveryRows = field(default_factory=r.RecoveryRows)
    assemble: r.AssembleRows = field(default_factory=r.AssembleRows)
    compact: r.CompactRows = field(default_factory=r.CompactRows)
    govern: r.GovernRows = field(default_factory=r.GovernRows)
    files: r.FileRows = field(default_factory=r.FileRows)
    imports: r.ImportRows = field(default_factory=r.ImportRows)
    hooks: r.HookRows = field(default_factory=r.HookRows)
    daemon: r.DaemonRows = field(default_factory=r.DaemonRows)
    origins: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        reserves = self.assemble.hard + self.assemble.soft + self.assemble.tail + self.assemble.elevated
        if reserves > 1 + 1e-9:
            raise SettingsError(
                f"assemble.hard + soft + tail + elevated is {reserves:.3f}, which is over 1.",
                "Lower one of these shares of the token budget.",
            )

    @classmethod
    def load(
        cls,
        path: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> Settings:
        """Read the file, then the environment, then the arguments, and check every value."""
        environment = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for origin, layer in (
            _file_layer(path, environment),
            ("environment", _environment_layer(environment)),
            ("argument", dict(arguments or {})),
        ):
            for name, value in layer.items():
                values[name] = checked(name, value, origin)
                origins[name] = origin
        chosen: dict[str, dict[str, Any]] = {group: {} for group in _GROUPS}
        for name, value in values.items():
            group, leaf = name.split(".")
            chosen[group][leaf] = value
        return cls(**{group: _GROUPS[group](**rows) for group, rows in chosen.items()}, origins=origins)

    def changed(self, values: Mapping[str, Any], origin: str) -> Settings:
        """The same settings with other values for some, each checked as when they are read."""
        found = {name: checked(name, value, origin) for name, value in values.items()}
        groups: dict[str, dict[str, Any]] = {}
        for name, value in found.items():
            group, leaf = name.split(".")
            groups.setdefault(group, {})[leaf] = value
        rows = {group: replace(getattr(self, group), **leaves) for group, leaves in groups.items()}
        return replace(self, **rows, origins={**self.origins, **dict.fromkeys(found, origin)})

    def rows(self) -> Iterator[SettingInfo]:
        """Every setting in order, with its value and where that came from."""
        for name, spec in _SPECS.items():
            group, leaf = name.split(".")
            value = getattr(getattr(self, group), leaf)
            yield SettingInfo(
                name, value, spec.default, _range(spec), spec.metadata["help"], self.origins.get(name, "default")
            )


def _group_rows(group: str) -> tuple[Any, ...]:
    return fields(_GROUPS[group])


def _range(spec: Any) -> str:
    if "choices" in spec.metadata:
        return " | ".join(spec.metadata["choices"])
    if "low" in spec.metadata:
        return f"{spec.metadata['low']:g} … {spec.metadata['high']:g}"
    return "on | off" if isinstance(spec.default, bool) else "text"


def _config_path(path: str | Path | None, environment: Mapping[str, str]) -> tuple[Path, bool]:
    """The file to read, and whether the user named it (then it has to exist)."""
    if path is not None:
        return Path(path), True
    if environment.get(CONFIG_VARIABLE):
        return Path(environment[CONFIG_VARIABLE]), True
    from platformdirs import user_config_path

    return user_config_path("aforesaid") / "aforesaid.toml", False


def _file_layer(path: str | Path | None, environment: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    file, required = _config_path(path, environment)
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not required:
            return str(file), {}
        raise SettingsError(f"The settings file {file} does not exist.", "Create it, or name another.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings file {file} cannot be read: {error}.", "Mend it as TOML.") from error
    layer: dict[str, Any] = {}
    for group, table in tables.items():
        if not isinstance(table, dict):
            raise SettingsError(f"{file}: {group!r} stands outside any table.", f"Put it under one of {_names()}.")
        layer.update({f"{group}.{leaf}": value for leaf, value in table.items()})
    return str(file), layer


def _environment_layer(environment: Mapping[str, str]) -> dict[str, str]:
    names = {PREFIX + name.replace(".", "_").upper(): name for name in _SPECS}
    return {names[variable]: value for variable, value in environment.items() if variable in names}


def checked(name: str, value: Any, origin: str) -> float | int | str | bool:
    """The value of a setting as its type, or SettingsError naming where it came from."""
    spec = _SPECS.get(name)
    if spec is None:
        raise SettingsError(f"Unknown setting {name!r} (from {origin}).", "`aforesaid settings` lists them all.")
    wrong = SettingsError(
        f"Setting {name} (from {origin}) is {value!r}, outside {_range(spec)}.", f"Its default is {spec.default!r}."
    )
    if isinstance(spec.default, bool):
        if isinstance(value, bool):
            return value
        if str(value).lower() in TRUE + FALSE:
            return str(value).lower() in TRUE
        raise wrong
    if isinstance(spec.default, str):
        if not isinstance(value, str) or value not in spec.metadata.get("choices", (value,)):
            raise wrong
        return value
    try:
        if isinstance(value, bool):
            raise wrong
        parsed = float(value)
        if isinstance(spec.default, int) and not isinstance(value, float):
            parsed = int(value)
    except (TypeError, ValueError):
        raise wrong from None
    if not math.isfinite(parsed) or not spec.metadata["low"] <= parsed <= spec.metadata["high"]:
        raise wrong
    if isinstance(spec.default, int):
        if parsed != int(parsed):
            raise wrong
        return int(parsed)
    return parsed


def _names() -> str:
    return ", ".join(f"[{name}]" for name in _GROUPS)


_GROUPS: dict[str, Any] = {group.name: group.default_factory for group in fields(Settings) if group.name != "origins"}
_SPECS: dict[str, Any] = {f"{group}.{row.name}": row for group in _GROUPS for row in _group_rows(group)}

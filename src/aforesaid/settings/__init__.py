"""Settings: defaults, then a TOML file, then the environment, then arguments; later values win.

The file is the first of: the `path` argument, `$AFORESAID_CONFIG`, `aforesaid.toml` in the user's configuration
folder. The setting `gate.threshold` is `threshold` under `[gate]` in TOML, `AFORESAID_GATE_THRESHOLD` in the
environment, and `"gate.threshold"` in the arguments.
"""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from aforesaid.errors import SettingsError
from aforesaid.settings import rows as r

PREFIX = "AFORESAID_"
CONFIG_VARIABLE = "AFORESAID_CONFIG"
OTHER_VARIABLES = ("CONFIG", "STORE", "USER", "PROJECT", "DEBUG", "OFFLINE", "CACHE", "MODEL_PATH", "STRICT_READERS")
NEAR = 0.8  # of difflib, where 1 is the same name
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """One setting for display; `origin` says where its value comes from (`default`, a file, `environment`, …)."""

    name: str
    value: float | int | str | bool
    default: float | int | str | bool
    range: str
    help: str
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, in groups. `Settings()` has the defaults; `Settings.load` reads file, environment and arguments."""

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
    expand: r.ExpandRows = field(default_factory=r.ExpandRows)
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
        """Read the file, then the environment, then the arguments, and check every value.

        A variable whose name looks like a misspelt setting gives a warning.
        """
        environment = os.environ if environment is None else environment
        for line in misspelt_variables(environment):
            warnings.warn(line, stacklevel=2)
        layers = (
            _file_layer(path, environment),
            ("environment", _environment_layer(environment)),
            ("argument", arguments or {}),
        )
        found = {
            name: (checked(name, value, origin), origin) for origin, layer in layers for name, value in layer.items()
        }
        return cls()._with(found)

    def changed(self, values: Mapping[str, Any], origin: str) -> Settings:
        """A copy with some values replaced; each is checked like a loaded one."""
        return self._with({name: (checked(name, value, origin), origin) for name, value in values.items()})

    def _with(self, found: Mapping[str, tuple[Any, str]]) -> Settings:
        groups: dict[str, dict[str, Any]] = {}
        for name, (value, _) in found.items():
            group, leaf = name.split(".")
            groups.setdefault(group, {})[leaf] = value
        rows = {group: replace(getattr(self, group), **leaves) for group, leaves in groups.items()}
        origins = {name: origin for name, (_, origin) in found.items()}
        return replace(self, **rows, origins={**self.origins, **origins})

    def rows(self) -> Iterator[SettingInfo]:
        """Every setting in order, with its value and origin."""
        for name, spec in _SPECS.items():
            group, leaf = name.split(".")
            value = getattr(getattr(self, group), leaf)
            origin = self.origins.get(name, "default")
            yield SettingInfo(name, value, spec.default, _range(spec), spec.metadata["help"], origin)


def misspelt_variables(environment: Mapping[str, str]) -> list[str]:
    """A line for each variable that looks like a setting but is none."""
    known = [*(name.replace(".", "_").upper() for name in _SPECS), *OTHER_VARIABLES]
    lines = []
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX)
        if name == variable or name in known:
            continue
        from difflib import get_close_matches  # rarely needed

        near = get_close_matches(name, known, 1, NEAR)
        if near or name.split("_")[0].lower() in _GROUPS:
            remedy = f"Did you mean {PREFIX}{near[0]}?" if near else "`aforesaid settings` lists them."
            lines.append(f"The variable {variable} is not a setting, and is ignored. {remedy}")
    return lines


def checked(name: str, value: Any, origin: str) -> float | int | str | bool:
    """The value converted to the type of its setting, or SettingsError with its origin."""
    spec = _SPECS.get(name)
    if spec is None:
        raise SettingsError(f"Unknown setting {name!r} (from {origin}).", "`aforesaid settings` lists them all.")
    parsed = _parsed(spec, value)
    if parsed is None:
        raise SettingsError(f"Setting {name} (from {origin}) is {value!r}, outside {_range(spec)}.", _remedy(spec))
    return parsed


def _parsed(spec: Any, value: Any) -> float | int | str | bool | None:
    """The value as the type of the setting's default; None if it is of the wrong type or out of range."""
    if isinstance(spec.default, bool):
        word = str(value).lower()
        return word in TRUE if word in TRUE + FALSE else None
    if isinstance(spec.default, str):
        return value if isinstance(value, str) and value in spec.metadata.get("choices", (value,)) else None
    if isinstance(value, bool):
        return None
    is_whole = isinstance(spec.default, int)
    try:
        number = int(value) if is_whole and not isinstance(value, float) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not spec.metadata["low"] <= number <= spec.metadata["high"]:  # NaN compares false
        return None
    if not is_whole:
        return number
    return int(number) if number == int(number) else None


def _range(spec: Any) -> str:
    if "choices" in spec.metadata:
        return " | ".join(spec.metadata["choices"])
    if "low" in spec.metadata:
        return f"{spec.metadata['low']:g} … {spec.metadata['high']:g}"
    return "on | off" if isinstance(spec.default, bool) else "text"


def _remedy(spec: Any) -> str:
    if "choices" in spec.metadata:
        return f"Use one of: {', '.join(spec.metadata['choices'])}."
    if "low" not in spec.metadata:
        return "Use on or off." if isinstance(spec.default, bool) else "Use text."
    kind = "a whole number" if isinstance(spec.default, int) else "a number"
    return f"Use {kind} from {spec.metadata['low']:g} to {spec.metadata['high']:g}."


def _file_layer(path: str | Path | None, environment: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The name and the values of the settings file; a file that the user named must exist."""
    named = path or environment.get(CONFIG_VARIABLE)
    if named:
        file = Path(named)
    else:
        from platformdirs import user_config_path

        file = user_config_path("aforesaid") / "aforesaid.toml"
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not named:
            return str(file), {}
        raise SettingsError(f"The settings file {file} does not exist.", "Create it, or name another.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings file {file} cannot be read: {error}.", "Correct the TOML.") from error
    layer: dict[str, Any] = {}
    for group, table in tables.items():
        if not isinstance(table, dict):
            groups = ", ".join(f"[{name}]" for name in _GROUPS)
            raise SettingsError(f"{file}: {group!r} is outside any table.", f"Put it under one of {groups}.")
        layer |= {f"{group}.{leaf}": value for leaf, value in table.items()}
    return str(file), layer


def _environment_layer(environment: Mapping[str, str]) -> dict[str, str]:
    names = {PREFIX + name.replace(".", "_").upper(): name for name in _SPECS}
    return {names[variable]: value for variable, value in environment.items() if variable in names}


_GROUPS: dict[str, Any] = {group.name: group.default_factory for group in fields(Settings) if group.name != "origins"}
_SPECS: dict[str, Any] = {f"{group}.{row.name}": row for group, rows in _GROUPS.items() for row in fields(rows)}

"""Whether a daemon is like who asks it: the same code, the same settings, the same services. If not, it makes way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

import aforesaid
from aforesaid.settings import Settings

# What the engine reads of the environment beside its settings, by what makes it read that.
VARIABLES = {
    "local": ("AFORESAID_CACHE", "AFORESAID_MODEL_PATH", "AFORESAID_OFFLINE"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "ollama": ("OLLAMA_HOST",),
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """The code, the settings that are not at their defaults, and by name a digest of each variable that matters."""

    code: str
    settings: Mapping[str, Any]
    environment: Mapping[str, str]

    @classmethod
    def of(cls, settings: Settings, environment: Mapping[str, str] = os.environ) -> Likeness:
        """That of a process with these settings."""
        changed = {row.name: row.value for row in settings.rows() if row.value != row.default}
        names = {name for used in (settings.embed, settings.compact) for name in VARIABLES.get(used.provider, ())}
        seen = {name: environment[name] for name in names & environment.keys()}
        if settings.embed.provider == "local":
            seen["cache"] = str(user_cache_path("aforesaid"))  # the folder, by whatever variables it is found
        return cls(code_stamp(), changed, {name: _digest(value) for name, value in seen.items()})

    def serves(self, other: Likeness) -> bool:
        """Whether who is like this can work for the other; what the other does not know of, it does not mind.

        Hosts keep keys from some of our commands: those must not send away the daemon that has them.
        """
        same = (self.code, self.settings) == (other.code, other.settings)
        return same and all(self.environment.get(name) == digest for name, digest in other.environment.items())

    def dump(self) -> dict[str, Any]:
        """As it goes over the wire; of the environment only digests."""
        return {"code": self.code, "settings": dict(self.settings), "environment": dict(self.environment)}

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Likeness:
        """From the wire."""
        return cls(str(value["code"]), dict(value["settings"]), dict(value["environment"]))


def _digest(value: str) -> str:
    return blake2b(value.encode(errors="surrogateescape"), digest_size=16).hexdigest()


def code_stamp() -> str:
    """Which code this is: the version, and when and where it was installed."""
    file = Path(aforesaid.__file__)
    return f"{aforesaid.__version__} {file.stat().st_mtime_ns} {file.parent}"

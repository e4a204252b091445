"""What makes a client compatible with a daemon: the same code, the same settings, the same external services."""

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

# Environment variables that the engine reads beside its settings, by the provider that reads them.
VARIABLES = {
    "local": ("AFORESAID_CACHE", "AFORESAID_MODEL_PATH", "AFORESAID_OFFLINE"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "ollama": ("OLLAMA_HOST",),
}


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """The code, the settings that differ from their defaults, and a digest of each relevant variable."""

    code: str
    settings: Mapping[str, Any]
    environment: Mapping[str, str]

    @classmethod
    def of(cls, settings: Settings, environment: Mapping[str, str] = os.environ) -> ClientIdentity:
        """The identity of a process with these settings."""
        changed = {row.name: row.value for row in settings.rows() if row.value != row.default}
        names = {name for used in (settings.embed, settings.compact) for name in VARIABLES.get(used.provider, ())}
        seen = {name: environment[name] for name in names & environment.keys()}
        if settings.embed.provider == "local":
            seen["cache"] = str(user_cache_path("aforesaid"))  # the folder, whichever variables decide on it
        return cls(code_stamp(), changed, {name: _digest(value) for name, value in seen.items()})

    def can_serve(self, other: ClientIdentity) -> bool:
        """Whether a daemon with this identity can serve the other.

        The other may lack variables: hosts keep keys from some of our commands, and those must not replace the
        daemon that has them.
        """
        same = (self.code, self.settings) == (other.code, other.settings)
        return same and all(self.environment.get(name) == digest for name, digest in other.environment.items())


def _digest(value: str) -> str:
    return blake2b(value.encode(errors="surrogateescape"), digest_size=16).hexdigest()


def code_stamp() -> str:
    """The version of the code, and when and where it was installed."""
    file = Path(aforesaid.__file__)
    return f"{aforesaid.__version__} {file.stat().st_mtime_ns} {file.parent}"

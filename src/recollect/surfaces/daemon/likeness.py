"""Whether a daemon is like who asks it: the same code, the same settings, the same services. If not, it makes way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import recollect
from recollect.settings import Settings

# What the engine reads of the environment beside its settings: keys and addresses of services, and where weights are.
VARIABLES = (
    "HOME", "OLLAMA_HOST", "OPENAI_API_KEY", "OPENAI_BASE_URL", "RECOLLECT_CACHE", "RECOLLECT_MODEL_PATH",
    "RECOLLECT_OFFLINE", "XDG_CACHE_HOME", "XDG_STATE_HOME",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Likeness:
    """What must be equal, and the settings themselves."""

    code: str
    environment: str
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Settings, environment: Mapping[str, str] = os.environ) -> Likeness:
        """That of a process with these settings."""
        changed = {row.name: row.value for row in settings.rows() if row.value != row.default}
        seen = [f"{name}={environment.get(name, '')}" for name in VARIABLES]
        digest = blake2b("\0".join(seen).encode(errors="surrogateescape"), digest_size=16).hexdigest()
        return cls(code_stamp(), digest, changed)

    def dump(self) -> dict[str, Any]:
        """As it goes over the wire; of the environment only a digest."""
        return {"code": self.code, "environment": self.environment, "settings": dict(self.settings)}

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Likeness:
        """From the wire."""
        return cls(str(value["code"]), str(value["environment"]), dict(value["settings"]))


def code_stamp() -> str:
    """Which code this is: the version, and when and where it was installed."""
    file = Path(recollect.__file__)
    return f"{recollect.__version__} {file.stat().st_mtime_ns} {file.parent}"

"""A small sample conversation, written for this project, with questions about it."""

from __future__ import annotations

import json
from importlib import resources

from aforesaid.types import Turn


def sample_turns() -> list[Turn]:
    """The sample conversation, oldest turn first."""
    text = (resources.files(__name__) / "conversation.jsonl").read_text(encoding="utf-8")
    return [Turn(**json.loads(line)) for line in text.split("\n") if line]  # Turn reads the ISO time

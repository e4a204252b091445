"""How to use a model: the prefix of a query, and which output is the vector."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aforesaid.embed import weights
from aforesaid.errors import ModelDamagedError

QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
DIMENSIONS = 384
MAX_TOKENS = 512  # the longest input of the default model; a longer one is an error
SHA_CHARS = 8
BACKGROUND = 0.70  # mean cosine of unrelated messages (measured .71); paraphrases have over .95


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model's name and how to compute its vectors. 0 for `dimensions` or `max_tokens` means unknown."""

    name: str
    query_prefix: str = ""
    pooling: Literal["cls", "mean"] = "cls"
    dimensions: int = 0
    max_tokens: int = 0
    background: float = 0.0

    @property
    def pinned(self) -> bool:
        """Whether this is the default model."""
        return self == DEFAULT


DEFAULT = Recipe(
    f"{weights.NAME}@{weights.PINS[0].sha256[:SHA_CHARS]}", QUERY_PREFIX, "cls", DIMENSIONS, MAX_TOKENS, BACKGROUND
)


def recipe_of(folder: Path) -> Recipe:
    """The recipe of a user's model folder: the default recipe for the default model, else from its files.

    A sentence-transformers export has `config_sentence_transformers.json` (prompts.query) and `1_Pooling/config.json`.
    Without them there is no prefix, and the vector is the output of the first token.
    """
    sha256 = weights.sha256_of(weights.model_file(folder))
    if sha256 == weights.PINS[0].sha256:
        return DEFAULT
    prompts = _table(folder / "config_sentence_transformers.json").get("prompts")
    prefix = prompts.get("query", "") if isinstance(prompts, dict) else ""
    mean = _table(folder / "1_Pooling" / "config.json").get("pooling_mode_mean_tokens") is True
    positions = _table(folder / "config.json").get("max_position_embeddings", 0)
    return Recipe(
        name=f"onnx@{sha256[:SHA_CHARS]}",  # not the folder's name, so that a moved model stays the same model
        query_prefix=prefix if isinstance(prefix, str) else "",
        pooling="mean" if mean else "cls",
        max_tokens=positions if isinstance(positions, int) else 0,
    )


def _table(file: Path) -> dict[str, Any]:
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelDamagedError(f"{file} cannot be read: {error}.", "Correct or delete it.") from error
    return table if isinstance(table, dict) else {}

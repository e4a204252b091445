"""ONNX models: how to use one (`Recipe`), a loaded one (`OnnxModel`), and a check of its vectors.

On some CPUs int8 arithmetic overflows, and all vectors are wrong. So the default model is compared with a reference.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aforesaid.embed import weights
from aforesaid.embed.base import Embedder, Vectors, only_row, unit_rows
from aforesaid.errors import EmbedError, ModelDamagedError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHARS_PER_TOKEN = 32  # text after max_tokens · 32 characters is cut before tokenizing: a megabyte takes seconds
QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
DIMENSIONS = 384
MAX_TOKENS = 512  # the longest input of the default model; a longer one is an error
SHA_CHARS = 8
BACKGROUND = 0.70  # mean cosine of unrelated messages (measured .71); paraphrases have over .95


LEAST_COSINE = 0.95  # correct arithmetic differs by .003 from the reference; unrelated sentences have .7
QUICK = "She moved to Lisbon in May."  # the shortest sentence: its check takes a few milliseconds at every load
SCALE = 400.0  # maps the entries of a unit vector to signed bytes

# sentence → the first 64 entries of its reference vector, times SCALE and rounded, as int8 in base64
# fmt: off
REFERENCE: dict[str, str] = {
    QUICK:
        "Ae70BPr7Bw7y+ujdIMwH9ewPAv7a8QT9BQT9GBEyBO7mAefq/wj4F+cUEfEJ+hL8+ywT9P0P3Orv5egFD+v19A==",
    "The build fails with exit code 137 because the container runs out of memory.":
        "8uPaDwYS5gUAAOXpIM4G6fcB/wzv/uoTAO79FRQo+O/sBv7u9ff/Be0aFfjy+xb1BCALEAwU9err5vb1BuMGAA==",
    "私は毎朝コーヒーを飲みます。":
        "+eroDvv97hn5DO3/ENcN7+D0/A7Y9AUWEgD4Igsm+uPwBvcC9AAEB/UdBfsK/RXzASEgBAwD6unu6/4SAvcC+g==",
}
# fmt: on


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model's name and how to compute its vectors. 0 for `dimensions` or `max_tokens` means unknown."""

    name: str
    query_prefix: str = ""
    pooling: Literal["cls", "mean"] = "cls"
    dimensions: int = 0
    max_tokens: int = 0
    background: float = 0.0


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


class OnnxModel:
    """An ONNX session and a tokenizer; `vector` is thread-safe."""

    def __init__(self, folder: Path, recipe: Recipe, max_tokens: int) -> None:
        self._recipe = recipe
        self._max_tokens = min(max_tokens, recipe.max_tokens) if recipe.max_tokens else max_tokens
        self._session = _session(weights.model_file(folder))
        self._tokenizer = _tokenizer(folder / weights.TOKENIZER_FILE, self._max_tokens)
        self._inputs = [value.name for value in self._session.get_inputs()]

    def vector(self, text: str) -> Vectors:
        """The unit vector of one text. Texts run alone, because in a batch int8 scales depend on the other texts."""
        encoded = self._tokenizer.encode(text[: self._max_tokens * CHARS_PER_TOKEN])
        ids = np.array([encoded.ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            output = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        except Exception as error:  # onnxruntime has no common base class for its errors
            raise EmbedError(
                f"{self._recipe.name} failed on a text of {ids.shape[1]} tokens: {' '.join(str(error).split())}.",
                "Lower embed.max_tokens, or check the model. Keyword search works without it.",
            ) from error
        pooled = self._pooled(np.asarray(output))
        return only_row(unit_rows(pooled, 1, pooled.shape[-1], self._recipe.name))

    def _pooled(self, states: Vectors) -> Vectors:
        if states.ndim == 2:  # some exported models pool themselves
            return states
        return states[:, 0] if self._recipe.pooling == "cls" else states.mean(axis=1)


def _session(file: Path) -> Any:
    # official builds send telemetry unless this is set before the import; nothing may leave this machine
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as error:
        raise _not_installed("onnxruntime", error) from error
    onnxruntime.disable_telemetry_events()  # if the host imported it before us
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts run in parallel instead, which is faster and keeps results equal
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised; they must not be printed too
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no common base class for its errors
        raise ModelDamagedError(f"{file} cannot be loaded: {error}.", weights.DAMAGED_REMEDY) from error


def _tokenizer(file: Path, max_tokens: int) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise _not_installed("tokenizers", error) from error
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception
        raise ModelDamagedError(f"{file} cannot be loaded: {error}.", weights.DAMAGED_REMEDY) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _not_installed(package: str, error: ImportError) -> EmbedError:
    return EmbedError(
        f"{package} cannot be imported: {error}.", f"Run `pip install {package}`. Keyword search works without it."
    )


def check_numerics(embedder: Embedder) -> float | None:
    """The lowest cosine between the vectors of some sentences and their reference; ModelDamagedError if it is too low.

    None for any other model than the default one, which has no reference.
    """
    if embedder.name != DEFAULT.name:
        return None
    return check_sentences(lambda text: only_row(embedder.embed([text])), list(REFERENCE))


def check_sentences(vector: Callable[[str], Vectors], sentences: Sequence[str]) -> float:
    """The same for some of the reference sentences and a function that embeds one text."""
    worst = min(_cosine(vector(sentence), REFERENCE[sentence]) for sentence in sentences)
    if not worst >= LEAST_COSINE:
        raise ModelDamagedError(
            f"The local model computes wrong vectors on this machine (cosine {worst:.2f} to the reference).",
            "Run `aforesaid models pull`. If that does not help, this CPU cannot run the model: set embed.provider to "
            "a service or to off. Keyword search works without it.",
        )
    return worst


def _cosine(vector: Vectors, pinned: str) -> float:
    reference = np.frombuffer(base64.b64decode(pinned), dtype=np.int8).astype(np.float32)
    prefix = vector[: len(reference)]
    lengths = float(np.linalg.norm(prefix) * np.linalg.norm(reference))
    return float(prefix @ reference) / lengths if lengths else 0.0

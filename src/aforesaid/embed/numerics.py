"""Checks the local model on this CPU: on some CPUs int8 arithmetic overflows and all vectors are wrong."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

import numpy as np

from aforesaid.embed.base import Embedder, Vectors, only_row
from aforesaid.embed.model import DEFAULT
from aforesaid.errors import ModelDamagedError

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

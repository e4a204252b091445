"""Shared fixtures: a clock that stands still, and a memory in each store with an embedder that needs no model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from aforesaid.embed import weights
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from support.clock import standing_clock

# A busy machine is no failure; and a change is judged by the same examples as the one before it.
hypothesis.settings.register_profile("here", deadline=None, max_examples=60)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")

os.environ["AFORESAID_STRICT_READERS"] = "1"  # a reader that raises fails the test

pytest.register_assert_rewrite("aforesaid.testing")


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The folder of the default model. Fetched (34 MB) if this machine does not have it yet."""
    return weights.locate() or weights.pull()


@pytest.fixture(params=["dict", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    store = DictStore() if request.param == "dict" else SQLiteStore(tmp_path / "memory.db")
    with Memory(store, HashEmbedder(64), settings=Settings(), clock=standing_clock) as memory:
        yield memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"

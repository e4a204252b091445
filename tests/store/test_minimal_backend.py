"""The backend in docs/store.md implements only the abstract methods and passes the whole contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from aforesaid.store.derived import DerivedStore
from aforesaid.store.protocols import Store
from aforesaid.testing.store import StoreContract

PAGE = Path(__file__).parents[2] / "docs" / "store.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def documented_store() -> type[Store]:
    """Run the first Python block of the page and return the class it defines."""
    names: dict[str, Any] = {"__name__": "docs_store"}
    exec(compile(BLOCKS[0], str(PAGE), "exec"), names)
    store: type[Store] = names["MyStore"]
    return store


class TestDocumentedStore(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return documented_store()()


def test_it_overrides_no_derived_method() -> None:
    derived = {name for name in vars(DerivedStore) if not name.startswith("_")}
    assert derived and not derived & vars(documented_store()).keys()


def test_a_missing_method_is_named() -> None:
    class Unfinished(DerivedStore):
        pass

    with pytest.raises(TypeError, match="activate_space"):
        Unfinished()  # type: ignore[abstract]

"""Imports a module on first use, so that a command loads only what it needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazy:
    """Stands for a module that is imported when one of its names is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value

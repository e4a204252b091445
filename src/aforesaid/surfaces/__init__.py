"""Surfaces translate: typed arguments → one call of `Memory` → the formatter they share."""

"""Deletes records everywhere and proves it."""

"""Resumable import from other tools."""

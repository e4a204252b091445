"""Builds the context for a prompt within a token budget."""

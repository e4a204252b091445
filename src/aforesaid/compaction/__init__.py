"""Summaries of older turns, with every source kept."""

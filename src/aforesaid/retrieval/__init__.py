"""Finds records for a question and ranks them."""

"""Labelled texts and files that several tests use."""

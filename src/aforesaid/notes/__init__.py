"""Folders of Markdown notes: indexing, watching, searching."""

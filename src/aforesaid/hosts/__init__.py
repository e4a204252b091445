"""Coding agents that call us: their events, their transcripts and their configuration files."""

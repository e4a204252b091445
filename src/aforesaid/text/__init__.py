"""Pure functions of text: patterns, hashes, redaction, echoes; no I/O, no clock, no chance."""

"""Pure functions of text: search terms, hashes, redaction, readers. No I/O, no clock, no randomness."""

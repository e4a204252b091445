"""Storage: the interface and its two implementations, SQLite and in-memory."""

"""Export, import and re-embedding of a store."""

"""Small general helpers: batches, lazy imports, atomic file writes, JSON over HTTP."""

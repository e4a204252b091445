"""Small helpers that know nothing of memories: lazy imports, atomic file writes, JSON over HTTP."""

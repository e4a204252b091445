"""Policy: what may be stored, for how long, and who may see it (spec 9)."""

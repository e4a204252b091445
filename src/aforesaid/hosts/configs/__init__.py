"""A host's own configuration files: what we add to them, and how it is taken out again."""

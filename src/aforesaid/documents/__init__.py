"""Documents written for agents (AGENTS.md and others): parsing, rules, conflicts, loading."""

"""Where records live: one small Protocol and its implementations."""

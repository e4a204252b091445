"""Text and JSON output shared by all surfaces."""

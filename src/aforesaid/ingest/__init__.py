"""Stores turns and claims: clean, gate, embed, write."""

"""Readers that find structure in text: dates, statements, personal data, secrets, signals, questions."""

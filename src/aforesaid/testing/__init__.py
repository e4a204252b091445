"""Suites that anybody's backend can run."""

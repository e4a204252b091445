"""Test suites to run against your own store backend."""

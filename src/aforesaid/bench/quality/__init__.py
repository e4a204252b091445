"""Retrieval quality, measured with public question sets.

A file of any known format → `Dataset` → one temporary store a corpus → rankings → metrics → report.
"""

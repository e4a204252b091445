"""How good: public question sets against the real engine, from file to table.

A file of any known format → `Dataset` → one temporary store a corpus → rankings → metrics → report.
"""

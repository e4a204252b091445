"""The formulas: pure functions of numbers, without I/O, clock or randomness."""

"""Pure functions of numbers: no I/O, no clock, no chance."""

"""Learning from feedback: utility, labels, calibration, the gate log."""

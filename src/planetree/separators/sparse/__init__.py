"""Feature minimization: planes with few features."""

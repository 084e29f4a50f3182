"""Two planes at once for two classes."""

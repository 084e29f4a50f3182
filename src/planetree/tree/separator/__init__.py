"""Trees whose decisions a separator makes."""

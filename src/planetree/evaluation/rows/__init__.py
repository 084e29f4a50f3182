"""What a model makes of single rows: predictions, as data."""

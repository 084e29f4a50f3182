"""What a model makes of single rows: explanations and predictions, as data."""

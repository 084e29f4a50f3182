"""What a fitted tree does with rows: explanations, projections, pictures."""

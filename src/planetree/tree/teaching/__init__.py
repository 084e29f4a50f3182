"""A classifier that teaches a tree."""

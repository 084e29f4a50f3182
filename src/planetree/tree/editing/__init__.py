"""A fitted tree that a person changes, one decision at a time."""

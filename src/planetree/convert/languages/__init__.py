"""A tree as the source code of a language."""

"""The readable tree."""

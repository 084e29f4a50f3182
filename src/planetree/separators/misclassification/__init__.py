"""The plane with the fewest training errors."""

"""Features in order of what they are worth."""

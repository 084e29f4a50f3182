"""What a person asks of the columns of a tree, and trees that keep to it."""

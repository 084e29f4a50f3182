"""Tables read, methods by name, errors on new rows, comparisons: what the command and the page share."""

"""What `make soak` tries: kills, faults, memory over many fits, many threads."""

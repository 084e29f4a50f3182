"""What `make fuzz` tries: odd tables, mutated files, hostile names, damaged tables on disk."""

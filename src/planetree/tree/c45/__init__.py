"""C4.5 Release 8, to the bit."""

"""`python -m planetree.cli` is `planetree`."""

from planetree.cli import main

main()

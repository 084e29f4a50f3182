"""The command `planetree`: from a table on disk to a readable model, a report and an export.

    commands/    one file a command, or a few that belong together
    app          what every command shares: --json, --quiet, --debug, errors and exit codes
    options      what commands are asked, each option once, and the table that is read by them
    screen       what is said and written: to a person, to a pipe, or as JSON to a machine

What is computed stands in `planetree.evaluation`, which prints nothing.

Exit codes: 0 done; 1 a fault of planetree; 2 the command line is wrong; 3 a file cannot be read, or
nothing can be learned from it; 4 a file cannot be written, or is there already; 5 the time limit is
over; 130 interrupted.

Heavy modules are imported by the commands that need them, so that `--help` is there at once.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of the process, and end the process."""
    try:
        from planetree.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit("planetree: the command needs typer and rich: pip install 'planetree[cli]'")
    sys.exit(run(sys.argv[1:]))

"""The share of the public surface that a type checker knows: read from pyright's JSON.

pyright --ignoreexternal --verifytypes planetree --outputjson | python -m releases.typed --least 95
"""

import json
import sys


def share(report: dict) -> float:
    """Percent of the exported symbols whose types are known.

    Examples
    --------
    >>> from releases.typed import share
    >>> share({"typeCompleteness": {"completenessScore": 0.975}})
    97.5
    """
    return 100 * report["typeCompleteness"]["completenessScore"]


def main() -> int:
    """Print the share, and fail where it is too small."""
    least = float(sys.argv[sys.argv.index("--least") + 1])
    found = share(json.load(sys.stdin))
    print(f"{found:.1f}% of the public symbols have known types; at least {least:g}% must.")
    return found < least


if __name__ == "__main__":
    sys.exit(main())

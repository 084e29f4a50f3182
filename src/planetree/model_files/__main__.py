"""`python -m planetree.model_files FILE...` loads each file, and says which hold no valid model.

Loading checks a file index by index and runs no code, so this suits a hook before a commit.
"""

import sys

from planetree.model_files import load


def _fault(path: str) -> str | None:
    """What is wrong with a file, or None."""
    try:
        load(path)
    except (OSError, ValueError) as error:
        return f"{path}: {error}"
    return None


_faults = [fault for fault in map(_fault, sys.argv[1:]) if fault]
sys.exit("\n".join(_faults) or None)

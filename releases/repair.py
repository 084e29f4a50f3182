"""Make a built wheel one that others can install: its libraries inside, its system named.

    python -m releases.repair dist/raw dist

On Linux auditwheel copies what the core links to into the wheel and names the oldest system that
can run it. On other systems cibuildwheel does that with tools of its own; here the wheel is moved
as it is. A wheel for the stable ABI is checked symbol by symbol.
"""

import shutil
import subprocess
import sys
from pathlib import Path


def repair(source: Path, target: Path) -> Path:
    """Repair the one wheel of a folder into another folder."""
    (built,) = source.glob("*.whl")
    if sys.platform == "linux":
        run("auditwheel", "repair", "--strip", "--wheel-dir", str(target), str(built))
        made = max(target.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    else:
        made = Path(shutil.copy(built, target))
    if "-abi3-" in made.name:
        run("abi3audit", "--strict", "--verbose", str(made))
    return made


def run(*command: str) -> None:
    """Run a tool of this Python's environment; its failure ends the process."""
    subprocess.run([sys.executable, "-m", *command], check=True)


if __name__ == "__main__":
    print(repair(*map(Path, sys.argv[1:3])))

"""The folder of the studio: which tables it offers, and how files come into it.

A file that comes in keeps its name, unless another has it; the same bytes are kept once.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from planetree.exceptions import FileError
from planetree.studio.security import confined

_TABLES = {
    *(".csv", ".tsv", ".txt", ".xlsx", ".jsonl", ".ndjson", ".parquet", ".pq", ".feather"),
    *(".arrow", ".arff", ".data", ".gz", ".bz2", ".zst", ".lz4"),
}
_LISTED = 200  # files of a folder that are offered


class TablesFolder:
    """A folder that tables are read from and received in.

    Parameters
    ----------
    root : Path
    """

    def __init__(self, root: Path) -> None:
        self.root: Path = root.resolve()

    def names(self) -> list[str]:
        """Tables of the folder, by name."""
        found = (each for each in self.root.iterdir() if each.is_file())
        named = sorted(each.name for each in found if each.suffix.lower() in _TABLES)
        return [name for name in named if not name.startswith(".")][:_LISTED]

    def keep(self, name: str, content: bytes) -> str:
        """Write bytes to a new file of the folder, unless one of that name holds them; its name."""
        for path in self._free_names(name):
            if not path.exists():
                path.write_bytes(content)
                return path.name
            if path.stat().st_size == len(content) and path.read_bytes() == content:
                return path.name
        raise FileError(f"There are too many files called {name}.")

    def take_upload(self, part: Path, name: str) -> str:
        """Give a file that was received its name, or the name of one that holds the same."""
        for path in self._free_names(name):
            if not path.exists():
                part.rename(path)
                return path.name
            if _same_bytes(part, path):
                part.unlink()
                return path.name
        raise FileError(f"There are too many files called {name}.")

    def _free_names(self, name: str) -> list[Path]:
        """Paths for a file: its own name, then others like it."""
        plain = re.sub(r"[\x00-\x1f/\\:*?\"<>|]", "_", name).strip(". ")[-150:] or "table.csv"
        stem, dot, ending = plain.partition(".")
        names = [plain, *(f"{stem}-{i}{dot}{ending}" for i in range(2, 100))]
        return [confined(self.root, each) for each in names]

    def part_file(self) -> Path:
        """A new path for a file that is being received."""
        return self.root / f".upload-{secrets.token_hex(8)}.part"


def _same_bytes(one: Path, other: Path) -> bool:
    """Whether two files hold the same."""
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while part := first.read(1 << 20):
            if part != second.read(1 << 20):
                return False
    return True

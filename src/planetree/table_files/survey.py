"""One look at the bytes of a file before it is read: text or not, its encoding, its longest line.

The encoding is that of the byte order mark; else UTF-8 if all bytes are; else UTF-16 if every
second byte is 0; else Windows-1252, of which Latin-1 is a part, if no byte is a control code. The
look ends at the first line that is longer than `LONGEST_LINE`, so a line of gigabytes costs no
memory, and where a compressed file has unpacked to more than it may: a few megabytes can hold
terabytes.
"""

from __future__ import annotations

import codecs
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from planetree.exceptions import FileError

_CHUNK = 1 << 22  # bytes that are read at a time
LONGEST_LINE = 1 << 23  # bytes: a line of 7,129 genes takes 50 kB
PACKED = (".gz", ".bz2", ".zst", ".lz4")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LEADING_ZERO = re.compile(rb"[,;\t|\"\n\r ]0\d")
_MAGIC = {  # how files begin that are not text
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"PK\x03\x04": ".xlsx",
}
_CONTROL = bytes([*range(9), *range(14, 32)])
_READ = (
    "planetree reads CSV, TSV, Excel, JSON lines, Parquet, Feather, ARFF and C4.5's .names with "
    ".data."
)


class Reading(NamedTuple):
    """How to read a file: columns that are categories or ignored, how it is written, how large.

    Parameters
    ----------
    categorical, ignore : sequence of str
        Columns that are text whatever their cells look like, and columns to leave out.
    missing : sequence of str
        Further words for a missing cell; of CSV and TSV.
    encoding : str, optional
        Of text; detected unless given.
    header : bool
        Whether the first row of CSV or TSV has the names.
    max_size : int
        Most bytes that a compressed file, or Parquet, may unpack to.
    sheet : str, optional
        Of an Excel file; by default the first.
    dates : bool
        Whether columns of dates become numbers: year, month, weekday, days since the first.
    target : str, optional
        Column of the classes, where NA may be the name of one.
    numbers : sequence of str
        Columns that are numbers even if cells begin with a zero.
    keep : bool
        Whether the rows are kept as they are written.
    delimiter : str, optional
        What stands between the cells of CSV; detected unless given.
    renamed : mapping of str
        Other names for columns of the file, by the names that they have there.
    decimal : {".", ","}, optional
        Decimal mark of CSV and TSV; by default each column is read as all of its cells can be.
    decimals : mapping of str
        Decimal mark of columns, as a model learned them; `decimal` comes first.
    """

    categorical: Sequence[str] = ()
    ignore: Sequence[str] = ()
    missing: Sequence[str] = ()
    encoding: str | None = None
    header: bool = True
    max_size: int = 2 << 30  # a cell of two letters takes 8 bytes as a number, and again in a copy
    sheet: str | None = None
    dates: bool = False
    target: str | None = None
    numbers: Sequence[str] = ()
    keep: bool = False
    decimal: str | None = None
    decimals: Mapping[str, str] = MappingProxyType({})
    delimiter: str | None = None
    renamed: Mapping[str, str] = MappingProxyType({})

    def decimal_of(self, column: str, default: str) -> str:
        """The decimal mark of a column: as told, as learned, or as the file is written."""
        return self.decimal or self.decimals.get(column, default)


PLAIN = Reading()


class Survey(NamedTuple):
    """Encoding of a text, whether it was guessed, its first bytes, and if a 0 begins a number."""

    encoding: str
    guessed: bool
    beginning: bytes
    coded: bool


def open_bytes(path: Path) -> Any:
    """The bytes of a file, uncompressed if its name ends as one of `PACKED` does."""
    import pyarrow as pa

    return pa.input_stream(str(path), compression="detect")


@contextmanager
def spooled(path: Path) -> Iterator[Path]:
    """A copy on disk of what comes through a pipe, as it can be read only once."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        is_standard = str(path) == "-"
        pipe = sys.stdin.buffer if is_standard else stack.enter_context(path.open("rb"))
        chunk, lines = pipe.read(_CHUNK), _LineLimit(path)
        ending = next((each for mark, each in _MAGIC.items() if chunk.startswith(mark)), "")
        copy = Path(folder) / f"the piped table{ending}"
        with copy.open("wb") as file:
            while chunk:
                if not ending:
                    lines.pass_over(chunk)
                file.write(chunk)
                chunk = pipe.read(_CHUNK)
        yield copy


def survey(path: Path, reading: Reading = PLAIN) -> Survey:
    r"""Look through a file of text; refuse what is none, and lines without end.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from planetree.table_files.survey import survey
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_bytes("größe,class\n".encode("utf-16"))
    ...     survey(path).encoding
    'utf-16'
    """
    encoding = reading.encoding
    try:
        with open_bytes(path) as stream:
            beginning = stream.read(_CHUNK)
    except OSError as failure:
        raise _cannot_be_read(path, failure) from failure
    if not beginning.strip():
        raise FileError(f"{path} is empty.")
    for name in [encoding] if encoding else _candidates(beginning, path):
        try:
            coded = _look_through(path, name, reading.max_size)
        except OSError as failure:
            raise _cannot_be_read(path, failure) from failure
        except UnicodeDecodeError as failure:
            error = failure
        except LookupError:
            raise FileError(f"There is no encoding {name!r}; try utf-8 or latin-1.") from None
        else:
            guessed = encoding is None and not name.startswith("utf-8")
            return Survey(name, guessed, beginning, coded)
    byte = error.object[error.start]
    raise FileError(
        f"{path} is not text in {name}: byte 0x{byte:02x} is not valid there. Set its encoding "
        "with --encoding, or save the table as UTF-8."
    )


def _cannot_be_read(path: Path, failure: OSError) -> FileError:
    """The error of a file whose bytes cannot be had: most often a packed one that was cut short."""
    return FileError(f"{path} cannot be read: {failure}.")


def _candidates(beginning: bytes, path: Path) -> list[str]:
    """Encodings that the first bytes speak for."""
    for mark, name in _MARKS.items():
        if beginning.startswith(mark):
            return [name]
    zeros = beginning.count(b"\0")
    if zeros == 0:
        return ["utf-8", "cp1252"]
    for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if zeros > len(beginning) // 3 and beginning[start::2].count(b"\0") >= 0.9 * zeros:
            return [name]
    raise _not_a_text(path)


def _look_through(path: Path, encoding: str, max_size: int) -> bool:
    """Whether a 0 begins a number; raise if a file is too large, or has what no text has."""
    decoder, lines = codecs.getincrementaldecoder(encoding)(), _LineLimit(path)
    coded, size, most = False, 0, max_size if path.suffix in PACKED else math.inf
    with open_bytes(path) as stream:
        chunk = b" "
        while chunk:
            chunk = stream.read(_CHUNK)
            size += len(chunk)
            if size > most:
                refuse_size(path, max_size)
            lines.pass_over(chunk)
            text = decoder.decode(chunk, final=not chunk)
            plain = text.encode() if encoding.startswith("utf-16") else chunk
            if len(plain.translate(None, _CONTROL)) < len(plain):
                raise _not_a_text(path)
            coded = coded or _LEADING_ZERO.search(plain) is not None
    return coded


def refuse_size(path: Path, max_size: int) -> NoReturn:
    """Raise for a file that unpacks to more than it may."""
    raise FileError(
        f"{path} is compressed and holds more than {max_size / 1e6:,.0f} MB, which is the limit. "
        "If you expect this and have enough memory, raise the limit with --max-size (max_size)."
    )


def _not_a_text(path: Path) -> FileError:
    """The error for a file that is no text."""
    return FileError(f"{path} is not a text table: it holds binary data. {_READ}")


def lines_of(text: str) -> list[str]:
    """Lines of a text, whichever way they end."""
    return re.split(r"\r\n?|\n", text)


class _LineLimit:
    """How far the present line goes, over chunks smaller than the limit."""

    def __init__(self, path: Path) -> None:
        self.path, self.length, self.number = path, 0, 1

    def pass_over(self, chunk: bytes) -> None:
        """Go on by a chunk; refuse a line beyond the limit."""
        ends = [at for at in (chunk.find(b"\n"), chunk.find(b"\r")) if at >= 0]
        if self.length + min(ends, default=len(chunk)) > LONGEST_LINE:
            raise FileError(
                f"Line {self.number} of {self.path} is longer than {LONGEST_LINE >> 20} MB, too "
                "long for a row. Is a line ending missing, or is it another kind of file?"
            )
        last = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self.length = self.length + len(chunk) if last < 0 else len(chunk) - last - 1
        self.number += chunk.count(b"\n")

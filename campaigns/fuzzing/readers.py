"""Damaged tables on disk: CSV, ARFF, C4.5's names files, packed and Parquet ones.

    strange error    something else than a FileError or ColumnError
    no reason        a refusal of fewer than 10 letters

A trial damages `FILES` copies of one file by bytes that are cut, repeated, flipped or put in.
"""

import gzip
import io
import random
import tempfile
import warnings
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from campaigns.fuzzing.workers import Trial
from planetree.exceptions import ColumnError, FileError
from planetree.table_files import read_examples

FILES = 100
PLAIN = "size,color,class\n1.5,red,a\n2.0,,b\n,blue,a\n4.25,red,b\n"
ARFF = (
    "% a table\n@relation 'some rows'\n@attribute size numeric\n"
    "@attribute color {red, 'dark blue'}\n@attribute class {a, b}\n"
    "@data\n1.5,red,a\n?,'dark blue',b\n2,red,b\n"
)
NAMES = "a, b. | classes\nsize: continuous.\ncolor: red, blue.\nid: ignore.\n"
PIECES = [b"", b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"@"]
PIECES += [b"{", b"}", b"?", b"1e999", b"-", b"nan", b"%", b"|", b":", b".", b"\xc3", b"\\", b"  "]


@cache
def files():
    """Names and bytes of files, the one that is read first."""
    columns = {"size": [1.5, 2.0, None], "color": ["red", None, "red"], "class": ["a", "b", "a"]}
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return [
        {"t.csv": PLAIN.encode()},
        {"t.tsv": PLAIN.replace(",", "\t").encode("utf-16")},
        {"t.arff": ARFF.encode()},
        {"t.names": NAMES.encode(), "t.data": b"1.5, red, 7, a\n?, blue, 8, b\n2, red, 9, b\n"},
        {"t.csv.gz": gzip.compress(PLAIN.encode(), mtime=0)},
        {"t.parquet": out.getvalue()},
    ]


def damaged(data, rng):
    """Bytes after one to four changes."""
    for _ in range(rng.choice([1, 2, 4])):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 1, 1, 3, 20]))
        flipped = bytes(each ^ 1 << rng.randrange(8) for each in data[start:end])
        piece = rng.choice([rng.choice(PIECES), flipped, data[start:end] * rng.choice([2, 50])])
        data = data[:start] + piece + data[end:]
    return data


def read(folder, held):
    """Findings of reading files with these bytes."""
    for name, data in held.items():
        (Path(folder) / name).write_bytes(data)
    first = next(iter(held))
    target = None if first.endswith((".names", ".arff")) else "class"
    try:
        read_examples(Path(folder) / first, target)
    except (FileError, ColumnError) as error:
        return {} if len(str(error)) >= 10 else {"no reason": str(error)}
    except Exception as error:
        return {"strange error": repr(error)[:300]}
    return {}


def trial(seed, number):
    """Damaged copies of one file."""
    rng, plain = random.Random(f"{seed} {number}"), files()[number % len(files())]
    what = next(iter(plain)).partition(".")[2]
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        for _ in range(FILES):
            held = {name: damaged(data, rng) for name, data in plain.items()}
            found = read(folder, held)
            if found:
                return Trial(what, found, repr(held)[:2000])
    return Trial(what, {})

"""Files as people have them, made by code: the same 60 rows, each file messy in its own way.

`amount` and `kind` tell the class, `noise` does not.
"""

import gzip
import json

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

RNG = np.random.default_rng(0)
AMOUNT = (RNG.uniform(1000, 9000, 60) * 4).round(2)
KIND = RNG.choice(["Yes", "No"], 60)
NOISE = RNG.integers(0, 40, 60)
LABEL = np.where((AMOUNT > 20000) ^ (RNG.uniform(size=60) < 0.1), "late", "paid")

COLUMNS = [each.tolist() for each in (AMOUNT, KIND, NOISE, LABEL)]


def american(x):
    return f"{x:,.2f}"


def german(x):
    return american(x).translate(str.maketrans(",.", ".,"))


def rows(amount=str, kind=str, noise=str, label=str):
    """Cells of the 60 rows, each written as asked."""
    return [[amount(a), kind(k), noise(n), label(c)] for a, k, n, c in zip(*COLUMNS, strict=True)]


def text(cells, delimiter=",", head=("amount", "kind", "noise", "status"), end="\n"):
    """Cells as a text, quoted where they need it."""
    lines = [head, *cells]
    return "".join(
        delimiter.join(f'"{c}"' if delimiter in c else c for c in line) + end for line in lines
    )


def excel(path, cells):
    """A workbook of one sheet, written as the format says, without a library."""
    import zipfile
    from xml.sax.saxutils import escape

    def cell(value):
        try:
            return f"<c><v>{float(value)}</v></c>"
        except ValueError:
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'

    head = ["amount", "kind", "noise", "status"]
    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in [head, *cells])
    space = "http://schemas.openxmlformats.org"
    main, office = f"{space}/spreadsheetml/2006/main", f"{space}/officeDocument/2006/relationships"
    package = f"{space}/package/2006"
    sheet = "xl/worksheets/sheet1.xml"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        f'<Override PartName="/{sheet}" ContentType="{types}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="bills" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="{sheet[3:]}"/></Relationships>',
        sheet: f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')


def frame():
    return pa.table({"amount": AMOUNT, "kind": KIND, "noise": NOISE, "status": LABEL})


def json_lines():
    names = ("amount", "kind", "noise", "status")
    table = zip(*COLUMNS, strict=True)
    lines = (json.dumps(dict(zip(names, row, strict=True))) for row in table)
    return "\n".join(lines).encode()


def written(content):
    data = content.encode() if isinstance(content, str) else content
    return lambda path: path.write_bytes(data)


def zstd(path):
    with pa.output_stream(path, compression="zstd") as stream:
        stream.write(text(rows()).encode())


# Name of each file, and what writes it. All hold the same table.
FILES = {
    "plain.csv": written(text(rows())),
    "american.csv": written(text(rows(american))),
    "german.csv": written(text(rows(german), ";")),
    "french.csv": written(
        text(rows(lambda x: american(x).translate(str.maketrans(",.", "\u202f,"))), ";")
    ),
    "swiss.csv": written(text(rows(lambda x: american(x).replace(",", "'")))),
    "dollars.csv": written(text(rows(lambda x: "$" + american(x)))),
    "euros.csv": written(text(rows(lambda x: german(x) + " €"), ";")),
    "percent.csv": written(text(rows(lambda x: f"{x:.2f} %"))),
    "percent without a blank.csv": written(text(rows(lambda x: f"{x:.2f}%"))),
    "zeros.csv": written(text(rows(noise=lambda n: f"{n:02d}"))),
    "windows.csv": written(text(rows(), end="\r\n")),
    "utf16.csv": written(text(rows()).encode("utf-16")),
    "tabs.tsv": written(text(rows(american), "\t")),
    "bars.csv": written(text(rows(), "|")),
    "quoted.csv": written(text([[f'"{c}"' for c in row] for row in rows()])),
    "blanks.csv": written(text([[f" {c} " for c in row] for row in rows()])),
    "packed.csv.gz": written(gzip.compress(text(rows()).encode())),
    "packed.csv.zst": zstd,
    "lines.jsonl": written(json_lines()),
    "frame.feather": lambda path: feather.write_feather(frame(), path),
    "frame.parquet": lambda path: parquet.write_table(frame(), path),
    "book.xlsx": lambda path: excel(path, rows()),
}

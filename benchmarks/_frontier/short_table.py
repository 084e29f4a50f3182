"""The table of docs/benchmarks.md: the first of docs/frontier.md, in fewer columns."""

import re

_COLUMNS = ("method", "sets", "error", "AUC", "log loss", "terms", "s a fit")
_BEGIN, _END = "<!-- made by python -m benchmarks.frontier -->", "<!-- end -->"


def short_table(frontier: str) -> str:
    r"""Lines of the first table of a page, with some of its columns.

    Examples
    --------
    >>> from benchmarks._frontier.short_table import short_table
    >>> page = "| method | sets | log loss | Brier | AUC | error | terms | s a fit |\n"
    >>> page += "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    >>> page += "| CART | 2 | 0.5 | 0.1 | 0.9 | 10.0 | 3.0 | 0.2 |\n\n"
    >>> print(short_table(page).splitlines()[-1])
    | CART | 2 | 10.0 | 0.9 | 0.5 | 3.0 | 0.2 |
    """
    lines = re.search(r"^\| method .*?\n(?=\n)", frontier, re.MULTILINE | re.DOTALL)[0].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    places = [head.index(column) for column in _COLUMNS]
    kept = [_COLUMNS, ["---"] * len(_COLUMNS), *([row[k] for k in places] for row in rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in kept)


def with_table(page: str, frontier: str) -> str:
    """The page of all benchmarks, its table made again."""
    before, after = page.split(_BEGIN)[0], page.split(_END)[1]
    return f"{before}{_BEGIN}\n\n{short_table(frontier)}\n{_END}{after}"

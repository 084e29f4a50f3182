"""The commands; `ORDER` is the order in which `planetree --help` lists them."""

from planetree.cli.commands import (  # noqa: F401
    check,
    compare,
    datasets,
    edit,
    explain,
    export,
    fit,
    predict,
    select,
    show,
    studio,
)

ORDER = (
    "studio",
    "fit",
    "compare",
    "select",
    "rank",
    "show",
    "report",
    "predict",
    "explain",
    "alternatives",
    "edit",
    "check",
    "export",
    "datasets",
    "demo",
)

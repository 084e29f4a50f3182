"""The commands, in the order in which `planetree --help` lists them."""

from planetree.cli.commands import (  # noqa: F401, I001
    fit,
    compare,
    select,
    show,
    predict,
    explain,
    alternatives,
    edit,
    check,
    export,
    datasets,
)

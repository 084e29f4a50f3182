"""The commands; `ORDER` is the order in which `planetree --help` lists them, module by module."""

from importlib import import_module

ORDER = (
    "studio",
    "fit",
    "compare",
    "select",
    "show",
    "predict",
    "explain",
    "edit",
    "check",
    "export",
    "datasets",
)

for _name in ORDER:
    import_module(f"{__name__}.{_name}")

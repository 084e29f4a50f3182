"""The experiments that there are, by name."""

import importlib
import pkgutil
import re
from types import ModuleType

import experiments


def names() -> dict[str, str]:
    """The name of every experiment and its module: bennett-table-4.1, bennett_table_4_1."""
    modules = [each.name for each in pkgutil.iter_modules(experiments.__path__) if not each.ispkg]
    return {spoken(module): module for module in sorted(modules) if module != "__main__"}


def spoken(module: str) -> str:
    """A module's name as the papers number their items."""
    return re.sub(r"(?<=\d)_(?=\d)", ".", module).replace("_", "-")


def find(asked: str) -> str:
    """The full name of an experiment that is named in full or by its end."""
    known = names()
    if asked in known:
        return asked
    ends = [name for name in known if name.endswith(f"-{asked}")]
    if len(ends) == 1:
        return ends[0]
    several = f"may be any of {', '.join(ends)}" if ends else "is none of " + ", ".join(known)
    raise LookupError(f"The experiment {asked!r} {several}.")


def module_of(name: str) -> ModuleType:
    """The module of an experiment."""
    return importlib.import_module(f"experiments.{names()[name]}")


def experiments_of(paper: str) -> dict[str, ModuleType]:
    """The experiments of a paper by their items."""
    start = f"{paper}-"
    return {name.removeprefix(start): module_of(name) for name in names() if name.startswith(start)}

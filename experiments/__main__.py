"""Run the experiments that are named, or all: `python -m experiments [name ...]`.

An experiment is a module of this package that has a function `main()`.
"""

import argparse
import importlib
import pkgutil

import experiments


def names() -> list[str]:
    """Names of the modules beside this one."""
    found = pkgutil.iter_modules(experiments.__path__)
    return sorted(each.name for each in found if not each.name.startswith("_"))


def main() -> None:
    """Read the names and run each in turn."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=experiments.__doc__)
    parser.add_argument("name", nargs="*", help=f"any of: {', '.join(names()) or 'none yet'}")
    asked = parser.parse_args().name or names()
    unknown = sorted(set(asked) - set(names()))
    if unknown:
        parser.error(f"no experiment is named {', '.join(unknown)}; there are {', '.join(names())}")
    for name in asked:
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"experiments.{name}").main()


if __name__ == "__main__":
    main()

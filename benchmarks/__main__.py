"""Run the benchmarks that are named, or all: `python -m benchmarks [name ...]`.

A benchmark is a module of this package that has a function `main()`.
"""

import argparse
import importlib
import pkgutil

import benchmarks


def names() -> list[str]:
    """Names of the modules beside this one."""
    found = pkgutil.iter_modules(benchmarks.__path__)
    return sorted(each.name for each in found if not each.name.startswith("_"))


def main() -> None:
    """Read the names and run each in turn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("name", nargs="*", help=f"any of: {', '.join(names()) or 'none yet'}")
    asked = parser.parse_args().name or names()
    unknown = sorted(set(asked) - set(names()))
    if unknown:
        parser.error(f"no benchmark is named {', '.join(unknown)}; there are {', '.join(names())}")
    for name in asked:
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()

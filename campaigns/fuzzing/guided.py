"""Readers fuzzed by what they have not yet reached: `python -m campaigns.fuzzing.guided KIND`.

KIND is json (model files), csv, arff or names. atheris, where it is installed, keeps inputs that
reach new lines of the readers and changes those further. An error that is no refusal ends the run;
its input is written to crash-* and given as an argument to repeat it. Other arguments are those of
libFuzzer, such as -max_total_time=60 or -runs=1000.
"""

import gc
import importlib.util
import inspect
import sys
import tempfile
import warnings
from pathlib import Path

KINDS = ("json", "csv", "arff", "names")


def judge(kind, folder):
    """Function of bytes that raises unless they are read, or refused in words."""
    from campaigns.fuzzing import files, readers

    def model(data):
        found = files.load(data.decode("utf-8", "replace"), folder)
        assert not found, found

    def table(data):
        beside = {"t.data": b"1.5, red, 7, a\n2, red, 9, b\n"} if kind == "names" else {}
        found = readers.read(folder, {f"t.{kind}": data} | beside)
        assert not found, found

    return model if kind == "json" else table


def seeds(kind):
    """Inputs to begin with."""
    from campaigns.fuzzing import files, readers

    if kind == "json":
        return [text.encode() for text in files.older()]
    held = [each[f"t.{kind}"] for each in readers.files() if f"t.{kind}" in each]
    assert held
    return held


def _functions_of_readers():
    """Every function that reads files."""
    import planetree.model_files
    import planetree.table_files  # noqa: F401

    rooms = ("planetree.model_files", "planetree.table_files")
    functions = [each for each in gc.get_objects() if inspect.isfunction(each)]
    return [each for each in functions if (each.__module__ or "").startswith(rooms)]


def main():
    """Fuzz one kind of file until libFuzzer ends."""
    kind, *options = sys.argv[1:]
    if kind not in KINDS:
        return print(f"{kind!r} is none of {', '.join(KINDS)}.")
    if importlib.util.find_spec("atheris") is None:
        return print("Skipped: atheris is not installed.")
    import atheris

    for each in _functions_of_readers():
        atheris.instrument_func(each)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds(kind)):
            (Path(corpus) / str(number)).write_bytes(data)
        atheris.Setup([sys.argv[0], *options, corpus], judge(kind, folder))
        atheris.Fuzz()


if __name__ == "__main__":
    main()

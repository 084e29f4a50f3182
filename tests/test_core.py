"""The compiled core as a module: it is there, and its stub says what it holds."""

import ast
from pathlib import Path

import pytest

import planetree
from planetree import _core

pytestmark = pytest.mark.core

STUB = Path(planetree.__file__).with_name("_core.pyi")


def signatures(text):
    """Name and argument names of every function and method that a stub declares."""
    tree = ast.parse(text)
    owners = [("", tree)] + [(n.name + ".", n) for n in tree.body if isinstance(n, ast.ClassDef)]
    return {
        owner + node.name: [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        for owner, body in owners
        for node in body.body
        if isinstance(node, ast.FunctionDef)
    }


def test_the_core_says_what_it_is():
    assert _core.__doc__ == "The compiled core of planetree."


def test_the_stub_is_current():
    """`make stub` writes it."""
    stubgen = pytest.importorskip("nanobind.stubgen")
    generator = stubgen.StubGen(_core)
    generator.put(_core)
    assert signatures(STUB.read_text()) == signatures(generator.get())

"""Requests of a page: only its own actions, with arguments of their types."""

import pytest

pytest.importorskip("starlette")
from planetree.studio.server import _ACTIONS, _arguments, _Web
from planetree.studio.session import Session


def test_arguments_are_those_of_the_action_and_dicts_are_spread():
    assert _arguments(_ACTIONS["row"], b'{"number": 3, "limits": {"max_changes": 1}}') == {
        "number": 3, "max_changes": 1,
    }  # fmt: skip
    assert _arguments(_ACTIONS["size"], b'{"terms": null}') == {"terms": None}
    assert _arguments(_ACTIONS["fit"], b"") == {}


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("fit", b'{"a": 1}'),
        ("row", b'{"number": "3"}'),
        ("row", b'{"number": true}'),
        ("size", b"[]"),
        ("edit", b'{"line": null}'),
        ("compare", b"{"),
    ],
)
def test_arguments_of_other_names_and_types_are_refused(action, body):
    with pytest.raises(ValueError):
        _arguments(_ACTIONS[action], body)


def test_every_action_is_a_method_of_the_session_that_takes_its_arguments():
    for name in _ACTIONS:
        assert callable(getattr(Session, name)), name
        assert not name.startswith("_")


def test_the_page_has_every_file_that_it_names(tmp_path):
    import re

    web = _Web(None)
    page = web.assets["studio.html"].decode()
    named = set(re.findall(r'(?:src|href)="\.?/?static/([\w.]+)"', page))
    assert named
    assert named <= set(web.assets)

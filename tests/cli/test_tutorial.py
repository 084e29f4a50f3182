"""Every command of the tutorial runs, in order, and prints what its page says."""

import doctest
from itertools import pairwise

from console_pages import DOCS, pages, shown_on

import planetree.cli.commands  # noqa: F401 (registers them)
from planetree.cli.app import _app, _ExitCode

COMMANDS = {str(each.name) for each in _app.registered_commands}


def prints_what_it_says(page, here, folder):
    """Run the commands of a page in a folder, and compare."""
    same = doctest.OutputChecker().check_output
    for shown in shown_on(page):
        found = here(folder, *shown.words)
        assert found.code == 0, (shown, found.err)
        if shown.output.strip():
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert same(shown.output, found.err + found.out, flags), (shown.command, found)


def test_every_command_for_an_expert_prints_what_the_page_says(here, tmp_path, data_folder):
    page = DOCS / "working_with_an_expert.md"
    assert {"alternatives", "edit"} <= {shown.words[0] for shown in shown_on(page)}
    prints_what_it_says(page, here, tmp_path)


def test_every_command_of_the_tutorial_prints_what_its_page_says(here, tmp_path):
    for page in pages():
        prints_what_it_says(page, here, tmp_path)
        if page.name == "export.md":  # the tutorial in short begins anew
            for path in tmp_path.iterdir():
                path.unlink()


def test_the_tutorial_shows_every_command_but_the_demo_and_those_of_experts():
    shown = {each.words[0] for page in pages() for each in shown_on(page)}
    elsewhere = {
        "alternatives": "working_with_an_expert.md",
        "edit": "working_with_an_expert.md",
        "studio": "studio.md",
    }
    assert shown == COMMANDS - {"demo"} - set(elsewhere)
    for name, page in elsewhere.items():
        assert f"planetree {name} " in (DOCS / page).read_text("utf-8")


def test_each_page_leads_to_the_next():
    *steps, _ = pages()
    for page, following in pairwise(steps):
        assert f"]({following.name})" in page.read_text("utf-8")


def test_the_reference_names_every_command_and_exit_code():
    text = (DOCS / "command.md").read_text("utf-8")
    assert all(f"`{name}" in text for name in COMMANDS)
    assert all(f"| {int(code)} |" in text for code in _ExitCode)

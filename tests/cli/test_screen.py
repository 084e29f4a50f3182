"""Names and labels cannot make a terminal obey them."""

import io
from contextlib import redirect_stderr, redirect_stdout

from planetree.cli.screen import Screen

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202ered\r"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def assert_tame(speak):
    """What is said on either stream of a terminal has no character that it would obey."""
    with redirect_stdout(Terminal()) as out, redirect_stderr(Terminal()) as beside:
        speak()
    for text in filter(None, (out.getvalue(), beside.getvalue())):
        assert "u001b" in text
        assert all(letter.isprintable() or letter in "\n\t" for letter in text), repr(text)


def test_no_escape_reaches_a_terminal_raw():
    """Labels, categories and names were written as they are."""
    screen = Screen()
    assert_tame(lambda: screen.result(f"if {HOSTILE} > 1: a"))
    assert_tame(lambda: screen.say(HOSTILE))
    assert_tame(lambda: screen.table(["class", HOSTILE], [[HOSTILE, 1]]))
    assert_tame(lambda: screen.note(HOSTILE))
    assert_tame(lambda: screen.fail(HOSTILE, 2))


def test_no_escape_of_a_file_name_reaches_a_terminal_while_it_is_read():
    """Progress wrote the name as it is; a name with [/] ended in an error of rich's markup."""
    with redirect_stderr(Terminal()) as shown, Screen().progress(f"Reading [/]{HOSTILE}"):
        pass
    assert f"Reading [/]{HOSTILE[:1]}" not in shown.getvalue()
    assert r"Reading [/]\u001b]0;owned\u0007\u009b31m\u202ered\u000d" in shown.getvalue()


def test_no_escape_reaches_a_terminal_as_json():
    screen = Screen(json=True)
    screen.answer["label"] = HOSTILE
    assert_tame(screen.close)


def test_a_pipe_gets_lines_as_they_are(capsys):
    """Lines above 10,000 characters were folded, so that a piped model had a broken name."""
    line = "petal width " * 1000 + "."
    Screen().result(line)
    assert capsys.readouterr().out == line + "\n"

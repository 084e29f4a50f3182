"""A page in headless Chromium: a script is run in it, and what it returns is read back."""

import json
import re
import shutil
import subprocess
import tempfile
from html import unescape
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--enable-logging=stderr",
    "--window-size=1280,1000",
]


def browser():
    """The browser of this machine; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    return found


def run(page, script, *flags):
    """What the body of a function returns when it is run in a page once that is open.

    The page is run as it is, but that its policy lets one more script in. Whatever the page says
    to the console is an error of the test.
    """
    text = page.read_text("utf-8")
    body = f"(() => {{{script}}})()"
    harness = (
        "<script>{ let found; try { found = {result: " + body + "}; } catch (error) "
        "{ found = {error: String(error.stack)}; } const out = document.createElement('pre'); "
        "out.id = 'found'; out.textContent = JSON.stringify(found); "
        "document.body.replaceChildren(out); }</script>"
    )
    text = re.sub(r"script-src &#x27;sha256-[^&]*&#x27;", "script-src 'unsafe-inline'", text)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "page.html"
        copy.write_text(text.replace("</body>", harness + "</body>"), "utf-8")
        done = dump(copy, folder, *flags)
    assert "CONSOLE" not in done.stderr, done.stderr
    found = json.loads(unescape(re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)[1]))
    assert "error" not in found, found["error"]
    return found["result"]


def dump(page, profile, *flags):
    command = [browser(), *FLAGS, f"--user-data-dir={profile}/profile", *flags, "--dump-dom"]
    return subprocess.run(
        [*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )

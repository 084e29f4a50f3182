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
    """What the body of a function returns when it is run in a page once that is open."""
    return run_all([(page, script)], *flags)[0]


OUTER = """<!doctype html><meta charset="utf-8"><style>body { margin: 0; }
iframe { border: 0; width: 100vw; height: 100vh; display: block; }</style><script>
addEventListener("message", ({ data }) => {
  const out = document.createElement("pre");
  out.className = "found";
  out.textContent = data;
  document.body.append(out);
});</script><body>"""


def run_all(pages, *flags):
    """What a function returns in each of some pages, all in one browser.

    A page is run as it is, but that its policy lets one more script in. Whatever it says to the
    console is an error of the test.
    """
    outer = OUTER
    with tempfile.TemporaryDirectory() as folder:
        for number, (page, script) in enumerate(pages):
            text, body = page.read_text("utf-8"), f"(() => {{{script}}})()"
            harness = (
                "<script>{ let found; try { found = {result: " + body + "}; } catch (error) "
                "{ found = {error: String(error.stack)}; } found.number = " + str(number) + "; "
                "parent.postMessage(JSON.stringify(found), '*'); }</script>"
            )
            policy = "script-src 'unsafe-inline'"
            text = re.sub(r"script-src &#x27;sha256-[^&]*&#x27;", policy, text)
            copy = Path(folder) / f"page{number}.html"
            copy.write_text(text.replace("</body>", harness + "</body>"), "utf-8")
            outer += f'<iframe src="{copy.name}"></iframe>'
        Path(folder, "outer.html").write_text(outer, "utf-8")
        done = dump(Path(folder, "outer.html"), folder, "--virtual-time-budget=10000", *flags)
    assert "CONSOLE" not in done.stderr, done.stderr
    said = re.findall(r'<pre class="found">(.*?)</pre>', done.stdout, re.S)
    found = sorted((json.loads(unescape(each)) for each in said), key=lambda each: each["number"])
    assert [each["number"] for each in found] == [*range(len(pages))]
    for each in found:
        assert "error" not in each, each["error"]
    return [each.get("result") for each in found]


def dump(page, profile, *flags):
    command = [browser(), *FLAGS, f"--user-data-dir={profile}/profile", *flags, "--dump-dom"]
    return subprocess.run(
        [*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )

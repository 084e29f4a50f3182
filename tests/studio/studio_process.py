"""A studio in a process of its own, and a client that speaks to it as a browser would."""

import http.client
import json
import re
import subprocess
import sys
import time
from contextlib import contextmanager

SCRIPT = """
import sys
from pathlib import Path
from planetree.studio.start import StudioOptions, serve
folder, more = sys.argv[1], eval(sys.argv[2])
options = StudioOptions(folder=Path(folder), browser=False, **more)
serve(options, lambda text: print(text, flush=True))
"""


class Studio:
    """A running studio: its address, its folder, and requests to it."""

    def __init__(self, process, address, folder):
        self.process, self.address, self.folder = process, address, folder
        self.host = re.match(r"http://([^/]+)", address)[1]
        self.path = re.match(r"http://[^/]+([^?]*)", address)[1]
        self.cookie = ""

    def ask(self, method, path, body=None, **headers):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection(self.host, timeout=120)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Cookie": self.cookie, "Origin": f"http://{self.host}", **given}
        given = {name: value for name, value in given.items() if value is not None}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content

    def log_in(self):
        _, headers, _ = self.ask("GET", self.address.removeprefix(f"http://{self.host}"))
        self.cookie = headers["set-cookie"].split(";")[0]
        return self

    def post(self, action, **arguments):
        """What an action gives, or says."""
        status, _, body = self.ask("POST", f"{self.path}api/{action}", json.dumps(arguments))
        return status, json.loads(body)

    def do(self, action, **arguments):
        """What an action gives; it must not fail."""
        status, answer = self.post(action, **arguments)
        assert status == 200, answer
        return answer["result"]

    def state(self):
        return json.loads(self.ask("GET", f"{self.path}api/state")[2])

    def wait(self, holds, seconds=60):
        """The state, once something holds of it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state()
            if holds(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f"it never came: {str(state)[:2000]}")


@contextmanager
def studio_in(folder, **options):
    """A studio of a folder, until the context ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), repr(options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert "http" in line, process.stderr.read()
        yield Studio(process, re.search(r"http://\S+", line)[0], folder)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

"""What the studio refuses: each attack by a request of its own, over a real connection."""

import re
import socket
import time

import pytest
from studio_process import studio_in

from planetree.exceptions import FileError
from planetree.studio.security import confined

pytest.importorskip("starlette")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work") / "tables"
    folder.mkdir()
    (folder.parent / "secret.csv").write_text("a,class\n1,x\n2,y\n")
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    with studio_in(folder, warm=False, max_upload=100_000, patience=1.0) as found:
        yield found.log_in()


def refused(answer, status, *words):
    assert answer[0] == status, answer
    for word in words:
        assert word in answer[2].decode(), answer
    return True


def test_the_token_of_the_address_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(studio):
    path = studio.address.removeprefix(f"http://{studio.host}")
    status, headers, _ = studio.ask("GET", path, Cookie=None)
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in headers["set-cookie"]
    assert "samesite=strict" in headers["set-cookie"].lower()
    token = re.search(r"token=(.*)", path)[1]
    assert token not in headers["set-cookie"]


@pytest.mark.parametrize("path", ["/", "/static/studio.js", "/api/state", "/api/events"])
def test_without_the_token_nothing_is_shown(studio, path):
    assert refused(studio.ask("GET", path, Cookie=None), 403, "token")
    assert refused(studio.ask("GET", path, Cookie="planetree-1=guess"), 403)
    assert refused(studio.ask("GET", path + "?token=guess", Cookie=None), 403)


@pytest.mark.parametrize("change", [lambda key: "guess", lambda key: "", lambda key: key + "x"])
def test_a_cookie_that_another_made_up_opens_nothing(studio, change):
    name, value = studio.cookie.split("=", 1)
    assert refused(studio.ask("GET", "/api/state", Cookie=f"{name}={change(value)}"), 403, "token")


def test_a_cookie_of_another_port_is_none_of_this_one(studio):
    """Cookies of one host are shared by its ports, so the name holds the port."""
    name, value = studio.cookie.split("=", 1)
    assert name.endswith(studio.host.split(":")[1])
    assert refused(studio.ask("GET", "/api/state", Cookie=f"{name}9={value}"), 403)
    assert studio.ask("GET", "/api/state")[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", ""])
def test_a_name_that_an_attacker_points_here_reaches_nothing(studio, host):
    """DNS rebinding: the Host header is the attacker's, whatever the connection."""
    assert refused(studio.ask("GET", "/api/state", Host=host), 421)


def test_the_names_of_this_machine_are_answered(studio):
    port = studio.host.split(":")[1]
    assert studio.ask("GET", "/api/state", Host=f"localhost:{port}")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": None},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://127.0.0.1:1"},
    ],
)
def test_a_page_of_another_site_changes_nothing(studio, headers):
    assert refused(studio.ask("POST", "/api/cancel", "{}", **headers), 403, "Only pages")
    assert studio.ask("POST", "/api/cancel", "{}")[0] == 200


def test_no_other_site_may_read_answers_or_frame_pages(studio):
    for path in ("/", "/api/state", "/static/page.css", "/no/such"):
        _, headers, _ = studio.ask("GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert not any(name.startswith("access-control") for name in headers)
    assert studio.ask("OPTIONS", "/api/state", Origin="http://evil.example")[0] == 403


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "/etc/passwd", "link.csv", "a/../../secret.csv", "..\\secret.csv", "x\0.csv"],
)
def test_no_file_outside_the_folder_is_opened(studio, name):
    status, answer = studio.post("open", file=name)
    assert status == 400
    assert "outside the folder" in answer["error"] or "There is no file" in answer["error"]
    assert studio.post("choose", changes={"test": name})[0] == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static/server.py",
        "//etc",
    ],
)
def test_no_file_is_served_but_those_of_the_page(studio, path):
    assert studio.ask("GET", path)[0] == 404


def test_an_upload_keeps_its_place_whatever_it_is_called(studio):
    before = {each.name for each in studio.folder.parent.iterdir()}
    status, _, body = studio.ask("POST", "/api/upload?name=..%2F..%2Fevil.csv", b"a\n1\n")
    assert status == 200
    assert (studio.folder / body.decode().split('"')[3]).read_bytes() == b"a\n1\n"
    assert {each.name for each in studio.folder.parent.iterdir()} == before


def test_an_upload_replaces_nothing_and_the_same_bytes_are_kept_once(studio):
    first = studio.ask("POST", "/api/upload?name=t.csv", b"a\n1\n")[2]
    assert studio.ask("POST", "/api/upload?name=t.csv", b"a\n1\n")[2] == first
    assert studio.ask("POST", "/api/upload?name=t.csv", b"a\n2\n")[2] != first
    assert (studio.folder / "t.csv").read_bytes() == b"a\n1\n"


def test_an_upload_that_is_too_large_is_refused_and_leaves_nothing(studio):
    before = sorted(studio.folder.iterdir())
    assert refused(studio.ask("POST", "/api/upload?name=big.csv", b"x" * 100_001), 413, "100,000")
    pieces = (b"y" * 50_000 for _ in range(3))  # sent in chunks, without its length
    assert refused(studio.ask("POST", "/api/upload?name=big.csv", pieces), 413)
    assert sorted(studio.folder.iterdir()) == before


def test_a_request_that_is_no_upload_is_small(studio):
    assert refused(studio.ask("POST", "/api/choose", b" " * (5 << 20)), 413)


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"node": "0"}', b'{"other": 1}', b'{"node": true}']
)
def test_arguments_that_an_action_does_not_have_are_refused(studio, body):
    words = ["cannot be"] if b'"node"' in body else []
    assert refused(studio.ask("POST", "/api/alternatives", body), 400, *words)


def test_a_client_that_sends_slowly_is_let_go_and_holds_up_nobody(studio):
    place = studio.host.split(":")[0], int(studio.host.split(":")[1])
    head = f"POST /api/upload?name=s.csv HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}"
    head += f"\r\nOrigin: http://{studio.host}\r\nContent-Length: 1000\r\n\r\nfew"
    connect = socket.create_connection
    with connect(place) as body, connect(place) as bare, connect(place) as silent:
        body.sendall(head.encode())
        bare.sendall(b"GET / HTT")  # never comes to its end
        start = time.monotonic()
        assert studio.ask("GET", "/api/state")[0] == 200
        assert time.monotonic() - start < 1.0
        body.settimeout(10)
        bare.settimeout(10)
        silent.settimeout(10)
        assert b" 408 " in body.recv(1000)
        assert bare.recv(1000) == b""
        assert silent.recv(1000) == b""
    assert not list(studio.folder.glob(".upload-*"))


def test_a_length_that_is_too_large_is_refused_before_a_byte_comes(studio):
    place = studio.host.split(":")[0], int(studio.host.split(":")[1])
    head = f"POST /api/upload?name=s.csv HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}"
    head += f"\r\nOrigin: http://{studio.host}\r\nContent-Length: 100001\r\n\r\n"
    with socket.create_connection(place) as large:
        large.settimeout(10)
        large.sendall(head.encode())
        assert b" 413 " in large.recv(1000)


def test_a_second_request_that_never_ends_is_let_go_too(studio):
    """On a connection that is kept, the first request is answered and the next comes slowly."""
    place = studio.host.split(":")[0], int(studio.host.split(":")[1])
    with socket.create_connection(place) as slow:
        slow.settimeout(10)
        slow.sendall(f"GET /api/state HTTP/1.1\r\nHost: {studio.host}\r\n\r\n".encode())
        assert b" 403 " in slow.recv(5000)
        end = time.monotonic() + 4
        with pytest.raises(OSError):  # noqa: PT012
            for letter in b"GET /api/state HTTP/1.1\r\nA: " + b"b" * 100:
                slow.sendall(bytes([letter]))
                time.sleep(0.1)
                assert time.monotonic() < end


def test_a_path_is_within_its_folder_or_refused(tmp_path):
    assert confined(tmp_path, "a.csv") == tmp_path.resolve() / "a.csv"
    with pytest.raises(FileError, match="outside the folder"):
        confined(tmp_path, "..")

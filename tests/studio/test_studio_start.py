"""The studio starts on this machine alone, and under a path where a proxy offers it."""

import re

import pytest
from studio_process import studio_in


def test_another_host_needs_to_be_allowed_in_words(tmp_path):
    from planetree.studio.start import StudioOptions, serve

    with pytest.raises(ValueError, match=r"not encrypted.*--allow-remote"):
        serve(StudioOptions(folder=tmp_path, host="0.0.0.0", browser=False))


@pytest.mark.parametrize("strips", [True, False])
def test_a_proxy_may_offer_the_studio_under_a_path(tmp_path, strips):
    with studio_in(tmp_path, warm=False, root_path="/a/b", allow_hosts=("my.example",)) as found:
        assert re.match(r"http://[^/]+/a/b/\?token=", found.address)
        token = found.address.rsplit("=", 1)[1]
        prefix = "" if strips else "/a/b"
        _, headers, _ = found.ask("GET", f"{prefix}/?token={token}", Host="my.example")
        assert headers["location"] == "/a/b/"
        assert "Path=/a/b/" in headers["set-cookie"]
        cookie = headers["set-cookie"].split(";")[0]
        own = {"Host": "my.example", "Cookie": cookie, "Origin": "https://my.example"}
        assert found.ask("GET", f"{prefix}/api/state", **own)[0] == 200
        assert found.ask("POST", f"{prefix}/api/cancel", "{}", **own)[0] == 200

"""Who may ask the studio for what: every request passes here before anything else sees it.

- the host that a request names is one of those that the studio was started for, so a name that an
  attacker points at this machine (DNS rebinding) reaches nothing;
- the first request brings the token of the printed address and gets a cookie for it, which scripts
  cannot read and other sites cannot send (HttpOnly, SameSite=Strict); all later ones bring it;
- what changes something names the page's own address as its origin;
- what a client sends is limited in bytes, and in the seconds that it may keep the studio waiting;
- pages run the scripts of the studio and nothing else, and are shown in no other site's frame.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from planetree.exceptions import FileError

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SMALL = 4 << 20  # bytes of a request that is no upload: roles of some thousand columns
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


def allowed_hosts(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    """Host headers that name the studio.

    Examples
    --------
    >>> from planetree.studio.security import allowed_hosts
    >>> sorted(allowed_hosts("127.0.0.1", 8080))
    ['127.0.0.1:8080', '[::1]:8080', 'localhost:8080']
    """
    names = {*LOOPBACK} if host in LOOPBACK else {*LOOPBACK, host}
    own = {f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names}
    return frozenset(name.lower() for name in (*own, *more))


def confined(folder: Path, name: str) -> Path:
    """A path within a folder, by its name there; refuse any other.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planetree.studio.security import confined
    >>> confined(Path("."), "../secrets.csv")
    Traceback (most recent call last):
    planetree.exceptions.FileError: '../secrets.csv' is outside the folder of this studio...
    """
    root = folder.resolve()
    if "\0" not in name:
        path = (root / name).resolve()
        if path.is_relative_to(root):
            return path
    raise FileError(
        f"{name!r} is outside the folder of this studio, {root}. Start the studio there: "
        "planetree studio --folder FOLDER."
    )


class Guard:
    """Lets requests through to an application, or answers them itself.

    Parameters
    ----------
    app : ASGI application
    hosts : set of str
        Host headers that are answered.
    token : str
        Of the address that was printed.
    port : int
        Part of the cookie's name: cookies of one host are shared by all of its ports.
    max_upload : int
        Most bytes of a file.
    root_path : str
        Path under which a proxy offers the studio, whether or not it takes it off.
    patience : float
        Seconds to wait for the next part of a request.
    """

    def __init__(
        self,
        app: Any,
        *,
        hosts: frozenset[str],
        token: str,
        port: int,
        max_upload: int,
        root_path: str = "",
        patience: float = 30.0,
    ) -> None:
        self.root_path = root_path
        self.app: Any = app
        self.hosts: frozenset[str] = hosts
        self.token: str = token
        self.max_upload: int = max_upload
        self.patience: float = patience
        self.cookie: str = f"planetree-{port}"
        self.key: str = secrets.token_urlsafe(32)

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        scope = self._placed(scope)
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, _with_headers(send))
            return
        await self._pass(scope, receive, _with_headers(send))

    def _placed(self, scope: _Scope) -> _Scope:
        """The request with the path of the proxy, once."""
        own = scope["path"].removeprefix(self.root_path) if self.root_path else scope["path"]
        own = own if own.startswith("/") else scope["path"]
        return {**scope, "root_path": self.root_path, "path": self.root_path + own}

    def _refusal(self, scope: _Scope) -> Response | None:
        """The answer to a request that goes no further."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self.hosts:
            return _refused(421, "This address does not name the studio. Use the one it printed.")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["method"] == "GET" and _same(given, self.token):
            return self._welcome()
        if not self._is_known(headers):
            return _refused(403, "Open the studio by the address that it printed, with its token.")
        if scope["method"] not in ("GET", "HEAD") and not _is_own_page(headers):
            return _refused(403, "Only pages of the studio may change something.")
        if not headers.get("content-length", "0").isdigit():
            return _refused(400, "Content-Length is not a number.")
        if int(headers.get("content-length", "0")) > self._most(scope):
            return self._too_large(scope)
        return None

    def _welcome(self) -> Response:
        """The cookie for the token, and the page without it in its address."""
        place = self.root_path + "/"
        answer = RedirectResponse(place, status_code=303)
        answer.set_cookie(self.cookie, self.key, path=place, httponly=True, samesite="strict")
        return answer

    def _is_known(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.cookie)
        return found is not None and _same(found.value, self.key)

    def _most(self, scope: _Scope) -> int:
        return self.max_upload if scope["path"].endswith("/api/upload") else _SMALL

    def _too_large(self, scope: _Scope) -> Response:
        return _refused(413, f"More than {self._most(scope):,} bytes, which is the limit.")

    async def _pass(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Hand a request on; count its bytes, and give up on a client that stops sending."""
        sent = _Limited(receive, send, self._most(scope), self.patience)
        try:
            await self.app(scope, sent.receive, sent.send)
        except Exception:
            if not sent.failure:
                raise
        if sent.failure and not sent.is_begun:
            slow = _refused(408, "The request did not come to its end in time.")
            answer = slow if sent.failure == "slow" else self._too_large(scope)
            answer.headers["connection"] = "close"
            await answer(scope, receive, send)


class _LimitError(Exception):
    """A request that is not read to its end."""


class _Limited:
    """A request whose bytes are counted and waited for; after a failure no answer but ours is sent.

    Parameters
    ----------
    receive, send : callables
        Of the server.
    left : int
        Bytes that may still come.
    patience : float
        Seconds to wait for the next of them.
    """

    def __init__(self, receive: _Receive, send: _Send, left: int, patience: float) -> None:
        self._receive, self._send = receive, send
        self._left, self._patience, self._is_whole = left, patience, False
        self.failure, self.is_begun = "", False

    async def receive(self) -> Any:
        """The next part of the request, in time and within its limit."""
        if self._is_whole:  # what follows is only that the client went away
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._patience)
        except TimeoutError:
            self.failure = "slow"
            raise _LimitError from None
        self._left -= len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._left < 0:
            self.failure = "large"
            raise _LimitError
        return message

    async def send(self, message: Any) -> None:
        """_Send a part of an answer."""
        if not self.failure:
            self.is_begun = True
            await self._send(message)


def _with_headers(send: _Send) -> _Send:
    """_Send answers with what browsers are told of every one of them, unless it says otherwise."""

    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent


def _refused(status: int, why: str) -> Response:
    return PlainTextResponse(f"planetree studio: {why}\n", status_code=status)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())


def _is_own_page(headers: Headers) -> bool:
    """Whether a page of the same host sent a request: browsers say so, and scripts cannot lie."""
    origin = urlsplit(headers.get("origin", ""))
    site = headers.get("sec-fetch-site", "same-origin")
    same_host = origin.netloc.lower() == headers.get("host", "").lower()
    return bool(origin.netloc) and same_host and site == "same-origin"

"""The web side of the studio: its page, its actions, and the server that runs them.

GET  /                      the page
GET  /static/NAME           its scripts and styles, those of the report among them
GET  /api/state             everything that the page shows
GET  /api/events            what changes, as server-sent events
POST /api/ACTION            an action of the session, with a JSON object of arguments
POST /api/upload?name=      the bytes of a file
GET  /api/download/FORMAT   the model, its report or predictions, as a file
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from planetree.exceptions import FileError
from planetree.studio.session import Session
from planetree.studio.workers import TaskError

_SHARED = {
    *("elements.js", "route.js", "tree.js", "outline.js", "form.js", "threshold.js", "card.js"),
    *("page.css", "score_sheet.css"),
}
_TYPES = {
    "js": "text/javascript",
    "css": "text/css",
    "html": "text/html",
    "svg": "image/svg+xml",
}
_ACTIONS: dict[
    str, dict[str, Any]
] = {  # what a page may ask a session for, and of what types its arguments are
    "open": {"file": str, "how": dict},
    "example": {"name": str},
    "reread": {"how": dict},
    "choose": {"changes": dict},
    "columns": {},
    "fit": {},
    "cancel": {},
    "size": {"terms": (int, type(None))},
    "model": {},
    "alternatives": {"node": int},
    "edit": {"line": str},
    "undo": {},
    "redo": {},
    "cost": {},
    "rows": {"chosen": dict},
    "row": {"number": int, "limits": dict},
    "groups": {"column": str},
    "compare": {"methods": list, "time_limit": (int, float)},
    "search": {"evaluations": int},
    "score": {"file": str, "asked": dict},
    "sheet": {},
    "exported": {"to": str, "dialect": (str, type(None))},
    "files": {},
}
_SPREAD = ("how", "changes", "chosen", "limits", "asked")  # dicts whose entries are arguments
_FORMATS = {
    "json": ("model.json", "application/json"),
    "sql": ("model.sql", "application/sql"),
    "python": ("model.py", "text/x-python"),
    "c": ("model.c", "text/x-c"),
    "onnx": ("model.onnx", "application/octet-stream"),
    "rules": ("rules.txt", "text/plain"),
}
# The report brings its own policy, by the hashes of its scripts, in its head.
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
_REPORT_POLICY += "frame-ancestors 'self'; sandbox allow-scripts"


class PatientProtocol(H11Protocol):
    """HTTP that gives up on a client whose request does not come to its first line and headers.

    That is so for the first request of a connection, and for every later one that has begun.
    """

    patience: float = 30.0
    _waits: Any = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Begin to wait for the rest of a request."""
        super().data_received(data)
        if self._waits is None and self._is_between():
            self._wait()

    def _is_between(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._waits = self.loop.call_later(self.patience, self._give_up, self.cycle)

    def _give_up(self, last: Any) -> None:
        """End the connection unless a request has come since."""
        self._waits = None
        if self.cycle is last and self._is_between():
            self.transport.close()


def studio_app(session: Session) -> Starlette:
    """The application of a session, to be put behind a `Guard`."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await session.start()
        yield
        await session.close()

    web = _Web(session)
    return Starlette(
        routes=[
            Route("/", web.page),
            Route("/static/{name}", web.static),
            Route("/api/state", web.state),
            Route("/api/events", web.events),
            Route("/api/report", web.report),
            Route("/api/download/{what}", web.download),
            Route("/api/upload", web.upload, methods=["POST"]),
            Route("/api/{action}", web.act, methods=["POST"]),
        ],
        lifespan=lifespan,
    )


class _Web:
    """Answers to requests."""

    def __init__(self, session: Session) -> None:
        self.session = session
        root = files("planetree")  # asking a package itself for its files would load it
        own, report = (root.joinpath(part, "assets") for part in ("studio", "reporting"))
        self.assets = {each.name: each.read_bytes() for each in own.iterdir() if each.is_file()}
        self.assets |= {name: report.joinpath(name).read_bytes() for name in _SHARED}

    async def page(self, request: Request) -> Response:
        return Response(self.assets["studio.html"], media_type="text/html")

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.assets:
            return JSONResponse({"error": f"There is no {name}."}, status_code=404)
        kind = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
        return Response(self.assets[name], media_type=kind, headers={"cache-control": "no-cache"})

    async def state(self, request: Request) -> Response:
        return JSONResponse(self.session.state())

    async def events(self, request: Request) -> Response:
        return StreamingResponse(self.session.events.listen(), media_type="text/event-stream")

    async def act(self, request: Request) -> Response:
        """Do an action, and answer with what it gives."""
        name = request.path_params["action"]
        if name not in _ACTIONS:
            return JSONResponse({"error": f"There is no action {name!r}."}, status_code=404)
        try:
            given = _arguments(_ACTIONS[name], await request.body())
            found = getattr(self.session, name)(**given)
            found = await found if inspect.isawaitable(found) else found
        except ClientDisconnect:
            return Response(status_code=400)
        except (TaskError, ValueError, OSError, TypeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        return JSONResponse({"result": found})

    async def upload(self, request: Request) -> Response:
        """Receive a file piece by piece, and keep it once it is whole."""
        part, is_whole = self.session.tables.part_file(), False
        try:
            with part.open("xb") as file:
                async for piece in request.stream():
                    file.write(piece)
            name = request.query_params.get("name", "table.csv")
            kept = await asyncio.to_thread(self.session.tables.take_upload, part, name)
            is_whole = True
        except ClientDisconnect:
            return Response(status_code=400)
        except (FileError, OSError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        finally:
            if not is_whole:
                part.unlink(missing_ok=True)
        return JSONResponse({"result": kept})

    async def report(self, request: Request) -> Response:
        """The report, in a frame of the page."""
        try:
            page = await self.session.report()
        except (TaskError, ValueError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        headers = {"content-security-policy": _REPORT_POLICY, "x-frame-options": "SAMEORIGIN"}
        return Response(page, media_type="text/html", headers=headers)

    async def download(self, request: Request) -> Response:
        """A file to keep."""
        what = request.path_params["what"]
        try:
            if what == "report":
                content, name = (await self.session.report()).encode(), "report.html"
                kind = "text/html"
            elif what == "predictions":
                made = await self.session.predictions()
                return FileResponse(made, media_type="text/csv", filename=made.name)
            elif what in _FORMATS:
                dialect = request.query_params.get("dialect")
                content = base64.b64decode(await self.session.content(what, dialect))
                name, kind = _FORMATS[what]
            else:
                return JSONResponse({"error": f"There is no {what}."}, status_code=404)
        except (TaskError, ValueError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}
        return Response(content, media_type=kind, headers=headers)


def _arguments(known: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Arguments of an action, if they are those that it has."""
    given = json.loads(body or b"{}")
    if not isinstance(given, dict) or set(given) - set(known):
        raise ValueError(f"This action takes {', '.join(known) or 'no arguments'}.")
    for name, value in given.items():
        if not isinstance(value, known[name]) or isinstance(value, bool):
            raise ValueError(f"{name} cannot be {value!r}.")
    spread = {key: value for each in _SPREAD for key, value in given.pop(each, {}).items()}
    return given | spread

"""Start the studio: find a port, print its address, open the browser, serve until interrupted."""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from planetree.studio.security import LOOPBACK, Guard, allowed_hosts
from planetree.studio.server import PatientProtocol, studio_app
from planetree.studio.session import Session


@dataclass(frozen=True, kw_only=True)
class StudioOptions:
    """How the studio is served.

    Parameters
    ----------
    folder : Path
        The only folder that is read and written.
    file : str, optional
        Table to open, by its name in the folder.
    host : str
    port : int
        0 for any that is free.
    allow_remote : bool
        Whether a host other than this machine is allowed.
    root_path : str
        Path under which a proxy offers the studio.
    allow_hosts : tuple of str
        Further Host headers that are answered: the public name behind a proxy.
    max_upload : int
        Most bytes of a file that is dropped.
    browser : bool
        Whether the page is opened.
    patience : float
        Seconds to wait for the next part of a request.
    warm : bool
        Whether workers are started before they are needed.
    """

    folder: Path
    file: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    allow_remote: bool = False
    root_path: str = ""
    allow_hosts: tuple[str, ...] = ()
    max_upload: int = 2 << 30
    browser: bool = True
    patience: float = 30.0
    warm: bool = True


def serve(options: StudioOptions, say: Callable[[str], None] = print) -> None:
    """Serve the studio until the process is interrupted.

    Parameters
    ----------
    options : StudioOptions
    say : callable
        Told the address, and what a reader should beware of.
    """
    if options.host not in LOOPBACK and not options.allow_remote:
        raise ValueError(
            f"--host {options.host} lets other machines in: whoever has the address with its token "
            f"can read and write the tables in {options.folder.resolve()}, over a connection that "
            "is not encrypted. If you mean that, add --allow-remote."
        )
    listening = _listening(options.host, options.port)
    port, token = int(listening.getsockname()[1]), secrets.token_urlsafe(24)
    session = Session(options.folder, options.file, warm=options.warm)
    root = "/" + options.root_path.strip("/") if options.root_path.strip("/") else ""
    guard = Guard(
        studio_app(session),
        hosts=allowed_hosts(options.host, port, options.allow_hosts),
        token=token,
        port=port,
        max_upload=options.max_upload,
        root_path=root,
        patience=options.patience,
    )
    name = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{name}:{port}{root}/?token={token}"
    say(f"The studio is at {address}")
    say("It reads and writes only " + str(session.folder) + ". Stop it with Ctrl+C.")
    if options.host not in LOOPBACK:
        say("Other machines can reach it: keep the address to yourself.")
    if options.browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    _run(guard, session, listening, options)


def _run(guard: Guard, session: Session, listening: socket.socket, options: StudioOptions) -> None:
    """Serve until interrupted."""
    protocol = type("Protocol", (PatientProtocol,), {"patience": options.patience})
    config = uvicorn.Config(
        guard,
        log_level="warning",
        http=protocol,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=200,
        ws="none",
    )
    _Server(config, session).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that lets open pages go as soon as it is interrupted."""

    def __init__(self, config: uvicorn.Config, session: Session) -> None:
        super().__init__(config)
        self._session = session

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end."""
        self._session.events.close()
        super().handle_exit(sig, frame)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens, on a free port if none is named."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform == "win32":  # there, an address that may be used again may be taken over
        found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ValueError(f"Port {port} of {host} cannot be used: {error.strerror}.") from error
    found.listen(128)
    return found

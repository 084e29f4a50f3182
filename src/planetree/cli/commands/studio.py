"""`planetree studio`: a page in the browser in which a table becomes a readable model."""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.screen import Screen


@dataclass(frozen=True)
class _Address:
    """Where the page is offered, under the names of `StudioOptions`."""

    host: Annotated[str, "Address to listen on."] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 0
    allow_remote: Annotated[bool, "Let other machines in; needed for --host."] = False
    root_path: Annotated[str, "Path where a proxy serves the studio."] = ""


@command("studio")
def studio(
    screen: Screen,
    data: Annotated[
        options.File, typer.Argument(metavar="DATA", help="A table to open.", show_default=False)
    ] = None,
    *,
    folder: Annotated[
        options.File,
        "The only folder that the studio may use. Default: that of DATA, or the current one.",
    ] = None,
    address: _Address,
    allow_host: Annotated[options.Values, "Another Host header to accept; repeatable."] = None,
    max_upload: options.Upload = options.UPLOAD,
    no_browser: Annotated[bool, "Print the address; do not open a browser."] = False,
) -> None:
    """Make, question and export a model on a local page.

    Nothing leaves this machine.
    """
    root, file = _place(data, folder)
    try:
        from planetree.studio.start import StudioOptions, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise UsageError("The studio needs more: pip install 'planetree[studio]'.") from None

    def say(text: str) -> None:
        screen.result(text)
        sys.stdout.flush()  # a pipe would keep the address until the end

    asked = StudioOptions(
        folder=root,
        file=file,
        **asdict(address),
        allow_hosts=tuple(allow_host or ()),
        max_upload=max_upload,
        browser=not no_browser,
    )
    serve(asked, say)


def _place(data: Path | None, folder: Path | None) -> tuple[Path, str | None]:
    """The folder of the studio, and the name in it of the table to open."""
    if data is not None and not data.is_file():
        raise UsageError(f"There is no file {data}.")
    place = folder or (data.parent if data is not None else Path())
    if not place.is_dir():
        raise UsageError(f"There is no folder {place}.")
    root = place.resolve()
    if data is None:
        return root, None
    if not data.resolve().is_relative_to(root):
        raise UsageError(f"{data} is not in the folder {place}.")
    return root, data.resolve().relative_to(root).as_posix()

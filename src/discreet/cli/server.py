"""The command that starts the app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.app.server.service import Server


@app.command("app")
def start(
    file: Annotated[
        Path | None, typer.Argument(help="A CSV or Parquet file to open.", show_default=False)
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the link and open no browser.")
    ] = False,
    max_upload: Annotated[int, typer.Option(min=1, help="Largest upload, in MB.")] = 200,
) -> None:
    """Open the app in the browser; nothing leaves this machine. Ctrl-C ends it.

    Example: discreet app survey.csv
    """
    from discreet.app.server.service import launch, serve

    def ready(server: Server, folder: Path) -> None:
        if no_browser:
            print(f"Open this link; anyone who has it gets in: {server.link}", flush=True)
        else:
            launch(server.link, folder)
            print(
                f"The app is open in your browser, at {server.address}.\n"
                "Nothing leaves this machine. End it with Ctrl-C: its working files are erased.\n"
                "If no page appears, start it again with --no-browser.",
                flush=True,
            )

    serve(file, most_upload=max_upload << 20, ready=ready)
    print("Ended; all working files are erased.")

"""The command that starts the app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from discreet.cli.program import app
from discreet.cli.usage import Command

if TYPE_CHECKING:
    from discreet.app.server.service import Server


@app.command("app", cls=Command)
def start(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A table to open, a plan (release.toml), or a project (.discreet).",
            show_default=False,
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the link and open no browser.")
    ] = False,
    max_upload: Annotated[int, Ge(1), typer.Option(help="Largest upload, in MB.")] = 200,
    no_project: Annotated[
        bool, typer.Option("--no-project", help="Save nothing for the next time.")
    ] = False,
) -> None:
    """Open the app in the browser; nothing leaves this machine. Ctrl-C ends it.

    Example: discreet app survey.csv
    """
    from discreet.app.server.project_files import user_folder
    from discreet.app.server.service import launch, on_enter, serve

    def ready(server: Server, folder: Path) -> None:
        def open_() -> None:
            if no_browser:
                print(f"Open this link; anyone who has it gets in: {server.link}", flush=True)
            else:
                launch(server.link, folder)

        open_()
        told = ["Nothing leaves this machine. End it with Ctrl-C: its working files are erased."]
        if on_enter(open_):
            told.append(
                "Press Enter for the link again." if no_browser else "Press Enter to open it again."
            )
        if not no_browser:
            told.insert(0, f"The app is open in your browser, at {server.address}.")
            told.append("If no page appears, start it again with --no-browser.")
        print("\n".join(told), flush=True)

    kept = None if no_project else user_folder()
    serve(file, most_upload=max_upload << 20, ready=ready, projects=kept)
    saved = "" if no_project else " Projects are kept: they hold no record."
    print(f"Ended; all working files are erased.{saved}")

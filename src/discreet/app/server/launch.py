"""Opening the browser without showing the token to other users of the machine.

The words of a command are visible to everyone, so the browser is not given the address but a file
that only the steward may read, which leads on to it.
"""

from __future__ import annotations

import html
import os
import threading
import webbrowser
from pathlib import Path


def launch(link: str, folder: Path) -> Path:
    """Write the file and have the browser open it."""
    file = redirect_file(link, folder)
    threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
    return file


def redirect_file(link: str, folder: Path) -> Path:
    """A page that leads to the link, for the eyes of its owner."""
    file = folder / "open.html"
    place = html.escape(link, quote=True)
    text = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>discreet</title>'
        f'<meta http-equiv="refresh" content="0; url={place}"></head>'
        f'<body><p><a href="{place}">Open discreet</a></p></body></html>\n'
    )
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as written:
        written.write(text)
    return file

"""Draw the charts of docs/gallery.md: its own blocks are run where the pictures lie.

python -m papers.gallery
"""

from __future__ import annotations

import contextlib
import re

from papers.material import ROOT

PAGE = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "images" / "gallery"


def blocks() -> list[str]:
    """The Python blocks of the page."""
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def main() -> None:
    """Draw anew, from nothing."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    with contextlib.chdir(FOLDER):
        exec(compile("\n".join(blocks()), str(PAGE), "exec"), {"__name__": "gallery"})  # noqa: S102


if __name__ == "__main__":
    main()

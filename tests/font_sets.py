"""Sets of fonts that a machine may have, each alone: programs are shown it by a fontconfig file.

They are looked for in the folders of the system and in those that DISCREET_FONTS names.
"""

import os
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

# the family that stands for sans-serif, a file of it, and the Debian package
SETS = {
    "dejavu": ("DejaVu Sans", "DejaVuSans.ttf", "fonts-dejavu-core"),
    "liberation": ("Liberation Sans", "LiberationSans-Regular.ttf", "fonts-liberation"),
    "noto": ("Noto Sans", "NotoSans-Regular.ttf", "fonts-noto-core"),
    "none": ("", "", ""),  # for renderers: Chromium without any font fails to read some of a page
}
INSTALLED = [name for name in SETS if name != "none"]
_SYSTEM = ("/usr/share/fonts", "/usr/local/share/fonts", str(Path.home() / ".local/share/fonts"))


@cache
def folder_of(name):
    """The folder that holds a set; None where it is not there."""
    given = os.environ.get("DISCREET_FONTS", "").split(os.pathsep)
    places = [Path(place) for place in (*given, *_SYSTEM) if place]
    found = sorted(file for place in places for file in place.rglob(SETS[name][1] or "-"))
    return found[0].parent if found else None


def surroundings(name, folder, absent):
    """The environment of a program on a machine with these fonts alone."""
    family, _, package = SETS[name]
    place = folder_of(name)
    if family and place is None:
        absent("fonts", f"no {family}; install the package {package} or set DISCREET_FONTS")
    config = folder / f"{name}.conf"
    same = "".join(
        f"<alias binding='same'><family>{generic}</family>"
        f"<prefer><family>{family}</family></prefer></alias>"
        for generic in ("sans-serif", "serif", "monospace", "system-ui")
        if family
    )
    config.write_text(
        f"<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig>"
        f"<dir>{escape(str(place or folder / 'empty'))}</dir>"
        f"<cachedir>{escape(str(folder / 'cache'))}</cachedir>{same}</fontconfig>"
    )
    return {**os.environ, "FONTCONFIG_FILE": str(config)}

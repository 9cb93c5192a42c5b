"""The lowest versions of all dependencies that pyproject.toml allows, as constraints for pip.

``make lowest`` installs them and runs the tests: floors that nobody tries are guesses.
"""

import re
import sys
import tomllib
from pathlib import Path

FLOOR = re.compile(r"^(?P<name>[\w.-]+)(\[[^\]]*\])?>=(?P<version>[\w.]+)$")


def floors(project):
    """Per library the highest of the floors that are named for it."""
    extras = project["project"]["optional-dependencies"].values()
    groups = project.get("dependency-groups", {}).values()
    named = [
        *project["project"]["dependencies"],
        *(one for group in (*extras, *groups) for one in group),
    ]
    found = {}
    for one in named:
        match = FLOOR.match(one)
        assert match, f"{one} has no floor"
        name, version = match["name"].lower(), match["version"]
        if name not in found or _parts(version) > _parts(found[name]):
            found[name] = version
    return found


def _parts(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def constraints():
    file = Path(__file__).parents[1] / "pyproject.toml"
    with file.open("rb") as opened:
        project = tomllib.load(opened)
    return [f"{name}=={version}" for name, version in sorted(floors(project).items())]


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints()) + "\n")

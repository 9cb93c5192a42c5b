"""The commands of the terminal, one file per group; importing them registers them."""

from discreet.cli import (  # noqa: F401
    demo,
    masking,
    measures,
    release,
    ru_map,
    server,
)
from discreet.cli.lazy import need_names_apart
from discreet.cli.program import app

need_names_apart()
__all__ = ["app"]

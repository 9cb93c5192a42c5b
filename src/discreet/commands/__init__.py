"""The commands of the terminal, one file per group; importing them registers them."""

from discreet.commands import demo, masking, measuring
from discreet.commands.app import app

__all__ = ["app", "demo", "masking", "measuring"]

"""The commands of the terminal, one file per group; importing them registers them."""

from discreet.commands import (
    candidates,
    choosing,
    demo,
    masking,
    measuring,
    records,
    releasing,
    reporting,
    serving,
)
from discreet.commands.app import app

__all__ = [
    "app",
    "candidates",
    "choosing",
    "demo",
    "masking",
    "measuring",
    "records",
    "releasing",
    "reporting",
    "serving",
]

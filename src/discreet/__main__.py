"""``python -m discreet``: the command, where it is not on the path."""

from discreet.cli import command

if __name__ == "__main__":
    command()

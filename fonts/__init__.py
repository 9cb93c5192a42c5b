"""How the font files of the package were made."""

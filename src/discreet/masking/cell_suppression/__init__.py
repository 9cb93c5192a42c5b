"""Suppression of single cells: what is asked for, the search, and what is promised of the file."""

"""Suppression of single cells: what is asked for, the search, and what came out."""

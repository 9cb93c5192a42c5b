"""Maskings: each returns masked microdata that stay linked to the initial records."""

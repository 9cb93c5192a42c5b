"""The report: one HTML file that says what was released, at which risk, at what cost, and how.

No script, no network, nothing outside the file. ``report`` writes it, ``fragments`` are its parts.
"""

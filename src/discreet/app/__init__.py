"""The app: a table becomes a verified release in a browser, on the steward's own machine.

What it does is a plan (:class:`discreet.Plan`), which ``discreet run`` repeats. It shows names and
counts, never a cell, and lets nobody in but who started it: see ``guard``.
"""

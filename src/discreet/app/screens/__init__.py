"""Routes: one file per screen. Its ``routes`` are added to the app.

A page is a plain address that renders whole; parts of it, which are asked for again when the plan
changes or a job is over, have addresses below it. Only POST changes something, and leads on.
"""

"""Criteria a masked file must meet: each says what it needs to know of a class, and whether
a class that satisfies it still does after it is merged with another one (monotone)."""

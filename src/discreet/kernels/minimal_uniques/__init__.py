"""Minimal sample uniques: the smallest sets of attributes on which a record is alone.

Who is alone on a set is alone on every larger one, so a set is minimal for a tuple when it is alone
on it and on none of the sets with one attribute less. ``walk`` visits the sets depth first and
notes who is alone where; ``search`` is the way in, keeps what is minimal and adds it up.
"""

"""Local suppression: single cells are blanked until every record hides among k.

A task is a `CellTask` whose trees have one level: the top is the blank. Keys whose nodes are all
tops are never blanked; a stratum is such a key. `category` has the exact answer for the reading in
which a blank is a value of its own, `cover_answer` quick and exact answers for the two weaker
readings, `subsets` goes through several sets of keys.
"""

"""Known sets: which attributes an intruder may know together, and what each set identifies.

D(r) = α · [T(r) · reach(r) − spent(r)] is the record risk of [1]_, with
reach(r) = Σ PK/count, spent(r) = Σ PK · S/count over the known sets, count the number of records
that share r's values on the set, S and T the sensitivity of r's values in the set and in all.

References
----------
.. [1] Orooji, Knapp, "A novel microdata privacy disclosure risk measure", IISE 2018.
"""

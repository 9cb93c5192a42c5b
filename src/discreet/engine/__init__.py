"""The engine boundary: few verbs over Ibis, evaluated lazily, and nothing else knows Ibis.

DuckDB is embedded and the default; a table of any other Ibis backend stays where it is.
"""

from discreet.engine.choosing import sample, stratified_sample
from discreet.engine.counting import (
    class_signatures,
    class_sizes,
    counts,
    is_empty,
    not_positive,
    profile,
    size,
    with_class_size,
)
from discreet.engine.csv import read_csv
from discreet.engine.linking import (
    Pair,
    classification,
    compatible,
    id_counts,
    linked_values,
    record_sizes,
    same_engine,
    unlinked,
)
from discreet.engine.opening import from_arrow, from_table, is_table, read_parquet
from discreet.engine.output import collect, records, write
from discreet.engine.recoding import recoded, replaced, without
from discreet.engine.source import Kind, Source, give_back, kept

__all__ = [
    "Kind",
    "Pair",
    "Source",
    "class_signatures",
    "class_sizes",
    "classification",
    "collect",
    "compatible",
    "counts",
    "from_arrow",
    "from_table",
    "give_back",
    "id_counts",
    "is_empty",
    "is_table",
    "kept",
    "linked_values",
    "not_positive",
    "profile",
    "read_csv",
    "read_parquet",
    "recoded",
    "record_sizes",
    "records",
    "replaced",
    "same_engine",
    "sample",
    "size",
    "stratified_sample",
    "unlinked",
    "with_class_size",
    "without",
    "write",
]

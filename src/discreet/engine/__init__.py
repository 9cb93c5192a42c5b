"""The engine boundary: few verbs over Ibis, evaluated lazily, and nothing else knows Ibis.

DuckDB is embedded and the default; a table of any other Ibis backend stays where it is.
"""

from discreet.engine.aggregating import Move, Spread, on_executors, rescaled, spreads
from discreet.engine.blocking import Axis, in_blocks
from discreet.engine.choosing import sample, stratified_sample
from discreet.engine.comparing import Compared, compared
from discreet.engine.counting import (
    class_figures,
    class_signatures,
    class_sizes,
    counts,
    is_empty,
    largest,
    not_positive,
    profile,
    size,
    summed_classes,
    with_class_size,
)
from discreet.engine.csv import read_csv
from discreet.engine.exposing import (
    CellSums,
    LargeSet,
    Sensitivity,
    exposed,
    log_steps,
    mean_sums,
    number_above,
    number_summary,
    outside,
    sums_of_products,
)
from discreet.engine.limits import (
    Limits,
    limits_in_force,
    limits_with,
    restore_limits,
    set_limits,
)
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
from discreet.engine.opening import (
    from_arrow,
    from_table,
    in_spark,
    is_table,
    read_parquet,
    read_parquet_in_spark,
)
from discreet.engine.output import FORMULA, Form, collect, native, records, write
from discreet.engine.recoding import extended, recoded, replaced, without
from discreet.engine.source import Kind, Source, give_back, is_distributed, is_near, kept
from discreet.engine.values import counts_and_values, need_few_pairs

__all__ = [
    "FORMULA",
    "Axis",
    "CellSums",
    "Compared",
    "Form",
    "Kind",
    "LargeSet",
    "Limits",
    "Move",
    "Pair",
    "Sensitivity",
    "Source",
    "Spread",
    "class_figures",
    "class_signatures",
    "class_sizes",
    "classification",
    "collect",
    "compared",
    "compatible",
    "counts",
    "counts_and_values",
    "exposed",
    "extended",
    "from_arrow",
    "from_table",
    "give_back",
    "id_counts",
    "in_blocks",
    "in_spark",
    "is_distributed",
    "is_empty",
    "is_near",
    "is_table",
    "kept",
    "largest",
    "limits_in_force",
    "limits_with",
    "linked_values",
    "log_steps",
    "mean_sums",
    "native",
    "need_few_pairs",
    "not_positive",
    "number_above",
    "number_summary",
    "on_executors",
    "outside",
    "profile",
    "read_csv",
    "read_parquet",
    "read_parquet_in_spark",
    "recoded",
    "record_sizes",
    "records",
    "replaced",
    "rescaled",
    "restore_limits",
    "same_engine",
    "sample",
    "set_limits",
    "size",
    "spreads",
    "stratified_sample",
    "summed_classes",
    "sums_of_products",
    "unlinked",
    "with_class_size",
    "without",
    "write",
]

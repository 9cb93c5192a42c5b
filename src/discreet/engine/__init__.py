"""The engine boundary: few verbs over Ibis, evaluated lazily, and nothing else knows Ibis.

DuckDB is embedded and the default; a table of any other Ibis backend stays where it is.
"""

from discreet.engine.aggregation import (
    Move,
    Rounded,
    Spread,
    in_strata,
    on_executors,
    rescaled,
    spreads,
    spreads_by_stratum,
)
from discreet.engine.blocks import Axis, in_blocks
from discreet.engine.choice import hashed_records, multiplied, sample, stratified_sample
from discreet.engine.comparison import Compared, compared
from discreet.engine.counts import (
    Extent,
    beyond,
    class_figures,
    class_signatures,
    class_sizes,
    codes,
    counts,
    extents,
    frequencies,
    infinite,
    is_empty,
    largest,
    missing,
    not_positive,
    profile,
    size,
    summed_classes,
    value_figures,
    with_class_size,
)
from discreet.engine.csv import read_csv
from discreet.engine.exposure import (
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
from discreet.engine.held import Kind
from discreet.engine.households import HouseholdNumbers, compositions
from discreet.engine.input import (
    as_integers,
    from_arrow,
    from_table,
    in_spark,
    is_table,
    read_parquet,
    read_parquet_in_spark,
    remove_later,
)
from discreet.engine.limits import limits_in_force
from discreet.engine.links import (
    BlankedCells,
    Pair,
    blanks,
    by_initial,
    cell_pairs,
    classification,
    compatible,
    id_counts,
    joint_counts,
    linked_counts,
    linked_values,
    record_sizes,
    same_engine,
    unlinked,
)
from discreet.engine.missing import LARGEST, normalised
from discreet.engine.output import (
    FORMULA,
    Form,
    collect,
    collect_by,
    head,
    native,
    records,
    write,
)
from discreet.engine.recoding import (
    Portions,
    extended,
    looked_up,
    recoded,
    replaced,
    with_cells,
    without,
)
from discreet.engine.source import LINK, Source, give_back, is_distributed, is_near, kept
from discreet.engine.values import counts_and_values, need_few_pairs

"""What tests of hierarchies share: a small one, and what fitting one gave."""

import numpy as np
import pyarrow as pa

COUNTRIES = {"*": {"Europe": ["DE", "FR"], "Asia": ["JP"]}}


def rows(fitted, level):
    """The label of each value on a level."""
    return fitted.labels[level].take(pa.array(fitted.maps[level])).to_pylist()


def moments(*texts):
    return pa.array(np.array(texts, dtype="datetime64[us]"))


def error_codes(error):
    return [problem.code for problem in error.value.problems]

"""Files of SPSS and Stata that were generated: what is read and written again is the same to other
readers, pyreadstat and pandas, and holds no label of a value that does not occur.
"""

import datetime as dt

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.examples import examples

pyreadstat = pytest.importorskip("pyreadstat")

WORDS = ["männlich", "weiblich", "andere", "keine Angabe"]
MISSING = 9.0  # said to be missing where a file can say so
TEXT = st.text("abcäößZ xyz", min_size=1, max_size=12).map(str.strip).filter(bool)
CELLS = {
    "nominal": st.sampled_from([1.0, 2.0, 3.0]),
    "ordinal": st.sampled_from([1.0, 2.0, 3.0, MISSING]),
    "scale": st.floats(-1e6, 1e6, width=32).map(float),
    "text": TEXT,
    "date": st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
}


@st.composite
def files(draw):
    """Columns by the kind of what is in them, some values missing; labels of all codes."""
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=5))
    n = draw(st.integers(1, 8))
    columns = {}
    for i, kind in enumerate(kinds):
        cell = CELLS[kind] if kind == "text" else st.none() | CELLS[kind]
        columns[f"{kind}_{i}"] = draw(st.lists(cell, min_size=n, max_size=n))
    frame = pd.DataFrame({n: pd.Series(c, dtype=kind_of(n)) for n, c in columns.items()})
    coded = [name for name in columns if name.startswith(("nominal", "ordinal"))]
    codes = dict(zip([1.0, 2.0, 3.0, MISSING], WORDS, strict=True))
    return frame, dict.fromkeys(coded, codes)


def kind_of(name):
    return "object" if name.startswith(("text", "date")) else "float64"


def again(frame, folder, suffix, write, **said):
    """A file with these columns, and the same after it was read and written here."""
    first, second = folder / f"first{suffix}", folder / f"second{suffix}"
    write(frame, first, column_labels={n: f"What {n} is" for n in frame}, **said)
    ds.read(first).write(second)
    return first, second


def labels_that_occur(frame, labels):
    found = {
        n: {c: w for c, w in codes.items() if c in set(frame[n])} for n, codes in labels.items()
    }
    return {name: codes for name, codes in found.items() if codes}


@examples(12)
@given(files())
def test_an_spss_file_is_written_as_it_was_read(tmp_path_factory, made):
    frame, labels = made
    folder = tmp_path_factory.mktemp("files")
    said = {
        "variable_value_labels": labels,
        "variable_measure": {n: n.partition("_")[0] for n in frame if n[0] in "nos"},
        "variable_format": {n: "F12.3" for n in frame if n.startswith("scale")},
        "missing_ranges": {n: [MISSING] for n in frame if n.startswith("ordinal")},
    }
    first, second = again(frame, folder, ".sav", pyreadstat.write_sav, **said)
    (before, known), (after, meta) = pyreadstat.read_sav(first), pyreadstat.read_sav(second)
    pd.testing.assert_frame_equal(before, after, check_dtype=False)
    for about in ("column_names_to_labels", "variable_measure", "original_variable_types"):
        assert getattr(meta, about) == getattr(known, about), about
    assert meta.variable_value_labels == labels_that_occur(before, labels)


@examples(12)
@given(files())
def test_a_stata_file_is_written_as_it_was_read(tmp_path_factory, made):
    frame, labels = made
    folder = tmp_path_factory.mktemp("files")
    whole = {n: {int(c): w for c, w in codes.items()} for n, codes in labels.items()}
    frame = frame.astype(dict.fromkeys(labels, "Int32"))
    first, second = again(frame, folder, ".dta", pyreadstat.write_dta, variable_value_labels=whole)
    with pd.io.stata.StataReader(first) as one, pd.io.stata.StataReader(second) as other:
        before, after = (r.read(convert_categoricals=False) for r in (one, other))
        pd.testing.assert_frame_equal(before, after, check_dtype=False)
        assert other.variable_labels() == one.variable_labels()
        words = other.value_labels()
    assert list(words.values()) == list(labels_that_occur(before, labels).values())

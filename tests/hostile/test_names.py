"""Column names as they come: quotes, SQL, two that differ in case only, five hundred of them."""

import csv

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds

NAMES = [
    'a "quoted" name',
    "it's",
    "a name with spaces",
    "semi;colon",
    "com,ma",
    "tab\tbed",
    "two\nlines",
    "é ☃ 名前 😀",
    "a'; DROP TABLE people; --",
    'x" FROM t; SELECT * FROM "y',
    "select",
    "row",
    "c0",
    "k0",
    "n",
    "size",
    "link",
    "%s {0} $1 ? :a",
    "back\\slash",
    "age",
    "Age",
    "AGE",
    "<b>html</b>",
    "__index_level_0__",
]
COLUMNS = {name: [i, i, i + 1] for i, name in enumerate(NAMES)}


def written(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table(COLUMNS), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([NAMES, *zip(*COLUMNS.values(), strict=True)])
    return path


@pytest.fixture(params=["csv", "parquet", "arrow", "pandas"])
def source(request, tmp_path):
    if request.param in ("csv", "parquet"):
        return written(tmp_path, request.param)
    return pa.table(COLUMNS) if request.param == "arrow" else pd.DataFrame(COLUMNS)


def test_any_name_may_be_a_column_a_key_and_confidential(source):
    data = ds.read(source, keys=NAMES[:20], confidential=NAMES[20:])
    found = ds.risk(data)
    assert data.columns == tuple(NAMES)
    assert list(found.class_sizes) == [(1, 1, 1), (2, 1, 2)]
    assert set(found.p) == set(NAMES[20:])
    assert data.class_sizes().tolist() == [2, 2, 1]
    assert data.to("arrow").to_pydict() == COLUMNS
    assert found.explain()
    assert "<b>" not in data._repr_html_() + found._repr_html_()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_any_name_that_can_be_told_apart_is_written_and_read_again(tmp_path, kind):
    apart = {n: c for n, c in COLUMNS.items() if n not in ("Age", "AGE")}
    ds.read(apart).write(tmp_path / f"out.{kind}")
    assert ds.read(tmp_path / f"out.{kind}").to("arrow").to_pydict() == apart


@pytest.mark.parametrize("names", [["age", "Age"], ["a", ""]])
def test_names_that_files_mix_up_are_not_written(tmp_path, names):
    data = ds.read({name: [1] for name in names})
    with pytest.raises(ds.DiscreetError, match="O04"):
        data.write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["csv", "arrow"])
def test_five_hundred_columns_are_read(tmp_path, kind):
    names = [f"q{i}" for i in range(500)]
    source = pa.table({name: [1, 1, 2] for name in names})
    if kind == "csv":
        source = tmp_path / "wide.csv"
        source.write_text("\n".join([",".join(names), *[",".join("1" * 500)] * 3]))
    data = ds.read(source, keys=names[:60], confidential=names[-2:])
    assert len(data.profile) == 500
    assert ds.risk(data).n == 3
    with pytest.raises(ds.DiscreetError, match="and 492 more"):
        data.with_roles(keys=["income"])


def test_columns_of_any_name_are_masked_and_make_strata():
    names = [*NAMES, "h", "id", "order", "draw", "value", "label"]
    columns = {name: [i + j for j in range(12)] for i, name in enumerate(names)}
    data = ds.read(columns | {"town": ["N", "S"] * 6}, keys=names)
    for made in (
        ds.rank_swap(data, names, window=0.4, seed=1),
        ds.add_noise(data, names, 0.1, kind="independent", seed=1),
        ds.round_values(data, names, 5, seed=1),
        ds.microaggregate(data, names, k=3),
        ds.top_code(data, dict.fromkeys(names, 0.5)),
        ds.shuffle(data, names[:3], given=["link"], seed=1),
        ds.rank_swap(data.with_roles(keys=["town"]), ["age"], by="town", window=0.4, seed=1),
    ):
        assert made.columns == data.columns
        assert made.n == 12
    groups = {name: ["N", "S"] * 6 for name in names}
    strata = ds.read(groups | {"pay": list(range(12))}, keys=["pay"])
    for name in names:
        assert ds.rank_swap(strata, ["pay"], by=name, window=0.4, seed=1).changed == {"pay"}
        assert ds.pram(strata, [name], keep=0.5, seed=1).changed == {name}

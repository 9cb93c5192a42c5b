"""Maskings: the same sample, the same masked file, the same risk on every engine."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from tests.engines.tables import ROLES, hierarchies, rows, survey, ugly


@pytest.fixture(scope="module")
def data(engine):
    return engine.read(survey(), **ROLES)


@pytest.fixture(scope="module")
def reference():
    return ds.read(survey(), **ROLES)


@pytest.fixture(scope="module")
def generalized(data):
    return ds.generalize(data, hierarchies(), ds.PSensitiveKAnonymity(p=2, k=5)).best.mask()


@pytest.fixture(scope="module")
def expected(reference):
    return ds.generalize(reference, hierarchies(), ds.PSensitiveKAnonymity(p=2, k=5)).best.mask()


@pytest.mark.verb("sample")
@pytest.mark.parametrize("given", [{"fraction": 0.1}, {"n": 7}, {"fraction": 1.0}])
def test_the_same_seed_draws_the_same_records(data, reference, given):
    found, expected = (ds.sample(d, seed=3, **given) for d in (data, reference))
    assert rows(found) == rows(expected)
    assert found.n == expected.n


@pytest.mark.verb("sample")
def test_the_records_chosen_are_those_of_the_smallest_hashes(data):
    import hashlib

    table = survey()
    draws = [hashlib.md5(f"3:{rec}".encode()).hexdigest() for rec in table["rec"].to_pylist()]
    chosen = np.argsort(draws)[:50]
    expected = sorted(table["income"].to_numpy()[chosen].tolist())
    assert sorted(ds.sample(data, n=50, seed=3).to("arrow")["income"].to_pylist()) == expected


@pytest.mark.verb("sample")
def test_a_sample_of_many_is_found_without_sorting_them(data, monkeypatch):
    few = rows(ds.sample(data, n=300, seed=5))
    monkeypatch.setattr("discreet.engine.choice._FEW", 10)
    assert rows(ds.sample(data, n=300, seed=5)) == few


@pytest.mark.verb("sample by strata")
def test_strata_get_the_same_records(data, reference):
    found, expected = (ds.sample(d, fraction=0.2, seed=1, by=["sex"]) for d in (data, reference))
    assert rows(found) == rows(expected)


@pytest.mark.verb("sample by strata")
def test_missing_values_are_a_stratum(engine):
    roles = {"keys": ["town"], "record_id": "rec"}
    found, expected = (
        rows(ds.sample(d, fraction=0.5, seed=1, by=["flag", "born"]))
        for d in (engine.read(ugly(), **roles), ds.read(ugly(), **roles))
    )
    assert found == expected


@pytest.mark.verb("sample by strata")
@pytest.mark.parametrize("given", [{"n": 350}, {"n": 350, "by": ["sex"]}, {"fraction": 0.3, "by": ["sex"]}])  # fmt: skip
def test_weights_are_divided_by_the_share_drawn(engine, given):
    weights = np.random.default_rng(4).integers(1, 100, 1200)
    table = survey().append_column("w", pa.array(weights, pa.int32()))
    found, expected = (
        ds.sample(ds.sample(read(table, **ROLES, weight="w"), seed=3, **given), n=90, seed=4)
        for read in (engine.read, ds.read)
    )
    assert rows(found) == rows(expected)
    assert set(found.to("arrow")["w"].to_pylist()).isdisjoint(weights.tolist())
    assert [s.parameters["weight"] for s in found.steps] == [
        s.parameters["weight"] for s in expected.steps
    ]


@pytest.mark.verb("disclosure_risk")
def test_the_risk_of_a_sample_is_the_same(data, reference):
    found, expected = (
        ds.disclosure_risk(d, ds.sample(d, fraction=0.3, seed=2)) for d in (data, reference)
    )
    assert list(found.classification.entries()) == list(expected.classification.entries())
    assert found.maximal == expected.maximal
    assert found.maximal_compatible == expected.maximal_compatible


@pytest.mark.verb("disclosure_risk")
def test_the_risk_of_a_generalization_is_the_same(data, reference, generalized, expected):
    found, other = ds.disclosure_risk(data, generalized), ds.disclosure_risk(reference, expected)
    assert list(found.classification.entries()) == list(other.classification.entries())
    assert found.initial_sizes == other.initial_sizes
    assert found.masked_sizes == other.masked_sizes
    assert found.maximal_compatible == other.maximal_compatible


@pytest.mark.verb("disclosure_risk of a file masked elsewhere")
def test_two_tables_of_one_engine_are_linked_by_a_column(engine):
    table = survey(400)
    roles = {"keys": ["age", "sex"]}
    masked = table.set_column(2, "age", pa.array(table["age"].to_numpy() // 10 * 10))
    half = masked.slice(0, 200)
    found, expected = (
        ds.disclosure_risk(read(table, **roles), read(half, **roles), on="rec")
        for read in (engine.read, ds.read)
    )
    assert list(found.classification.entries()) == list(expected.classification.entries())


@pytest.mark.verb("disclosure_risk of a file masked elsewhere")
def test_records_that_the_initial_file_does_not_have_are_an_error(engine):
    table = survey(100)
    roles = {"keys": ["age", "sex"]}
    with pytest.raises(ds.DiscreetError, match="D11"):
        ds.disclosure_risk(
            engine.read(table.slice(0, 50), **roles), engine.read(table, **roles), on="rec"
        )


@pytest.mark.verb("contributions of records")
def test_contributions_add_up_to_the_risk(data):
    found = ds.disclosure_risk(data, ds.sample(data, fraction=0.3, seed=2))
    given = found.contributions(kind="arrow")
    assert sum(given["contribution"].to_pylist()) == pytest.approx(found.maximal)
    assert given.num_rows == found.t


@pytest.mark.verb("generalize")
@pytest.mark.parametrize("search", ["optimal", "all-minimal", "samarati"])
def test_the_search_finds_the_same_nodes(data, reference, search):
    found, expected = (
        ds.generalize(d, hierarchies(), ds.KAnonymity(4), search=search) for d in (data, reference)
    )
    assert [node.to_dict() for node in found.minimal] == [n.to_dict() for n in expected.minimal]


@pytest.mark.verb("generalize")
@pytest.mark.parametrize(
    "criterion",
    [
        [ds.LDiversity(3, kind="entropy", confidential="illness"), ds.KAnonymity(2)],
        [ds.LDiversity(2, kind="recursive", c=1.5, confidential="illness"),
         ds.PSensitiveKAnonymity(p=3, k=3, confidential="income")],
        [ds.TCloseness(0.3, confidential="illness"),
         ds.TCloseness(0.2, distance="ordered", confidential="income")],
    ],
    ids=["entropy", "recursive", "closeness"],
)  # fmt: skip
def test_a_search_by_the_distribution_of_values_finds_the_same_nodes(data, reference, criterion):
    found, expected = (
        ds.generalize(d, hierarchies(), criterion, max_suppressed=0.3, search="all-minimal")
        for d in (data, reference)
    )
    assert [node.to_dict() for node in found.minimal] == [n.to_dict() for n in expected.minimal]
    assert any(sum(node.levels.values()) > 0 for node in found.minimal)


@pytest.mark.verb("generalize")
def test_the_masked_file_is_the_same_up_to_the_order_of_rows(generalized, expected):
    assert generalized.n == expected.n
    assert rows(generalized) == rows(expected)


@pytest.mark.verb("generalize")
def test_ugly_values_are_recoded_and_suppressed_alike(engine):
    roles = {"keys": ["town", "flag", "small"], "record_id": "rec"}
    h = {"town": ds.Hierarchy.suppress(), "flag": ds.Hierarchy.suppress()}
    found, expected = (
        ds.generalize(d, h, ds.KAnonymity(12), max_suppressed=0.5, search="all-minimal")
        for d in (engine.read(ugly(), **roles), ds.read(ugly(), **roles))
    )
    assert [n.levels for n in found.minimal] == [n.levels for n in expected.minimal]
    for mine, theirs in zip(found.minimal, expected.minimal, strict=True):
        assert rows(mine.mask()) == rows(theirs.mask())


@pytest.mark.verb("chained maskings")
def test_a_generalized_file_is_sampled(generalized, expected, data, reference):
    found, other = (ds.sample(m, fraction=0.5, seed=9) for m in (generalized, expected))
    assert rows(found) == rows(other)
    assert ds.disclosure_risk(data, found).maximal == ds.disclosure_risk(reference, other).maximal


@pytest.mark.verb("write")
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_what_is_written_is_what_is_released(engine, tmp_path, suffix):
    data = engine.read(ugly(), keys=["town", "flag"], record_id="rec")
    path = tmp_path / f"release{suffix}"
    data.write(path)
    expected = tmp_path / f"expected{suffix}"
    ds.read(ugly(), keys=["town", "flag"], record_id="rec").write(expected)
    assert read_back(path) == read_back(expected)
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def read_back(path, types={"town": "nominal", "illness": "nominal"}):  # noqa: B006
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    if path.suffix == ".parquet":
        return sorted(
            str(row) for file in files for row in pq.read_table(file, partitioning=None).to_pylist()
        )
    return sorted(
        str(tuple(row.values()))
        for file in files
        for row in ds.read(file, types=types).to("arrow").to_pylist()
    )


@pytest.mark.verb("write")
def test_an_output_that_exists_is_not_replaced(data, tmp_path):
    (tmp_path / "release.csv").write_text("mine")
    with pytest.raises(ds.DiscreetError, match="O03"):
        data.write(tmp_path / "release.csv")
    assert (tmp_path / "release.csv").read_text(encoding="utf-8") == "mine"
    data.write(tmp_path / "release.csv", overwrite=True)
    assert len(read_back(tmp_path / "release.csv", {})) == data.n

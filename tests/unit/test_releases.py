"""Two releases about the same people: joint classes, values that are left, and ugly input."""

import itertools
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.examples import examples


def read(rows, **more):
    return ds.read(rows, keys=["age"], **more)


def test_two_files_that_are_2_anonymous_leave_everybody_alone_together():
    first = read({"rec": [1, 2, 3, 4], "age": ["20-39", "20-39", "40-59", "40-59"]})
    second = read({"rec": [4, 3, 2, 1], "age": ["20-29", "30-49", "30-49", "20-29"]})
    found = ds.compare_releases([first, second], on="rec", k=2)
    assert (found.least, found.below) == ((2, 2), (0, 0))
    assert (found.least_joint, found.joint_below, found.joint_alone) == (1, 4, 4)
    assert found.table("arrow")["below 2"].to_pylist() == [0, 0, 4]
    assert "Next:" in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["joint_below"] == 4


def test_the_same_release_twice_tells_no_more():
    data = read(
        {"rec": [1, 2, 3], "age": [20, 20, 30], "ill": ["a", "b", "c"]}, confidential=["ill"]
    )
    found = ds.compare_releases([data, data], on="rec", k=2)
    assert (found.least_joint, found.joint_below, found.below) == (1, 1, (1, 1))
    assert found.disclosed == {"ill": 0}


def test_a_value_that_both_classes_share_is_disclosed():
    first = read({"rec": [1, 2], "age": [20, 20], "ill": ["flu", "cancer"]}, confidential=["ill"])
    second = read({"rec": [1, 3], "age": [20, 20], "ill": ["flu", "none"]}, confidential=["ill"])
    found = ds.compare_releases([first, second], on="rec", k=2)
    assert (found.n, found.disclosed) == (1, {"ill": 1})
    assert "both together one" in found.explain()


@st.composite
def waves(draw):
    def one():
        people = draw(st.sets(st.integers(0, 9), min_size=2))
        return [(p, draw(st.sampled_from("ab")), draw(st.sampled_from("xyz"))) for p in people]

    return one(), one()


@examples(25)
@given(waves())
def test_everything_is_as_counted_person_by_person(case):
    files = [
        read(dict(zip(("rec", "age", "ill"), map(list, zip(*rows, strict=True)), strict=True)),
             confidential=["ill"])
        for rows in case
    ]  # fmt: skip
    looks = [{p: (age, ill) for p, age, ill in rows} for rows in case]
    both = sorted(looks[0].keys() & looks[1].keys())
    if not both:
        with pytest.raises(ds.DiscreetError, match="D11"):
            ds.compare_releases(files, on="rec")
        return
    found = ds.compare_releases(files, on="rec", k=2)
    pairs = {p: (looks[0][p][0], looks[1][p][0]) for p in both}
    sizes = [list(pairs.values()).count(pairs[p]) for p in both]
    assert (found.n, found.least_joint) == (len(both), min(sizes))
    assert found.joint_below == sum(size < 2 for size in sizes)
    left = 0
    for p, look in itertools.product(both, [0]):
        sets = [{ill for age, ill in one.values() if age == one[p][look]} for one in looks]
        left += all(len(s) > 1 for s in sets) and len(sets[0] & sets[1]) == 1
    assert found.disclosed == {"ill": left}
    assert found.joint_below >= 0


def test_bad_arguments_are_said():
    data = read({"rec": [1, 2], "age": [20, 30]})
    for wrong in (data, [data], [data, data, data], [data, {"age": [1]}]):
        with pytest.raises(ds.DiscreetError, match="P09"):
            ds.compare_releases(wrong, on="rec")
    with pytest.raises(ds.DiscreetError, match="R01"):
        ds.compare_releases([data, data], on="id")
    with pytest.raises(ds.DiscreetError, match="P07"):
        ds.compare_releases([data, data], on="rec", k=1)
    other = ds.read({"rec": [1, 2], "age": [20, 30], "sex": ["f", "m"]}, keys=["age", "sex"])
    with pytest.raises(ds.DiscreetError, match=r"second release .* not those of the first release"):
        ds.compare_releases([data, other], on="rec")


def test_the_command_reads_both_files_alike_and_gates_a_pipeline(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from discreet.cli.commands import app

    monkeypatch.chdir(tmp_path)
    rows = "rec;age;ill\n1;20-39;a\n2;20-39;b\n3;40-59;a\n4;40-59;b\n"
    Path("one.csv").write_text(rows, encoding="utf-8")
    Path("two.csv").write_text(
        "rec;age;ill\n1;20-29;a\n2;30-49;b\n3;30-49;c\n4;20-29;b\n", encoding="utf-8"
    )
    given = ["compare-releases", "one.csv", "two.csv", "--on", "rec", "--keys", "age",
             "--confidential", "ill", "--k", "2"]  # fmt: skip
    ran = CliRunner().invoke(app, given)
    assert ran.exit_code == 0
    assert "together 4 people are, 4 of them alone." in ran.output
    assert "ill: " in ran.output
    ran = CliRunner().invoke(app, [*given, "--at-most", "3", "--json"])
    assert (ran.exit_code, json.loads(ran.output)["joint_below"]) == (1, 4)
    assert CliRunner().invoke(app, [*given, "--at-most", "4"]).exit_code == 0
    ran = CliRunner().invoke(app, [*given[:-1], "1"])
    assert "must be a whole number of at least 2" in str(ran.exception)


@pytest.mark.parametrize("store", [pa.int64(), pa.float64(), pa.decimal128(21, 2), pa.string()])
def test_values_of_two_releases_match_however_they_are_stored(store):
    """A gap makes 1.0 of 1 in a frame; the value that both classes share is the same."""
    first = read({"rec": [1, 2], "age": [20, 20], "ill": [1, 2]}, confidential=["ill"])
    ill = pa.array([1, 3], pa.int64()).cast(store)
    second = ds.read(
        pa.table({"rec": [1, 3], "age": [20, 20], "ill": ill}), keys=["age"], confidential=["ill"]
    )
    found = ds.compare_releases([first, second], on="rec", k=2)
    assert found.disclosed == {"ill": 1}


def test_what_the_joint_classes_rest_on_is_said():
    rows = {"rec": [1, 2, 3, 4], "age": [1.0, 2.0, 3.0, None]}
    plain, gaps = read(rows), read(rows, missing="wildcard")
    assert "value of its own" not in ds.compare_releases([plain, plain], on="rec").explain()
    found = ds.compare_releases([plain, gaps], on="rec")
    assert "A missing value counts as a value of its own" in found.explain()
    assert found.to_dict()["computed_from"]["missing"] == "wildcard"
    noisy = ds.add_noise(read({**rows, "age": [1.0, 2.0, 3.0, 4.0]}), ["age"], 0.5, seed=1)
    for pair in ([noisy, plain], [plain, noisy]):
        assert "Perturbed: values of 'age'" in ds.compare_releases(pair, on="rec").explain()

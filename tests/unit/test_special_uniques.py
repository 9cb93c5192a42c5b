"""Special uniques: the golden files, what is shown, and ugly input."""

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import discreet as ds
from discreet.errors import DiscreetError

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def golden(reference_data, name):
    return pc.read_csv(reference_data(f"golden/{name}")).to_pydict()


def ihsn(reference_data, number):
    return ds.read(reference_data("ihsn_testdata_4580x15.csv"), keys=KEYS[:number])


def survey(rows, **roles):
    table = {f"k{a}": list(column) for a, column in enumerate(zip(*rows, strict=True))}
    return ds.read(table, keys=list(table), **roles)


# -- golden files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [5, 6])
def test_every_score_is_that_of_the_golden_file(reference_data, number):
    expected = golden(reference_data, f"sdcmicro_suda_testdata_{number}keys.csv")
    found = ds.suda(ihsn(reference_data, number))
    rows = np.array(expected["row"]) - 1
    scores, dis = np.zeros(4580), np.zeros(4580)
    scores[rows], dis[rows] = expected["suda"], expected["dis"]
    assert found.scores.tolist() == scores.tolist()
    assert found.dis == pytest.approx(dis, abs=1e-6)
    for key in KEYS[:number]:
        assert found.contributions[key][rows] == pytest.approx(
            expected[f"{key}_contribution"], abs=1e-9
        )
    without = np.delete(np.asarray(found.contributions), rows, axis=0)
    assert not without.any()


def test_the_contributions_of_the_file_are_those_of_the_golden_file(reference_data):
    expected = golden(reference_data, "sdcmicro_suda_contributions_testdata_5and6keys.csv")
    found = {n: ds.suda(ihsn(reference_data, n)).key_contributions for n in (5, 6)}
    rows = zip(expected["keys"], expected["variable"], expected["percent"], strict=True)
    for number, key, percent in rows:
        assert 100 * found[number][key] == pytest.approx(percent, abs=1e-9)


def test_the_minimal_uniques_are_those_of_the_golden_file(reference_data):
    expected = golden(reference_data, "suda_minimal_uniques_testdata_5and6keys.csv")
    rows = list(zip(*expected.values(), strict=True))
    for number in (5, 6):
        listed = {tuple(s.split("+")): count for keys, _, s, count in rows if keys == number}
        found = ds.suda(ihsn(reference_data, number)).minimal_uniques
        assert dict(found) == listed
        assert [len(s) for s in found] == sorted(len(s) for s in found)
        assert sum(found.values()) == {5: 3, 6: 113}[number]


def test_the_figures_of_the_golden_file(reference_data):
    table = golden(reference_data, "figures.csv")
    figures = {
        (case, figure): float(value)
        for topic, case, figure, value in zip(
            table["topic"], table["case"], table["figure"], table["value"], strict=True
        )
        if topic == "SUDA"
    }
    cases = {
        "testdata, first 5 keys": (5, "original"),
        "testdata, first 6 keys": (6, "original"),
        "testdata, first 6 keys, alternative score": (6, "alternative"),
    }
    assert len(figures) == 10
    for (case, figure), value in figures.items():
        number, score = cases[case]
        found = ds.suda(ihsn(reference_data, number), score=score)
        measured = {
            "records with a score": found.scored,
            "sum of the scores": math.fsum(found.scores),
            "largest score": found.highest_score,
            "sum of DIS": math.fsum(found.dis),
        }[figure]
        assert measured == pytest.approx(value, abs=1e-6 if "DIS" in figure else 1e-9)


# -- what is shown ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    return ds.suda(survey(["aXp", "aXp", "bXq", "bYq", "cYr", "cYr"], weight=None))


def test_the_result_says_who_is_special_and_on_which_keys(found):
    assert (found.n, found.uniques, found.special_uniques, found.pairs) == (6, 2, 2, 4)
    assert dict(found.minimal_uniques) == {("k0", "k1"): 2, ("k1", "k2"): 2}
    assert found.key_contributions == {"k0": 0.5, "k1": 1.0, "k2": 0.5}
    assert found.contributions.shape == (6, 3)
    assert found.contributions[2].tolist() == [0.5, 1.0, 0.5]
    assert found.contributions.table("arrow").column_names == ["k0", "k1", "k2"]
    assert found.above(0).positions.tolist() == [2, 3]
    assert found.top(2, "arrow")["record"].to_pylist() == [2, 3]
    assert found.histogram().zeros == 4
    assert found.column().columns[-1] == "dis"
    assert found.table("arrow").to_pydict() == {
        "keys": ["k0, k1", "k1, k2"],
        "size": [2, 2],
        "records": [2, 2],
    }
    said = found.explain()
    for words in (
        "2 of them are special uniques",
        "{k0, k1} (2 records)",
        "'k1' contributes most",
        "(M − m)!",
    ):
        assert words in said
    assert "no interval" in said
    assert json.loads(json.dumps(found.to_dict()))["special_uniques"] == 2


def test_values_of_the_keys_are_shown_only_where_their_owner_asks_for_them(found):
    table = found.by_category("k0", "arrow").to_pydict()
    assert table == {
        "k0": ["a", "b", "c"],
        "records": [2, 2, 2],
        "scored": [0, 2, 0],
        "contribution": [0.0, 0.5, 0.0],
    }
    secret = ds.suda(survey(["SECRET1 x".split(), "SECRET2 y".split(), "SECRET2 x".split()]))
    shown = [secret.explain(), json.dumps(secret.to_dict()), repr(secret), secret._repr_html_()]
    assert not any("SECRET" in text for text in shown)
    with pytest.raises(DiscreetError) as failed:
        found.by_category("k9")
    assert failed.value.code == "R01"
    with pytest.raises(DiscreetError):
        found.contributions["k9"]


def test_a_record_that_is_alone_on_all_keys_only_is_not_special():
    rows = ["ax", "ay", "bx", "by", "ax", "ay", "bx"]
    found = ds.suda(survey(rows))
    assert (found.uniques, found.special_uniques, found.scored) == (1, 0, 1)
    other = ds.suda(survey(rows), score="alternative")
    assert (other.uniques, other.special_uniques, other.scored) == (1, 0, 0)
    assert not other.dis.any()
    assert "although it is unique" in other.explain()
    assert "although it is unique" in other.to_dict()["notes"][0]
    assert "although" not in found.explain()


# -- the DIS score ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "sign"), [(27, 1), (28, 0), (29, -1)])
def test_dis_rises_with_the_score_up_to_27_keys_only(keys, sign):
    rng = np.random.default_rng(0)
    table = {f"k{a}": rng.integers(0, 3, 30)[[*range(30), 0]] for a in range(keys)}  # one pair
    found = ds.suda(ds.read(pa.table(table), keys=list(table)), max_size=3)
    scored = found.scores > 0
    first = np.unique(found.scores[scored], return_index=True)[1]
    assert set(np.sign(np.diff(found.dis[scored][first]))) == {sign}


def test_without_a_unique_there_is_no_score():
    found = ds.suda(survey(["ax", "ax", "by", "by"]))
    assert (found.uniques, found.scored, found.highest, found.mean) == (0, 0, 0, 0)
    assert (found.scores.tolist(), found.dis.tolist()) == ([0] * 4, [0] * 4)
    assert found.file_dis is None
    assert "file_dis" in found.not_applicable
    assert "No record" in found.explain()
    assert found.key_contributions == {"k0": 0, "k1": 0}
    assert found.minimal_uniques == {}


def test_without_a_pair_every_match_with_a_unique_is_right():
    found = ds.suda(survey(["ax", "by", "cz", "dz", "dz", "dz"]))
    assert found.pairs == 0
    assert found.file_dis == 1
    assert found.dis.tolist() == [1, 1, 1, 0, 0, 0]


def test_the_score_of_the_file_is_the_one_of_data_intrusion_simulation():
    found = ds.suda(survey(["a", "b", "b", "c", "c"]), fraction=0.1)
    assert found.file_dis == pytest.approx(0.1 / (0.1 + 4 * 0.9))
    assert found.highest == pytest.approx(found.file_dis)  # one unique: all of it is its own


def test_a_file_of_one_record_is_unique_on_every_key():
    found = ds.suda(survey(["abc"]))
    assert (found.scores.tolist(), found.uniques) == ([6.0], 1)
    assert dict(found.minimal_uniques) == {("k0",): 1, ("k1",): 1, ("k2",): 1}


@pytest.mark.parametrize("given", [
    {"fraction": 0}, {"fraction": 1}, {"fraction": -0.1}, {"fraction": math.nan},
    {"fraction": "0.1"}, {"max_size": 0}, {"max_size": 1.5}, {"score": "new"},
])  # fmt: skip
def test_arguments_out_of_their_range_are_refused(given):
    with pytest.raises(DiscreetError) as failed:
        ds.suda(survey(["ab", "cd"]), **given)
    assert failed.value.code.startswith("P")
    assert next(iter(given)) in str(failed.value)


def test_all_that_is_wrong_is_said_at_once():
    with pytest.raises(DiscreetError) as failed:
        ds.suda(survey(["ab", "cd"]), fraction=2, max_size=0)
    assert len(failed.value.problems) == 2


def test_other_arguments_are_refused():
    with pytest.raises(DiscreetError):
        ds.suda({"a": [1]})
    with pytest.raises(DiscreetError):
        ds.suda(ds.read({"a": [1, 2]}))


# -- many keys -------------------------------------------------------------------------------------


def wide(keys, n=40):
    rng = np.random.default_rng(1)
    table = {f"k{a:02}": rng.integers(0, 2, n) for a in range(keys)}
    return ds.read(table, keys=list(table))


def test_more_keys_than_sixteen_need_a_size():
    with pytest.raises(DiscreetError) as failed:
        ds.suda(wide(17))
    assert failed.value.code == "P50"
    assert "max_size=" in str(failed.value)
    found = ds.suda(wide(30), max_size=2)
    assert found.max_size == 2
    assert all(len(one) <= 2 for one in found.minimal_uniques)
    with pytest.raises(DiscreetError):
        ds.suda(wide(40), max_size=8)
    with pytest.raises(DiscreetError):
        ds.suda(wide(70), max_size=1)


def test_a_size_limits_the_sets_and_leaves_the_scores_of_the_others():
    rows = ["200", "136", "100"]
    whole, part = ds.suda(survey(rows)), ds.suda(survey(rows), max_size=1)
    assert dict(part.minimal_uniques) == {
        k: v for k, v in whole.minimal_uniques.items() if len(k) == 1
    }
    assert part.highest_score == 4  # (3 − 1)! for each of two keys
    assert "up to 1 key" in part.explain()
    assert ds.suda(survey(rows), max_size=9).scores.tolist() == whole.scores.tolist()


# -- missing values --------------------------------------------------------------------------------


def test_a_missing_key_is_a_value_or_makes_nobody_alone():
    table = {"a": ["x", "x", None, "y", "y"], "b": ["p", "p", "q", "q", "p"]}
    as_value = ds.suda(ds.read(table, keys=["a", "b"]))
    assert as_value.minimal_uniques[("a",)] == 1
    blank = ds.suda(ds.read(table, keys=["a", "b"], missing="wildcard"))
    assert dict(blank.minimal_uniques) == {("a", "b"): 2}
    assert blank.scores.tolist() == [0, 0, 0, 1, 1]
    assert (blank.uniques, blank.pairs) == (2, 4 - 1)  # the blank one shares q with one other
    assert "A missing key makes nobody alone" in blank.explain()
    with pytest.raises(DiscreetError) as failed:
        ds.suda(ds.read(table, keys=["a", "b"], missing="refuse"))
    assert failed.value.code == "D03"


def test_a_record_without_any_key_is_never_alone():
    table = {"a": ["x", "y", None], "b": ["p", "p", None]}
    found = ds.suda(ds.read(table, keys=["a", "b"], missing="wildcard"))
    assert found.scores.tolist() == [1, 1, 0]
    assert (found.uniques, found.pairs) == (2, 0)
    empty = pa.table({"a": pa.array([None], pa.string())})
    alone = ds.suda(ds.read(empty, keys=["a"], missing="wildcard"))
    assert (alone.uniques, alone.pairs, alone.scored) == (0, 0, 0)

"""R-U maps: maskings side by side, the frontier, and the choice among them."""

import json
import threading

import pytest

import discreet as ds
from discreet import charts, font
from discreet.errors import InvalidData, InvalidParameter, InvalidRole, NotSupported
from discreet.rumap.chart import Box, place_labels

KEYS = ["age", "zip", "sex"]
HIERARCHIES = {
    "age": ds.Hierarchy.intervals([10, 20, 40]),
    "zip": ds.Hierarchy.prefixes([5, 3, 1, 0]),
    "sex": ds.Hierarchy.suppress(),
}


@pytest.fixture(scope="module")
def survey():
    return ds.read(
        ds.datasets.patients(400, seed=1),
        identifiers=["name", "ssn"],
        keys=KEYS,
        confidential=["illness"],
    )


@pytest.fixture(scope="module")
def recipes():
    methods = ["mdav", "generalization", "sampling"]
    return ds.grid(methods=methods, k=[3, 10], hierarchies=HIERARCHIES, fractions=[0.5], seed=1)


@pytest.fixture(scope="module")
def found(survey, recipes):
    return ds.ru_map(survey, recipes)


def figures(found):
    return [(p.label, p.risk, p.loss, p.records) for p in found.points]


# -- what is measured ----------------------------------------------------------------------------


def test_each_point_has_the_risk_and_the_loss_of_its_masking(survey, found):
    masked = ds.microaggregate(survey, k=3)
    point = found["mdav k=3"]
    assert point.risk == ds.disclosure_risk(survey, masked).maximal
    assert point.loss == ds.information_loss(survey, masked).ebil_share
    assert (point.method, point.parameters, point.records) == (
        "mdav",
        {"k": 3},
        400,
    )


def test_unmasked_the_file_has_its_own_risk_and_no_loss(survey, found):
    assert found.unmasked.risk == pytest.approx(ds.risk(survey).mean_risk)
    assert found.unmasked.loss == 0


def test_the_points_come_in_the_order_given_whoever_is_ready_first(survey, recipes, found):
    assert [p.label for p in found.points] == [r.label for r in recipes]
    turned = ds.ru_map(survey, recipes[::-1], workers=1)
    assert figures(turned) == figures(found)[::-1]


def test_the_map_does_not_depend_on_the_number_of_workers(survey, recipes, found):
    for workers in (1, 3):
        assert figures(ds.ru_map(survey, recipes, workers=workers)) == figures(found)


def test_maskings_recipes_functions_and_pairs_can_be_mixed(survey):
    found = ds.ru_map(
        survey,
        [
            ds.microaggregate(survey, k=5),
            ("half", ds.sample(survey, fraction=0.5, seed=1)),
            ("tenfold", ds.grid(k=[10])[0]),
            ("mine", lambda data: ds.microaggregate(data, k=5)),
            ds.sample(ds.microaggregate(survey, k=5), fraction=0.5, seed=1),
        ],
    )
    labels = [p.label for p in found.points]
    assert labels == ["mdav k=5", "half", "tenfold", "mine", "mdav, then sampling"]
    assert found["mdav k=5"].risk == found["mine"].risk
    assert found.ties == (("mdav k=5", "mine"),)
    assert "Equal in both: mdav k=5 and mine." in found.explain()
    assert found["half"].parameters["steps"][0]["method"] == "sample"


def test_a_mapping_names_the_maskings(survey):
    found = ds.ru_map(survey, {"a": ds.microaggregate(survey, k=5)})
    assert [p.label for p in found.points] == ["a"]


def test_equal_labels_are_numbered(survey):
    found = ds.ru_map(survey, ds.grid(k=[5, 5]))
    assert [p.label for p in found.points] == ["mdav k=5", "mdav k=5 (2)"]


def test_a_file_masked_elsewhere_is_linked_by_a_column():
    initial = ds.read({"rec": [1, 2, 3], "age": [1, 2, 3]}, keys=["age"], record_id="rec")
    masked = ds.read({"rec": [3, 1, 2], "age": [2, 2, 2]}, keys=["age"], record_id="rec")
    found = ds.ru_map(initial, [masked], on="rec")
    assert figures(found) == [("masked file 1", pytest.approx(1 / 3), pytest.approx(1), 3)]


def test_after_another_masking_the_first_file_is_what_is_compared_with(survey):
    half = ds.sample(survey, fraction=0.5, seed=1)
    found = ds.ru_map(half, ds.grid(k=[5]))
    chained = ds.microaggregate(half, k=5)
    assert found.points[0].risk == ds.disclosure_risk(survey, chained).maximal
    assert found.unmasked.risk == ds.disclosure_risk(survey, half).maximal


@pytest.mark.parametrize(
    ("risk", "expected"),
    [
        ("minimal", lambda d, m: ds.disclosure_risk(d, m).minimal),
        ("compatible", lambda d, m: ds.disclosure_risk(d, m).maximal_compatible),
        ("highest", lambda _, m: ds.risk(m).highest_risk),
        ("linkage", lambda d, m: ds.score(d, m).record_linkage / 100),
        ("interval", lambda d, m: ds.score(d, m).interval_disclosure / 100),
        (
            ds.Weights.threshold(4),
            lambda d, m: ds.disclosure_risk(d, m).weighted(ds.Weights.threshold(4)),
        ),
        (lambda _, m: 1 / m.n, lambda *_: 1 / 400),
    ],
)
def test_the_risk_may_be_any_measure(survey, risk, expected):
    numbers = survey.with_roles(keys=["age", "income"])
    found = ds.ru_map(numbers, ds.grid(k=[3]), risk=risk, loss="sse_ratio")
    masked = ds.microaggregate(numbers, k=3)
    assert found.points[0].risk == pytest.approx(expected(numbers, masked))
    assert found.points[0].loss == ds.information_loss(numbers, masked).sse_ratio


# -- choosing ------------------------------------------------------------------------------------


def test_the_best_masking_under_a_limit_can_be_released(survey, found):
    best = found.best(risk_at_most=0.15)
    assert best.label == "mdav k=10"
    assert ds.check(best.masked, ds.KAnonymity(10)).satisfied
    assert best.masked.initial is survey


def test_a_masking_off_the_frontier_is_made_anew(survey, found):
    beaten = found["sampling 0.5"]
    assert beaten not in found.frontier
    expected = ds.sample(survey, fraction=0.5, seed=1)
    assert beaten.masked.to("arrow").equals(expected.to("arrow"))


def test_within_a_limit_of_the_loss_the_least_risk_is_best(found):
    least = min(p.risk for p in found.points if p.loss <= 0.5)
    assert found.best(loss_at_most=0.5).risk == least
    assert found.best(risk_at_most=0.15, loss_at_most=0.6).label == "mdav k=10"


def test_a_limit_that_no_masking_keeps_says_how_near_one_came(found):
    low = found.frontier[0]
    with pytest.raises(InvalidData) as error:
        found.best(risk_at_most=0)
    assert f"the lowest risk is {low.risk:.4f} ({low.label})" in str(error.value)
    with pytest.raises(InvalidData, match="the least loss is"):
        found.best(risk_at_most=0.5, loss_at_most=0)


@pytest.mark.parametrize("limits", [{}, {"risk_at_most": -1}, {"loss_at_most": "little"}])
def test_a_limit_is_a_number_of_at_least_0(found, limits):
    with pytest.raises(InvalidParameter, match="P10"):
        found.best(**limits)


# -- what fails ----------------------------------------------------------------------------------


def test_a_masking_that_fails_is_a_point_that_says_why(survey):
    secret = "41099"

    def broken(_):
        raise ValueError(secret)

    found = ds.ru_map(
        survey,
        [
            *ds.grid(k=[5, 900]),
            ("impossible", lambda d: ds.generalize(d, HIERARCHIES, ds.LDiversity(99)).best.mask()),
            ("broken", broken),
            ("empty", lambda _: None),
        ],
    )
    codes = {p.label: p.problem.code for p in found.failed}
    assert codes == {"mdav k=900": "P17", "impossible": "D30", "broken": "E50", "empty": "P53"}
    assert [p.label for p in found.frontier] == ["mdav k=5"]
    assert "Failed: mdav k=900 [P17]: k = 900 is more than the 400 records" in found.explain()
    assert secret not in found.explain() + str(found.to_dict()) + repr(found.points)
    row = found.table("arrow").to_pylist()[1]
    assert (row["code"], row["risk"], row["frontier"]) == ("P17", None, False)
    with pytest.raises(InvalidParameter, match="P17"):
        _ = found["mdav k=900"].masked


def test_a_measure_that_does_not_apply_is_said_by_that_point_only(survey, recipes):
    found = ds.ru_map(survey, recipes, loss="loss")
    failed = {p.label: p.problem.code for p in found.failed}
    assert failed == dict.fromkeys(["mdav k=3", "mdav k=10", "sampling 0.5"], "N50")
    point = found["sampling 0.5"]
    assert (point.loss, point.records, point.masked.n) == (None, 200, 200)
    assert point.risk == ds.disclosure_risk(survey, point.masked).maximal
    assert point not in found.frontier
    assert found.best(risk_at_most=1).method == "generalization"
    said = "Not on the map: sampling 0.5 [N50]: loss does not apply: it is for a generalization"
    assert said in found.explain()
    assert found.unmasked.loss == 0
    row = next(r for r in found.table("arrow").to_pylist() if r["masking"] == "sampling 0.5")
    assert (row["loss"], row["frontier"], row["code"]) == (None, False, "N50")
    assert json.loads(json.dumps(found.to_dict()))["points"][-1]["loss"] is None
    assert "svg" in charts.svg(found.chart())


@pytest.mark.parametrize("loss", ["il", "sse_ratio", "dist", "ctbil", "ebil"])
def test_a_sample_does_not_win_by_a_loss_that_cannot_see_it(survey, loss):
    with pytest.raises(NotSupported, match=rf"{loss} applies to none of the maskings") as error:
        ds.ru_map(survey, ds.grid(methods=["sampling"], fractions=[0.1], seed=1), loss=loss)
    assert error.value.code == "N50"
    assert "Those that apply are ebil_share" in str(error.value)


def test_an_axis_without_a_figure_for_any_point_is_refused(survey, recipes):
    broken = ds.ru_map(survey, recipes[:1], risk=lambda *_: 1 / 0)
    assert broken.points[0].problem.code == "E50"
    with pytest.raises(NotSupported, match="risk applies to none of the maskings"):
        ds.ru_map(survey, recipes[:1], risk=lambda *_: float("nan"))


def test_when_every_masking_fails_the_map_still_stands(survey):
    found = ds.ru_map(survey, ds.grid(k=[900]))
    assert found.frontier == ()
    assert found.table("arrow").num_rows == 1
    assert "svg" in charts.svg(found.chart())
    with pytest.raises(InvalidData, match="no masking could be measured"):
        found.best(risk_at_most=1)


def test_the_score_is_left_out_where_there_is_none(survey):
    coded = survey.with_roles(keys=["zip", "sex"])
    found = ds.ru_map(coded, ds.grid(k=[5]), with_score=True)
    assert (found.failed, found.points[0].parts) == ((), {})


def test_all_problems_of_the_arguments_are_reported_at_once(survey):
    with pytest.raises(InvalidParameter) as error:
        ds.ru_map(survey, [5, ("a", "b")], risk="maximum", loss=7, workers=0)
    assert [p.code for p in error.value.problems] == ["P53", "P53", "P16", "P16", "P07"]
    assert "Did you mean 'maximal'" in str(error.value)


@pytest.mark.parametrize("maskings", [[], "mdav", None, 3])
def test_something_that_is_no_list_of_maskings_is_refused(survey, maskings):
    with pytest.raises(InvalidParameter, match="P53"):
        ds.ru_map(survey, maskings)


def test_the_first_argument_is_microdata_with_keys(survey):
    with pytest.raises(InvalidParameter, match="P09"):
        ds.ru_map([survey], ds.grid())
    with pytest.raises(InvalidRole, match="R05"):
        ds.ru_map(survey.with_roles(keys=[]), ds.grid())


def test_a_point_with_perturbed_keys_is_named_with_what_still_means_something(survey):
    noisy = ds.add_noise(survey, ["age"], amount=0.5, seed=1)
    made = ds.ru_map(survey, {"noisy": noisy, "averages": ds.microaggregate(survey, k=5)})
    assert "Perturbed: by 'noisy', values of 'age' were changed at random" in made.explain()
    assert [point.get("perturbed") for point in made.to_dict()["points"]] == [["age"], None]


def test_an_unknown_label_is_an_error(found):
    with pytest.raises(InvalidParameter, match="P54"):
        _ = found["mdav k=4"]


# -- progress ------------------------------------------------------------------------------------


def test_progress_is_told_masking_by_masking(survey):
    seen = []
    with ds.on_progress(seen.append):
        ds.ru_map(survey, ds.grid(k=[3, 5]))
    assert {p.stage for p in seen} == {"masking and measuring"}
    assert (seen[-1].done, seen[-1].total) == (2, 2)


def test_an_exception_of_the_callback_ends_the_map(survey):
    class Enough(Exception):
        pass

    def stop(_):
        raise Enough

    before = threading.active_count()
    with pytest.raises(Enough), ds.on_progress(stop):
        ds.ru_map(survey, ds.grid(k=[3, 5, 10]))
    assert threading.active_count() == before


# -- the grid ------------------------------------------------------------------------------------


def test_a_grid_has_every_method_with_every_value_of_its_parameter():
    recipes = ds.grid(
        methods=["fixed", "generalization", "sampling"],
        k=[2, 3],
        hierarchies=HIERARCHIES,
        p=2,
        max_suppressed=[0.02, 0.05, 7],
        fractions=0.25,
        seed=4,
    )
    assert [r.label for r in recipes] == [
        "fixed k=2",
        "fixed k=3",
        "generalization k=2 p=2",
        "generalization k=2 p=2 (≤5% out)",
        "generalization k=2 p=2 (≤7 out)",
        "generalization k=3 p=2",
        "generalization k=3 p=2 (≤5% out)",
        "generalization k=3 p=2 (≤7 out)",
        "sampling 0.25",
    ]
    assert json.loads(json.dumps([r.to_dict() for r in recipes]))[3]["hierarchies"] == sorted(KEYS)


def test_a_recipe_shows_no_value_of_its_hierarchies():
    listed = ds.Hierarchy.from_dict({"SECRET": "*", "other": "*"})
    shown = repr(ds.grid(methods="generalization", k=2, hierarchies={"a": listed}))
    assert "SECRET" not in shown


def test_all_problems_of_a_grid_are_reported_at_once():
    with pytest.raises(InvalidParameter) as error:
        ds.grid(
            methods=["mdva", "generalization", "sampling", "sampling"], k=[0, 3], p=4, fractions=[2]
        )
    assert [p.code for p in error.value.problems] == ["P52", "P52", "P52", "P07", "P10", "P15"]
    with pytest.raises(InvalidParameter, match="P08"):
        ds.grid(methods="generalization", k=[3, 5], p=4, hierarchies=HIERARCHIES)


@pytest.mark.parametrize("given", [{"methods": []}, {"k": []}])
def test_an_empty_grid_is_an_error(given):
    with pytest.raises(InvalidParameter, match="P52"):
        ds.grid(**given)


# -- showing -------------------------------------------------------------------------------------


def test_a_map_becomes_json_frames_html_and_a_drawing(found, tmp_path):
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["frontier"] == [p.label for p in found.frontier]
    assert [p["label"] for p in plain["points"]] == [p.label for p in found.points]
    assert found.table("pandas").shape[0] == len(found.points)
    assert "<p>Unmasked, the risk is" in found._repr_html_()
    assert repr(found) == f"RUMap: 5 maskings, {len(found.frontier)} on the frontier"
    found.write_svg(tmp_path / "map.svg")
    drawn = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert all(p.label in drawn for p in found.frontier)
    with pytest.raises(ds.DiscreetError, match="O03"):
        found.write_svg(tmp_path / "map.svg")
    with pytest.raises(ds.DiscreetError, match="O01"):
        found.write_svg(tmp_path / "map.png")


def test_the_chart_tells_methods_apart_by_shape_too_and_the_frontier_by_filling(found):
    spec = found.chart().to_dict()
    line, points, _ = spec["layer"]
    assert line["mark"]["interpolate"] == "step-after"
    assert points["encoding"]["shape"]["field"] == points["encoding"]["fill"]["field"] == "method"
    rows = points["data"]["values"]
    assert sum(row["filled"] for row in rows) == len(found.frontier)


def test_every_point_of_the_chart_lies_where_it_is_and_equal_ones_are_one_with_their_number(survey):
    same, other = ds.microaggregate(survey, k=5), ds.microaggregate(survey, k=9)
    found = ds.ru_map(survey, {"a": same, "b": same, "c": other})
    _, points, labels = found.chart().to_dict()["layer"]
    rows = points["data"]["values"]
    assert {(row["risk"], row["loss"]) for row in rows} == {p.place for p in found.points}
    assert len(rows) == 2
    assert [row["masking"] for row in rows if row["risk"] == found.points[0].place[0]] == ["a, b"]
    assert "a (×2)" in [row["label"] for row in labels["data"]["values"]]


def test_labels_lie_neither_on_each_other_nor_on_points_nor_off_the_chart():
    points = [(x * 97.0 % 500, x * 41.0 % 300) for x in range(30)]
    labels = [f"mdav k={i}" for i in range(30)]
    places = place_labels(points, labels, 500, 300)
    boxes = [
        Box(x, y - 6.5, x + font.width(label, 11), y + 6.5)
        for place, label in zip(places, labels, strict=True)
        if place
        for x, y in [place]
    ]
    assert len(boxes) > 20
    for i, box in enumerate(boxes):
        assert box.left >= 0
        assert box.right <= 500
        assert not any(box.meets(other) for other in boxes[:i])
        assert not any(box.meets(Box(x - 6, y - 6, x + 6, y + 6)) for x, y in points)


def test_a_label_has_the_room_that_its_letters_need():
    """Wide letters need more than their number says: the label goes to the side where it fits."""
    wide, points = "W" * 20, [(250.0, 150.0)]
    ((left, _),) = place_labels(points, [wide], 460, 300)
    assert left < 250
    assert font.width(wide, 11) > 200
    assert place_labels(points, ["年" * 50], 500, 300) == [None]


# -- any measure as an axis ------------------------------------------------------------------------

ASKED = {
    "record_risk": {"known": {"age": 0.3, "sex": 0.8}, "sensitivity": {"illness": 1.0}},
    "regression_loss": {"formula": "income ~ age"},
}


def test_a_figure_of_any_measure_is_an_axis(survey):
    recipes = ds.grid(methods=["mdav", "sampling"], k=[3, 10], fractions=[0.5], seed=1)
    axes = {"risk": "record_risk.mean", "loss": "regression_loss.largest_change"}
    found = ds.ru_map(survey, recipes, **axes, measures=ASKED)
    masked = ds.microaggregate(survey, k=10)
    point = found["mdav k=10"]
    assert point.risk == ds.record_risk(masked, **ASKED["record_risk"]).mean
    expected = ds.regression_loss(survey, masked, "income ~ age").largest_change
    assert point.loss == pytest.approx(expected)
    assert found.to_dict()["risk"] == {
        "measure": "record_risk.mean",
        "meaning": "mean risk of a record",
    }
    assert found.unmasked.risk == ds.record_risk(survey, **ASKED["record_risk"]).mean


def test_where_more_is_better_the_frontier_looks_the_other_way(survey):
    recipes = ds.grid(methods=["mdav"], k=[3, 5, 10, 20])
    usual = ds.ru_map(survey, recipes, risk="highest")
    found = ds.ru_map(survey, recipes, risk="risk.k")
    assert [p.risk for p in found.points] == [round(1 / p.risk) for p in usual.points]
    assert [p.label for p in found.frontier] == [p.label for p in usual.frontier]
    assert found.best(loss_at_most=2).label == usual.best(loss_at_most=2).label
    assert found.to_dict()["lower_is_better"] == {"risk": False, "loss": True}
    assert "more is better" in found.explain()
    assert charts.svg(found.chart())
    with pytest.raises(InvalidParameter, match="more is better"):
        found.best(risk_at_most=5)


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"risk": "record_risk.meen"}, "Did you mean 'record_risk.mean'"),
        ({"risk": "record_risk"}, "record_risk.mean"),
        ({"loss": "score.value"}, "score"),
        ({"loss": "nothing.known"}, "is not a known measure"),
        ({"risk": "record_risk.mean"}, "record_risk needs known="),
        ({"risk": "record_risk.mean", "measures": {"record_risk": {"knwon": {}}}}, "'known'"),
        ({"measures": {"recrd_risk": {}}}, "Did you mean 'record_risk'"),
        ({"measures": {"record_risk": 5}}, "are not a mapping"),
        ({"measures": ["record_risk"]}, "is not a mapping of measures"),
    ],
)
def test_an_axis_that_is_not_known_is_refused_with_what_may_be_meant(survey, axes, said):
    with pytest.raises(InvalidParameter) as caught:
        ds.ru_map(survey, ds.grid(methods=["mdav"], k=[3]), **axes)
    assert said in str(caught.value)


def test_a_figure_that_applies_to_no_masking_is_refused_with_the_reason(survey):
    recipes = ds.grid(methods=["sampling"], fractions=[0.5], seed=1)
    asked = {"regression_loss": {"formula": "illness ~ age"}}
    with pytest.raises(NotSupported, match="'illness' is not a number"):
        ds.ru_map(survey, recipes, loss="regression_loss.largest_change", measures=asked)


def test_more_than_six_methods_have_marks_of_their_own():
    data = ds.read({"x": [float(i * i % 23) for i in range(40)]}, keys=["x"])
    recipes = [
        *ds.grid(methods=["fixed", "individual", "optimal-univariate"], k=[3]),
        *ds.grid(methods=["independent", "multiplicative"], columns=["x"], amount=[0.1], seed=1),
        *ds.grid(methods=["rank swapping"], columns=["x"], window=[0.1], seed=1),
        *ds.grid(methods=["shuffling"], columns=["x"], seed=1),
        *ds.grid(methods=["rounding"], columns=["x"], base=[5], seed=1),
    ]
    found = ds.ru_map(data, recipes, loss="il1s")
    points = found.chart().to_dict()["layer"][1]["encoding"]
    marks = zip(points["stroke"]["scale"]["range"], points["shape"]["scale"]["range"], strict=True)
    assert len(set(marks)) == len(points["shape"]["scale"]["domain"]) > 6

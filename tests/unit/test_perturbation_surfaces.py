"""Perturbing methods in plans, scripts, chains, forms and on maps."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from discreet.app.forms import steps as form
from discreet.parameters import ColumnFacts
from discreet.registry import maskings

SCALE = ["low", "mid", "top"]
TABLE = pa.table(
    {
        "rec": list(range(120)),
        "edu": [SCALE[i * i // 7 % 3] for i in range(120)],
        "age": [20 + i * 7 % 50 for i in range(120)],
        "income": [1000.5 + 37 * i for i in range(120)],
        "region": ["N" if i % 3 else "S" for i in range(120)],
    }
)
READ = {"keys": ["edu", "age"], "confidential": ["income"], "record_id": "rec",
        "types": {"edu": SCALE, "age": "continuous"}}  # fmt: skip


@pytest.fixture
def survey(tmp_path):
    pq.write_table(TABLE, tmp_path / "survey.parquet")
    with (tmp_path / "edu.csv").open("w", newline="") as opened:
        csv.writer(opened, delimiter=";").writerows(
            [["low", "school"], ["mid", "school"], ["top", "degree"]]
        )
    return ds.read(tmp_path / "survey.parquet", **READ)


def rows(data):
    return data.to("arrow").to_pylist()


def calls(folder):
    groups = ds.Hierarchy.from_csv(folder / "edu.csv")
    own = {"edu": {"low": 0.9, "mid": 0.8, "top": 0.85}}
    return {
        "pram": lambda d: ds.pram(d, ["edu"], keep=0.7, by=["region"], near="near", seed=5),
        "pram within": lambda d: ds.pram(d, ["edu"], keep=0.7, within={"edu": (groups, 1)}, seed=5),
        "pram own": lambda d: ds.pram(d, ["edu"], keep=own, exact=True, seed=5),
        "rank_swap": lambda d: ds.rank_swap(d, ["age", "income"], window=0.1, seed=5),
        "round_values": lambda d: ds.round_values(d, ["income"], base=0.5, seed=5),
        "nearest": lambda d: ds.round_values(d, ["age"], base=5, kind="nearest"),
        "swap_records": lambda d: ds.swap_records(
            d,
            ["region"],
            ["edu"],
            similar=[["edu", "age"], []],
            k=2,
            rate=0.2,
            carry=["income"],
            seed=5,
        ),
        "add_noise": lambda d: ds.add_noise(
            d, ["age", "income"], 0.3, kind="exact-moments", by=["region"], seed=5
        ),
        "factors": lambda d: ds.add_noise(
            d, ["age"], 0.3, kind="multiplicative", keep_zeros=True, round=True, seed=5
        ),
        "shuffle": lambda d: ds.shuffle(d, ["income"], given=["age"], by=["region"], seed=5),
        "individual": lambda d: ds.microaggregate(
            d, ["age", "income"], k=4, method="individual", ties="together"
        ),
        "top_code": lambda d: ds.top_code(d, {"income": 0.9}, bottom={"age": 25}, k=2),
    }


@pytest.mark.parametrize(
    "name",
    [
        "pram",
        "pram within",
        "pram own",
        "rank_swap",
        "round_values",
        "nearest",
        "swap_records",
        "top_code",
        "add_noise",
        "factors",
        "shuffle",
        "individual",
    ],
)
def test_a_plan_and_a_script_repeat_the_step(survey, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    masked = calls(tmp_path)[name](survey)
    plan = masked.plan()
    plan.write(tmp_path / "release.toml")
    again = ds.Plan.read(tmp_path / "release.toml")
    assert rows(again.mask()) == rows(masked)
    script = again.to_python()
    assert f"ds.{masked.steps[-1].method}(" in script
    made = {}
    exec(script.split("masked.write")[0].split("report")[0], made)
    assert rows(made["masked"]) == rows(masked)


def test_a_chain_keeps_what_each_step_promises(survey):
    swapped = ds.rank_swap(survey, ["income"], window=0.1, seed=1)
    masked = ds.top_code(ds.pram(swapped, ["edu"], keep=0.8, exact=True, seed=1), {"income": 0.9})
    assert [step.method for step in masked.steps] == ["rank_swap", "pram", "top_code"]
    assert masked.perturbed == {"income", "edu"}
    assert masked.initial is survey
    assert ds.information_loss(survey, masked).to_dict()


def test_nothing_secret_is_in_what_everybody_may_know(survey, tmp_path):
    for name, call in calls(tmp_path).items():
        masked = call(survey)
        step = masked.steps[-1]
        known = json.dumps(maskings[step.method].published(step.parameters))
        assert "seed" not in known, name
        assert "low" not in known, name
        assert "0.9" not in known or step.method != "top_code"
        json.dumps(step.to_dict())


@pytest.mark.parametrize("kind", ["pram", "rank_swap", "round_values", "add_noise", "shuffle"])
def test_the_form_begins_with_what_fits_and_draws_a_seed(kind):
    facts = {"edu": ColumnFacts("text", "ordinal", "ordinal", 0),
             "income": ColumnFacts("number", "continuous", "continuous", 0)}  # fmt: skip
    known = form.Known(["edu", "income"], ["edu", "income"], facts=facts)
    step = form.first(kind, known)
    assert step["columns"] == {"pram": ["edu"], "rank_swap": ["edu", "income"],
                               "round_values": ["income"], "add_noise": ["income"],
                               "shuffle": ["edu", "income"]}[kind]  # fmt: skip
    assert step["seed"] >= 0
    made, problems = form.steps_in([form.fields_of(step, known)], known)
    assert problems == []
    assert made[0] == {name: said for name, said in step.items() if said != ()}


def test_a_map_varies_what_can_be_varied(survey):
    recipes = ds.grid(methods=["pram"], columns=["edu"], keep=[0.9, 0.6], seed=1)
    recipes += ds.grid(methods=["rank swapping"], columns=["age"], window=[0.05, 0.2], seed=1)
    recipes += ds.grid(methods=["rounding"], columns=["age"], base=[5, 20], seed=1)
    recipes += ds.grid(methods=["correlated"], columns=["age"], amount=[0.1, 0.5], seed=1)
    recipes += ds.grid(methods=["shuffling"], columns=["age"], given=["income"], seed=1)
    recipes += ds.grid(methods=["individual"], columns=["age"], k=5)
    recipes += ds.grid(methods=["top coding"], top={"age": 0.9})
    found = ds.ru_map(survey, recipes)
    assert [p.label for p in found.points] == [
        "pram keep=0.9", "pram keep=0.6", "rank swapping window=0.05", "rank swapping window=0.2",
        "rounding base=5", "rounding base=20", "correlated amount=0.1", "correlated amount=0.5", "shuffling",
        "individual k=5", "top coding",
    ]  # fmt: skip
    # noise gives nearly every record a number of its own, and bits say nothing then
    assert [p.label for p in found.failed] == ["correlated amount=0.1", "correlated amount=0.5"]
    noise = ds.grid(methods=["correlated"], columns=["age"], amount=[0.1, 0.5], seed=1)
    assert not ds.ru_map(survey, noise, loss="il1").failed


def test_the_report_says_once_what_was_perturbed(survey, tmp_path):
    masked = ds.pram(survey, ["edu"], keep=0.8, seed=1)
    ds.report(survey, masked, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count(CAUTION) == 1
    ds.report(survey, masked, tmp_path / "k.html", criterion=ds.KAnonymity(2))
    text = (tmp_path / "k.html").read_text(encoding="utf-8")
    assert text.count(CAUTION) == 1
    assert text.index("Who could be recognised") < text.index(CAUTION)  # beside the figures


CAUTION = "were changed at random, so that records with the same keys"


@pytest.mark.parametrize(("column", "times"), [("edu", 1), ("region", 0)])
def test_the_app_says_beside_the_figures_which_of_them_mean_something(
    survey, tmp_path, monkeypatch, column, times
):
    from discreet.app.jobs import comparison

    monkeypatch.chdir(tmp_path)
    masked = ds.pram(survey, [column], keep=0.7, seed=1)
    masked.plan(criterion=ds.KAnonymity(1)).write(tmp_path / "p.toml")
    release = ds.Plan.read(tmp_path / "p.toml").run()
    sections, _ = comparison.sections(release, ds.risk(survey))
    assert sections[0].title == "Who could be recognised"
    said = [line for block in sections[0].blocks for line in getattr(block, "lines", ())]
    assert sum(CAUTION in line for line in said) == times

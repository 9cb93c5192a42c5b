"""Packages from outside that break what they promise: the package is named, and no value is told."""

import itertools
import json
import keyword
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
import typer
from click.testing import CliRunner

import discreet as ds
from discreet.plan import steps
from discreet.registry import criteria, maskings, measures
from tests.contract.addon import HEAD, a_criterion, a_masking, a_measure, added

SECRET = "Zanzibar"
GIVES = 'return masked_with(data, {c: pa.array(["x"] * len(cells)) for c in chosen}, '
SORTS = {"maskings": maskings, "criteria": criteria, "measures": measures}


@pytest.fixture
def survey():
    table = {"age": [1, 1, 1, 2, 2, 2], "town": [SECRET] * 3 + ["Oslo"] * 3, "pay": [1] * 6}
    return ds.read(table, keys=["age"])


def points(**names):
    """Entry points: the sort, and the names of each."""
    return "".join(
        f"[discreet.{sort}]\n" + "".join(f"{n} = odd_sdc:{n}\n" for n in some)
        for sort, some in names.items()
    )


@pytest.fixture
def add(tmp_path):
    """Add a package for the time of the test: its source, and its entry points by sort."""
    numbers = itertools.count()
    with ExitStack() as stack:
        yield lambda source, name="odd-sdc", **names: stack.enter_context(
            added(tmp_path / str(next(numbers)), name,
                  points(**names).replace("odd_sdc", name.replace("-", "_")), HEAD + source)
        )  # fmt: skip


def refused(work, code):
    """What is said where something is refused; no value of the data."""
    with pytest.raises(ds.DiscreetError) as found:
        work()
    said = str(found.value)
    assert found.value.code == code, said
    assert "odd-sdc 9.9" in said
    assert SECRET not in said
    assert found.value.__context__ is None  # it would be in a traceback
    return said


# -- what fails at work ----------------------------------------------------------------------------

MASKINGS = {
    "raises": 'raise ValueError(f"no {cells}")',
    "exits": "sys.exit(0)",
    "gives_nothing": "return None",
    "gives_the_same": "return data",
    "is_another": GIVES + 'method="other", parameters={})',
}


@pytest.mark.parametrize("name", MASKINGS)
def test_a_masking_that_fails_names_its_package_in_plans_and_maps(survey, add, name):
    add(a_masking(name, MASKINGS[name]), maskings=[name])
    step = {"do": name, "columns": ["town"]}
    said = refused(lambda: steps.done(survey, step, steps.SharedByPlan(), Path()), "E50")
    assert f"the masking '{name}'" in said
    grid = ds.grid(methods=[name, "mdav"], columns=["pay"], k=3)
    failed, good = ds.ru_map(survey, grid).points
    assert (failed.problem.code, good.problem) == ("E50", None)


CRITERIA = {
    "Raises": "raise ValueError(str(classes))",
    "Nothing": "return None",
    "Empty": "return {}",
    "Longer": 'return {"class size": np.zeros(len(classes.size) + 1, bool)}',
    "Numbers": 'return {"class size": (classes.size < self.size).astype(float)}',
}


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_that_fails_names_its_package_wherever_it_is_asked(survey, add, name):
    add(a_criterion(name, CRITERIA[name]), criteria=[name])
    asked = getattr(ds, name)(2)
    intervals = {"age": ds.Hierarchy.intervals([2])}
    for work in (
        lambda: ds.check(survey, asked),
        lambda: ds.check(survey, [ds.KAnonymity(2), asked]),
        lambda: ds.generalize(survey, intervals, asked),
        lambda: ds.suppress_cells(survey, asked),
    ):
        assert f"the criterion '{name}'" in refused(work, "E50")


def test_what_a_criterion_says_of_itself_may_fail_as_well(survey, add):
    claims = "    @property\n    def least_size(self):\n        raise ValueError('Zanzibar')\n"
    add(
        a_criterion("Odd", 'return {"class size": classes.size < 2}', more=claims), criteria=["Odd"]
    )
    refused(lambda: ds.check(survey, ds.Odd(2)).explain(), "E50")


def test_a_promise_that_is_broken_is_that_of_the_package(survey, add):
    broken = """
class Broken:
    def broken(self, masked):
        return ["it is not so"]
"""
    gives = GIVES + 'method="odd", parameters={}, promise=Broken())'
    add(broken + a_masking("odd", gives), maskings=["odd"])
    said = refused(lambda: ds.odd(survey, ["town"]), "I01")
    assert "discreet" not in said


def test_a_criterion_that_lies_is_that_of_the_package(survey, add):
    lie = """
    @property
    def counts_decide(self):
        return True

    @property
    def monotone(self):
        return True
"""
    add(a_criterion("Liar", 'return {"class size": classes.size < 9}', more=lie), criteria=["Liar"])
    intervals = {"age": ds.Hierarchy.intervals([2])}
    refused(lambda: ds.generalize(survey, intervals, ds.Liar(2)), "I01")
    refused(lambda: ds.recode(survey, intervals, ds.Liar(2)), "I01")


# -- what cannot be loaded -------------------------------------------------------------------------


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize(
    "source",
    [
        "import nothere_xyz",
        "raise ValueError('Zanzibar')",
        "def odd(:",
        "sys.exit(0)",
        "",
        "odd = 1",
    ],
    ids=["import", "value", "syntax", "exit", "absent", "number"],
)
def test_what_cannot_be_imported_names_its_package_and_the_kind_of_error(add, sort, source):
    add(f"\n{source}\n", **{sort: ["odd"]})
    for work in (SORTS[sort].all, lambda: ds.odd):
        assert "cannot be loaded" in refused(work, "N81")


def test_the_traceback_of_what_cannot_be_imported_is_shown_on_request(add, capsys, monkeypatch):
    monkeypatch.setenv("DISCREET_DEBUG", "1")
    add("raise ValueError('Zanzibar')", maskings=["odd"])
    refused(maskings.all, "N81")
    assert "ValueError: Zanzibar" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more",
    [", k=3", ", k: int = 3", ", k: Annotated[object, Doc('K.')] = None", ", *rest", ", **more"],
)
def test_a_parameter_that_no_surface_could_show_is_named(add, more):
    add(a_masking("odd", "return None", more), maskings=["odd"])
    said = refused(lambda: maskings["odd"], "N81")
    assert any(f"'{name}'" in said for name in ("k", "rest", "more"))
    add(a_measure("dull", "return None", more), measures=["dull"])
    refused(lambda: measures["dull"], "N81")


def test_an_entry_point_of_another_name_says_what_it_must_be_called(add, tmp_path):
    source = a_masking("tens", "return None")
    other = "[discreet.maskings]\nrounding = odd_sdc:tens\n"
    with added(tmp_path / "it", "odd-sdc", other, HEAD + source):
        assert "must be called 'tens'" in refused(lambda: maskings["rounding"], "N81")


# -- names that are taken --------------------------------------------------------------------------


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("name", ["pram", "read", "KAnonymity", "risk", "masking"])
def test_a_name_of_discreet_is_taken(add, sort, name):
    add("", **{sort: [name]})
    for registry in SORTS.values():
        refused(registry.entries, "N80")


def test_a_name_of_another_package_is_taken_whatever_its_sort(add):
    add(a_masking("lonely", "return None"), maskings=["lonely"])
    add(a_measure("lonely", "return None"), "even-sdc", measures=["lonely"])
    said = refused(measures.entries, "N80")
    assert "even-sdc 9.9" in said


@pytest.mark.parametrize("key", ["k", "p", "closeness", "confidential"])
def test_a_key_of_plans_that_discreet_has_is_taken(add, key):
    add(a_criterion("Odd", "return {}", key=key), criteria=["Odd"])
    assert f"'{key}'" in refused(criteria.all, "N80")


def test_a_key_of_plans_of_another_package_is_taken(add):
    add(a_criterion("Odd", "return {}", key="crowd"), criteria=["Odd"])
    add(a_criterion("Even", "return {}", key="crowd"), "even-sdc", criteria=["Even"])
    assert "even-sdc 9.9" in refused(criteria.all, "N80")


@pytest.mark.parametrize("command", ["run", "verify"])
def test_a_command_that_there_is_already_is_taken(add, monkeypatch, command):
    import discreet.cli.commands  # noqa: F401 - which registers all of ours
    from discreet.cli import lazy

    add(a_masking(command, "return None"), maskings=[command])
    monkeypatch.setattr(lazy.app, "registered_commands", [*lazy.app.registered_commands])
    monkeypatch.setattr(lazy, "BUILT", {})
    monkeypatch.setattr(lazy, "_OUTSIDE", [])
    lazy.need_names_apart()
    lazy.each_lazily(maskings, lambda name: name)
    assert f"'{command}'" in refused(lazy.need_names_apart, "N80")


# -- where the package is not there ----------------------------------------------------------------


@pytest.fixture
def released(survey, tmp_path):
    """A release with methods of a package, which is then gone."""
    source = a_criterion("Crowd", 'return {"class size": classes.size < self.size}', "crowd")
    source += a_measure("lonely", "return Oflonely(1, 2)").replace(
        "figures=", 'public=("a",), figures='
    )
    (tmp_path / "survey.csv").write_text("age,pay\n1,2\n1,3\n2,4\n2,5\n")
    plan = {
        "source": {"file": "survey.csv"},
        "roles": {"keys": ["age"]},
        "criterion": {"crowd": 2},
        "steps": [{"do": "microaggregate", "columns": ["pay"], "k": 2}],
        "measures": {"lonely": {}},
        "outputs": {"masked": "masked.csv", "public": "public.json",
                    "report": "report.html", "unique_columns": {"age": "simulated"}},
    }  # fmt: skip
    with added(
        tmp_path / "it", "odd-sdc", points(criteria=["Crowd"], measures=["lonely"]), HEAD + source
    ):
        ds.Plan.of(plan, tmp_path).run()
    return tmp_path


@pytest.mark.parametrize("ledger", ["masked.ledger.json", "public.json"])
def test_what_a_package_that_is_gone_would_check_is_said_not_to_be_compared(released, ledger):
    found = ds.Ledger.read(released / ledger).verify(released / "masked.csv")
    assert found.satisfied
    assert {"crowd, which needs odd-sdc", "lonely, which needs odd-sdc"} <= {*found.not_compared}


def test_the_report_and_the_public_extract_name_the_package(released):
    assert ds.Ledger.read(released / "public.json").document["packages"] == {"odd-sdc": "9.9"}
    assert "odd-sdc 9.9" in (released / "report.html").read_text(encoding="utf-8")


def test_a_plan_of_which_a_package_is_gone_says_that_one_may_be_missing(survey):
    for part in (
        {"steps": [{"do": "blurred"}]},
        {"criterion": {"crowded": 3}},
        {"measures": {"lonesome": {}}},
    ):
        with pytest.raises(ds.DiscreetError, match="package"):
            ds.Plan.of({"source": {"file": "survey.csv"}, **part})


# -- options ---------------------------------------------------------------------------------------


def test_no_option_of_a_package_has_the_name_of_another_option_of_its_command(add):
    """Nor of any other command."""
    from discreet.cli.commands import app
    from discreet.cli.described import method_options
    from discreet.cli.lazy import built, legible
    from discreet.cli.masking import _masking
    from discreet.cli.measures import _check, _measure
    from discreet.cli.ru_map import _ru_map

    own = [
        f
        for one in legible(app).commands
        for p in (built(one) or legible(app).commands[one]).params
        for f in (
            p.name,
            *(opt.strip("-").replace("-", "_") for opt in (*p.opts, *p.secondary_opts)),
        )
    ]
    names = [
        n
        for n in dict.fromkeys([*own, "help"])
        if n.isidentifier() and not keyword.iskeyword(n) and len(n) > 1
    ]
    more = "".join(
        f', {n}: Annotated[str, Label("L"), Doc("D.")] = ""' for n in names if n != "columns"
    )
    source = a_masking("odd", "return None", more.replace(", data:", ", datum:"))
    source += a_measure("dull", "return None", f", *{more}".replace(", data:", ", datum:"))
    source += "".join(
        a_criterion(f"Odd{i}", "return {}", key=n) for i, n in enumerate(("json", "on", "output"))
    )
    add(source, maskings=["odd"], measures=["dull"], criteria=["Odd0", "Odd1", "Odd2"])
    for build in (lambda: _masking("odd"), lambda: _measure("dull"), _check, _ru_map):
        alone = typer.Typer()
        alone.command()(build())
        flags = [
            f for p in typer.main.get_command(alone).params for f in (*p.opts, *p.secondary_opts)
        ]
        assert sorted(flags) == sorted(set(flags))
    assert {"odd_output", "odd_json", "odd_type", "odd_help"} <= {
        option.name for option in method_options(maskings["odd"])
    }


def test_a_method_that_draws_needs_a_seed_without_saying_so_itself(survey, add):
    draws = """given = {"seed": seed}
    raise_all(problems_of(parameters_of(drawn), given))
    made = {c: pa.array([seed] * len(cells)) for c in chosen}
    return masked_with(data, made, method="drawn", parameters={"columns": list(chosen), **given})"""
    seed = ', *, seed: Annotated[int | None, Seed, Label("Seed"), Doc("Seed.")] = None'
    add(a_masking("drawn", draws, seed), maskings=["drawn"])
    with pytest.raises(ds.DiscreetError, match="P15"):
        ds.drawn(survey, ["town"])
    assert ds.drawn(survey, ["town"], seed=3).plan().document["steps"][0]["seed"] == 3


def test_the_help_of_a_method_says_what_it_is_and_where_it_is_from(add):
    from discreet.cli.lazy import about_of

    add(a_masking("odd", "return None"), maskings=["odd"])
    entry = maskings.entries()["odd"]
    assert (entry.title, entry.about) == ("odd", "odd.")
    assert about_of(maskings["odd"]) == "odd (from odd-sdc 9.9)."


def test_a_table_of_columns_on_the_command_line_names_columns_that_are_there(survey, add):
    from discreet.cli.described import method_arguments

    factors = ', factors: Annotated[Mapping[str, float], Columns(), Label("F"), Doc("F.")] = None'
    add(a_masking("odd", "return None", factors), maskings=["odd"])
    given = {"columns": ["town"], "factors": ["pay=2"]}
    assert method_arguments(maskings["odd"], survey, given)["factors"] == {"pay": 2}
    with pytest.raises(ds.DiscreetError, match="'wage'"):
        method_arguments(maskings["odd"], survey, {**given, "factors": ["wage=2"]})


@pytest.mark.parametrize(
    ("figure", "limit", "code"),
    [
        ("float('nan')", 9, 1),
        ("float('-inf')", 9, 1),
        ("np.int64(3)", 9, 0),
        ("np.float64(3)", 2, 1),
    ],
)
def test_a_figure_that_is_no_finite_number_is_above_every_limit_and_null_in_json(
    add, tmp_path, monkeypatch, figure, limit, code
):
    from discreet.cli import lazy
    from discreet.cli.measures import _measure

    add(a_measure("odd", f"return Ofodd({figure}, np.int64(2))"), measures=["odd"])
    (tmp_path / "t.csv").write_text("age\n1\n2\n")
    monkeypatch.setitem(lazy.BUILT, "odd", lambda: _measure("odd"))
    given = [str(tmp_path / "t.csv"), "--fail-above", f"a={limit}", "--json"]
    done = CliRunner().invoke(lazy.built("odd"), given)
    assert done.exit_code == code
    found = json.loads(done.output, parse_constant=pytest.fail)
    assert found["b"] == 2
    if "float('" in figure:
        assert found["a"] is None
        assert found["not_applicable"] == {"a": "it is not a finite number."}


def test_the_debug_switch_is_on_while_a_command_is_built(monkeypatch, capsys):
    from discreet import cli, errors
    from discreet.cli import commands, lazy  # noqa: F401 - which registers the commands

    def build():
        errors.fail("N81", f"debug is {errors.is_debug()}.", "")

    monkeypatch.setenv(errors.DEBUG, "0")
    monkeypatch.setitem(lazy.BUILT, "pram", build)
    monkeypatch.setattr(sys, "argv", ["discreet", "--debug", "pram", "t.csv"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "debug is True" in capsys.readouterr().err

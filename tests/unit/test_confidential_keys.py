"""An attribute that is key and confidential at once: every criterion, with every verb that takes one, and
every policy for missing values.
"""

import pytest

import discreet as ds

TABLE = {
    "age": [20, 20, 20, 30, 30, 30, 40, 40],
    "sex": list("MMFFMMFF"),
    "illness": ["flu", "asthma", "flu", "flu", "asthma", "flu", "asthma", "flu"],
}
MISSING = {**TABLE, "sex": ["M", None, "F", "F", "M", "M", None, "F"]}
GROUPS = ds.Hierarchy.from_dict({"M": ["*"], "F": ["*"]})
HIERARCHIES = {"age": ds.Hierarchy.intervals([20], top="*")}
CRITERIA = {
    "k": ds.KAnonymity(2),
    "p": ds.PSensitiveKAnonymity(1, 2),
    "distinct": ds.LDiversity(1),
    "entropy": ds.LDiversity(1, "entropy"),
    "recursive": ds.LDiversity(1, "recursive", c=2),
    "equal": ds.TCloseness(0.9),
    "ordered": ds.TCloseness(0.9, "ordered"),
    "hierarchical": ds.TCloseness(0.9, "hierarchical", GROUPS, "sex"),
    "risk": ds.DisclosureRiskAtMost(0.7),
    "two": [ds.PSensitiveKAnonymity(1, 2), ds.TCloseness(0.9)],
}
COUNTED = ("entropy", "recursive", "equal", "ordered", "hierarchical", "two")
every = pytest.mark.parametrize("name", CRITERIA)
policies = pytest.mark.parametrize("missing", ["category", "wildcard", "refuse"])


def survey(missing, confidential=("sex", "illness")):
    table = TABLE if missing == "refuse" else MISSING
    return ds.read(table, keys=["age", "sex"], confidential=confidential, missing=missing)


def said(verb):
    """The code of what is refused by name, or what is found."""
    try:
        return verb()
    except ds.DiscreetError as error:
        return error.code


@every
@policies
def test_a_check_answers_or_refuses_by_name(name, missing):
    data = survey(missing)
    if name == "risk":
        verb = lambda: ds.check(data, ds.sample(data, n=6, seed=1), CRITERIA[name])  # noqa: E731
    else:
        verb = lambda: ds.check(data, CRITERIA[name])  # noqa: E731
    found = said(verb)
    if missing == "wildcard" and name in (*COUNTED, "risk"):
        assert found == "N01"
    else:
        assert found.satisfied in (True, False)


@pytest.mark.parametrize("missing", ["category", "refuse"])
@pytest.mark.parametrize(
    "criterion",
    [
        ds.LDiversity(2),
        ds.LDiversity(2, "entropy"),
        ds.LDiversity(2, "recursive", c=2),
        ds.PSensitiveKAnonymity(2, 2),
    ],
    ids=lambda c: c.describe(),
)
def test_every_class_has_one_value_of_a_key(missing, criterion):
    check = ds.check(survey(missing), criterion)
    assert not check.satisfied
    assert check.by["sex"].records == 8


@every
@policies
@pytest.mark.parametrize("suppression", ["failing", "k-only"])
def test_a_search_masks_what_then_satisfies(name, missing, suppression):
    found = said(
        lambda: ds.generalize(
            survey(missing),
            HIERARCHIES,
            CRITERIA[name],
            max_suppressed=1.0,
            suppression=suppression,
        )
    )
    if missing == "wildcard":
        assert found == "N01"
        return
    if found == "D31":  # small classes only may go
        assert suppression == "k-only"
        return
    masked = found.best.mask()
    assert masked.n == 0 or ds.check(masked, CRITERIA[name]).satisfied
    figures = found.lattice.table("arrow").to_pydict()
    assert all(isinstance(one, bool) for one in figures["feasible"])
    if name in ("k", "p", "distinct"):
        at = found.lattice.at(k=2, p=1, max_suppressed=1.0)
        assert at.best.feasible


@policies
def test_the_risk_counts_its_values(missing):
    found = ds.risk(survey(missing))
    assert found.p["sex"] == 1
    assert found.p["illness"] >= 1


@every
@policies
def test_a_microaggregated_file_can_be_checked(name, missing):
    data = survey(missing).with_roles(confidential=["age", "sex", "illness"])
    masked = ds.microaggregate(data, ["age"], k=2)
    found = said(lambda: ds.check(masked, CRITERIA[name]))
    if missing == "wildcard" and name in (*COUNTED, "risk"):
        assert found == "N01"
    else:
        assert found.satisfied in (True, False)


@policies
def test_a_report_is_made_or_refused_by_name(missing, tmp_path):
    data, target = survey(missing), tmp_path / "report.html"
    if missing == "wildcard":
        masked = ds.microaggregate(data, ["age"], k=2)
        assert said(lambda: ds.report(data, masked, target, criterion=CRITERIA["p"])) == "N01"
        return
    asked = [criterion for name, criterion in CRITERIA.items() if name not in ("two", "risk")]
    masked = ds.generalize(data, HIERARCHIES, asked, max_suppressed=1.0).best.mask()
    ds.report(data, masked, target, criterion=asked)
    assert target.exists()

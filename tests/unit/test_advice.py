"""Advice: nothing is proposed that does not hold; and what a search says that finds nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.cli import main
from tests.examples import examples
from tests.properties.test_lattice_search import HIERARCHIES, read, records

TABLE = {"sex": list("MFMMFMMFMM"), "region": list("aaaabbbbcc"), "ill": list("xyxyxxyxyx")}
SEX = {"sex": ds.Hierarchy.suppress()}
TOWN = {name: TABLE[name] * 3 for name in ("sex", "region")}
UNMET = [
    ds.KAnonymity(3),
    ds.PSensitiveKAnonymity(2, 3),
    ds.LDiversity(3),
    ds.LDiversity(2, "entropy"),
    ds.TCloseness(0.05),
    ds.BetaLikeness(0.05),
    ds.DeltaDisclosure(0.05),
    ds.KMap(8, TOWN),
    ds.DeltaPresence(0, 0.3, TOWN),
    ds.AverageRisk(0.2),
    ds.DisclosureRiskAtMost(0.05),
    [ds.KAnonymity(3), ds.AverageRisk(0.2), ds.LDiversity(2)],
]


def survey(keys=("sex", "region")):
    return ds.read(TABLE, keys=list(keys), confidential=["ill"])


def holds(proposal):
    """The masked file of a proposal keeps what its search was asked for, within its limit."""
    found = proposal.found
    node = found.best
    assert node.feasible
    assert node.suppressed <= found.task.budget
    checked = ds.check(node.mask(), list(found.task.asked))
    assert checked.satisfied


@pytest.mark.parametrize("criterion", UNMET, ids=str)
def test_every_proposal_holds(criterion):
    advice = ds.advise(survey(), SEX, criterion, max_suppressed=0)
    assert not advice
    assert advice.why
    for one in advice.proposals:
        holds(one)
    assert list(advice.proposals) == sorted(
        advice.proposals, key=lambda p: (round(p.loss, 12), p.change)
    )
    json.dumps(advice.to_dict())


def test_the_strictest_number_and_the_fewest_records_are_proposed():
    advice = ds.advise(survey(), SEX, ds.KAnonymity(3), max_suppressed=0)
    changes = [one.change for one in advice.proposals]
    assert "k = 2" in changes
    assert "2 suppressed records (20.0%)" in changes
    with pytest.raises(ds.DiscreetError):
        ds.generalize(survey(), SEX, ds.KAnonymity(3), max_suppressed=1)
    assert "leaving out 'region'" in changes
    assert "a group of all values for 'region'" in changes
    assert not [one for one in changes if "'sex'" in one]


def test_a_limit_is_relaxed_to_two_digits_and_no_further():
    advice = ds.advise(survey(), SEX, ds.AverageRisk(0.2), max_suppressed=0)
    assert "at_most = 0.3" in [one.change for one in advice.proposals]  # 3 regions of 10


def test_numbers_that_do_not_go_together_are_not_tried():
    """p = 2 and k = 1 cannot be."""
    advice = ds.advise(survey(), SEX, ds.PSensitiveKAnonymity(2, 3), max_suppressed=0)
    assert "k = 2" in [one.change for one in advice.proposals]


def test_what_can_be_met_needs_no_advice():
    advice = ds.advise(survey(), SEX, ds.KAnonymity(2), max_suppressed=0)
    assert advice.met
    assert advice.proposals == ()
    assert advice.explain() == "2-anonymity with no suppressed record can be met."


def test_other_errors_are_not_taken_for_a_criterion_that_cannot_be_met():
    with pytest.raises(ds.DiscreetError, match="P14"):
        ds.advise(survey(), SEX, ds.KAnonymity(2), max_suppressed=-1)
    with pytest.raises(ds.DiscreetError, match="P09"):
        ds.advise(TABLE, SEX, ds.KAnonymity(2))


def test_no_value_is_told():
    advice = ds.advise(survey(), SEX, [ds.KAnonymity(3), ds.TCloseness(0.1)], max_suppressed=0)
    told = advice.explain() + json.dumps(advice.to_dict()) + repr(advice)
    assert not {"'a'", "'x'", '"a"', '"x"'} & set(told.split())


ASKED = (
    lambda data: ds.KAnonymity(6),
    lambda data: ds.LDiversity(3),
    lambda data: ds.BetaLikeness(0.3),
    lambda data: ds.DeltaDisclosure(0.5),
    lambda data: ds.KMap(6, data),
    lambda data: ds.DeltaPresence(0, 0.9, data),
    lambda data: ds.AverageRisk(0.2),
)


@examples(10)
@given(records, st.sampled_from(ASKED))
def test_every_proposal_holds_on_random_tables(rows, asked):
    data, kept = read(rows), {"b": HIERARCHIES["b"]}
    criterion = asked(data)
    advice = ds.advise(data, kept, criterion, max_suppressed=0)
    for one in advice.proposals:
        holds(one)


def test_every_proposal_holds_on_adult(reference_data):
    keys = ["sex", "age", "race", "marital-status"]
    hierarchies = {
        key: ds.Hierarchy.from_csv(reference_data(f"adult/adult_hierarchy_{key}.csv"))
        for key in keys
        if key != "race"
    }
    data = ds.read(
        reference_data("adult/adult_30162x9.csv"), keys=keys, confidential=["occupation"]
    )
    advice = ds.advise(data, hierarchies, ds.KAnonymity(300), max_suppressed=0.0)
    changes = [one.change for one in advice.proposals]
    assert changes == [
        "a group of all values for 'race'",
        "leaving out 'race'",
        "517 suppressed records (1.7%)",
        "k = 231",
    ]
    for one in advice.proposals:
        holds(one)


def test_a_command_advises_and_ends_with_1(tmp_path, monkeypatch, capsys):
    file = tmp_path / "survey.csv"
    ds.read(TABLE, keys=["sex"]).write(file)
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "sex.csv").write_text("M;*\nF;*\n")
    asked = ["--keys", "sex,region", "--hierarchies", str(tmp_path / "h"), "--max-suppressed", "0"]
    for k, code in ((2, 0), (3, 1)):
        monkeypatch.setattr("sys.argv", ["discreet", "advise", str(file), *asked, "--k", str(k)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code or 0) == code
    assert "leaving out 'region'" in capsys.readouterr().out


# -- the diagnosis ---------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [c for c in UNMET if c != ds.LDiversity(3)], ids=str)
def test_a_search_that_finds_nothing_says_how_near_it_came(criterion):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.generalize(survey(), SEX, criterion, max_suppressed=0)
    told = str(caught.value)
    assert "Several values are left on the highest level of 'region'" in told
    assert "The nearest node (sex " in told


def test_what_all_records_fail_as_one_class_no_node_can_meet():
    top = {**SEX, "region": ds.Hierarchy.suppress()}
    for criterion in (
        ds.KAnonymity(11),
        ds.KMap(31, TOWN),
        ds.DeltaPresence(0, 0.3, TOWN),
        ds.AverageRisk(0.05),
        ds.LDiversity(2, "recursive", c=0.5),
    ):
        with pytest.raises(ds.DiscreetError, match="All records as one class fail"):
            ds.generalize(survey(), top, criterion, max_suppressed=0)


def test_the_records_are_told_for_each_criterion():
    with pytest.raises(ds.DiscreetError, match=r"2 records for 3-anonymity"):
        ds.generalize(survey(), SEX, [ds.KAnonymity(3), ds.LDiversity(2)], max_suppressed=0)

"""What a steward is told of files with households, several records of a person, and blanked cells."""

import pytest

import discreet as ds
from tests.app.releases import number, protected, text_of
from tests.app.visitor import Visitor
from tests.app.waiting import ended

COLUMNS = "hid,patient,age,region,illness,cost"
SUPPRESS = {"do-0": "suppress_cells", "seed-0": "0", "k": "7", "p": ""}


def table(records=240):
    """Households of three, of whom every person has two records; the last 40 differ in age."""
    rows = [
        f"h{i // 6},p{i // 2},{30 + i % 12 if i < 200 else i},{'NS'[i % 2]},{'abc'[i % 3]},{100 + i * i % 977}"
        for i in range(records)
    ]
    return "\n".join([COLUMNS, *rows, ""]).encode()


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


def opened(visitor, **roles):
    """The table with these roles."""
    workspace = visitor.open("stays.csv", table())
    assert workspace.job.state == "done", workspace.job.problems
    roles = {"hid": "identifier", "patient": "identifier", **roles}
    for name, role in {**roles, "age": "key", "region": "key", "illness": "confidential"}.items():
        n = number(workspace, name)
        visitor.post(f"/w/{workspace.id}/roles/{n}", {f"role-{n}": role, f"type-{n}": ""})
    return workspace


@pytest.fixture(scope="module")
def blanked(visitor):
    """A file with households of which many ages were blanked."""
    workspace = opened(visitor, hid="household")
    protected(visitor, workspace, SUPPRESS)
    return workspace


def masked_again(path):
    """What the library makes of the same table."""
    roles = {"keys": ["age", "region"], "confidential": ["illness"], "household": "hid"}
    data = ds.read(path, identifiers=["patient"], **roles)
    return data, ds.suppress_cells(data, ds.KAnonymity(7))


def test_means_say_of_how_many_records_they_are_where_cells_were_blanked(
    visitor, blanked, tmp_path
):
    (path := tmp_path / "stays.csv").write_bytes(table())
    left_out = ds.compare_statistics(*masked_again(path)).left_out
    assert 0 < left_out < 240
    figures = blanked.results["run-1"].value.figures
    assert figures["complete"] == 240 - left_out
    page = text_of(visitor.get(f"/w/{blanked.id}/compare/1"))
    assert f"of {240 - left_out} records without a missing number" in page
    assert f"Of {240 - left_out} of 240 released records; the others miss a number." in page


def test_the_release_says_what_a_household_gives_away(visitor, blanked, tmp_path):
    (path := tmp_path / "stays.csv").write_bytes(table())
    together = ds.risk(masked_again(path)[1], by="household")
    assert together.uniques
    visitor.post(f"/w/{blanked.id}/compare/1/choose")
    page = text_of(visitor.get(f"/w/{blanked.id}/release"))
    risky = page.partition("What is still risky")[2].partition("How it is written")[0]
    assert f"{together.in_short()} hid is held back:" in risky


def test_blanked_cells_are_counted_up_to_the_k_that_is_asked_for(visitor, blanked):
    page = text_of(visitor.get(f"/w/{blanked.id}/compare/1"))
    assert "count minimum below 2 below 3 below 5 below 7" in page


def test_the_checklist_speaks_of_the_run_as_it_was_made(visitor, blanked):
    """A column that becomes an identifier afterwards is still in the table of the run."""
    visitor.post(f"/w/{blanked.id}/compare/1/choose")
    n = number(blanked, "cost")
    visitor.post(f"/w/{blanked.id}/roles/{n}", {f"role-{n}": "identifier", f"type-{n}": ""})
    page = text_of(visitor.get(f"/w/{blanked.id}/release"))
    visitor.post(f"/w/{blanked.id}/roles/{n}", {f"role-{n}": "other", f"type-{n}": ""})
    assert "✗ The run is up to date" in page
    assert "Not in the masked file: hid, patient." in page
    assert "Released, since no intruder is expected to know them: illness, cost." in page


@pytest.fixture(scope="module")
def people(visitor):
    """A file with several records of a person, whose keys have hierarchies."""
    workspace = opened(visitor, patient="subject")
    visitor.post(f"/w/{workspace.id}/hierarchies/suggested")
    assert workspace.hierarchies
    return workspace


def test_explore_leads_to_protect_where_a_person_has_several_records(visitor, people):
    page = visitor.get(f"/w/{people.id}/explore")
    assert "a person may have several: a column has the role subject." in text_of(page)
    assert "Compute all nodes" not in page.text
    assert f'href="/w/{people.id}/protect">Next: Protect' in page.text
    roles = visitor.get(f"/w/{people.id}/roles").text
    assert "Next: Protect" in roles
    assert "Next: Explore" not in roles
    visitor.post(f"/w/{people.id}/explore/sweep")
    ended(people.job)
    assert [problem.code for problem in people.job.problems] == ["N06"]


def test_figures_that_no_release_waits_for_are_not_said_to_hold_it_up(visitor, people):
    visitor.post(f"/w/{people.id}/roles/measure")
    ended(people.job)
    assert "Out of date" not in text_of(visitor.get(f"/w/{people.id}/roles"))
    visitor.post(f"/w/{people.id}/roles/wanted", {"k": "3", "released": "all", "share": ""})
    page = text_of(visitor.get(f"/w/{people.id}/roles"))
    assert "Out of date: something has changed since these were computed." in page
    assert "risk by classes" in page
    assert "before a release" not in page


def test_a_chain_is_called_by_all_of_its_steps(visitor, blanked):
    chain = {"do-2": "suppress_cells", "seed-2": "0", "k": "3", "p": ""}
    for i in (0, 1):
        chain |= {f"do-{i}": "sample", f"fraction-{i}": "90", f"seed-{i}": str(i)}
    protected(visitor, blanked, chain)
    sampling = "Sampling (share of the records = 90 %)"
    label = f"{sampling}; {sampling}; Local suppression for 3-anonymity"
    slot = [name for name in blanked.results if name.startswith("run-")][-1]
    page = visitor.get(f"/w/{blanked.id}/compare/{slot.removeprefix('run-')}")
    assert text_of(page).count(label) >= 2
    assert "characters)" not in text_of(page)
    assert label in text_of(visitor.get(f"/w/{blanked.id}/protect"))


def test_a_number_whose_hierarchy_is_all_or_nothing_is_told_that_intervals_keep_more(visitor):
    workspace = opened(visitor, hid="identifier", cost="key")
    at = f"/w/{workspace.id}"
    remark = "intervals, such as 10 and 50 wide, keep more"
    assert remark not in text_of(visitor.get(f"{at}/roles"))
    visitor.post(f"{at}/hierarchies/suggested")
    assert workspace.hierarchies["cost"] == {"suppress": True}
    assert text_of(visitor.get(f"{at}/roles")).count(remark) == 1
    intervals = {"builder": "intervals", "widths": "100, 500", "unmapped": "error"}
    visitor.upload(f"{at}/hierarchy/{number(workspace, 'cost')}", [], intervals)
    assert remark not in text_of(visitor.get(f"{at}/roles"))

"""Workspaces: a plan and what was found with it, kept apart and kept up to date."""

import pytest

import discreet as ds
from discreet.app.forms.draft import with_entry
from discreet.app.server.workspaces import Workspaces
from tests.app.waiting import ended

TABLE = "age,zip\n23,41076\n23,41076\n37,48201\n38,48201\n"


@pytest.fixture
def desk(tmp_path):
    made = Workspaces(tmp_path)
    yield made
    made.close_all()


@pytest.fixture
def workspace(desk):
    made = desk.create()
    (made.folder / "t.csv").write_text(TABLE)
    made.change(lambda _: {"source": {"file": "t.csv"}, "roles": {"keys": ["age"]}})
    return made


def test_ids_have_128_bits_and_tell_nothing_of_each_other(desk):
    ids = {desk.create().id for _ in range(8)}
    assert len(ids) == 8
    assert all(len(one) == 22 for one in ids)
    assert desk.get("") is None


def test_a_change_that_makes_the_plan_unsound_leaves_it_as_it_was(workspace):
    before = workspace.document
    with pytest.raises(ds.DiscreetError):
        workspace.change(lambda d: with_entry(d, "types", "age", "long"))
    assert workspace.document is before


def test_its_plan_can_be_read_by_the_library(workspace, tmp_path):
    place = workspace.folder / "release.toml"
    workspace.plan.write(place)
    assert ds.Plan.read(place).to_dict() == workspace.plan.to_dict()


def test_a_job_can_try_other_sections_and_its_result_has_a_slot_of_its_own(workspace):
    ended(workspace.begin("risk"))
    tried = {"roles": {"keys": ["age", "zip"]}}
    ended(workspace.begin("risk", slot="tried", changes=tried))
    assert workspace.document["roles"] == {"keys": ["age"]}
    assert workspace.results["tried"].changes == tried
    keys = {s: list(r.value.figures["computed_from"]["keys"]) for s, r in workspace.results.items()}
    assert keys == {"risk": ["age"], "tried": ["age", "zip"]}
    assert workspace.out_of_date == ()
    workspace.change(lambda d: {**d, "types": {"zip": "nominal"}})
    assert workspace.out_of_date == ("risk", "tried")


def test_sections_that_are_not_sound_start_no_job(workspace):
    with pytest.raises(ds.DiscreetError):
        workspace.begin("risk", changes={"steps": [{"do": "vanish"}]})
    assert workspace.job is None


def test_a_result_that_comes_after_the_plan_was_changed_is_out_of_date(workspace):
    job = workspace.begin("risk")
    workspace.change(lambda d: {**d, "roles": {"keys": ["zip"]}})
    ended(job)
    assert workspace.out_of_date == ("risk",)


def test_closing_ends_the_job_and_erases_the_folder(desk, workspace):
    job = workspace.begin("risk")
    desk.close(workspace)
    assert job.state == "cancelled"
    assert not workspace.folder.exists()
    assert desk.get(workspace.id) is None

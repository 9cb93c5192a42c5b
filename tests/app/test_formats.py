"""The app opens files of other programs: an upload goes through the same reader."""

import pandas as pd
import pytest

from tests.app.visitor import Visitor
from tests.app.waiting import ended

pyreadstat = pytest.importorskip("pyreadstat")


def test_decimal_commas_local_dates_and_sheets_are_said_in_the_form(server, tmp_path):
    visitor = Visitor(server).logged_in()
    told = {"decimal": ",", "date_format": "dd/mm/yyyy"}
    workspace = visitor.open("t.csv", b"a;d\n1,5;31/12/1999\n2,5;01/02/2000\n", **told)
    assert workspace.job.state == "done", workspace.job.problems
    assert workspace.document["source"] | told == workspace.document["source"]
    page = visitor.get(f"/w/{workspace.id}/data").text
    assert page.count("continuous") >= 2
    frame = pd.DataFrame({"x": [1, 2]})
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="first", index=False)
        frame.to_excel(writer, sheet_name="people", index=False)
    workspace = visitor.open("t.xlsx", (tmp_path / "t.xlsx").read_bytes(), sheet="people")
    assert [column.name for column in workspace.columns] == ["x"]


def test_an_spss_file_is_opened_measured_and_offered_with_its_words(server, tmp_path):
    frame = pd.DataFrame({"sex": [1.0, 2.0] * 30, "edu": [1.0, 2.0, 3.0] * 20})
    pyreadstat.write_sav(
        frame, tmp_path / "s.sav", variable_measure={"edu": "ordinal"},
        variable_value_labels={"sex": {1.0: "male", 2.0: "female"},
                               "edu": {1.0: "low", 2.0: "middle", 3.0: "high"}},
    )  # fmt: skip
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("s.sav", (tmp_path / "s.sav").read_bytes())
    assert workspace.job.state == "done", workspace.job.problems
    assert [column.name for column in workspace.columns] == ["sex", "edu"]
    page = visitor.get(f"/w/{workspace.id}/data").text
    assert "ordinal (3 steps)" in page
    assert visitor.post(f"/w/{workspace.id}/data/suggested").status == 303
    assert visitor.post(f"/w/{workspace.id}/roles/measure").status == 303
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems

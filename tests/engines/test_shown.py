"""Showing microdata, as a traceback also does, starts no query in another engine."""

import pytest

from tests.engines.tables import ROLES, survey


@pytest.mark.parametrize("name", ["spark", "postgres"])
def test_what_is_not_counted_yet_is_not_counted_to_be_shown(request, name, monkeypatch):
    import discreet as ds
    from discreet import engine

    data = ds.read(request.getfixturevalue(f"{name}_loader")(survey(30)), **ROLES)
    monkeypatch.setattr(engine, "size", pytest.fail)
    monkeypatch.setattr(engine, "profile", pytest.fail)
    assert "records (not counted yet)" in repr(data)
    assert "distinct" not in repr(data)
    monkeypatch.undo()
    counted = data.n, len(data.table("pandas"))
    assert counted == (30, len(data.columns))
    assert "Microdata: 30 records of" in repr(data)
    assert repr(data).count("distinct") == len(data.columns)

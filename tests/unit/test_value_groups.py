"""Groups of a hierarchy that are changed by hand: whatever is done, the levels nest."""

import random

import pyarrow as pa
import pytest

import discreet as ds

JOBS = pa.array(["baker", "cook", "nurse", "spy", None])
TREE = {"food": {"kitchen": ["baker", "cook"]}, "other": {"care": ["nurse"], "secret": ["spy"]}}


def groups(**leaves):
    return ds.Hierarchy.from_dict(TREE | leaves).groups("job", JOBS, [5, 9, 7, 1, 3])


def labels(found, level):
    made = ds.Hierarchy.from_dict(found.leaves())
    return made.fit("job", JOBS).table().to_pydict()[f"level{level}"]


def test_what_is_put_into_a_group_follows_it_on_higher_levels():
    moved = groups().put(1, [3], "kitchen")
    assert labels(moved, 1)[:4] == ["kitchen", "kitchen", "care", "kitchen"]
    assert labels(moved, 2)[:4] == ["food", "food", "other", "food"]
    assert moved.sizes(1) == (15, 7)


def test_a_new_group_of_several_has_one_place_above():
    made = groups().merged(1, [0, 1], "known")
    assert labels(made, 1)[:4] == ["known", "known", "known", "secret"]
    assert labels(made, 2)[:4] == ["food", "food", "food", "other"]


def test_names_and_order_change_and_a_name_is_not_given_twice():
    made = groups().renamed(1, 1, "hospital").moved(1, 1, -1)
    assert made.labels(1) == ("hospital", "kitchen", "secret")
    with pytest.raises(ds.DiscreetError, match="another group has this name"):
        made.renamed(1, 0, "secret")
    for label in ("", " ", "x" * 201):
        with pytest.raises(ds.DiscreetError, match="between 1 and 200"):
            made.renamed(1, 0, label)


def test_leaves_that_no_record_has_stay_and_the_missing_value_has_no_row():
    more = ds.Hierarchy.from_dict({"spy": ["*"], "miner": ["*"], "baker": ["*"], "cook": ["*"],
                                   "nurse": ["*"]}).groups("job", JOBS, [5, 9, 7, 1, 3])  # fmt: skip
    assert "miner" in more.leaves()
    assert None not in more.leaves()


def test_after_any_changes_the_levels_nest():
    draw = random.Random(7)
    made = groups().with_level(1)
    for step in range(200):
        level = draw.randint(1, made.height)
        below, here = (range(len(made.labels(at))) for at in (level - 1, level))
        change = draw.choice(["put", "merge", "rename", "move", "add", "remove"])
        if change == "put":
            label = draw.choice([*made.labels(level), f"new {step}"])
            made = made.put(level, draw.sample(below, draw.randint(1, len(below))), label)
        elif change == "merge":
            made = made.merged(level, draw.sample(here, draw.randint(1, len(here))), f"m {step}")
        elif change == "rename":
            made = made.renamed(level, draw.choice(here), f"r {step}")
        elif change == "move":
            made = made.moved(level, draw.choice(here), draw.choice([-1, 1]))
        elif change == "add" and made.height < 5:
            made = made.with_level(level)
        elif change == "remove" and made.height > 1:
            made = made.without_level(level)
        ds.Hierarchy.from_dict(made.leaves())  # which refuses levels that do not nest
        assert sum(made.sizes(made.height)) == 22

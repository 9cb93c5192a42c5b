"""Tables whose lattices have 12, 480, 1,440 and 12,960 nodes, as a steward opens and sweeps them."""

import numpy as np

from tests.app.waiting import ended

# levels of each key: intervals of growing width over numbers
LEVELS = {
    "12": (3, 2, 2),
    "480": (5, 4, 4, 3, 2),
    "1440": (5, 4, 4, 3, 3, 2),
    "12960": (5, 4, 4, 3, 3, 3, 3, 2),
}


def table(name, records=600):
    """Numbers, one column per key, and a confidential one, as CSV."""
    levels = LEVELS[name]
    rng = np.random.default_rng(7)
    columns = [rng.integers(0, 2 ** min(top, 4), records) for top in levels]
    illness = rng.choice(["flu", "cold", "asthma", "gout"], records, p=[0.5, 0.3, 0.15, 0.05])
    names = [f"key{i}" for i in range(len(levels))]
    lines = [",".join([*map(str, row), ill]) for *row, ill in zip(*columns, illness, strict=True)]
    return "\n".join([",".join([*names, "illness"]), *lines, ""]).encode()


def hierarchies(name):
    """Widths that double, up to one group for all."""
    return {
        f"key{i}": {"suppress": True}
        if top == 2
        else {"intervals": [2 ** (level + 1) for level in range(top - 2)], "top": "*"}
        for i, top in enumerate(LEVELS[name])
    }


def planned(visitor, name):
    """A table with its roles and hierarchies."""
    workspace = visitor.open(f"t{name}.csv", table(name))
    assert workspace.job.state == "done", workspace.job.problems
    roles = {"keys": list(hierarchies(name)), "confidential": ["illness"]}
    given = {"roles": roles, "hierarchies": hierarchies(name)}
    workspace.change(lambda document: {**document, **given})
    return workspace


def swept(visitor, name):
    """The same with its lattice swept."""
    workspace = planned(visitor, name)
    assert visitor.post(f"/w/{workspace.id}/explore/sweep").status == 303
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
    return workspace


TABLES = tuple(LEVELS)

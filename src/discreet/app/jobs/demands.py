"""What is asked of a table, beside its plain risk: a criterion, and the risk of a sample of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.reports.blocks import Block, Table, Words
from discreet.reports.blocks import Share as Part
from discreet.reports.names import renamed
from discreet.words import counted

MOST_SETS = 300  # of keys that are counted for the table of combinations
_EACH = 3  # combinations of each size that are shown


def criterion(data: Any, asked: Any, folder: Path, names: Mapping[str, str]) -> list[Block]:
    """Whether the criterion holds for the table as it is, in words; nothing where none is asked."""
    criteria = ds.Plan.of({"criterion": asked}, folder).criterion if asked else []
    blocks: list[Block] = []
    if alone := [one for one in criteria if not one.compares_files]:
        found = ds.check(data, alone)
        said = renamed(found.explain(), names)
        blocks.append(Words(tuple(said.splitlines()), "good" if found.satisfied else "bad"))
    if later := [one.describe() for one in criteria if one.compares_files]:
        compared = "compares the masked table with this one: a run on the page Protect tells."
        blocks.append(Words((f"{' and '.join(later)} {compared}",)))
    return blocks


def sample(data: Any, share: float | None) -> list[Block]:
    """What is expected of a random sample; nothing where all records are released."""
    if share is None:
        return []
    whole, drawn = (ds.sampling_risk(data).at(part) for part in (1.0, share))
    return [
        Words(
            (
                f"As a random sample of {100 * share:.4g}% ({counted(drawn.t, 'record')}): "
                f"at most {drawn.maximal:.2%} of the people in this table are expected to be "
                f"recognised by guessing within classes, give or take {2 * drawn.maximal_sd:.2%} "
                f"(DR_max, two standard deviations); {whole.maximal:.2%} with all records.",
                "This holds for an intruder who does not know who was drawn.",
            )
        )
    ]


def combinations(data: Any, names: Mapping[str, str]) -> list[Block]:
    """The sets of up to three keys by which most records are alone; names of columns, no values."""
    if data.missing == "wildcard" and any(data.profile[key][1] for key in data.keys):
        return []  # a record that matches several others has no class
    found = ds.key_candidates(data, list(data.keys), up_to=_up_to(len(data.keys)))
    rows: list[tuple[Any, ...]] = []
    for size in range(1, found.up_to + 1):
        sets = sorted((c for c in found if len(c.attributes) == size), key=lambda c: -c.uniques)
        rows += [
            (", ".join(names[name] for name in c.attributes), c.uniques, Part(c.uniques, found.n))
            for c in sets[:_EACH]
        ]
    columns = ("who knows", "recognises so many records", "share of the records")
    return [Table("The riskiest combinations of keys", columns, tuple(rows))]


def _up_to(keys: int) -> int:
    """The largest size of a set, up to three, that is not too much to count."""
    sizes = {1: keys, 2: keys * (keys + 1) // 2, 3: keys * (keys * keys + 5) // 6}
    return max(
        size for size in (1, 2, 3) if size <= keys and (size == 1 or sizes[size] <= MOST_SETS)
    )

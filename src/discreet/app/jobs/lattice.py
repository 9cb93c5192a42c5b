"""Exploring: the figures of every node of the lattice, for every k and p that the page offers.

They are computed once and left in files of the workspace, so that a slider is answered by looking
them up. They are counts and losses of nodes; no value of the table is among them.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.app.jobs import typed_copy
from discreet.app.jobs.task import WORKING, JobTask
from discreet.errors import Problem, fail, raise_all
from discreet.reports.names import distinct
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.masking.generalization.lattice import Lattice

ALL = "one group for all"  # the words for a level without any detail
MOST_K = 50
MOST_P = 5
MOST_NODES = 50_000
FIGURES = {"suppressed": "int64", "classes": "int32", "loss": "float64"}
_FEW = 64  # values of a confidential attribute that a sweep tells apart


@dataclass(frozen=True)
class Key:
    """A key, and what each of its levels makes of the values, in words."""

    name: str
    label: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Explored:
    """What is known of a lattice.

    Attributes
    ----------
    n : int
        Records.
    keys : tuple of Key
        In the order of the lattice: the level of the first counts most in a node's number.
    counted : tuple of str
        Confidential attributes whose values p counts.
    most_p : int
        The largest p that can be asked for.
    folder : str
        Where the figures lie, below the working files: per p, k and node.
    lattice : Lattice
        The nodes and their levels, as the library numbers them.
    """

    n: int
    keys: tuple[Key, ...]
    counted: tuple[str, ...]
    most_p: int
    folder: str
    lattice: Lattice


def refused(document: Mapping[str, Any]) -> list[Problem]:
    """Why the lattice of a plan cannot be swept, whatever its table is like.

    Examples
    --------
    >>> [one.code for one in refused({"roles": {"keys": ["age"], "subject": "patient"}})]
    ['N06']
    >>> refused({"roles": {"keys": ["age"]}})
    []
    """
    if not document.get("roles", {}).get("subject"):
        return []
    what = "This page counts records, and a person may have several: a column has the role subject."
    return [Problem("N06", what, "The page Protect finds the levels, and counts people.")]


def explored(task: JobTask) -> Explored:
    """Sweep the lattice of the plan's keys and hierarchies."""
    raise_all(refused(task.document))
    data, plan = typed_copy.opened(task), task.plan
    counted = _counted(data, plan.hierarchies)
    most_p = min([MOST_P, *(data.profile[name][0] for name in counted)]) if counted else 1
    criterion: Any = ds.KAnonymity(2)
    if most_p > 1:
        criterion = ds.PSensitiveKAnonymity(p=2, k=2, confidential=counted)
    course = _Course(task.tell, most_p)
    with ds.on_progress(course.heard):
        # all may be suppressed, so that there is a node whatever the table is like
        found = ds.generalize(data, plan.hierarchies, criterion, max_suppressed=1.0, seconds=0.0)
    course.over = 1
    if found.lattice.nodes > MOST_NODES:
        what = f"the lattice has {found.lattice.nodes:,} nodes; this page shows at most"
        remedy = "Take fewer keys, or hierarchies with fewer levels; Protect can search it."
        fail("N06", f"{what} {MOST_NODES:,}.", remedy)
    names = distinct(data.columns)
    given = task.document.get("hierarchies", {})
    return Explored(
        data.n,
        tuple(
            Key(k, names[k], level_words(given.get(k, {}), found.recoding(k))) for k in data.keys
        ),
        counted,
        most_p,
        _kept(found, most_p, task.folder / WORKING, course),
        found.lattice.shape,
    )


@dataclass
class _Course:
    """How far the work is, as one number over its parts.

    These are a sweep for the first two p and for each more, and the figures of every p.
    """

    tell: Callable[[ds.Progress], None]
    most_p: int
    over: int = 0  # parts that are

    def heard(self, progress: ds.Progress) -> None:
        """The progress of a part."""
        if progress.total is not None:
            parts = max(self.most_p - 1, 1) + self.most_p
            done, total = self.over * progress.total + progress.done, parts * progress.total
            progress = replace(progress, done=done, total=total)
        self.tell(progress)

    def figures(self, k: int) -> None:
        """The figures of a p are there up to this k; the first comes after a sweep, if any."""
        self.over += k == 1 and self.over >= 3
        self.heard(ds.Progress("computing all nodes", k, MOST_K + 1, 0.0))
        self.over += k == MOST_K + 1


def _counted(data: Any, hierarchies: Mapping[str, Any]) -> tuple[str, ...]:
    """Confidential attributes of few values; those of a key that is made coarser would change."""
    return tuple(
        name
        for name in data.confidential
        if name not in hierarchies and data.profile[name][0] + bool(data.profile[name][1]) <= _FEW
    )


def _kept(found: Any, most_p: int, folder: Path, course: _Course) -> str:
    """Write the figures, all or none; those of an earlier sweep go. The name of their folder."""
    from numpy.lib.format import open_memmap

    place = Path(tempfile.mkdtemp(prefix="sweep-"))  # among what goes with a job that is cancelled
    shape = (most_p, MOST_K + 1, found.lattice.nodes)
    files = {
        name: open_memmap(place / f"{name}.npy", "w+", kind, shape)
        for name, kind in FIGURES.items()
    }
    for p, k in itertools.product(range(1, most_p + 1), range(1, MOST_K + 2)):
        with ds.on_progress(course.heard):
            at = found.lattice.at(k=k, p=p, max_suppressed=1.0)
        for name, file in files.items():
            file[p - 1, k - 1] = getattr(at.nodes, name)
        course.figures(k)
    earlier = list(folder.glob("sweep-*"))
    shutil.move(place, folder / place.name)
    for old in earlier:
        shutil.rmtree(old, ignore_errors=True)
    return place.name


def level_words(given: Mapping[str, Any], recoding: Any) -> tuple[str, ...]:
    """What each level of a key makes of its values."""
    steps = _steps(given)
    said = []
    for level, groups in enumerate(recoding.groups):
        if level == 0:
            said.append("as it is")
        elif groups == 1:
            said.append(ALL)
        else:
            word = steps[level - 1] if level <= len(steps) else ""
            said.append(", ".join([*([word] if word else []), counted(groups, "group")]))
    return tuple(said)


def _steps(given: Mapping[str, Any]) -> list[str]:
    """The levels from 1 on as the plan writes them, as far as it does."""
    if "cuts" in given:
        levels = given["cuts"] if isinstance(given["cuts"][0], list) else [given["cuts"]]
        return [f"cut at {', '.join(f'{point:g}' for point in level)}" for level in levels]
    if "intervals" in given:
        return [f"intervals of {width:g}" for width in given["intervals"]]
    if "prefixes" in given:
        return [f"first {length}" for length in given["prefixes"][1:]]
    if isinstance(given.get("by_frequency"), list):
        return [f"the {number:,} most frequent kept" for number in given["by_frequency"]]
    return [f"by {part}" for part in given.get("dates", [])]

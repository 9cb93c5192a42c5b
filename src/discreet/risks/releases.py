"""Repeated releases: what several files about the same people reveal together.

Each release may be k-anonymous by itself. Somebody who has all, and knows a person to be in all,
looks for those who look alike in each of them: the joint class, which is smaller. And where a
person's classes have several confidential values each, they may have but one in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge

from discreet.data.link import joint_counts
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail
from discreet.frames import FrameKind
from discreet.hierarchies.texts import plain, text_form
from discreet.measures import need_fit
from discreet.parameters import Label, Public
from discreet.results import Computed, Provenance
from discreet.surface import function
from discreet.words import counted, ordinal

if TYPE_CHECKING:
    import pyarrow as pa

Tuple = tuple[str | None, ...]


@dataclass(frozen=True, eq=False, repr=False)
class JointReleases(Computed):
    """What several releases reveal together.

    Attributes
    ----------
    n : int
        People who are in all.
    released : tuple of int
        Records of each release.
    k : int
        The number to which classes are held.
    least : tuple of int
        The smallest class of each release.
    below : tuple of int
        Records of each release in classes of fewer than k.
    least_joint, joint_below, joint_alone : int
        The smallest joint class; people in joint classes of fewer than k; people who are alone.
    disclosed : mapping of str to int
        By confidential attribute of two releases or more: people whose classes there have one
        value in common, though each class alone has several.

    Examples
    --------
    >>> import discreet as ds
    >>> first = {"rec": [1, 2, 3, 4], "age": ["20-39", "20-39", "40-59", "40-59"]}
    >>> second = {"rec": [1, 2, 3, 4], "age": ["20-29", "30-49", "30-49", "20-29"]}
    >>> releases = [ds.read(one, keys=["age"]) for one in (first, second)]
    >>> found = ds.compare_releases(releases, on="rec", k=2)
    >>> found.below, found.joint_below
    ((0, 0), 4)

    References
    ----------
    - Xiao, Tao (2007), *m-Invariance: towards privacy preserving re-publication of dynamic
      datasets*. SIGMOD.
    """

    n: int
    released: tuple[int, ...]
    k: int
    least: tuple[int, ...]
    below: tuple[int, ...]
    least_joint: int
    joint_below: int
    joint_alone: int
    disclosed: Mapping[str, int]
    provenance: Provenance
    shown = (
        "n", "released", "k", "least", "below", "least_joint", "joint_below", "joint_alone",
        "disclosed",
    )  # fmt: skip

    @property
    def _all(self) -> str:
        return "both" if len(self.released) == 2 else f"all {len(self.released)}"

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per release, and one for all together."""
        of = [f"{ordinal(i + 1)} release" for i in range(len(self.released))]
        return self._frame(
            {
                "of": [*of, f"{self._all} together"],
                "records": [*self.released, self.n],
                "smallest class": [*self.least, self.least_joint],
                f"below {self.k}": [*self.below, self.joint_below],
            },
            kind,
        )

    def explain(self) -> str:
        """The numbers, what they mean, and what to do next."""
        *others, last = (f"{number:,}" for number in self.below)
        lines = [
            f"In {self._all} releases: {counted(self.n, 'person')}.",
            f"By themselves {', '.join(others)} and {last} records are in classes of "
            f"fewer than {self.k}; together {self.joint_below:,} people are, "
            f"{self.joint_alone:,} of them alone.",
        ]
        lines += [
            f"{name}: each release alone leaves several values, {self._all} together one, for "
            f"{counted(number, 'person')}."
            for name, number in self.disclosed.items()
            if number
        ]
        if self.provenance.missing == "wildcard":
            lines.append("A missing value counts as a value of its own: this needs classes.")
        lines += self.provenance.cautions()
        if self.joint_below or any(self.disclosed.values()):
            lines.append(
                "Next: mask the last release with the keys of those before among its own, so that "
                "people who looked alike still look alike."
            )
        return "\n".join(lines)


def compare_releases(
    releases: Sequence[Microdata],
    *,
    on: str,
    k: Annotated[
        int, Ge(2), Label("k"), Doc("How many people should look alike, at least."), Public
    ] = 3,
) -> JointReleases:
    """Find what several releases about the same people reveal together.

    Parameters
    ----------
    releases : list of Microdata
        Two or more, as they were released or are to be; each may have keys and people of its own.
    on : str
        The column that says who is who. It is for you alone, and must not be released.
    k : int
        How many people should look alike, at least.

    Returns
    -------
    JointReleases

    Examples
    --------
    >>> import discreet as ds
    >>> rows = {"rec": [1, 2, 3, 4], "age": [20, 20, 30, 30], "ill": ["a", "b", "a", "c"]}
    >>> later = {"rec": [1, 2, 3, 4], "age": [20, 30, 20, 30], "ill": ["a", "b", "c", "c"]}
    >>> files = [ds.read(one, keys=["age"], confidential=["ill"]) for one in (rows, later)]
    >>> ds.compare_releases(files, on="rec", k=2).least_joint
    1

    References
    ----------
    - Xiao, Tao (2007), *m-Invariance: towards privacy preserving re-publication of dynamic
      datasets*. SIGMOD.
    """
    need_fit(compare_releases, k=k)
    files = _several(releases)
    joint = joint_counts(files, on)
    sizes = joint["n"].to_pylist()
    if not sizes:
        fail("D11", "the releases have nobody in common.", f"Check {argument('on')}.")
    alone = [data.frequency_set().counts for data in files]
    confidential = dict.fromkeys(name for data in files for name in data.confidential)
    return JointReleases(
        n=sum(sizes),
        released=tuple(data.n for data in files),
        k=int(k),
        least=tuple(int(counts.min()) for counts in alone),
        below=tuple(int(counts[counts < k].sum()) for counts in alone),
        least_joint=min(sizes),
        joint_below=sum(size for size in sizes if size < k),
        joint_alone=sum(size for size in sizes if size == 1),
        disclosed={
            name: _disclosed(files, joint, name)
            for name in confidential
            if sum(name in data.confidential for data in files) > 1
        },
        provenance=_provenance(files),
    )


def _provenance(files: Sequence[Microdata]) -> Provenance:
    """That of the first release, with what holds of any."""
    each = [Provenance.of(data) for data in files]
    perturbed = dict.fromkeys(name for one in each for name in one.perturbed)
    wildcard = any(one.missing == "wildcard" for one in each)
    return replace(
        each[0],
        kind=files[-1].source.kind,
        missing="wildcard" if wildcard else files[0].missing,
        perturbed=tuple(perturbed),
    )


def _several(releases: Any) -> list[Microdata]:
    several = isinstance(releases, list | tuple)
    if not several or not all(isinstance(one, Microdata) for one in releases):
        fail(
            "P09",
            "the releases are not microdata.",
            f"Open each with {function('read', '…')}: [first, second].",
        )
    if len(releases) < 2:
        fail("P09", f"{counted(len(releases), 'release')} cannot be compared.", "Give two or more.")
    return list(releases)


def _disclosed(files: Sequence[Microdata], joint: pa.Table, name: str) -> int:
    """People whose classes have a single value of an attribute in common, and several each."""
    looks = [
        (_values(data, name), _tuples(joint, f"r{number}_", data.keys))
        for number, data in enumerate(files)
        if name in data.confidential
    ]
    found = 0
    for at, n in enumerate(joint["n"].to_pylist()):
        left = [values[classes[at]] for values, classes in looks]
        if all(len(values) > 1 for values in left) and len(set.intersection(*left)) == 1:
            found += n
    return found


def _values(data: Microdata, name: str) -> dict[Tuple, set[str | None]]:
    """The values of an attribute in each class."""
    keys = data.keys
    rows = data.frequency_set([*keys, *([] if name in keys else [name])]).combinations()
    at = keys.index(name) if name in keys else len(keys)
    found: dict[Tuple, set[str | None]] = {}
    for row, value in zip(_tuples(rows, "s", keys), _texts(name, rows[f"s{at}"]), strict=True):
        found.setdefault(row, set()).add(value)
    return found


def _tuples(table: pa.Table, prefix: str, keys: Sequence[str]) -> list[Tuple]:
    columns = (_texts(key, table[f"{prefix}{i}"]) for i, key in enumerate(keys))
    return list(zip(*columns, strict=True))


def _texts(name: str, column: pa.ChunkedArray) -> list[str | None]:
    """The text form of each value: 1 is 1, also where the other release stores 1.0."""
    return text_form(name, plain(column.combine_chunks())).to_pylist()

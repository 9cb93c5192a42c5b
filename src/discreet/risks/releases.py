"""Repeated releases: what two files about the same people reveal together.

Each release may be k-anonymous by itself. Somebody who has both, and knows a person to be in both,
looks for those who look alike in the one and in the other: the joint class, which is smaller. And
where a person's classes have several confidential values each, both may have but one in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge

from discreet.data.link import in_both
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail
from discreet.frames import FrameKind
from discreet.hierarchies.texts import plain, text_form
from discreet.measures import need_fit
from discreet.parameters import Label, Public
from discreet.results import Provenance, Result
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

Tuple = tuple[str | None, ...]


@dataclass(frozen=True, eq=False, repr=False)
class JointReleases(Result):
    """What two releases reveal together.

    Attributes
    ----------
    n : int
        People who are in both.
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
        By confidential attribute of both: people whose classes have one value in common, though
        each class alone has several.

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
    released: tuple[int, int]
    k: int
    least: tuple[int, int]
    below: tuple[int, int]
    least_joint: int
    joint_below: int
    joint_alone: int
    disclosed: Mapping[str, int]
    provenance: Provenance
    kind: FrameKind
    shown = (
        "n", "released", "k", "least", "below", "least_joint", "joint_below", "joint_alone",
        "disclosed",
    )  # fmt: skip

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per release, and one for both together."""
        of = ("first release", "second release", "both together")
        return self._frame(
            {
                "of": list(of),
                "records": [*self.released, self.n],
                "smallest class": [*self.least, self.least_joint],
                f"below {self.k}": [*self.below, self.joint_below],
            },
            kind,
        )

    def explain(self) -> str:
        """The numbers, what they mean, and what to do next."""
        lines = [
            f"In both releases: {counted(self.n, 'person')}.",
            f"By themselves {self.below[0]:,} and {self.below[1]:,} records are in classes of "
            f"fewer than {self.k}; together {self.joint_below:,} people are, "
            f"{self.joint_alone:,} of them alone.",
        ]
        lines += [
            f"{name}: each release alone leaves several values, both together one, for "
            f"{counted(number, 'person')}."
            for name, number in self.disclosed.items()
            if number
        ]
        if self.provenance.missing == "wildcard":
            lines.append("A missing value counts as a value of its own: this needs classes.")
        lines += self.provenance.cautions()
        if self.joint_below or any(self.disclosed.values()):
            lines.append(
                "Next: mask the second release with the keys of the first among its own, so that "
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
    """Find what two releases about the same people reveal together.

    Parameters
    ----------
    releases : list of two Microdata
        With the same keys, as they were released or are to be; each may have people of its own.
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
    first, second = _two(releases)
    joint = in_both(first, second, on).key_counts()
    sizes = joint["n"].to_pylist()
    if not sizes:
        fail("D11", "the releases have nobody in common.", f"Check {argument('on')}.")
    alone = [data.frequency_set().counts for data in (first, second)]
    return JointReleases(
        n=sum(sizes),
        released=(first.n, second.n),
        k=int(k),
        least=(int(alone[0].min()), int(alone[1].min())),
        below=(int(alone[0][alone[0] < k].sum()), int(alone[1][alone[1] < k].sum())),
        least_joint=min(sizes),
        joint_below=sum(size for size in sizes if size < k),
        joint_alone=sum(size for size in sizes if size == 1),
        disclosed={
            name: _disclosed(first, second, joint, name)
            for name in first.confidential
            if name in second.confidential
        },
        provenance=_provenance(first, second),
        kind=second.source.kind,
    )


def _provenance(first: Microdata, second: Microdata) -> Provenance:
    """That of the first release, with what holds of either."""
    both = Provenance.of(first), Provenance.of(second, counted=first.keys)
    return replace(
        both[0],
        missing=next((one.missing for one in both if one.missing == "wildcard"), first.missing),
        perturbed=tuple(key for key in first.keys if any(key in one.perturbed for one in both)),
    )


def _two(releases: Any) -> tuple[Microdata, Microdata]:
    several = isinstance(releases, list | tuple)
    if not several or not all(isinstance(one, Microdata) for one in releases):
        fail(
            "P09",
            "the releases are not microdata.",
            f"Open each with {function('read', '…')}: [first, second].",
        )
    if len(releases) != 2:
        given = (
            f"{counted(len(releases), 'release')} {'is' if len(releases) == 1 else 'are'} given."
        )
        fail("P09", given, "Give two; of more, compare each pair.")
    return releases[0], releases[1]


def _disclosed(first: Microdata, second: Microdata, joint: pa.Table, name: str) -> int:
    """People whose two classes have a single value of an attribute in common, and several each."""
    keys = first.keys
    values = [_values(data, keys, name) for data in (first, second)]
    found = 0
    for one, other, n in zip(
        _tuples(joint, "x", keys), _tuples(joint, "y", keys), joint["n"].to_pylist(), strict=True
    ):
        here, there = values[0][one], values[1][other]
        if len(here) > 1 and len(there) > 1 and len(here & there) == 1:
            found += n
    return found


def _values(data: Microdata, keys: Sequence[str], name: str) -> dict[Tuple, set[str | None]]:
    """The values of an attribute in each class."""
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

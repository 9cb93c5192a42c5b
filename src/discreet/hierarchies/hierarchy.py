"""Value generalization hierarchies: how the values of a key become coarser, level by level.

Level 0 is always the value itself. On level 1, 2, … values that an intruder could tell apart
share a label, and values that are together on a level are together on every higher one. A
hierarchy is a file (ARX's format), a dictionary, or a builder: intervals, prefixes, dates,
frequency. It knows no data until it is fitted to the distinct values of an attribute.

References
----------
P. Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13(6).
T. M. Truta, B. Vinay (2006), Privacy protection: p-sensitive k-anonymity property, Figure 3.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from discreet.errors import DiscreetError, Problem, argument, fail, raise_all
from discreet.files import existing
from discreet.hierarchies.codes import ByFrequency, Prefixes, Suppress
from discreet.hierarchies.dates import Dates, Part
from discreet.hierarchies.explicit import Explicit, levels_of
from discreet.hierarchies.files import read_levels, refuse_separator, rows_of, write_rows
from discreet.hierarchies.groups import ValueGroups
from discreet.hierarchies.intervals import CutPoints, Intervals
from discreet.hierarchies.recoding import Recoding, fit, unmatched
from discreet.surface import in_python

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.hierarchies.placement import Rule

__all__ = ["Hierarchy", "Recoding", "fit_all"]

Unmapped = Literal["error", "suppress"]


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """How values of an attribute become coarser; made by one of the class methods.

    Attributes
    ----------
    rule : Rule
    unmapped : {"error", "suppress"}
        What becomes of values that the hierarchy has no place for: an error that counts them, or
        the top group from level 1 on. On level 0 they stay themselves.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ages = Hierarchy.intervals([10, 20], top="*")
    >>> ages
    Hierarchy(intervals of 10, 20, then *)
    >>> ages.fit("age", pa.array([23, 37, 38])).table().to_pydict()["level1"]
    ['[20, 30)', '[30, 40)', '[30, 40)']

    References
    ----------
    - Samarati (2001), *Protecting respondents' identities in microdata release*. IEEE Transactions
      on Knowledge and Data Engineering 13 (6).
    - Sweeney (2002), *Achieving k-anonymity privacy protection using generalization and
      suppression*. International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10
      (5).
    """

    rule: Rule
    unmapped: Unmapped = "error"

    # -- explicit ------------------------------------------------------------------------------

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        separator: str | None = None,
        *,
        unmapped: Unmapped = "error",
    ) -> Hierarchy:
        r"""Read a hierarchy file as ARX writes it: no header, ``value;level 1;level 2;…``.

        Parameters
        ----------
        path : str or path
            A text file in UTF-8. An empty first cell names the missing value.
        separator : str, optional
            Semicolon, comma or tab are found by themselves.
        unmapped : {"error", "suppress"}
            For values of the data that are not in the file.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "sex.csv"
        >>> _ = path.write_text("Male;*\nFemale;*\n")
        >>> Hierarchy.from_csv(path)
        Hierarchy(2 leaves, height 1, from sex.csv)
        """
        file = existing(path, "Give the name of a hierarchy file.")
        if separator is not None:
            refuse_separator(separator)
        rule = Explicit.of(read_levels(file, separator), file.name)
        placed = replace(rule, file=file.absolute(), separator=separator)
        return cls(placed).with_unmapped(unmapped)

    @classmethod
    def from_dict(cls, mapping: Mapping[Any, Any], *, unmapped: Unmapped = "error") -> Hierarchy:
        """Take a hierarchy from a dictionary, by leaf or as a tree.

        Parameters
        ----------
        mapping : mapping
            Each leaf with its labels, ``{"FR": ["Europe", "*"], …}``, or, when a value is itself
            a dictionary, the tree from the top down: ``{"*": {"Europe": ["FR", "DE"]}}``. Every
            leaf needs the same number of levels: repeat a label where a branch ends early. The
            leaf ``None`` names the missing value.
        unmapped : {"error", "suppress"}
            For values of the data that are not in the dictionary.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> tree = Hierarchy.from_dict({"*": {"Europe": ["FR", "DE"], "Asia": ["JP"]}})
        >>> leaves = {"FR": ["Europe", "*"], "DE": ["Europe", "*"], "JP": ["Asia", "*"]}
        >>> tree == Hierarchy.from_dict(leaves)
        True
        """
        rule = Explicit.of(levels_of(mapping), "the dictionary")
        return cls(rule).with_unmapped(unmapped)

    # -- builders ------------------------------------------------------------------------------

    @classmethod
    def intervals(
        cls,
        widths: Sequence[float] | None = None,
        *,
        cuts: Sequence[float] | Sequence[Sequence[float]] | None = None,
        origin: float = 0,
        top: str | None = "*",
        bottom_code: float | None = None,
        top_code: float | None = None,
        labels: Literal["half-open", "closed"] = "half-open",
    ) -> Hierarchy:
        """Intervals [a, b) for numbers.

        Parameters
        ----------
        widths : list of numbers
            From level 1 on; each a multiple of the one before.
        cuts : list of numbers, or list of such lists
            In place of widths: where intervals begin, ``[18, 65]`` for below 18, 18 to 64, and 65
            or more. A list of lists has one for each level; each keeps some of the points below.
        origin : number
            Where an interval begins.
        top : str or None
            The label of one last level that holds everything; None for no such level.
        bottom_code, top_code : number, optional
            From level 1 on, values below the one are in a group "<18", values at or above the
            other in a group "≥90"; the intervals next to them end there.
        labels : {"half-open", "closed"}
            "[15, 20)", or "15–19" where all numbers and ends are whole.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> import pyarrow as pa
        >>> ages = Hierarchy.intervals([10], bottom_code=18, top_code=90)
        >>> ages.fit("age", pa.array([3, 19, 25, 91])).labels[1].to_pylist()
        ['<18', '[18, 20)', '[20, 30)', '≥90']
        >>> groups = Hierarchy.intervals(cuts=[18, 65])
        >>> groups.fit("age", pa.array([3, 18, 64, 65])).labels[1].to_pylist()
        ['<18', '[18, 65)', '≥65']
        >>> ages = Hierarchy.intervals([5], labels="closed")
        >>> ages.fit("age", pa.array([15, 20])).labels[1].to_pylist()
        ['15–19', '20–24']
        """
        if cuts is not None:
            others = (widths, bottom_code, top_code)
            if any(one is not None for one in others) or origin != 0:
                what = f"{argument('cuts')} cannot be combined with widths, an origin or end codes."
                fail("P20", what, "Give cut points alone, or widths.")
            return cls(CutPoints.of(cuts, _top(top), closed=_closed(labels)))
        if widths is None:
            fail(
                "P20",
                "no width is given.",
                f"Give the width of level 1, or {argument('cuts', '[18, 65]')}.",
            )
        ends = (origin, bottom_code, top_code)
        return cls(Intervals.of(widths, *ends, _top(top), closed=_closed(labels)))

    @classmethod
    def prefixes(cls, lengths: Sequence[int], *, top: str | None = "*") -> Hierarchy:
        """Prefixes of codes such as postcodes, other characters shown as ``*``.

        Parameters
        ----------
        lengths : list of int
            From level 0 on, strictly decreasing; level 0 is the code whatever its length. A code
            shorter than a prefix stays as it is. 0 is one group for all.
        top : str or None
            The label of the last level; None for no such level unless the list ends in 0.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> import pyarrow as pa
        >>> fitted = Hierarchy.prefixes([5, 3, 0]).fit("zip", pa.array(["41076", "48201"]))
        >>> [labels.to_pylist() for labels in fitted.labels[1:]]
        [['410**', '482**'], ['*']]
        """
        return cls(Prefixes.of(lengths, _top(top)))

    @classmethod
    def dates(
        cls,
        levels: Sequence[Part] = ("month", "quarter", "year", "decade"),
        *,
        top: str | None = "*",
    ) -> Hierarchy:
        """Month, quarter, year and decade of dates, times and ISO texts.

        Parameters
        ----------
        levels : list of {"day", "month", "quarter", "year", "decade"}
            From level 1 on, finest first. "day" is for times, whose level 0 has hours and minutes.
        top : str or None
            The label of one last level that holds everything; None for no such level.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> import pyarrow as pa
        >>> fitted = Hierarchy.dates().fit("born", pa.array(["2024-05-17"]))
        >>> [labels[0].as_py() for labels in fitted.labels]
        ['2024-05-17', '2024-05', '2024-Q2', '2024', '2020s', '*']
        """
        return cls(Dates.of(levels, _top(top)))

    @classmethod
    def suppress(cls, *, top: str = "*") -> Hierarchy:
        """One level that holds everything.

        Examples
        --------
        >>> Hierarchy.suppress().height
        1
        """
        return cls(Suppress(_label("top", top)))

    @classmethod
    def by_frequency(
        cls, steps: Sequence[int] | int | None = None, *, other: str = "other", top: str = "*"
    ) -> Hierarchy:
        """Rare categories merged first, more on each level.

        Parameters
        ----------
        steps : list of int, int or None
            How many categories each level from 1 on keeps, such as [10, 5]; or on how many
            levels, at most, the number kept is halved; None halves it down to one. Of categories
            that are equally frequent the first in value order is kept.
        other : str
            The label of the merged categories.
        top : str
            The label of the last level, which holds everything.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> import pyarrow as pa
        >>> jobs = Hierarchy.by_frequency([2])
        >>> jobs.fit("job", pa.array(["cook", "nurse", "smith"]), [9, 40, 1]).labels[1].to_pylist()
        ['cook', 'nurse', 'other']
        """
        return cls(ByFrequency.of(steps, _label("other", other), _label("top", top)))

    # -- use -----------------------------------------------------------------------------------

    @property
    def height(self) -> int | None:
        """Number of levels above the values; None when the data decide."""
        return self.rule.height

    def __repr__(self) -> str:
        suppressed = ", unmapped values suppressed" if self.unmapped == "suppress" else ""
        return f"Hierarchy({self.rule.describe()}{suppressed})"

    def to_dict(self) -> dict[str, Any]:
        """The builder with its parameters, as a plan writes it; labels only where you gave them.

        Examples
        --------
        >>> Hierarchy.prefixes([5, 3, 0]).to_dict()
        {'prefixes': [5, 3], 'top': '*'}
        """
        unmapped = {"unmapped": self.unmapped} if self.unmapped != "error" else {}
        return {**self.rule.to_dict(), **unmapped}

    def with_unmapped(self, unmapped: Unmapped) -> Hierarchy:
        """The same hierarchy with another answer to values that it has no place for."""
        if unmapped not in get_args(Unmapped):
            fail("P24", f"{argument('unmapped')} is not known.", 'Use "error" or "suppress".')
        return replace(self, unmapped=unmapped)

    def fit(
        self,
        attribute: str,
        values: pa.Array,
        counts: NDArray[np.int64] | Sequence[int] | None = None,
    ) -> Recoding:
        """Apply the hierarchy to the distinct values of an attribute.

        Parameters
        ----------
        attribute : str
            Named in errors.
        values : pyarrow.Array
            The distinct values in code order; a missing value is null and last. It stays a group
            of its own, without loss, up to a level that is one group for all.
        counts : numpy array, optional
            The number of records of each value; needed by ``by_frequency``.

        Returns
        -------
        Recoding

        Examples
        --------
        >>> import pyarrow as pa
        >>> Hierarchy.suppress().fit("sex", pa.array(["F", "M", None]))
        Recoding of 'sex': 3 values, 2 leaves, groups per level 3, 1
        """
        return fit(self.rule, attribute, values, counts, suppress=self.unmapped == "suppress")

    def unmatched(
        self,
        attribute: str,
        values: pa.Array,
        counts: NDArray[np.int64] | Sequence[int] | None = None,
    ) -> NDArray[np.bool_]:
        """Which of the distinct values of an attribute the hierarchy has no place for.

        The parameters are those of :meth:`fit`. A missing value always has a place.

        Examples
        --------
        >>> import pyarrow as pa
        >>> jobs = Hierarchy.from_dict({"cook": "kitchen", "baker": "kitchen"})
        >>> jobs.unmatched("job", pa.array(["cook", "spy", None])).tolist()
        [False, True, False]
        """
        return unmatched(self.rule, attribute, values, counts)

    def groups(self, attribute: str, values: Any, counts: Any) -> ValueGroups:
        """The groups of the distinct values of an attribute, to be changed by hand.

        Parameters
        ----------
        attribute : str
        values, counts
            As for :meth:`fit`.

        Returns
        -------
        ValueGroups
            ``Hierarchy.from_dict(groups.leaves())`` is a hierarchy again.
        """
        return ValueGroups.of(self.rule, self.fit(attribute, values, counts), counts)

    @property
    def file(self) -> Path | None:
        """The file that it was read from; None for another kind."""
        return self.rule.file if isinstance(self.rule, Explicit) else None

    def table(self) -> pa.Table:
        """The leaves and labels of a hierarchy from a file or a dictionary. This shows values."""
        if isinstance(self.rule, Explicit):
            return self.rule.table()
        fail(
            "P24",
            "a builder has no leaves before it is fitted.",
            "Fit it to the values of an attribute first, and ask the result for its table.",
        )

    def to_csv(
        self,
        path: str | os.PathLike[str],
        values: pa.Array | None = None,
        *,
        separator: str = ";",
        overwrite: bool = False,
    ) -> None:
        """Write a hierarchy file as ARX reads it. This shows values.

        Parameters
        ----------
        path : str or path
            The file appears whole or not at all.
        values : pyarrow.Array, optional
            The values to expand a builder for; with a file or a dictionary, the values to choose.
        separator : str
        overwrite : bool
        """
        if values is not None:
            fitted = self.fit("values", values)
            fitted.to_csv(path, separator=separator, overwrite=overwrite)
            return
        write_rows(rows_of(self.table()), path, separator=separator, overwrite=overwrite)


_EXAMPLE = in_python('{"age": ds.Hierarchy.…}')


def by_key(given: Any) -> dict[str, Any]:
    """What is given for each key, by its name."""
    if not isinstance(given, Mapping):
        fail("P19", "the hierarchies are not a mapping.", f"Write {_EXAMPLE}.")
    return {str(key): one for key, one in given.items()}


def fit_all(
    hierarchies: Mapping[str, Hierarchy],
    values: Mapping[str, pa.Array],
    counts: Mapping[str, NDArray[np.int64]],
) -> dict[str, Recoding]:
    """Fit the hierarchies of several attributes, and raise the problems of all together."""
    fitted: dict[str, Recoding] = {}
    problems: list[Problem] = []
    for name, hierarchy in hierarchies.items():
        try:
            fitted[name] = hierarchy.fit(name, values[name], counts[name])
        except DiscreetError as error:
            problems.extend(error.problems)
    raise_all(problems)
    return fitted


def _closed(labels: Any) -> bool:
    if labels not in ("half-open", "closed"):
        fail("P24", f"{argument('labels')} is not known.", 'Give "half-open" or "closed".')
    return bool(labels == "closed")


def _top(top: Any) -> str | None:
    return None if top is None else _label("top", top)


def _label(name: str, label: Any) -> str:
    if not isinstance(label, str) or not label:
        fail("P24", f"{argument(name)} is not a label.", 'Give a text, such as "*".')
    return label

"""The four counts of a file with blanks or generalized cells: among how many a record hides.

Let x be the initial keys of a record and y the released ones, and let y cover x where every cell
of y may stand for that of x: it is equal, blank, or a group that holds it. Of the released records,

    category  y_j = y_i          look the same, a blank being a value
    wildcard  y_j ~ y_i          could be the same person: some values are covered by both
    target    y_j covers x_i     fit to someone who knows a person's true values
    source    y_i covers x_j     are people whom the released record fits

Where a file has no blank and every value one label, all four are the size of the class. Where
cells differ, they part: category ≤ target, source ≤ wildcard, and the wildcard count, by which
some programs call a file k-anonymous, promises nothing of the other three.

Only distinct combinations of initial and released keys cross from the engine, with their numbers;
what was counted for a combination is joined to its records there.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge

from discreet.data.link import Linked, link
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata
from discreet.data.numbers import in_order, with_made
from discreet.errors import argument, fail, listed
from discreet.files import need_free, write_arrow
from discreet.frames import FrameKind
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.related_tuples import alike_sums, related_sums
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Label, Public
from discreet.results import Provenance, Result
from discreet.risks.key_covers import Meanings, key_cover, tables_of
from discreet.surface import in_python
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Ints

_WHO = {
    "category": "released records that look the same, a blank being a value",
    "wildcard": "released records that could be the same person, a blank being any value",
    "target": "released records that fit someone whose true values are known",
    "source": "people whom a released record fits",
}
_SAID = {  # with the minimum, and where that is 1
    "category": (
        "every released record is one of at least {} that look the same; a blank is a value.",
        "some released records look like no other; a blank is a value.",
    ),
    "wildcard": (
        "every released record is one of at least {} that could be the same person; a blank may be "
        "any value.",
        "some released records could be no other person, though a blank may be any value.",
    ),
    "target": (
        "someone who knows a person's true values finds at least {} fitting records.",
        "someone who knows a person's true values finds a single fitting record for some people.",
    ),
    "source": (
        "a released record fits at least {} of the people in the file.",
        "some released records fit only one of the people in the file.",
    ),
}
_USUAL = (2, 3, 5)
READINGS = ("category", "wildcard", "target", "source")


@dataclass(frozen=True, eq=False, repr=False)
class Readings(Result):
    """Among how many every released record hides, in four readings of what it shows.

    Attributes
    ----------
    n, released : int
        Number of initial and of released records.
    k : int
        The number to which the counts are held.
    not_applicable : mapping of reading to str
        Which count cannot be taken, and why.

    Examples
    --------
    The first person alone has these values; blanks in two other records do not hide them:

    >>> import discreet as ds
    >>> people = {"age": [20, 30, 30, 40, 40], "sex": ["F", "F", "F", "M", "M"]}
    >>> blanked = {"age": [20, None, None, 40, 40], "sex": ["F", "F", "F", "M", "M"]}
    >>> survey = ds.read(people, keys=["age", "sex"])
    >>> found = ds.readings(survey, ds.read(blanked, keys=["age", "sex"]), k=2)
    >>> found.category.tolist(), found.target.tolist()
    ([1, 2, 2, 2, 2], [3, 2, 2, 2, 2])
    >>> found.wildcard.tolist(), found.source.tolist()
    ([3, 3, 3, 2, 2], [1, 3, 3, 2, 2])
    >>> found.below(2)
    {'category': 1, 'wildcard': 0, 'target': 0, 'source': 1}

    References
    ----------
    - Gionis, Mazza, Tassa (2008), *k-Anonymization revisited*. IEEE International Conference on
      Data Engineering: section 4, (1, k)-, (k, 1)- and (k, k)-anonymity.
    - Templ, Kowarik, Meindl (2015), *Statistical disclosure control for micro-data using the R
      package sdcMicro*. Journal of Statistical Software 67(4): missing values as wildcards.
    """

    n: int
    released: int
    k: int
    not_applicable: Mapping[str, str]
    provenance: Provenance
    kind: FrameKind
    _masked: Microdata = field(compare=False)
    _found: Mapping[str, ReadingCounts] = field(compare=False)

    @functools.cached_property
    def category(self) -> Ints:
        """Per released record how many look the same, in the order of the masked file."""
        return self._values("category")

    @functools.cached_property
    def wildcard(self) -> Ints | None:
        """Per released record how many could be the same person; None if not applicable."""
        return self._values("wildcard")

    @functools.cached_property
    def target(self) -> Ints | None:
        """Per released record how many fit its true values; None if not applicable."""
        return self._values("target")

    @functools.cached_property
    def source(self) -> Ints | None:
        """Per released record how many people it fits; None if not applicable."""
        return self._values("source")

    def least(self, reading: str) -> int | None:
        """The smallest count of a reading; None if not applicable."""
        found = self._of(reading)
        return None if found is None else found.least

    def below(self, k: int | None = None) -> dict[str, int | None]:
        """By reading how many released records have a count below k; None if not applicable."""
        k = self.k if k is None else k
        return {
            name: None if (found := self._of(name)) is None else found.below(k) for name in READINGS
        }

    @property
    def _below(self) -> dict[int, dict[str, int | None]]:
        """The same for 2, 3, 5 and k."""
        return {k: self.below(k) for k in sorted({*_USUAL, self.k})}

    def column(self, reading: str, name: str | None = None) -> Microdata:
        """The masked records with a count as a further column, in the engine that holds them."""
        found, name = self._of(reading), reading if name is None else name
        if found is None:
            fail("N50", f"the {reading} count does not apply: {self.not_applicable[reading]}", "")
        return with_made(self._masked, name, found.made)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per reading: what is counted, the minimum, the records below 2, 3, 5 and k."""
        below = self._below
        rows = [
            {
                "reading": name,
                "counted": _WHO[name],
                "minimum": self.least(name),
                **{f"below {k}": numbers[name] for k, numbers in below.items()},
            }
            for name in READINGS
        ]
        return self._frame(rows, kind)

    def sentences(self) -> list[str]:
        """What each count means, in a sentence with its minimum; then what does not apply."""
        lines = [
            f"{name.capitalize()}: {_SAID[name][found.least == 1].format(f'{found.least:,}')}"
            for name, found in self._found.items()
        ]
        absent = list(self.not_applicable)
        return lines + [
            f"The {_and(absent)} {_plural(absent)} not apply: {self.not_applicable[name]}"
            for name in absent[:1]  # they have one reason
        ]

    def warnings(self) -> list[str]:
        """Which counts are below k, though others are not; and who is found for certain."""
        below = self.below()
        failing = [name for name in READINGS if below[name]]
        holding = [name for name in READINGS if below[name] == 0]
        lines = [
            f"{_records(below[name])} fewer than {self.k} by the {name} count{self._alone(name)}."
            for name in failing
        ]
        if failing and holding:
            kept = "count holds" if len(holding) == 1 else "counts hold"
            lines.append(
                f"The {_and(holding)} {kept} k = {self.k}, the {_and(failing)} {_plural(failing)} "
                "not: a record is as safe as the smallest of its counts says."
            )
        return lines

    def explain(self) -> str:
        """The four counts in sentences, and what to do next."""
        lines = [
            f"{self.released:,} of {counted(self.n, 'initial record')} are released.",
            *self.sentences(),
            *self.warnings(),
            *self.provenance.cautions(),
        ]
        if any(self.below().values()) and not self.provenance.perturbed:
            lines.append(
                "Next: ask for k-anonymity with a blank as a value (the category count): it holds "
                "for all four."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        below = self._below
        return {
            **self._plain("n", "released", "k"),
            **{f"least_{name}": self.least(name) for name in READINGS},
            **{f"{name}_below": below[self.k][name] for name in READINGS},
            "below": [{"k": k, **numbers} for k, numbers in below.items()],
            "not_applicable": dict(self.not_applicable),
            "computed_from": self.provenance.to_dict(),
        }

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the position and the counts of every released record as CSV or Parquet; no cell."""
        import pyarrow as pa

        target = Path(path)
        need_free(target, overwrite=overwrite, suffixes=(".csv", ".parquet"))
        columns = {name: pa.array(self._values(name)) for name in self._found}
        record = pa.array(np.arange(self.released))
        write_arrow(target, pa.table({"record": record, **columns}))

    def __repr__(self) -> str:
        least = ", ".join(f"{name} {self.least(name)}" for name in self._found)
        return f"Readings: at least {least} in {counted(self.released, 'released record')}"

    def __getattr__(self, name: str) -> int | None:
        """The figures by their names: ``least_target``, ``target_below``."""
        reading = name.removeprefix("least_").removesuffix("_below")
        if reading == name or reading not in READINGS:
            raise AttributeError(name)
        return self.least(reading) if name.startswith("least_") else self.below()[reading]

    def _of(self, reading: str) -> ReadingCounts | None:
        if reading not in READINGS:
            fail("P16", f"{argument('reading')} is not known.", f"Use one of {listed(READINGS)}.")
        return self._found.get(reading)

    def _values(self, reading: str) -> Any:
        found = self._of(reading)
        if found is None:
            return None
        return in_order(self._masked, found.made, in_python(".table()")).astype(np.int64)

    def _alone(self, name: str) -> str:
        alone = self.below(2)[name]
        if not alone or name == "wildcard":
            return ""
        certain = ": found for certain" if name == "target" else ""
        below = self.below()[name]
        part = "" if below == 1 else " all of them" if alone == below else f" {alone:,} of them"
        return f",{part} just one{certain}"


def _figures() -> dict[str, FigureKind]:
    least = {
        f"least_{name}": FigureKind(
            f"least {name} count: {_WHO[name]}", lower_is_better=False, of_smallest_class=True
        )
        for name in READINGS
    }
    below = {
        f"{name}_below": FigureKind(f"records with a {name} count below k", of_smallest_class=True)
        for name in READINGS
    }
    return {**least, **below}


@measure(
    title="Four counts",
    about="Among how many records each one hides in a file with blanks or generalized cells.",
    side="risk",
    figures=_figures(),
    public=("least_category", "least_wildcard"),
)
def readings(
    initial: Microdata,
    masked: Microdata,
    *,
    on: str | None = None,
    k: Annotated[
        int, Ge(2), Label("k"), Doc("The least number that every count should reach."), Public
    ] = 3,
    hierarchies: Meanings = None,
) -> Readings:
    """Count in four ways among how many each record of a masked file hides.

    Parameters
    ----------
    initial : Microdata
        With its keys named.
    masked : Microdata
        Made here by a masking of ``initial``, or read from a file masked by any tool.
    on : str, optional
        Column of both files that links the records of a file masked elsewhere; the record id where
        the initial file has one. Without either, files with as many records are linked row by row.
    k : int
        The number to which the counts are held.
    hierarchies : mapping of key to Hierarchy, optional
        What the labels of a file masked elsewhere stand for; or, in place of a hierarchy, an Arrow
        table with all pairs of a value and a label. What was masked here knows it.

    Returns
    -------
    Readings
        One number for every released record; who was left out counts for nobody.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [20, 30, 30, 30]}, keys=["age"])
    >>> print(ds.readings(survey, ds.read({"age": [None, 30, 30, 30]}, keys=["age"])))
    Readings: at least category 1, wildcard 4, target 1, source 3 in 4 released records

    References
    ----------
    - Gionis, Mazza, Tassa (2008), *k-Anonymization revisited*. IEEE International Conference on
      Data Engineering: section 4.
    - Templ, Kowarik, Meindl (2015), *Statistical disclosure control for micro-data using the R
      package sdcMicro*. Journal of Statistical Software 67(4).
    """
    need_fit(readings, k=k)
    linked = link(initial, masked, on, classed=False)
    require_records(masked)
    found, reasons = reading_counts(linked, tables_of(initial, masked, hierarchies))
    return Readings(
        n=initial.n,
        released=int(found["category"].records.sum()),
        k=int(k),
        not_applicable=reasons,
        provenance=Provenance.of(initial, masked),
        kind=masked.source.kind,
        _masked=masked,
        _found=found,
    )


def _records(number: int | None) -> str:
    return f"{counted(number or 0, 'record')} {'has' if number == 1 else 'have'}"


def _plural(names: list[str]) -> str:
    return "count does" if len(names) == 1 else "counts do"


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True, eq=False, repr=False)
class ReadingCounts:
    """One number per combination of keys.

    Attributes
    ----------
    numbers, records : arrays
        The number of each combination, and how many released records have it.
    made : function
        The masked records with their number as a further column of a name, still lazy.
    """

    numbers: Ints
    records: Ints
    made: Callable[[str], Any]

    @property
    def least(self) -> int:
        """The smallest number."""
        return int(self.numbers.min())

    def below(self, k: int) -> int:
        """How many records have a smaller number than k."""
        return int(self.records[self.numbers < k].sum())


@dataclass(frozen=True, eq=False)
class FourCounts:
    """What is counted for combinations of keys.

    Attributes
    ----------
    known, shown : FrequencySet
        Initial and released keys of the released records.
    numbers : mapping of reading to array
        Per released combination, for the target count per initial one.
    lost : tuple of int
        Per key in how many records the released value does not stand for the initial one; where
        there are some, only the category count is taken.
    """

    known: FrequencySet
    shown: FrequencySet
    numbers: Mapping[str, Ints]
    lost: tuple[int, ...]


def four_counts(
    keys: tuple[str, ...], pairs: pa.Table, tables: Mapping[str, Any], *, unknown_fits: bool
) -> FourCounts:
    """Count by distinct pairs of initial (x0, …) and released (y0, …) keys and their number.

    ``tables`` holds per key which label may stand for which value, see :func:`key_cover`.
    """
    names = pairs.column_names[:-1]
    both, p = FrequencySet.from_arrow(names, pairs), len(keys)
    known, shown = (replace(both.rollup(part), attributes=keys) for part in (names[:p], names[p:]))
    held = [
        (key, known.values[i], shown.values[i], tables.get(key, ())) for i, key in enumerate(keys)
    ]
    strict = [key_cover(*one) for one in held]
    lost = tuple(
        int(both.counts[~cover.holds(both.codes[i], both.codes[p + i])].sum())
        for i, cover in enumerate(strict)
    )
    if any(lost):
        return FourCounts(known, shown, {"category": shown.counts}, lost)
    covers = [key_cover(*one, unknown_fits=True) for one in held] if unknown_fits else strict
    target, source = related_sums(known.codes, shown.codes, covers, known.counts, shown.counts)
    wildcard = alike_sums(shown.codes, strict, shown.missing, shown.counts)
    numbers = (shown.counts, wildcard, target, source)
    return FourCounts(known, shown, dict(zip(READINGS, numbers, strict=True)), lost)


def reading_counts(
    linked: Linked, tables: Mapping[str, Any]
) -> tuple[dict[str, ReadingCounts], dict[str, str]]:
    """The counts that can be taken of two files, and why others cannot."""
    unknown = "wildcard" in (linked.initial.missing, linked.masked.missing)
    keys = linked.pair.keys
    found = four_counts(keys, linked.key_counts(), tables, unknown_fits=unknown)
    counts = {}
    for name, numbers in found.numbers.items():
        by_initial = name == "target"
        held = found.known if by_initial else found.shown
        made = functools.partial(_numbered, linked, held, numbers, by_initial=by_initial)
        counts[name] = ReadingCounts(numbers, held.counts, made)
    reason = _uncovered(linked, found.lost)
    return counts, {name: reason for name in READINGS if name not in counts}


def _numbered(
    linked: Linked,
    combinations: FrequencySet,
    numbers: Ints,
    name: str,
    *,
    by_initial: bool,
) -> Any:
    import pyarrow as pa

    table = combinations.combinations().append_column("number", pa.array(numbers))
    return linked.numbered(name, table, by_initial=by_initial)


def _uncovered(linked: Linked, lost: Sequence[int]) -> str:
    """Why the released values do not tell for whom they stand."""
    named = listed([key for key, n in zip(linked.pair.keys, lost, strict=True) if n])
    order = (
        " The records were linked row by row: if the masked file is in another order, name a "
        "column that links them."
        if linked.in_order
        else ""
    )
    verb = "has" if max(lost) == 1 else "have"
    return (
        f"{counted(max(lost), 'record')} {verb} a released value that does not stand for the "
        f"initial one ({named}). Where values became groups, give the hierarchies; where they were "
        f"perturbed, only the category count can be taken.{order}"
    )

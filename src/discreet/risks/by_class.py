"""Risk by classes: how many records share each combination of key values.

The threat is an intruder who knows the keys of a person, and knows that the person is in the
file (a *prosecutor*): in a class of size i the right record is found with probability 1/i.
F_i, n_i as in Truta, Fotouhi & Barth-Jones (2004), section 2, equations (2.2)–(2.4).

Of households, classes are those whose members have the same keys together, and of persons with
several records those whose records have them; with a register of the population, what a
*journalist* and a *marketer* find stands beside it.

The key of a household is the multiset of its members' keys: what an intruder knows who knows all
that live there. Few households have the same composition, where each member alone has many
doubles: a couple of 80 and 25 is rare, and neither of them is. 1 − Π(1 − 1/f) over the members,
the chance that one of them is recognised alone, knows nothing of that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc

from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import argument, fail
from discreet.frames import FrameKind
from discreet.frequency.classes import Classes
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import File, Label, Public
from discreet.results import Computed, Provenance
from discreet.risks.register import REGISTER, IntruderRisk, PopulationRisk, population_risk
from discreet.surface import advice, function
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOT_TOGETHER = "it is of households or persons, and the risk was not measured by these."
_NO_SUBJECT = "no subject is named: every record is taken for a person."
_NO_REGISTER = "it needs a register of the population."
_BINS = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)
_TIE = 1e-12  # relative: two risks that differ by less are the same


def size_ranges(starts: Sequence[int]) -> list[tuple[str, int, float]]:
    """Ranges of class sizes that begin at some: a label, the first size, and that after the last.

    Examples
    --------
    >>> size_ranges([1, 2, 5])
    [('1', 1, 2), ('2–4', 2, 5), ('5+', 5, inf)]
    """
    ends = [
        (f"{low}" if high == low + 1 else f"{low}–{high - 1}", low, high)
        for low, high in itertools.pairwise(starts)
    ]
    return [*ends, (f"{starts[-1]}+", starts[-1], math.inf)]


@dataclass(frozen=True)
class ClassSizes:
    """The class-size table: for each size i that occurs, F_i classes and n_i records."""

    sizes: tuple[int, ...]
    F: tuple[int, ...]
    n: tuple[int, ...]

    @classmethod
    def of(cls, classes: Classes) -> ClassSizes:
        """Count classes and records by size."""
        sizes, row = np.unique(classes.size, return_inverse=True)
        number, records = np.zeros((2, len(sizes)), dtype=np.int64)
        np.add.at(number, row, classes.number)
        np.add.at(records, row, classes.records)
        return cls(tuple(sizes.tolist()), tuple(number.tolist()), tuple(records.tolist()))

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Rows (i, F_i, n_i), ascending."""
        return zip(self.sizes, self.F, self.n, strict=True)

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self) -> list[dict[str, int]]:
        """As plain values, ascending."""
        return [{"size": i, "classes": F, "records": n} for i, F, n in self]

    def binned(self) -> list[tuple[str, int]]:
        """Records by ranges of class size, for charts: (label, records)."""
        rows = [
            (label, sum(n for i, _, n in self if low <= i < high))
            for label, low, high in size_ranges(_BINS)
        ]
        while len(rows) > 1 and rows[-1][1] == 0:
            rows.pop()
        return rows


@dataclass(frozen=True)
class Risk(Computed):
    """Risk by classes.

    Attributes
    ----------
    n : int
        Number of records.
    classes : int
        Number of classes F (under wildcards: of combinations of key values).
    k : int
        Size of the smallest class: the file is k-anonymous for this k and no larger one.
    uniques : int
        Records alone in their class.
    class_sizes : ClassSizes
        F_i and n_i for every size i that occurs.
    p : mapping of attribute to int
        Per confidential attribute, the smallest number of distinct values in a class; empty by
        household.
    highest_risk, mean_risk : float
        Prosecutor risk 1/i: the largest, and the mean over the records.
    partition : bool
        False when a missing key matches every value: "classes" then overlap, and the size of
        a record is the number of records compatible with it.
    prosecutor, journalist : IntruderRisk
        ``.highest``, ``.mean``, ``.share_above(t)``: of one who knows that a person is in the file,
        and of one who has a register of the population (None without one).
    population : PopulationRisk or None
        What was counted in that register.
    marketer : float or None
        The share of the records that is recognised when all are looked up in the register.
    people, people_k : int or None
        Where a subject tells people apart: how many there are, and how many different ones the
        class has that has fewest; None without one, and by household. All other figures count
        records.
    households : Households or None
        By household: classes are compositions, i counts households, n_i their records. What the
        members one by one would say stands here beside it.
    subjects : Households or None
        By subject: the same of persons, whose members are their records.
    not_applicable : mapping
        Why a figure is None.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [50, 30, 30, 20, 20, 50], "illness": ["flu", "flu", "none"] * 2}
    >>> found = ds.risk(ds.read(table, keys=["age"], confidential=["illness"]))
    >>> found.k, found.uniques, found.p, found.highest_risk
    (2, 0, {'illness': 1}, 0.5)

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing: (2.2)–(2.4).
    - Truta, Vinay (2006), *Privacy protection: p-sensitive k-anonymity property*. ICDE Workshops.
    """

    n: int
    classes: int
    k: int
    uniques: int
    class_sizes: ClassSizes
    p: Mapping[str, int]
    highest_risk: float
    mean_risk: float
    partition: bool
    provenance: Provenance
    households: Households | None = None
    population: PopulationRisk | None = None
    subjects: Households | None = None
    people: int | None = None
    people_k: int | None = None

    @property
    def together(self) -> Households | None:
        """What was measured of several records together: of households, or of persons."""
        return self.households or self.subjects

    @property
    def prosecutor(self) -> IntruderRisk:
        """The risk by someone who knows that a person is in the file."""
        return IntruderRisk(self.class_sizes.sizes, self.class_sizes.n, self.mean_risk)

    @property
    def journalist(self) -> IntruderRisk | None:
        """The risk by someone who looks for the person in the whole population."""
        return None if self.population is None else self.population.journalist

    @property
    def marketer(self) -> float | None:
        """The share of the records that is recognised when all are looked up in the register."""
        return None if self.population is None else self.population.marketer

    @property
    def journalist_highest(self) -> float | None:
        """The largest risk against the register."""
        return None if self.journalist is None else self.journalist.highest

    @property
    def journalist_mean(self) -> float | None:
        """The average risk against the register."""
        return None if self.journalist is None else self.journalist.mean

    @property
    def members_risk(self) -> float | None:
        """Of households and persons: the mean chance that one of the members is recognised
        alone."""
        return None if self.together is None else self.together.members_risk

    @property
    def rarer_together(self) -> int | None:
        """Of households and persons: the records that together give away more than one by one."""
        return None if self.together is None else self.together.rarer_together

    @property
    def not_applicable(self) -> dict[str, str]:
        """Why a figure is None."""
        register = ("journalist_highest", "journalist_mean", "marketer")
        lacking = dict.fromkeys(register, _NO_REGISTER) if self.population is None else {}
        if self.together is None:
            lacking |= dict.fromkeys(("members_risk", "rarer_together"), _NOT_TOGETHER)
        if self.people is None:
            lacking |= dict.fromkeys(("people", "people_k"), _NO_SUBJECT)
        return lacking

    def share_above(self, threshold: float) -> float:
        """Share of the records whose prosecutor risk 1/i is above a threshold."""
        return self.prosecutor.share_above(threshold)

    def explain(self) -> str:
        """The numbers in a few sentences, and what to do next."""
        lines = self._of_records() if self.together is None else self._of_together(self.together)
        lines += [] if self.population is None else self.population.explain()
        lines += self.provenance.after_perturbation()
        lines += self.provenance.of_perturbed_values(self.p) + self.provenance.unweighted()
        lines += advice(f"Next: {self._advice()}")
        return "\n".join(lines)

    def _of_together(self, found: Households) -> list[str]:
        keys, unit = ", ".join(self.provenance.keys), found.unit
        return [
            f"{counted(self.n, 'record')} {found.belongs(self.n)} {counted(found.number, unit)} of "
            f"{counted(self.classes, 'composition')} by {keys}; the rarest is "
            f"that of k = {counted(self.k, unit)}.",
            self.in_short(),
            *found.explain(self.n),
        ]

    def in_short(self) -> str:
        """How many records are alone in their class, or are of a household or a person like no
        other, in a sentence."""
        keys, found = ", ".join(self.provenance.keys), self.together
        alone = f"{counted(self.uniques, 'record')} ({share(self.uniques, self.n)})"
        if not self.uniques:
            unit = "record" if found is None else found.unit
            return f"No {unit} is alone; the highest risk of recognition is 1/{self.k:,}."
        if found is not None:
            return (
                f"{alone} {found.belongs(self.uniques)} a {found.unit} like no other: anyone who "
                f"knows {keys} of {found.everything}."
            )
        one = self.uniques == 1
        return (
            f"{alone} {'is' if one else 'are'} alone in a class: anyone who knows {keys} "
            f"recognises {'it' if one else 'them'}."
        )

    def _of_records(self) -> list[str]:
        keys = ", ".join(self.provenance.keys)
        lines = [
            f"{counted(self.n, 'record')} {'falls' if self.n == 1 else 'fall'} into "
            f"{counted(self.classes, 'class' if self.partition else 'combination')} by {keys}; the "
            "smallest "
            f"{'class has' if self.partition else 'set of compatible records has'} k = {self.k:,}.",
            self.in_short(),
            f"On average a record is recognised with probability {self.mean_risk:.1%}; "
            f"{self.share_above(0.2):.1%} of the records are above 20%.",
        ]
        if self.people is not None and self.people_k is not None:
            lines.append(
                f"These figures count records, which are of {counted(self.people, 'person')} "
                f"({self.provenance.subject!r}); some class has records of only "
                f"{counted(self.people_k, 'person')}."
            )
        lines += [
            f"Every class has p = {p} or more values of {name!r}."
            if p > 1
            else f"In some class all records have the same {name!r} (p = {p}): it is disclosed."
            for name, p in self.p.items()
        ]
        return lines

    def _advice(self) -> str:
        coarser = "generalize the keys (wider age bands, shorter codes) until"
        if self.k < 3:
            return f"{coarser} k is at least 3 to 5."
        if (self.people_k or self.k) < 3:
            return f"{coarser} every class has records of at least 3 to 5 people."
        if min(self.p.values(), default=2) < 2:
            return "require p-sensitivity, so that a class does not share one confidential value."
        return f"set the k your rules ask for and gate the release with {function('check')}."

    def bars(self, width: int = 40) -> str:
        """A bar chart of records by class size, as text for a terminal."""
        rows = self.class_sizes.binned()
        most = max(records for _, records in rows)
        label = max(len(name) for name, _ in rows)
        lines = [
            f"{name:>{label}} │{'█' * _bar(records, most, width):<{width}} {records:>9,}"
            for name, records in rows
        ]
        return "\n".join([f"{'records by class size':>{label}}", *lines])

    def chart(self) -> Any:
        """The same as an Altair chart (needs the ``charts`` extra)."""
        from discreet.charts import class_size_chart

        return class_size_chart(self.class_sizes.binned())

    def table(self, kind: FrameKind | None = None) -> Any:
        """The class-size table as a frame: size i, classes F_i, records n_i."""
        return self._frame(self.class_sizes.rows(), kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self._plain("n", "classes", "k", "uniques", "p", "highest_risk", "mean_risk"),
            "share_above_0.2": self.share_above(0.2),
            "partition": self.partition,
            "class_sizes": self.class_sizes.rows(),
            **({} if self.households is None else self._plain("households")),
            **({} if self.subjects is None else self._plain("subjects")),
            **({} if self.people is None else self._plain("people", "people_k")),
            **({} if self.population is None else self.population.to_dict()),
            "computed_from": self.provenance.to_dict(),
        }

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{name}</td><td>{records:,}</td></tr>"
            for name, records in self.class_sizes.binned()
        )
        return (
            f"{super()._repr_html_()}"
            "<table><thead><tr><th>class size</th><th>records</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    def __repr__(self) -> str:
        p = "".join(f", p({name}) = {p}" for name, p in self.p.items())
        return (
            f"Risk: n = {self.n:,}, classes = {self.classes:,}, k = {self.k:,}{p}, "
            f"uniques = {self.uniques:,}"
        )


_FIGURES: dict[str, FigureKind | str] = {
    "highest_risk": FigureKind("highest prosecutor risk 1/k", of_smallest_class=True),
    "mean_risk": "mean prosecutor risk",
    "k": FigureKind("size of the smallest class, k", lower_is_better=False, of_smallest_class=True),
    "uniques": FigureKind("records alone in their class", of_smallest_class=True),
    "journalist_highest": FigureKind("highest journalist risk", of_smallest_class=True),
    "journalist_mean": "mean journalist risk",
    "marketer": "share recognised when all are looked up in the register",
    "members_risk": "mean risk that one of those together is recognised alone",
    "rarer_together": "records that together give away more than one by one",
    "people_k": FigureKind(
        "fewest different people in a class", lower_is_better=False, of_smallest_class=True
    ),
}


@measure(
    title="Risk by classes",
    about="How many records share their keys, and the chance to pick the right one among them.",
    side="risk",
    of="file",
    figures=_FIGURES,
    by_equality=True,
    public=("n", "classes", "p", "share_above_0.2", "partition", "class_sizes", *_FIGURES),
)
def risk(
    data: Microdata,
    *,
    by: Annotated[
        Literal["household", "subject"] | None,
        Label("By", {"household": "household", "subject": "subject"}),
        Doc("Count households or persons: those with the same keys in all records form a class."),
        Public,
    ] = None,
    population: Annotated[
        Any | str | PathLike[str] | None,
        REGISTER,
        File("File of the population, with the keys."),
        Label("Register of the population"),
        Doc("All people the file was drawn from, with the keys: adds the journalist risk."),
    ] = None,
) -> Risk:
    """Measure the risk of a file by the sizes of its classes on the keys.

    Parameters
    ----------
    data : Microdata
        With its keys named; p is given for each confidential attribute.
    by : {"household", "subject"}, optional
        Classes of households (``household=`` of :func:`read`) by their composition: the keys of
        all members together. Sizes count households, n_i their records. By ``subject=`` the same of
        persons and their records: what is known to someone who knows all of these.
    population : Microdata, path, frame or Ibis table, optional
        A register of all people the file was drawn from, with the keys under the same names; a
        path or a frame is read as the file was. Keys that were generalized here are generalized
        in it, too. Values of different types are compared by their text form. Combinations that
        it lacks, or that are rarer in it than in the file, are an error: they disprove it.

    Returns
    -------
    Risk

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [10, 30, 20, 20, 10], "sex": ["M", "M", "M", "M", "F"]}
    >>> found = ds.risk(ds.read(table, keys=["age", "sex"]))
    >>> found.k, found.uniques, list(found.class_sizes)
    (1, 3, [(1, 3, 3), (2, 1, 2)])

    Nobody is alone, and yet the household of two is like no other:

    >>> homes = {"hid": [1, 1, 2, 3], "sex": ["M", "F", "M", "F"]}
    >>> found = ds.risk(ds.read(homes, keys=["sex"], household="hid"), by="household")
    >>> found.households.number, found.k, found.uniques
    (3, 1, 4)

    Every class has two records, and in one both are of the same patient:

    >>> visits = {"patient": [1, 1, 2, 3], "sex": ["M", "M", "F", "F"]}
    >>> survey = ds.read(visits, keys=["sex"], subject="patient")
    >>> found = ds.risk(survey)
    >>> found.k, found.people, found.people_k, ds.check(survey, ds.KAnonymity(2)).satisfied
    (2, 3, 1, False)

    Of six people the file has four:

    >>> register = {"sex": ["M", "M", "M", "M", "F", "F"]}
    >>> found = ds.risk(ds.read(homes, keys=["sex"]), population=register)
    >>> found.prosecutor.highest, found.journalist.highest, found.marketer
    (0.5, 0.5, 0.375)

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing: (2.2)–(2.4).
    - Truta, Vinay (2006), *Privacy protection: p-sensitive k-anonymity property*. ICDE Workshops.
    - El Emam (2013), *Guide to the De-Identification of Personal Health Information*, chapter 16.
    """
    require_microdata(data, named="the argument")
    need_fit(risk, by=by)
    require_records(data)
    if by and population is not None:
        what = f"the risk by {by} is not compared with a register: measure one at a time."
        fail("N82", what, f"Leave out {argument('by')} or {argument('population')}.")
    classes, found = compositions(data, by) if by else (_classes(data), None)
    people = classes.distinct.get(data.subject) if data.subject else None
    sizes = ClassSizes.of(classes)
    k = sizes.sizes[0]
    return Risk(
        n=classes.n,
        classes=sum(sizes.F),
        k=k,
        uniques=sizes.n[0] if k == 1 else 0,
        class_sizes=sizes,
        p={name: int(classes.distinct[name].min()) for name in data.confidential if not by},
        highest_risk=1 / k,
        mean_risk=sum(n / i for i, _, n in sizes) / classes.n,
        partition=classes.partition,
        provenance=Provenance.of(data),
        households=found if by == "household" else None,
        population=None if population is None else population_risk(data, population),
        subjects=found if by == "subject" else None,
        people=None if people is None else data.profile[data.need_subject()][0],
        people_k=None if people is None else int(people.min()),
    )


def _classes(data: Microdata) -> Classes:
    """The classes, with how many values and how many people each has."""
    return data.classes((*data.confidential, *([data.subject] if data.subject else [])))


def _bar(records: int, most: int, width: int) -> int:
    return max(1, round(width * records / most)) if records else 0


@dataclass(frozen=True)
class Households:
    """What the compositions of households say, beside their members one by one; or those of
    persons, whose members are their records.

    Attributes
    ----------
    unit : {"household", "person"}
        What they are.
    number : int
        Number of households.
    alone : int
        Households of one record.
    mean_risk : float
        Mean over the records of 1/c, where c households have the composition.
    members_risk : float
        Mean over the records of 1 − Π(1 − 1/f) over the members of their household, where f
        records have the keys of a member.
    rarer_together : int
        Records of households whose composition is the riskier of the two.
    """

    unit: Literal["household", "person"]
    number: int
    alone: int
    mean_risk: float
    members_risk: float
    rarer_together: int

    def belongs(self, records: int) -> str:
        """How so many records are connected with them."""
        one, several = ("lives in", "live in") if self.unit == "household" else ("is of", "are of")
        return one if records == 1 else several

    @property
    def everything(self) -> str:
        """What an intruder knows who knows the composition, and what follows."""
        if self.unit == "household":
            return "all who live there recognises it"
        return "all records of the person recognises them"

    def explain(self, records: int) -> list[str]:
        """The two side by side, in sentences."""
        whose = "its" if self.unit == "household" else "their"
        return [
            f"On average a {self.unit} is recognised with probability {self.mean_risk:.1%} by "
            f"{whose} composition, and one of {whose} {self._members} alone with "
            f"{self.members_risk:.1%}.",
            f"For {counted(self.rarer_together, 'record')} ({share(self.rarer_together, records)}) "
            f"the composition gives away more than the {self._members} one by one.",
        ]

    @property
    def _members(self) -> str:
        return "members" if self.unit == "household" else "records"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: value for name, value in vars(self).items() if name != "unit"}


def compositions(
    data: Microdata, by: Literal["household", "subject"] = "household"
) -> tuple[Classes, Households]:
    """The classes of households, or of persons, alike: their size counts these."""
    unit: Literal["household", "person"] = "household" if by == "household" else "person"
    column = data.need_household() if by == "household" else data.need_subject()
    data.need_partition(f"the composition of a {unit}")
    keys = data.frequency_set(data.need_keys())
    table = data.compositions(column, keys)
    size = np.asarray(table["households"], dtype=np.int64)
    each = np.asarray(table["records"], dtype=np.int64)
    together = 1 / size
    members = members_risk(table, 1 / keys.counts)
    records = size * each
    figures = Households(
        unit=unit,
        number=int(size.sum()),
        alone=int(size[each == 1].sum()),
        mean_risk=math.fsum(records * together) / keys.n,
        members_risk=math.fsum(records * members) / keys.n,
        rarer_together=int(records[together > members * (1 + _TIE)].sum()),
    )
    return Classes(size, np.ones_like(size), records), figures


def members_risk(table: Any, risks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per composition 1 − Π(1 − r) over the members, by the sum of logarithms; r is the risk of
    each combination of the keys.
    """
    import pyarrow.compute as pc

    held = table["combination"].combine_chunks()
    owner = np.asarray(pc.list_parent_indices(held))
    combination = np.asarray(pc.list_flatten(held))
    number = np.asarray(pc.list_flatten(table["members"].combine_chunks()))
    with np.errstate(divide="ignore"):  # who is found for certain: the logarithm of 0
        terms = number * np.log1p(-risks[combination])
    return -np.expm1(np.bincount(owner, terms, minlength=len(table)))

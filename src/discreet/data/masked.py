"""Masked microdata: what is left of the initial records, and how it came about.

Every masked record stays linked to its initial record by a record id that is never written,
so that risk and loss can be measured. Maskings chain; the link leads to the first file.

Every verb that masks says what it promises; the masked file is measured afresh, by the way a check
takes and not by the one that made it. Where a promise does not hold the verb has an error of its
own, and nothing is handed out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from discreet import engine, frames
from discreet.data import attributes
from discreet.data.attributes import AttributeType
from discreet.data.checks import weight_problems
from discreet.data.microdata import Microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.frequency.frequency_set import FrequencySet
from discreet.parameters import seed_problems
from discreet.registry import maskings, origins
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.data.unchanged import Written
_HIERARCHIES = ("hierarchies", "within")  # arguments of steps that hold some


class Promise(Protocol):
    """What holds of a masked file."""

    def broken(self, masked: Masked) -> list[str]:
        """What does not hold, in words without a value of the data."""
        ...


def kept(promise: Promise, masked: Masked) -> Masked:
    """The masked file, if what was promised holds."""
    step = masked.steps[-1]
    asked = step.asked.get("criterion")
    refuse_broken(promise.broken(masked), step.method, asked)
    return masked


def refuse_broken(broken: Sequence[str], verb: str, criterion: Any = None) -> None:
    """Nothing is handed out that fails what was asked for: that is an error of ours, or of the
    package from outside that the verb, or one of the criteria, came with.
    """
    if broken:
        refuse(broken, verb, criterion)


def refuse(broken: Sequence[str], verb: str, criterion: Any = None) -> NoReturn:
    """Say what fails."""
    several = criterion if isinstance(criterion, list | tuple) else [criterion]
    parts = [type(part).__name__ for one in several if one is not None for part in one.parts]
    whose = " or ".join(f"{name} {version}" for name, version in origins([verb, *parts]).items())
    report = f"tell the authors of {whose}" if whose else "report it"
    fail(
        "I01",
        f"what {verb} made was checked again and fails: {'; '.join(broken)}. Nothing was returned.",
        f"Unless the records changed in the meantime, this is a bug in {whose or 'discreet'}: "
        f"please {report}.",
    )


@dataclass(frozen=True)
class Step:
    """One masking: the method and its parameters, without a cell value.

    ``asked`` holds the arguments that repeat the step, where they are more than the parameters:
    hierarchies, the criterion. ``changed`` names the columns whose values it changed.
    """

    method: str
    parameters: Mapping[str, Any]
    before: int
    after: int
    asked: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    changed: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @property
    def labelled(self) -> frozenset[str]:
        """The columns in which labels of a hierarchy took the place of values."""
        return self.changed & frozenset(self.asked.get("hierarchies", ()))

    def to_dict(self) -> dict[str, Any]:
        """As plain values; ``do`` is what was done, also where a parameter is called ``method``."""
        done = {"do": self.method, "method": self.method, **self.parameters}
        return {**done, "records": [self.before, self.after]}


@dataclass(frozen=True, eq=False, repr=False)
class Masked(Microdata):
    """Microdata made by a masking, with all that :class:`Microdata` has.

    Attributes
    ----------
    initial : Microdata
        The file the first masking began with.
    steps : tuple of Step
        What was done, in order.
    changed : frozenset of str
        Columns whose values were changed.
    complete : engine.Source
        The file with all values masked and no record dropped, as far as it is known.
    whole_sources : mapping of column to engine.Source
        The file in which a changed column is whole: after the last step that changed it, before
        records were dropped by it or later. Of weights that a sample scaled, that sample.
    mappings : mapping of key to table
        How generalized values were recoded by the last generalization.
    covers : mapping of key to tables
        Which label may stand for which value, one table of all such pairs (``value``, ``label``)
        for each step that recoded the key, in order. A value stands for itself, a missing one for
        every value; neither has to be named.
    changes : mapping of attribute to number
        How many cells the last step changed, where it changed single cells.
    in_cells : frozenset of str
        Those of the changed columns of which steps changed single cells only: all other cells
        are as they were.
    drawn_in : tuple of int
        Which records the last step changed though their risk was not above its limit, by their
        place in the file that it was given.
    outcome : Result or None
        What the last step says of itself, where it does: what was changed, and what any answer
        needs.
    portions : callable or None
        It gives the table of how the last step recoded the records, see :meth:`recoding`.
    transitions : mapping of column to Transition
        With which probabilities categories became others, where the column is as that step left
        it, see :meth:`transition`.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> masked = ds.microaggregate(ages, k=2, method="fixed")
    >>> masked.initial is ages, [step.method for step in masked.steps], sorted(masked.changed)
    (True, ['microaggregate'], ['age'])
    >>> masked.to("arrow")["age"].to_pylist()[:4]
    [9.0, 9.0, 21.0, 21.0]
    """

    initial: Microdata = field(kw_only=True)
    steps: tuple[Step, ...] = field(kw_only=True)
    changed: frozenset[str] = field(kw_only=True)
    complete: engine.Source = field(kw_only=True)
    whole_sources: Mapping[str, engine.Source] = field(kw_only=True)
    mappings: Mapping[str, pa.Table] = field(kw_only=True, default_factory=dict)
    covers: Mapping[str, tuple[pa.Table, ...]] = field(kw_only=True, default_factory=dict)
    changes: Mapping[str, int] = field(kw_only=True, default_factory=dict)
    in_cells: frozenset[str] = field(kw_only=True, default=frozenset())
    drawn_in: tuple[int, ...] = field(kw_only=True, default=())
    outcome: Any = field(kw_only=True, default=None)
    portions: Callable[[], pa.Table] | None = field(kw_only=True, default=None)
    transitions: Mapping[str, Any] = field(kw_only=True, default_factory=dict)

    @property
    def perturbed(self) -> frozenset[str]:
        """The columns in which a released value may be one that the record never had."""
        known = [step for step in self.steps if step.method in maskings]
        random = [step for step in known if maskings[step.method].perturbing(step.parameters)]
        return frozenset[str]().union(*(step.changed for step in random))

    @property
    def bound(self) -> float | None:
        """What any answer to the last step costs at least, as far as proven; None where it was no
        search among answers."""
        return getattr(self.outcome, "bound", None)

    @property
    def loss(self) -> float | None:
        """The loss that the last step came to, where it minimised one."""
        return getattr(self.outcome, "loss", None)

    def recoding(self, kind: FrameKind | None = None) -> Any:
        """How the records were recoded, class by class (it shows values): the values of the keys
        before, what was released for them, and the number of records.

        The same values may be released in several ways: a row for each.
        """
        if self.portions is None:
            fail(
                "R09",
                "the last step recoded no single cells.",
                f"Only {function('recode', '…')} does.",
            )
        return frames.from_arrow(self.portions(), kind or self.source.kind)

    def explain(self) -> str:
        """What the last step came to, in a few sentences."""
        lines = [f"{self.n:,} of {self.initial.n:,} records after {self.steps[-1].method}."]
        lines += [] if self.outcome is None else [self.outcome.explain()]
        if self.subject is not None and "criterion" not in self.steps[-1].asked:
            lines.append(
                f"It counts records, and a person ({self.subject!r}) may have several: hold the "
                "outcome against a criterion, which counts people."
            )
        return "\n".join(lines)

    def transition(self, column: str) -> Any:
        """With which probabilities the categories of a column became others (it shows values)."""
        if column not in self.transitions:
            known = listed(self.transitions)
            remedy = f"Choose from {known}." if known else "No column was."
            fail(
                "R09",
                f"{column!r} was not changed by {function('pram', '…')} in the last step.",
                remedy,
            )
        return self.transitions[column]

    def mapping(self, key: str | None = None) -> Any:
        """How the values of a key were recoded: a table of value and label (it shows values).

        All keys that were generalized when none is named.
        """
        if key is None:
            return dict(self.mappings)
        if key not in self.mappings:
            recoded = f"Choose from {listed(self.mappings)}." if self.mappings else "No key was."
            fail("R09", f"{key!r} was not generalized.", recoded)
        return self.mappings[key]

    def whole(self, name: str, counted: FrequencySet | None = None) -> FrequencySet:
        """The distribution of an attribute in the initial file; of masked values in the masked file
        before records were dropped.
        """
        if name not in self.whole_sources:
            return self.initial.whole(name)
        source = self._whole_source(name)
        if source is self.source:
            return super().whole(name, counted)
        return engine.frequencies(source, [name], {name: self.types.scale(name)})

    def _whole_source(self, name: str) -> engine.Source:
        return self.whole_sources.get(name, self.initial.source)

    def native(self) -> Any:
        """The records as a table that stays where it is, in the order that :meth:`write` gives."""
        return engine.native(self.source, self.released, 0)

    def to(self, kind: FrameKind, *, shuffled: bool = False) -> Any:
        """The records as a frame, without the columns that are held back, in their initial order.

        The position of a record then tells which initial record it was: give such a frame out
        only when ``shuffled``, in the order in which :meth:`write` writes it.
        """
        seed = 0 if shuffled else None
        return frames.from_arrow(engine.collect(self.source, self.released, seed), kind)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        identifiers: Sequence[str] | str = (),
        escape_formulas: bool = False,
        seed: int = 0,
        metadata: Sequence[str] = (),
    ) -> Written:
        """Write the records without the columns that are held back, and not in the order of
        the initial file. The ending of the name says how: ``.csv``, ``.parquet``, or with the extra
        ``formats`` ``.sav``, ``.dta`` or ``.xlsx``. Labels are those of the file that was read, for
        values that are still there; values of the masking get labels of their own.

        The order is that of a hash of the values that are written and the seed, so that records
        with equal values stand side by side. The position of a record tells nothing of the initial
        file, even to someone who knows the seed.

        Parameters
        ----------
        path : str or path
            The file appears whole or not at all, with permissions not wider than the input's.
        overwrite : bool
        identifiers : list of str
            Identifiers, household or subject to write all the same; the record id never is.
        escape_formulas : bool
            In a CSV file, put an apostrophe before texts that a spreadsheet would run as a
            formula: those that begin with ``= + - @``, a tab or a carriage return.
        seed : int
            Another seed gives another order.
        metadata : list of str
            What the file that was read said of itself and is written all the same: "file_label",
            "notes". It may name people, and is left out otherwise.

        Returns
        -------
        Written
            What left: ``.columns``, ``.unchanged``; what was left out: ``.dropped``.
        """
        asked, kept = attributes.names(identifiers), attributes.names(metadata)
        problems = self.write_problems(path, overwrite, asked, escape_formulas, kept)
        raise_all([*problems, *seed_problems(seed)])
        require_records(self)
        return self._write(Path(path), asked, escape_formulas, int(seed), kept)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The initial file, and those of the hierarchies by which its keys were generalized, or
        within whose groups values were changed, and of the registers that a criterion looked into.
        """
        asked = [step.asked.get(name) or {} for step in self.steps for name in _HIERARCHIES]
        given = [one for table in asked for one in table.values()]
        used = [one[0] if isinstance(one, tuple | list) else one for one in given]
        named = [one.file for one in used if one.file is not None]
        return (*self.initial.inputs, *named, *self._registers())

    def _registers(self) -> list[Path]:
        asked = [step.asked.get("criterion") for step in self.steps]
        several = [c for one in asked for c in (one if isinstance(one, list | tuple) else [one])]
        given = [one for c in several for one in getattr(c, "registers", ())]
        return [Path(one) for one in given if isinstance(one, str | os.PathLike)]

    def before_dropping(self, names: Sequence[str]) -> FrequencySet:
        """The frequency set of some attributes with the records that were dropped."""
        return engine.frequencies(self.complete, names, {})

    @property
    def _first(self) -> Microdata:
        return self.initial

    def __repr__(self) -> str:
        done = ", then ".join(step.method for step in self.steps)
        return f"Masked by {done}, from {self.initial.n:,} records.\n{super().__repr__()}"


def masked_from(
    data: Microdata,
    source: engine.Source,
    *,
    method: str,
    parameters: Mapping[str, Any],
    promise: Promise | None,
    changed: frozenset[str] = frozenset(),
    scaled: Collection[str] = (),
    complete: engine.Source | None = None,
    mappings: Mapping[str, pa.Table] | None = None,
    covers: Mapping[str, pa.Table] | None = None,
    types: Mapping[str, AttributeType] | None = None,
    changes: Mapping[str, int] | None = None,
    drawn_in: tuple[int, ...] = (),
    outcome: Any = None,
    portions: Callable[[], pa.Table] | None = None,
    transitions: Mapping[str, Any] | None = None,
    asked: Mapping[str, Any] | None = None,
    after: int | None = None,
) -> Masked:
    """Masked microdata after one more step on ``data``, which may be masked already; ``after``
    says how many records are left where that is known.

    ``promise`` is what the verb promises: it is held against the masked file first. None is for
    a verb that promises nothing of the values, and for a draft that is held against it later.
    ``scaled`` are weights that stand for more people now, which is no change of what is known.
    ``covers`` holds all pairs of a value and a label that may stand for it; the mappings do, where
    every value has one label.
    """
    left = engine.size(source) if after is None else after
    given = _of_python(parameters), data.n, left, _of_python(asked or {})
    step = Step(method, *given, changed)
    earlier = data.changed if isinstance(data, Masked) else frozenset()
    whole_before = data.whole_sources if isinstance(data, Masked) else {}
    in_cells = data.in_cells if isinstance(data, Masked) else frozenset()
    masked = Masked(
        source,
        data.roles,
        data.types.but(types or {}),
        data.missing,
        initial=data.initial if isinstance(data, Masked) else data,
        steps=(*data.steps, step) if isinstance(data, Masked) else (step,),
        changed=changed | earlier,
        complete=complete or (data.complete if isinstance(data, Masked) else data.source),
        whole_sources={**whole_before, **dict.fromkeys([*changed, *scaled], complete or source)},
        mappings=mappings or (data.mappings if isinstance(data, Masked) else {}),
        covers=_covers(data, mappings if covers is None else covers),
        changes=dict(changes or {}),
        in_cells=in_cells - changed if changes is None else in_cells | (changed - earlier),
        drawn_in=drawn_in,
        outcome=outcome,
        portions=portions,
        transitions=_transitions(data, changed) | dict(transitions or {}),
    )
    masked.__dict__["n"] = step.after  # counted already
    if data.weight in changed:
        raise_all(weight_problems(masked))  # what cannot be read again is not handed out
    return masked if promise is None else kept(promise, masked)


def _of_python(value: Any) -> Any:
    """Numbers of numpy as those of Python, which JSON and plans have a word for."""
    if isinstance(value, Mapping):
        return {name: _of_python(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_of_python(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _covers(
    data: Microdata, step: Mapping[str, pa.Table] | None
) -> dict[str, tuple[pa.Table, ...]]:
    """The tables of a file, and those of one more step."""
    found = dict(data.covers) if isinstance(data, Masked) else {}
    return found | {key: (*found.get(key, ()), table) for key, table in (step or {}).items()}


def _transitions(data: Microdata, changed: frozenset[str]) -> dict[str, Any]:
    """Those of earlier steps whose columns are still as they left them."""
    found = data.transitions if isinstance(data, Masked) else {}
    return {name: one for name, one in found.items() if name not in changed}


def require_link(data: Microdata) -> str:
    """The engine's column that names the records, or an error that says how to give one."""
    if data.source.row is not None:
        return data.source.row
    if data.record_id is None:
        fail(
            "N02",
            f"the records of {data.name} have neither a record id nor an order.",
            f"Name the column that tells them apart with {argument('record_id')}.",
        )
    return data.source.at(data.record_id)


def require_records(data: Microdata) -> None:
    """Refuse a masked file whose records were all suppressed."""
    if isinstance(data, Masked) and data.n == 0:
        fail(
            "D32",
            "all records were suppressed: nothing is left to release or to measure.",
            f"Lower {argument('max_suppressed')} or the criterion, or give hierarchies that "
            "end in '*'.",
        )


def require_ids(data: Microdata) -> None:
    """Record ids that the user named must tell the records apart."""
    if data.record_id is not None:
        raise_all(id_problems(data, data.record_id, data.source.at(data.record_id)))


def require_draws(data: Microdata) -> str:
    """The engine's column whose hash with a seed draws records: the record ids that the user named,
    which must tell the records apart, or else the link.
    """
    link = require_link(data)
    if data.record_id is None:
        return link
    if data.source.kinds[data.record_id] not in ("integer", "text"):
        fail(
            "D08",
            f"record id {data.record_id!r} is neither text nor a whole number.",
            "Its written form differs between engines: use another column.",
        )
    require_ids(data)
    return data.source.at(data.record_id)


def id_problems(data: Microdata, name: str, column: str, where: str = "") -> list[Problem]:
    """What is wrong with the record ids of a file, by count."""
    where = where or data.name
    seen = data.__dict__.setdefault("_id_counts", {})  # records do not change
    if column not in seen:
        seen[column] = engine.id_counts(data.source, column)
        data.__dict__.setdefault("n", seen[column].records)  # counted on the way
    counts = seen[column]
    problems = []
    if counts.missing:
        what = f"record id {name!r} is missing in {counted(counts.missing, 'record')} of {where}."
        problems.append(Problem("D09", what, "Every record needs an id."))
    if counts.duplicated:
        what = (
            f"record id {name!r} is repeated in {counted(counts.duplicated, 'record')} of {where}."
        )
        problems.append(Problem("D09", what, "Every record needs an id of its own."))
    return problems

"""A plan: the source, what its attributes are, what must hold, the steps, and the outputs.

It is a file, ``release.toml``, so that a release can be repeated, reviewed and kept. It holds
what its author wrote — names, parameters, labels of hierarchies, codes — and nothing that was
taken from the data.
"""

from __future__ import annotations

import copy
import functools
import os
import re
import tomllib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.data.options import FORMAT, ROLES
from discreet.errors import DiscreetError, Problem, ReadHint, fail, listed, raise_all
from discreet.files import existing, write_text
from discreet.hierarchies.written import built
from discreet.plan import criteria, measures
from discreet.plan.calls import moved, plain, read_files, with_files
from discreet.plan.document import FILES, PUBLIC, SOURCE, column_problems, document_problems
from discreet.plan.fields import Where
from discreet.plan.first_plan import first_plan
from discreet.plan.lines import At, lines_of
from discreet.plan.run import ready_problems, run
from discreet.plan.schema import schema
from discreet.plan.script import script
from discreet.plan.steps import (
    SharedByPlan,
    done,
    method_of,
    steps_on_source,
    unfit_problems,
    with_seed,
)
from discreet.plan.toml import to_toml
from discreet.results import Result

if TYPE_CHECKING:
    from discreet.masking.method import Done
    from discreet.plan.ledger import Ledger
    from discreet.plan.run import Release


# Editors look for the directive in the first lines, and for the file beside the plan.
_SCHEMA = """\
#:schema ./release.schema.json
# Editors complete and check a plan with it: discreet schema > release.schema.json

"""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """What a release is made from, and how. Made by ``.read``, ``.of`` or ``.plan()``.

    Attributes
    ----------
    document : mapping
        The sections: source, roles, types, hierarchies, criterion, steps, measures, outputs.
    folder : Path
        What the files of the plan are relative to.
    notes : mapping
        Comments that are written into the file, by the way to a key.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [23, 37, 38], "sex": list("FMM")}, keys=["age", "sex"])
    >>> plan = ds.sample(survey, fraction=0.7, seed=5).plan()
    >>> print(plan.to_toml().split("[[steps]]")[1].strip())
    do = "sample"
    fraction = 0.7
    seed = 5
    <BLANKLINE>
    [outputs]
    masked = "masked.csv"
    """

    document: Mapping[str, Any]
    folder: Path
    where: Where = field(default_factory=Where)
    notes: Mapping[At, str] = field(default_factory=dict)

    @classmethod
    def first(cls, data: Any, output: str | None = None) -> Plan:
        """A first plan for microdata, to be corrected: roles that their names and numbers of
        values suggest, the inferred types, and hierarchies that fit them, with the reasons.

        Parameters
        ----------
        data : Microdata
            Roles that it has already are kept; a column without one gets a suggestion.
        output : str, optional
            Name of the masked file.

        Examples
        --------
        >>> import discreet as ds
        >>> survey = ds.read({"name": list("abcd"), "age": [23, 37, 38, 41], "sex": list("FMMF")})
        >>> ds.Plan.first(survey).document["roles"]
        {'identifiers': ['name'], 'keys': ['age', 'sex']}
        """
        return first_plan(data, output)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        r"""Read a plan, or say all that is wrong with it, with the lines.

        Parameters
        ----------
        path : str or path
            A TOML file. The files that it names are relative to its folder.

        Examples
        --------
        >>> import discreet as ds, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
        >>> steps = [{"do": "sample", "n": 3, "seed": 1}]
        >>> made = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, folder)
        >>> made.write(folder / "release.toml")
        >>> ds.Plan.read(folder / "release.toml")
        Plan for survey.csv: sample
        """
        file = existing(path, "Give the name of a plan, release.toml.")
        text = _text(file)
        document = _parsed(text, file.name)
        return _checked(document, file.absolute().parent, Where(file.name, lines_of(text)))

    @classmethod
    def of(cls, document: Mapping[str, Any], folder: str | os.PathLike[str] = ".") -> Plan:
        """A plan from its sections as plain values; files are relative to the folder.

        Examples
        --------
        >>> import discreet as ds
        >>> sections = {"source": {"file": "survey.csv"}, "steps": [{"do": "sample", "n": 3}]}
        >>> ds.Plan.of(sections)
        Plan for survey.csv: sample
        """
        if not isinstance(document, Mapping):
            fail("P31", "a plan is a table of sections.", 'Write {"source": {…}, "steps": […]}.')
        return _checked(plain(document), Path(folder).absolute(), Where())

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of plans, with all methods, criteria and measures there are.

        Examples
        --------
        >>> import discreet as ds
        >>> ds.Plan.schema()["properties"]["roles"]["title"]
        'Roles'
        """
        return schema()

    # -- what it says --------------------------------------------------------------------------

    def section(self, name: str) -> Any:
        """A section; an empty one where the plan has none."""
        return self.document.get(name, [] if name == "steps" else {})

    def file(self, name: str) -> Path:
        """The place of a file that the plan names."""
        return self.folder / Path(name).expanduser()

    @property
    def source(self) -> Path | None:
        """The file that is masked; None where the records came from a frame."""
        named = self.section("source").get("file")
        return None if named is None else self.file(named)

    @property
    def inputs(self) -> list[Path]:
        """The files that a run reads: the source, those beside it, and that of the plan itself."""
        return self._named + ([self.folder / self.where.file] if self.where.file else [])

    @property
    def _named(self) -> list[Path]:
        return [self.file(name) for name in read_files(self.document)]

    @property
    def outputs(self) -> dict[str, Path]:
        """The files that a run writes, in order; the ledger is always written, and last."""
        named = {"masked": "masked.csv", **self.section("outputs")}
        named.setdefault("ledger", str(Path(named["masked"]).with_suffix(".ledger.json")))
        return {name: self.file(named[name]) for name in FILES if name in named}

    @functools.cached_property
    def criterion(self) -> list[Any]:
        """The criteria that must hold."""
        given = self.section("criterion")
        return criteria.built(given, self.folder) if given else []

    @functools.cached_property
    def hierarchies(self) -> dict[str, Any]:
        """The hierarchies of the keys."""
        return self._built(self.section("hierarchies"))

    def _built(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: built(one, self.folder) for name, one in given.items()}

    @functools.cached_property
    def measures(self) -> dict[str, dict[str, Any]]:
        """The measures of a release, with their arguments as Python has them."""
        return measures.loaded(self.section("measures"), self.folder)

    # -- what it does --------------------------------------------------------------------------

    def open(self) -> Any:
        """The source with its roles and types; every column that the plan names must be there."""
        if self.source is None:
            at: At = ("source",)
            what, remedy = "names no file.", 'Save the records, and write file = "survey.parquet".'
            raise_all([self.where.problem(at, "P32", what, remedy)])
        try:
            data = ds.read(self.source, **self._said())
        except DiscreetError as error:
            problems = self._located(error)
        else:
            problems = column_problems(
                self.document, data.columns, data.name, self.where, data.has_names
            )
        raise_all(problems)
        return data

    def _said(self) -> dict[str, Any]:
        options = {name: v for name, v in self.section("source").items() if name != "file"}
        return {**options, **self.section("roles"), "types": self.section("types")}

    def _located(self, error: DiscreetError) -> list[Problem]:
        """What reading said, with the lines of the columns that are not there."""
        absent = source_problems(self.document, self.source, self.where)
        others = [p for p in error.problems if not (absent and p.code == "R01")]
        return [*absent, *self.where.all(("source",), others)]

    def mask(self, data: Any = None) -> Any:
        """The masked microdata, not written; ``data`` is the source where it is open already."""
        opened = self.open() if data is None else data
        seeded = self.with_seeds()
        for number in range(len(self.section("steps"))):
            opened = seeded.step(opened, number).masked
        return opened

    def step(self, data: Any, number: int) -> Done:
        """Carry out one step of the plan; what is wrong says on which line it stands."""
        step = self.section("steps")[number]
        try:
            return self._step(data, step)
        except DiscreetError as error:
            if self.where.file:
                raise_all(self._in_step(number, error.problems))
            raise

    def _in_step(self, number: int, problems: Iterable[Problem]) -> list[Problem]:
        """Problems of a step, with its line where the plan has a file."""
        of = self.section("steps")[number]["do"]
        return self.where.all(("steps", number), problems, of) if self.where.file else [*problems]

    def _step(self, data: Any, step: Mapping[str, Any]) -> Done:
        own, criterion = step.get("hierarchies"), step.get("criterion")
        given = SharedByPlan(
            self.hierarchies if own is None else self._built(own),
            self.criterion if criterion is None else criteria.built(criterion, self.folder),
        )
        return done(data, step, given, self.folder)

    def with_seeds(self, ledger: Ledger | None = None) -> Plan:
        """The plan with a seed in every step that draws at random: a ledger's, or a new one."""
        steps = self.section("steps")
        known = ledger.seeds(len(steps)) if ledger is not None else [None] * len(steps)
        seeded = [with_seed(step, seed) for step, seed in zip(steps, known, strict=True)]
        return replace(
            self, document={**self.document, "steps": seeded} if steps else self.document
        )

    def with_reasons(self, reasons: Mapping[str, str]) -> Plan:
        """The plan with more reasons why columns that make many records unique may be public."""
        if not reasons:
            return self
        outputs = self.section("outputs")
        written = {**outputs.get("unique_columns", {}), **reasons}
        document = {**self.document, "outputs": {**outputs, "unique_columns": written}}
        raise_all(document_problems(document, self.where, self.folder))
        return replace(self, document=document)

    @property
    def is_public(self) -> bool:
        """Whether it makes a public release: a report or an extract of the ledger to publish."""
        return any(name in self.outputs for name in PUBLIC)

    def on(self, source: str | os.PathLike[str]) -> Plan:
        """The same plan for another file."""
        named = {**self.section("source"), "file": str(Path(source).absolute())}
        return replace(self, document={**self.document, "source": named})

    def rehearse(self, *, overwrite: bool = False) -> Any:
        """All that can be checked without the work: the plan, its source, its outputs.

        Returns the source, opened.
        """
        problems = ready_problems(self, overwrite=overwrite)
        try:
            data = self.open()
        except DiscreetError as error:
            raise_all([*problems, *error.problems])
        outputs = self.section("outputs")
        found = data.write_problems(
            self.outputs["masked"],
            overwrite=True,  # the places have been looked at
            identifiers=outputs.get("identifiers", ()),
            escape_formulas=outputs.get("escape_formulas", False),
        )
        others = [p for p in found if p.code not in ("O01", "O02", "O03")]
        problems += self.where.all(("outputs",), others)
        for number, step in enumerate(steps_on_source(self.section("steps"))):
            problems += self._in_step(number, unfit_problems(step, data))
        raise_all(problems)
        return data

    def run(self, *, overwrite: bool = False, ledger: Ledger | None = None) -> Release:
        """Do all of it: mask, check, measure, and write the outputs.

        The outputs appear together, whole or not at all; where the criterion does not hold,
        nothing is written.

        Parameters
        ----------
        overwrite : bool
            Replace outputs that exist.
        ledger : Ledger, optional
            Of an earlier run, whose seeds are taken where the plan gives none.
        """
        return run(self, overwrite=overwrite, ledger=ledger)

    # -- how it is shown -----------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The sections as plain values."""
        return copy.deepcopy(dict(self.document))

    def to_toml(self) -> str:
        """The plan as TOML, always the same text; it names its schema, for editors."""
        document, notes = dict(self.document), dict(self.notes)
        if self.source is None:
            missing = 'file = "…": the records came from a frame; save them and name the file.'
            document, notes = {"source": {}, **document}, {("source",): missing, **notes}
        return _SCHEMA + to_toml(document, notes)

    def to_python(self) -> str:
        """The same steps as a Python script, to be run in the folder of the plan."""
        return script(self)

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the plan; files are named relative to their new folder."""
        if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".toml":
            fail("O01", "a plan is written to a .toml file.", "Change the ending.")
        target = Path(path)
        text = self.moved(target.absolute().parent).to_toml()
        write_text(target, text, overwrite=overwrite, inputs=self._named)

    @staticmethod
    def files_in(document: Mapping[str, Any]) -> list[str]:
        """The files that the sections of a plan name to be read, in order; none is opened.

        Parameters
        ----------
        document
            The sections of a plan, as :meth:`to_dict` gives them.

        Examples
        --------
        >>> import discreet as ds
        >>> job = {"file": "job.csv"}
        >>> ds.Plan.files_in({"source": {"file": "survey.csv"}, "hierarchies": {"job": job}})
        ['survey.csv', 'job.csv']
        """
        return list(dict.fromkeys(read_files(document)))

    @staticmethod
    def with_files(document: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
        """Sections of a plan with other names of its files; those without one keep theirs.

        Parameters
        ----------
        document
            The sections of a plan, as :meth:`to_dict` gives them.
        called
            New names by old ones.

        Examples
        --------
        >>> import discreet as ds
        >>> ds.Plan.with_files({"source": {"file": "../survey.csv"}}, {"../survey.csv": "s.csv"})
        {'source': {'file': 's.csv'}}
        """
        return with_files(document, lambda name: called.get(name, name))

    def moved(self, folder: Path) -> Plan:
        """The same plan for another folder."""
        return replace(self, document=moved(self.document, self.folder, folder), folder=folder)

    def explain(self) -> str:
        """Source, roles, steps, criterion, measures and outputs, a line each; no label, no code."""
        roles = self.section("roles")
        named = [
            f"{role.replace('_', ' ')} {listed([given] if isinstance(given, str) else given)}"
            for role in ROLES
            if (given := roles.get(role))
        ]
        source = self.source.name if self.source else "a frame"
        lines = [f"Read {source}{': ' if named else ''}{'; '.join(named)}."]
        lines += [f"{i}. {said(step)}." for i, step in enumerate(self.section("steps"), 1)]
        if self.criterion:
            lines.append(f"Must hold: {' and '.join(c.describe() for c in self.criterion)}.")
        if self.section("measures"):
            lines.append(f"Measure {listed(self.section('measures'), 20)}.")
        lines.append(f"Write {', '.join(place.name for place in self.outputs.values())}.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        done = ", then ".join(step["do"] for step in self.section("steps")) or "no step"
        return f"Plan for {self.source.name if self.source else 'a frame'}: {done}"


def _checked(document: dict[str, Any], folder: Path, where: Where) -> Plan:
    problems = document_problems(document, where, folder)
    if problems:  # then also say which columns are not there, so that all is said at once
        named = document.get("source")
        file = named.get("file") if isinstance(named, Mapping) else None
        if isinstance(file, str):
            problems += source_problems(document, folder / Path(file).expanduser(), where)
    raise_all(where.in_order(problems))
    return Plan(document, folder, where)


def source_problems(
    document: Mapping[str, Any], source: Path | None, where: Where
) -> list[Problem]:
    """The columns that a source lacks; none where it cannot be read at all."""
    given = document.get("source", {})
    options = {n: given[n] for n in FORMAT if n in given and SOURCE[n].fits(given[n])}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReadHint)  # a run, which reads it in full, tells them
            data = ds.read(source, **options)
    except (DiscreetError, TypeError):
        return []
    return column_problems(document, data.columns, data.name, where, data.has_names)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError:
        what = "S03", f"{file.name} cannot be opened.", "Check its permissions."
    except UnicodeDecodeError:
        what = "S05", f"{file.name} is not text in UTF-8.", "Save it as UTF-8."
    fail(*what)


def _parsed(text: str, name: str) -> dict[str, Any]:
    """The document; what the reader says of a mistake may quote the file, which may be data."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = f"{name}:{line[1]}" if line else f"the end of {name}"
    except RecursionError:
        where = name
    remedy = 'Correct the line: key = "text", key = 5, key = ["a", "b"] or [section].'
    fail("S20", f"{where} cannot be read as TOML.", remedy)


def said(step: Mapping[str, Any]) -> str:
    """A step with its parameters; a seed is named, not shown."""
    known = method_of(step).parameters
    inner = {"do", *(name for name, p in known.items() if p.shared or p.holds_values)}
    seeds = {name for name, p in known.items() if p.is_seed}
    parts = [
        "with a seed" if name in seeds else _part(name, value)
        for name, value in step.items()
        if name not in inner
    ]
    return f"{step['do']}{': ' if parts else ''}{', '.join(parts)}"


def _part(name: str, value: Any) -> str:
    if isinstance(value, list):
        return f"{name} {listed(map(str, value))}"
    if isinstance(value, Mapping):
        return f"{name} {', '.join(f'{key} {level}' for key, level in value.items())}"
    return f"{name} {value}"

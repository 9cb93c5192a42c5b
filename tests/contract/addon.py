"""A package from outside, as its authors would write it: one masking method, one criterion and two
measures, built into a wheel and installed into a folder of its own."""

import contextlib
import importlib
import subprocess
import sys
import zipfile

from discreet import registry
from tests import conftest

NAME, VERSION = "tenfold_sdc", "1.2"
SOURCE = '''
"""Round to tens; no value too frequent; how many cells changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Ge, Interval

from discreet.criteria.criterion import Criterion, chosen_attributes
from discreet.criteria.kind import criterion
from discreet.masking.method import masked_with, masking, records_of
from discreet.measures import FigureKind, measure
from discreet.parameters import Columns, Doc as _Doc, Label, Public, Vary


@masking(
    title="Rounding to tens",
    done="rounded",
    about="Numbers are rounded to a multiple of a base.",
    noun="tens",
    example="--columns income --base 100",
)
def to_tens(
    data,
    columns: Annotated[Sequence[str], Columns(), Doc("Numbers to round."), Public],
    base: Annotated[int, Ge(1), Doc("The base."), Label("Base"), Public, Vary(10, 100)] = 10,
    hidden: Annotated[int, Ge(0), Doc("Nobody marked this one public.")] = 7,
):
    table = records_of(data, columns)
    made = {c: pc.multiply(pc.round(pc.divide(table[c].cast("float64"), base)), base) for c in columns}
    return masked_with(
        data, made, method="to_tens",
        parameters={"columns": list(columns), "base": base, "hidden": hidden},
    )


@criterion(title="value share", about="No confidential value fills a class.", key="value_share")
@dataclass(frozen=True)
class ValueShare(Criterion):
    share: Annotated[float, Interval(gt=0, le=1), Doc("Largest share."), Label("share"), Public, Vary(0.9)]
    confidential: Annotated[tuple[str, ...] | None, Columns(), Doc("The attributes.")] = None

    def needs_values(self, confidential):
        return chosen_attributes(self.confidential, confidential, "a value share")

    def failing(self, classes):
        found = {}
        for name in self.needs_values(tuple(classes.values)):
            values = classes.values[name]
            _, counts, rank = values.descending()
            most = values.per_class(np.zeros(len(values.count)))
            cls, counts, rank = values.descending()
            most = np.bincount(cls, np.where(rank == 0, counts, 0), values.classes)
            found[name] = most > self.share * values.size
        return found

    def describe(self):
        return f"no value in more than {self.share:g} of a class"


@dataclass(frozen=True)
class Changed:
    share: float
    kinds: str = "SECRET"  # no number: it gets nowhere

    def to_dict(self):
        return {"share": self.share, "inside": 1}

    def explain(self):
        return f"{self.share:.0%} of the numbers changed."


@measure(
    title="Changed numbers", about="The share of numbers that changed.", side="loss",
    figures={"share": "share of the numbers that changed", "kinds": "no number at all"},
    public=("share",),
)
def changed_numbers(
    initial, masked, *, on=None,
    column: Annotated[str, Columns(), Doc("The numbers."), Label("Column")] = "income",
):
    before, after = (records_of(d, [column])[column].cast("float64") for d in (initial, masked))
    return Changed(float(pc.mean(pc.cast(pc.not_equal(before, after), "float64")).as_py()))


@dataclass(frozen=True)
class Spread:
    spread: float

    def to_dict(self):
        return {"spread": self.spread}

    def explain(self):
        return "A spread."


@measure(
    title="Spread", about="How far numbers are apart.", side="risk", of="file",
    figures={"spread": FigureKind("spread of the numbers", lower_is_better=False)},
)
def spread_of(data, column: Annotated[str, Columns(), Doc("The numbers."), Label("Column")]):
    numbers = records_of(data, [column])[column].to_pylist()
    return Spread(float(np.std([float(number) for number in numbers])))  # quotes what is no number
'''
POINTS = f"""
[discreet.maskings]
to_tens = {NAME}:to_tens

[discreet.criteria]
ValueShare = {NAME}:ValueShare

[discreet.measures]
changed_numbers = {NAME}:changed_numbers
spread_of = {NAME}:spread_of
"""


def wheel(folder, name=NAME, version=VERSION, points=POINTS, source=SOURCE):
    """A wheel of the package."""
    info = f"{name}-{version}.dist-info"
    file = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(f"{name}.py", source)
        made.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/entry_points.txt", points)
        made.writestr(f"{info}/RECORD", "")
    return file


def install(folder, **more):
    """Install it into a folder, which is then put on the path."""
    target = folder / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
               "--disable-pip-version-check", "--target", str(target), str(wheel(folder, **more))]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return target


@contextlib.contextmanager
def added(folder, name, points, source):
    """A package that this process has as long as the context lasts; its name may have a dash."""
    info = folder / f"{name}-9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 9.9\n")
    (info / "entry_points.txt").write_text(points)
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    sys.path.insert(0, str(folder))
    _forget()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(module, None)
        _forget()


def _forget():
    """Have the registries look again."""
    importlib.invalidate_caches()
    conftest._validator.cache_clear()
    for cached in vars(registry).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()


HEAD = """
from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa
from annotated_doc import Doc
from annotated_types import Ge

from discreet.criteria.criterion import Criterion
from discreet.criteria.kind import criterion
from discreet.data.attributes import names
from discreet.errors import raise_all
from discreet.masking.method import masked_with, masking, records_of
from discreet.measures import measure
from discreet.parameters import (
    ColumnFacts, Columns, Label, Public, Seed, Unfit, parameters_of, problems_of,
)

Chosen = Annotated[Sequence[str] | str, Columns(), Label("Columns"), Doc("Columns."), Public]
Size = Annotated[int, Ge(1), Label("Size"), Doc("Least size."), Public]

"""


def a_masking(name, body, more=""):
    """The source of a masking method whose body is given."""
    return f'''
@masking(title="{name}", done="done", about="{name}.")
def {name}(data, columns: Chosen{more}):
    """It masks."""
    chosen = names(columns)
    cells = records_of(data, chosen)[chosen[0]].to_pylist()
    {body}
'''


def a_criterion(name, body, key="", more=""):
    """The source of a criterion that fails as given."""
    return f'''
@criterion(title="{name}", about="{name}.", key="{key or name.lower()}")
@dataclass(frozen=True)
class {name}(Criterion):
    """It must hold."""

    size: Size

    def failing(self, classes):
        {body}

    def describe(self):
        return "{name} holds"
{more}
'''


def a_measure(name, body, more=""):
    """The source of a measure of one file whose figures are given."""
    return f'''
@dataclass(frozen=True)
class Of{name}:
    a: object
    b: object

    def explain(self):
        return "It is."

    def to_dict(self):
        return {{"a": self.a, "b": self.b}}


@measure(title="{name}", about="{name}.", side="risk", of="file", figures={{"a": "a", "b": "b"}})
def {name}(data{more}):
    """It measures."""
    {body}
'''

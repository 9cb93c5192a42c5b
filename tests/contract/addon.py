"""A package from outside, as its authors would write it: one masking method, one criterion and two
measures, built into a wheel and installed into a folder of its own."""

import subprocess
import sys
import zipfile

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

"""Dates: day → month → quarter → year → decade."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import argument, fail
from discreet.hierarchies.placement import DistinctValues, Placement, placed, present
from discreet.hierarchies.texts import is_text, local_times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Ints


Part = Literal["day", "month", "quarter", "year", "decade"]
PARTS: tuple[Part, ...] = get_args(Part)
_ISO = r"^\d{4}-\d{2}-\d{2}([T ].*)?$"

# each part as one number that orders and identifies it, and the label of that number
_NUMBER: dict[Part, Callable[[Ints, Ints, Ints], Ints]] = {
    "day": lambda y, m, d: y * 10_000 + m * 100 + d,
    "month": lambda y, m, _: y * 100 + m,
    "quarter": lambda y, m, _: y * 10 + (m + 2) // 3,
    "year": lambda y, _m, _d: y,
    "decade": lambda y, _m, _d: y // 10,
}
_LABEL: dict[Part, Callable[[int], str]] = {
    "day": lambda n: f"{n // 10_000:04d}-{n // 100 % 100:02d}-{n % 100:02d}",
    "month": lambda n: f"{n // 100:04d}-{n % 100:02d}",
    "quarter": lambda n: f"{n // 10:04d}-Q{n % 10}",
    "year": lambda n: f"{n:04d}",
    "decade": lambda n: f"{n * 10:04d}s",
}


@dataclass(frozen=True, repr=False)
class Dates:
    """Parts of the calendar from level 1 on, finest first."""

    parts: tuple[Part, ...]
    top: str | None

    @classmethod
    def of(cls, parts: Sequence[Any], top: str | None) -> Dates:
        """Check the parts: known, finest first, each once."""
        given = (parts,) if isinstance(parts, str) else tuple(parts)
        if not given or list(given) != [part for part in PARTS if part in given]:
            fail(
                "P24",
                "the levels of dates are not parts of the calendar, finest first.",
                f"Choose among {', '.join(PARTS)}, in this order.",
            )
        return cls(given, top)

    @property
    def height(self) -> int:
        """Number of levels above the dates."""
        return len(self.parts) + (self.top is not None)

    def describe(self) -> str:
        """The parts."""
        return f"dates by {', '.join(self.parts)}" + (f", then {self.top}" if self.top else "")

    def to_dict(self) -> dict[str, Any]:
        """The parts."""
        return {"dates": list(self.parts), "top": self.top}

    def place(self, values: DistinctValues) -> Placement:
        """Read year, month and day, and label the parts."""
        days = _days(values.attribute, values.array)
        known = present(days)
        ymd = [
            part(days).fill_null(1).to_numpy(zero_copy_only=False)
            for part in (pc.year, pc.month, pc.day)
        ]
        labels = [_labels(part, _NUMBER[part](*ymd), known) for part in self.parts]
        problem = values.problem(
            ~known & values.there,
            "D21",
            "written as a date, YYYY-MM-DD.",
            f"If they are dates in another form, say so with {argument('date_format')} when the "
            f"file is read. If they mean missing, name them in {argument('missing_values')}.",
        )
        return placed(labels, self.top, known, problem)


def _labels(part: Part, number: Ints, known: NDArray[np.bool_]) -> pa.Array:
    found, where = np.unique(number, return_inverse=True)
    names = pa.array([_LABEL[part](int(n)) for n in found], pa.string())
    return names.take(pa.array(where, mask=~known))


def _days(attribute: str, values: pa.Array) -> pa.Array:
    """Dates or local times; null where a text is not a date."""
    if pa.types.is_timestamp(values.type):
        return local_times(values)
    if pa.types.is_date(values.type) or pa.types.is_null(values.type):
        return values.cast(pa.date32())
    if is_text(values.type):
        return _read(values.cast(pa.string()))
    fail(
        "D22",
        f"{attribute!r} is stored neither as dates nor as text.",
        "Convert it to dates, or use another hierarchy.",
    )


def _read(texts: pa.Array) -> pa.Array:
    """ISO texts as dates. The reader takes 31 February for 2 March: the day must come back."""
    texts = pc.if_else(pc.match_substring_regex(texts, _ISO), texts, None)
    first = pc.utf8_slice_codeunits(texts, 0, 10)
    read = pc.strptime(first, format="%Y-%m-%d", unit="s", error_is_null=True)
    same = pc.equal(pc.day(read), pc.utf8_slice_codeunits(texts, 8, 10).cast(pa.int64()))
    return pc.if_else(same, read, None)

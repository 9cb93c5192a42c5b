"""Transitions: with which probabilities the categories of a column became others, and what follows.

The table of the initial file is estimated from a masked one by T̂ = R⁻ᵀ T′ (Gouweleeuw, Kooiman,
Willenborg & de Wolf 1998), with a standard error. The chance that a released category is the true
one, and the ε of local differential privacy, say what the matrix protects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.errors import fail
from discreet.frames import FrameKind, told_apart
from discreet.kernels.arrays import Floats, Ints
from discreet.results import Result
from discreet.words import counted

_SINGULAR = 1e12


@dataclass(frozen=True, eq=False, repr=False)
class Transition(Result):
    """With which probabilities the categories of a column became others.

    Attributes
    ----------
    column : str
    categories : tuple
        The values, in their order: rows and columns of the matrix. A missing value is none.
    matrix : array
        R: in row i and column j the probability that category i became j; with strata, over all of
        them. Its rows add up to 1, and the expected counts of the categories are what they were.
    by : tuple of str
        The columns of the strata.
    strata : table or None
        The values of the strata, one row each.
    matrices : array
        The same for each stratum: stratum, row, column. A category that does not occur in a stratum
        stays what it is.
    counts, released : array
        How many records of each stratum had each category before, and have it now.
    exact : bool
        Whether so many records of each category were exchanged, and not each at random.
    posterior : array
        Per category, the chance that a record released with it had it before.
    epsilon : float or None
        Of local differential privacy: the largest logarithm of how much likelier a category is
        released from one than from another; None where a transition is impossible.
    not_applicable : mapping
        Why a figure is None.
    earlier : bool
        Whether values of the column had been changed at random before: all figures are of this step
        alone, and what is estimated are the counts before it.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"edu": ["low"] * 50 + ["mid"] * 30 + ["top"] * 20}, keys=["edu"])
    >>> found = ds.pram(survey, ["edu"], keep=0.8, seed=1).transition("edu")
    >>> found.categories, found.matrix.diagonal().round(4).tolist()
    (('low', 'mid', 'top'), [0.875, 0.825, 0.8])
    """

    column: str
    categories: tuple[Any, ...]
    by: tuple[str, ...]
    strata: pa.Table | None
    matrices: Floats
    counts: Ints
    released: Ints
    exact: bool
    kind: FrameKind
    earlier: bool = False

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        """As a numpy array: the matrix."""
        return np.array(self.matrix, dtype=dtype)

    @property
    def matrix(self) -> Floats:
        """The probabilities over the whole file."""
        if len(self.matrices) == 1:
            return self.matrices[0]
        flows = (self.counts[:, :, None] * self.matrices).sum(axis=0)
        return np.array(flows / self.counts.sum(axis=0)[:, None])

    @property
    def least(self) -> float:
        """The least diagonal, of all strata: the least probability with which a value stays."""
        return float(self._diagonals().min())

    @property
    def certain(self) -> int:
        """How many records have a category that never becomes another one."""
        return int(self.counts[self.matrices.diagonal(axis1=1, axis2=2) == 1].sum())

    def _diagonals(self) -> Floats:
        """Those of the categories that occur in a stratum."""
        return self.matrices.diagonal(axis1=1, axis2=2)[self.counts > 0]

    @property
    def posterior(self) -> Floats:
        """P(x = i | x′ = i) = R_ii p_i / p′_i, p′ being what is expected of the released file."""
        sizes = self.counts.sum(axis=0)
        return np.array(self.matrix.diagonal() * sizes / (sizes @ self.matrix))

    @property
    def epsilon(self) -> float | None:
        """Max ln(R_ij / R_kj), over all strata."""
        if "epsilon" in self.not_applicable:
            return None
        found = 0.0
        for matrix, there in zip(self.matrices, self.counts > 0, strict=True):
            if there.any():  # else all of the stratum are missing
                logs = np.log(matrix[np.ix_(there, there)])
                found = max(found, float((logs.max(axis=0) - logs.min(axis=0)).max()))
        return found

    @property
    def not_applicable(self) -> dict[str, str]:
        """Why a figure is None."""
        if self.exact:
            return {
                "epsilon": "so many records of each category were exchanged, and not at random."
            }
        held = self.counts > 0
        pairs = held[:, :, None] & held[:, None, :]
        if ((self.matrices > 0) | ~pairs).all():
            return {}
        return {"epsilon": "some categories never become others."}

    def estimate(self, counts: Mapping[Any, float] | Sequence[float] | Any = None) -> TableEstimate:
        """Estimate the counts of the categories in the initial file from those in a masked one.

        Parameters
        ----------
        counts : mapping of category to number, or list of numbers, optional
            Numbers of masked records by category: of the released file when not given, else of a
            part of it that was chosen by other columns. In the order of the categories; with strata
            a row for each of them. A category that is not named has none.

        Returns
        -------
        TableEstimate
            ``.values`` and their ``.standard_errors``.

        Examples
        --------
        >>> import discreet as ds
        >>> survey = ds.read({"edu": ["low"] * 50 + ["mid"] * 30 + ["top"] * 20}, keys=["edu"])
        >>> found = ds.pram(survey, ["edu"], keep=0.8, seed=1).transition("edu")
        >>> found.estimate([12, 30, 8]).values.round(2).tolist()
        [7.67, 35.0, 7.33]

        References
        ----------
        - Gouweleeuw, Kooiman, Willenborg, de Wolf (1998), *Post randomisation for statistical
          disclosure control: theory and implementation*. Journal of Official Statistics 14 (4).
        """
        if self.exact and counts is None:  # no count changed
            total = self.released.sum(axis=0).astype(np.float64)
            return TableEstimate(
                self.column, self.categories, total, 0 * total, self.exact, self.kind
            )
        given = self.released if counts is None else self._given(counts)
        values = np.zeros(len(self.categories))
        spread = np.zeros((len(values), len(values)))
        for own, matrix in zip(given, self.matrices, strict=True):
            if np.linalg.cond(matrix) > _SINGULAR:
                what = f"the matrix of {self.column!r} cannot be inverted: too little was kept."
                fail("N18", what, "Keep more, so that most values stay as they are.")
            back = np.linalg.inv(matrix).T
            found = back @ own
            values += found
            spread += back @ self._variance(matrix, np.maximum(found, 0)) @ back.T
        errors = np.sqrt(np.maximum(spread.diagonal(), 0))
        return TableEstimate(self.column, self.categories, values, errors, self.exact, self.kind)

    def _variance(self, matrix: Floats, counts: Floats) -> Floats:
        """Σ_i T_i (diag R_i − R_i R_iᵀ): of what is released, given what was there."""
        return np.diag(counts @ matrix) - np.einsum("i,ij,ik->jk", counts, matrix, matrix)

    def _given(self, counts: Any) -> Floats:
        if isinstance(counts, Mapping):
            known = {*self.categories, None}  # a missing value is no category
            unknown = sum(bool(number) for at, number in counts.items() if at not in known)
            if unknown:
                what = f"the counts name {counted(unknown, 'category')} that {self.column!r} does "
                fail("P09", f"{what}not have.", "Give them as the column holds them.")
            counts = [counts.get(category, 0) for category in self.categories]
        found = np.array(counts, dtype=np.float64)
        found = found[None] if found.ndim == 1 else found
        if found.shape != self.counts.shape:
            rows, columns = self.counts.shape
            what = f"the counts are not {counted(columns, 'number')} in {counted(rows, 'row')}."
            fail("P09", what, "Give one for each category, in a row for each stratum.")
        return found

    def explain(self) -> str:
        """The figures in a few sentences, without a value."""
        diagonals, strata = self._diagonals(), len(self.matrices)
        within = f" in {counted(strata, 'stratum')}" if self.by else ""
        lines = [
            f"{self.column!r} has {len(self.categories):,} categories{within}; a value stays with "
            f"probability {diagonals.min():.4g} to {diagonals.max():.4g}.",
            f"A released category is the true one with probability {self.posterior.min():.4g} to "
            f"{self.posterior.max():.4g}.",
        ]
        if self.exact:
            lines.append("As many records left each category as came to it: no count changed.")
        else:
            lines.append("The expected count of every category stays the same.")
        epsilon = self.epsilon
        if epsilon is not None:
            lines.append(
                f"All changes are possible: local differential privacy, ε = {epsilon:.4g}."
            )
        else:
            lines.append(f"It has no ε: {self.not_applicable['epsilon']}")
        if self.earlier:
            lines.append(
                f"{self.column!r} had been changed at random before: this is the last step alone, "
                "and estimates are of the counts before it."
            )
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """The matrix with its categories on both sides, a block for each stratum (shows values)."""
        size, strata = len(self.categories), len(self.matrices)
        columns: dict[str, Any] = {}
        for name in self.by:
            assert self.strata is not None
            columns[name] = self.strata.column(name).take(pa.array(np.repeat(range(strata), size)))
        columns[self.column] = pa.array([*self.categories] * strata)
        rows = self.matrices.reshape(-1, size)
        names = [str(one) for one in self.categories]
        arrays = [*columns.values(), *(pa.array(rows[:, j]) for j in range(size))]
        from discreet import frames

        made = pa.Table.from_arrays(arrays, names=told_apart([*columns, *names]))
        return frames.from_arrow(made, kind or self.kind)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values, without categories."""
        return {
            "column": self.column,
            "categories": len(self.categories),
            "strata": len(self.matrices) if self.by else None,
            "least_diagonal": self.least,
            "certain": self.certain,
            "least_posterior": float(self.posterior.min()),
            "epsilon": self.epsilon,
            "exact": self.exact,
            **({"earlier": True} if self.earlier else {}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TableEstimate(Result):
    """Counts of the initial file, estimated from masked ones.

    Attributes
    ----------
    column : str
        The column whose categories became others.
    categories : tuple
        Its values, in their order.
    values, standard_errors : array
        In the order of the categories. The error is that of the random changes alone.
    exact : bool
        Whether whole numbers of records were exchanged, see :class:`Transition`.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"edu": ["low"] * 50 + ["mid"] * 30 + ["top"] * 20}, keys=["edu"])
    >>> found = ds.pram(survey, ["edu"], keep=0.8, seed=1).transition("edu").estimate([50, 30, 20])
    >>> found.values.round(6).tolist(), found.standard_errors.round(2).tolist()
    ([50.0, 30.0, 20.0], [4.41, 4.04, 3.53])
    """

    column: str
    categories: tuple[Any, ...]
    values: Floats
    standard_errors: Floats
    exact: bool
    kind: FrameKind
    shown = ("column", "values", "standard_errors")  # without categories

    def explain(self) -> str:
        """In a sentence, without a value."""
        return (
            f"The counts of {len(self.categories):,} categories of {self.column!r} before the "
            f"changes, with standard errors up to {self.standard_errors.max():.4g}."
        )

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per category (shows values)."""
        columns = [*self.categories], self.values, self.standard_errors
        names = told_apart([self.column, "count", "error"])
        return self._frame(dict(zip(names, columns, strict=True)), kind)


@dataclass(frozen=True, repr=False)
class PostRandomization(Result):
    """What post-randomization did.

    Attributes
    ----------
    transitions : mapping of column to Transition
    changed : mapping of column to int
        How many values are others now.
    least : float
        The least diagonal of all matrices.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"edu": ["low"] * 50 + ["mid"] * 30 + ["top"] * 20}, keys=["edu"])
    >>> found = ds.pram(survey, ["edu"], keep=0.75, exact=True, seed=1).outcome
    >>> found.changed, found.least
    ({'edu': 20}, 0.75)
    """

    transitions: Mapping[str, Transition]
    changed: Mapping[str, int]
    n: int
    kind: FrameKind

    @property
    def least(self) -> float:
        """The least diagonal of all matrices."""
        return min(one.least for one in self.transitions.values())

    def explain(self) -> str:
        """A sentence for each column."""
        return "\n".join(
            f"{self.changed[name]:,} of {self.n:,} values of {name!r} changed; a value stays with "
            f"probability {one.least:.4g} or more.{_certain(one)}"
            for name, one in self.transitions.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: {**one.to_dict(), "changed": self.changed[name]}
                for name, one in self.transitions.items()}  # fmt: skip


def _certain(one: Transition) -> str:
    """What is released as it was, though others change."""
    if not one.certain or one.least == 1:
        return ""
    have = "has" if one.certain == 1 else "have"
    return f" {counted(one.certain, 'record')} {have} a category that no other is exchanged with."

"""Which measures of loss apply to a masking: those that see everything it changed.

A measure that looks at some of the changed attributes only, or at values that were left as they
were while records were left out, would make a masking look cheaper than it is. It does not apply,
and has no value: 0 would read as "nothing was lost".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import listed
from discreet.words import counted

OF_NUMBERS = (
    "il1", "il2", "il3", "il4", "il5", "il",
    "pil_q", "pil_m1", "pil_m2", "pil_m11", "pil_r", "pil", "sse_ratio", "il1s", "eigenvalues",
)  # fmt: skip
OF_NAMES = ("dist", "ctbil", "actbil")
OF_NODES = ("loss", "precision_loss", "entropy")
OF_CLASSES = ("discernibility", "average_class_size")
_RELATED = {
    "il1": "original value other than 0",
    "il2": "mean other than 0",
    "il3": "variance",
    "sse_ratio": "variance",
    "il1s": "variance",
}
_OF_PAIRS = {
    "il4": "covariance",
    "il5": "correlation",
    "pil_m11": "covariance",
    "pil_r": "correlation",
}


@dataclass(frozen=True)
class Change:
    """What a masking did to the attributes in scope, as far as measures must see it.

    Attributes
    ----------
    names : tuple of str
        The attributes in scope.
    changed : tuple of str
        Those that differ in some released record.
    continuous, categorical : tuple of str
        Those that are compared as numbers and as names.
    labels : tuple of str
        Categorical ones whose masked values stand for some, and are not compared as names.
    gaps : tuple of str
        Those with a value that is missing in one file only.
    steps : tuple of str
        Those with an ordinal scale.
    keys : tuple of str
    blind : tuple of str
        Numbers of which bits do not see the change.
    missing : int
        Initial records that are not released.
    """

    names: tuple[str, ...]
    changed: tuple[str, ...]
    continuous: tuple[str, ...]
    categorical: tuple[str, ...]
    labels: tuple[str, ...]
    gaps: tuple[str, ...]
    steps: tuple[str, ...]
    keys: tuple[str, ...]
    blind: tuple[str, ...]
    missing: int

    @property
    def is_none(self) -> bool:
        """Whether everything is as it was."""
        return not self.changed and not self.missing

    def of_numbers(self) -> str:
        """Why measures of numbers do not apply; empty when they do."""
        if not self.continuous:
            return "none of the attributes compared is a number in both files."
        gaps = [name for name in self.continuous if name in self.gaps]
        if gaps and not self._beyond(self.continuous):
            return f"values of {listed(gaps)} are missing in one file only: they have no distance."
        return self._covers(self.continuous, "compares numbers only")

    def of_names(self) -> str:
        """Why measures of names do not apply; empty when they do."""
        if not self.categorical:
            return "no nominal or ordinal attribute can be compared by its values."
        return self._covers(self.categorical, "compares categories only")

    def of_steps(self) -> str:
        """Why steps on ordinal scales do not apply."""
        gaps = [name for name in self.steps if name in self.gaps]
        what = (
            f"values of {listed(gaps)} are missing in one file only: no number of steps lies "
            f"between them."
        )
        return what if gaps else ""

    def of_distributions(self) -> str:
        """Why distances of distributions do not apply."""
        seen = (*self.continuous, *self.categorical)
        if not seen:
            return "no attribute has values of one kind in both files."
        return self._covers(seen, "compares attributes that were not recoded")

    def of_entropy(self) -> str:
        """Why the bits of nominal and ordinal values do not apply."""
        seen = (*self.categorical, *self.labels)
        if not seen:
            return "no attribute is nominal or ordinal."
        return self._covers(seen, "looks at nominal and ordinal attributes only")

    def of_bits(self, seen: Collection[str]) -> str:
        """Why the bits of these attributes do not apply; empty when they do."""
        blind = [name for name in self.blind if name in seen]
        what = (
            f"most changed values of {listed(blind)} are in one record alone, as after noise, so "
            "that no bits would count as lost."
        )
        return what if blind else ""

    def of_keys(self) -> str:
        """Why a measure of the keys does not apply."""
        absent = [key for key in self.keys if key not in self.names]
        if absent:
            return (
                f"it looks at all keys, and {listed(absent)} {_is(absent)} not among those named."
            )
        return self._unseen(self.keys, "looks at the keys only")

    def _beyond(self, seen: Collection[str]) -> list[str]:
        return [name for name in self.changed if name not in seen]

    def _unseen(self, seen: Collection[str], what: str) -> str:
        beyond = self._beyond(seen)
        if not beyond:
            return ""
        too = "" if beyond == list(self.changed) else " too"
        was = _is(beyond, "was")
        return f"{listed(beyond)} {was} changed{too}, and this measure {what}."

    def _covers(self, seen: Collection[str], what: str) -> str:
        """Why a measure of values does not see it all: changed ones, or records left out."""
        if self.changed or not self.missing:
            return self._unseen(seen, what)
        gone = counted(self.missing, "record")
        return f"no value was changed, and this measure does not count the {gone} left out."


def undefined(
    change: Change, losses: Mapping[str, Mapping[str, float | None]], unseen: Sequence[str]
) -> dict[str, str]:
    """Why single measures of numbers have no value though numbers are compared.

    ``losses`` are those of each attribute, ``unseen`` those that were changed in incomplete records
    only.
    """
    if unseen:
        what = (
            f"{listed(unseen)} {_is(unseen, 'was')} changed only in records where a "
            "number is missing."
        )
        return dict.fromkeys(OF_NUMBERS, what)
    found = {}
    changed = [name for name in change.continuous if name in change.changed]
    for measure, what in _RELATED.items():
        if without := [name for name in changed if losses[name][measure] is None]:
            found[measure] = (
                f"{listed(without)} {_has(without)} no {what} to compare a change with."
            )
    if len(change.continuous) < 2:
        found |= {m: f"a {what} needs two numbers." for m, what in _OF_PAIRS.items()}
    if "il1s" in found:  # what has no variance has no part in the eigenvalues either
        found["eigenvalues"] = found["il1s"]
    bare = [n for n in changed if all(losses[n][m] is None for m in ("il1", "il2", "il3"))]
    if bare:
        found["il"] = f"{listed(bare)} {_has(bare)} nothing to compare a change with."
    return found


def _is(names: Sequence[str], word: str = "is") -> str:
    return word if len(names) == 1 else {"is": "are", "was": "were"}[word]


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"

"""The ledger of a release: what was done, with which parameters, digests and figures.

It lies beside the masked file as JSON and holds no cell value. An intruder who has it learns
the seeds and can tell by the digest whether a file is the original: it is for internal use. The
public extract has neither.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import Problem, fail, raise_all
from discreet.files import existing, write_text
from discreet.plan import measures
from discreet.plan.entries import without
from discreet.plan.steps import seed_in
from discreet.plan.verification import Verification, compared, verify
from discreet.registry import maskings
from discreet.registry import measures as known_measures
from discreet.results import Result
from discreet.words import counted

FORMAT = 1
_MEASURED = ("risk", "disclosure_risk", "information_loss")  # of every release
_SECTIONS = ("discreet", "plan", "outputs", "steps", "records")  # of the extract, too
_OF_RUN = (
    *("engine", "versions", "inputs", "check", *_MEASURED),
    *("not_measured", "unchanged", "plan_file"),
)
_SECRET = ("seed", "sha256", "file")  # of the plan: a digest of few labels can be guessed


@dataclass(frozen=True, eq=False, repr=False)
class Ledger(Result):
    r"""What was done. Written by a run of a plan, read by ``.read``.

    Attributes
    ----------
    document : mapping
        The entries, as plain values.
    folder : Path
        Where it lies.

    Examples
    --------
    >>> import discreet as ds, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
    >>> steps = [{"do": "sample", "n": 3, "seed": 1}]
    >>> plan = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, folder)
    >>> ledger = plan.run().ledger
    >>> print(ledger.explain())
    masked.csv: 3 of 4 records, by discreet 0.1.0.
    1. sample: 4 records before, 3 after.
    >>> ledger.seeds(1), "seed" in ledger.public().document["plan"]["steps"][0]
    ([1], False)
    """

    document: Mapping[str, Any]
    folder: Path

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Ledger:
        r"""Read a ledger, or its public extract.

        Examples
        --------
        >>> import discreet as ds, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
        >>> steps = [{"do": "sample", "n": 3, "seed": 1}]
        >>> plan = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, folder)
        >>> _ = plan.run()
        >>> ds.Ledger.read(folder / "masked.ledger.json").document["records"]
        {'before': 4, 'after': 3}
        """
        file = existing(path, "Give the name of a ledger, a .json file.")
        problem = Problem("S21", f"{file.name} is not a ledger.", "Give one that a run wrote.")
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            document = None
        raise_all([] if _is_ledger(document) else [problem])
        return cls(document, file.absolute().parent)

    @property
    def is_public(self) -> bool:
        """Whether this is the extract for publication."""
        return bool(self.document.get("public", False))

    def seeds(self, steps: int) -> list[int | None]:
        """The seed of each step; None for one that draws nothing at random."""
        known = self.document["plan"].get("steps", [])
        if self.is_public or len(known) != steps:
            what = (
                "has no seeds"
                if self.is_public
                else f"is of {counted(len(known), 'step')}, not {steps}"
            )
            fail("P35", f"the ledger {what}.", "Give the ledger that a run of this plan wrote.")
        return [seed_in(step) for step in known]

    def output(self, role: str) -> Mapping[str, Any]:
        """The entry of an output: its file, size, digest."""
        found = (one for one in self.document["outputs"] if one["role"] == role)
        return next(found, {})

    def verify(
        self,
        masked: str | os.PathLike[str],
        *,
        initial: str | os.PathLike[str] | None = None,
        plan: str | os.PathLike[str] | None = None,
    ) -> Verification:
        """Recompute digests, figures and the criterion of a masked file, and compare them.

        Parameters
        ----------
        masked : path
            The masked file.
        initial : path, optional
            The original: its digest is compared, and the plan is run again on it.
        plan : path, optional
            The plan; by default the one that the ledger names, if it is still there and the same.
        """
        places = [None if p is None else Path(p) for p in (masked, initial, plan)]
        assert places[0] is not None
        return verify(self, places[0], places[1], places[2])

    def compare(self, other: Ledger) -> Verification:
        """Whether another run gave the same files and records, by their digests."""
        return compared(self, other)

    def public(self) -> Ledger:
        """The extract for publication: no seed, no digest and no name of the original, of the
        disclosure risk only what it comes to, of the loss no details by attribute.
        """
        known, plan = self.document, self.document["plan"]
        roles = plan.get("roles", {})
        kept = {
            "source": {n: v for n, v in plan.get("source", {}).items() if n == "missing"},
            "roles": {n: roles[n] for n in ("keys", "confidential", "weight") if n in roles},
            "criterion": plan.get("criterion"),
            "steps": [_published(step, step) for step in plan.get("steps", [])],
        }
        measured = measures.published(known.get("measures", {}))
        kept |= {"measures": measures.published_arguments(plan.get("measures", {}), measured)}
        outputs = [one for one in known["outputs"] if one["role"] in ("masked", "public_report")]
        shown = {
            "ledger": FORMAT,
            "public": True,
            "discreet": known["discreet"],
            "packages": known.get("packages"),
            "date": str(known.get("started", ""))[:10],
            "plan": without(_SECRET, {n: v for n, v in kept.items() if v}),
            "outputs": outputs,
            "steps": [_published_entry(step) for step in known["steps"]],
            "records": known["records"],
            "check": without(("computed_from",), known.get("check")),
            **{name: _published_figures(name, known.get(name)) for name in _MEASURED},
            "unchanged": self._unchanged_names(),
            "measures": measured or None,
        }
        return Ledger({n: v for n, v in shown.items() if v is not None}, self.folder)

    def _unchanged_names(self) -> dict[str, Any] | None:
        """What left as it was, by name and role: how many are unique helps who has no file."""
        known = self.document.get("unchanged")
        return known and {
            "released": known["released"],
            "columns": [{n: one[n] for n in ("column", "role")} for one in known["columns"]],
        }

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return copy.deepcopy(dict(self.document))

    def to_json(self) -> str:
        """As a JSON text."""
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write it as a .json file."""
        if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".json":
            fail("O01", "a ledger is written to a .json file.", "Change the ending.")
        write_text(Path(path), self.to_json(), overwrite=overwrite)

    def explain(self) -> str:
        """What was done, a line each."""
        known, records = self.document, self.document["records"]
        lines = [
            f"{self.output('masked').get('file', 'masked')}: {records['after']:,} of "
            f"{records['before']:,} records, by discreet {known['discreet']}."
        ]
        lines += [
            f"{i}. {step['do']}: {step['records']['before']:,} records before, "
            f"{step['records']['after']:,} after."
            for i, step in enumerate(known["steps"], 1)
        ]
        return "\n".join(lines)


def _is_ledger(document: Any) -> bool:
    """Whether all is there that a run writes, the masked file among its outputs."""
    if not isinstance(document, Mapping) or document.get("ledger") != FORMAT:
        return False
    needed = _SECTIONS if document.get("public") else (*_SECTIONS, *_OF_RUN)
    if any(name not in document for name in needed):
        return False
    files = [*document["outputs"], *document.get("inputs", ())]
    tables = {
        ("role", "file", "sha256"): files,
        ("do", "records"): document["steps"],
        ("before", "after"): [document["records"]],
        (): [document[n] for n in ("plan", "versions", "measures") if n in document],
    }
    complete = all(
        isinstance(one, Mapping) and one.keys() >= set(keys)
        for keys, several in tables.items()
        for one in several
    )
    return complete and any(one["role"] == "masked" for one in document["outputs"])


def _published_figures(name: str, found: Any) -> dict[str, Any] | None:
    """What everybody may know of a measure; None where it was not taken."""
    return None if found is None else known_measures[name].published(found)


def _published(step: Mapping[str, Any], recorded: Mapping[str, Any]) -> dict[str, Any]:
    """A step with what everybody may know of it; nothing of a method that is not here."""
    known = maskings[step["do"]].published(recorded) if step["do"] in maskings else {}
    return {"do": step["do"], **known}


def _published_entry(step: Mapping[str, Any]) -> dict[str, Any]:
    shown = _published(step, step.get("parameters", {}))
    name = shown.pop("do")
    return {"do": name, "parameters": shown, "records": step["records"]}

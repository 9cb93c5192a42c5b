"""The R-U map of a file: every masking measured by its risk and its loss.

Section 3.2 of Domingo-Ferrer & Torra (2005); Duncan, Keller-McNulty & Stokes (2001). A single score
hides the trade-off that the data owner has to make; the map shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.data import attributes
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import Problem, fail, raise_all
from discreet.measures import asked_problems
from discreet.parameters import whole_number
from discreet.registry import maskings
from discreet.results import Provenance
from discreet.rumap.axes import Given, MapAxis, loss_axis, risk_axis
from discreet.rumap.recipes import AsItIs, Recipe
from discreet.rumap.result import RUMap
from discreet.rumap.runs import Axes, Masking, point_of, require_axes, run

if TYPE_CHECKING:
    from discreet.risks.weights import Weights

    Item = Masked | Recipe | Callable[[Microdata], Microdata]


def ru_map(
    data: Microdata,
    maskings: Sequence[Item | tuple[str, Item]] | Mapping[str, Item],
    *,
    risk: str | Weights | Given = "maximal",
    loss: str | Given = "ebil_share",
    measures: Mapping[str, Mapping[str, Any]] | None = None,
    with_score: bool = False,
    on: str | None = None,
    workers: int | None = None,
) -> RUMap:
    """Measure risk and loss of many maskings of one file, to choose among them.

    Parameters
    ----------
    data : Microdata
        The initial file, with its keys named.
    maskings : list, or mapping of label to masking
        Masked microdata, recipes (:func:`grid`), functions that mask, or pairs of a label and one
        of these. Files masked elsewhere need ``on=``.
    risk : str, Weights or function
        ``"maximal"`` (DR_max), ``"minimal"``, ``"compatible"``, ``"highest"`` (1/k), ``"linkage"``,
        ``"interval"``; a figure of any measure, ``"record_risk.mean"``; weights for DR_W; or a
        function of the initial and the masked file.
    loss : str or function
        Any measure of :func:`information_loss`, a figure of any other one,
        ``"regression_loss.largest_change"``, or a function. By default ``"ebil_share"``, the share
        of the information in the keys that is lost, from 0 to 1: it is there for every masking that
        changes keys only. A measure that applies to none of the maskings is refused.
    measures : mapping of measure to arguments, optional
        Of the measures whose figures are axes: ``{"regression_loss": {"formula": "y ~ x"}}``.
    with_score : bool
        Put the parts of :func:`score` beside, where there are continuous keys.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    workers : int, optional
        Maskings at the same time; two at most by default. The map does not depend on it.

    Returns
    -------
    RUMap
        ``.points``, ``.frontier``, ``.best(risk_at_most=0.05).masked``, ``.table()``, ``.chart()``.
        A masking that fails, or that a measure does not apply to, is a point that says why.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "income"])
    >>> found = ds.ru_map(survey, ds.grid(methods=["mdav"], k=[3, 10]))
    >>> found.best(risk_at_most=0.2).label
    'mdav k=10'

    References
    ----------
    - Duncan, Keller-McNulty, Stokes (2001), *Disclosure risk vs. data utility: the R-U
      confidentiality map*.
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): section 3.2.
    """
    if not isinstance(data, Microdata):
        fail("P09", "the first argument is not microdata.", "Open it with ds.read(…) first.")
    data.need_keys()
    items = _items(maskings)
    asked = measures or {}
    sides = [risk_axis(risk, asked), loss_axis(loss, asked)]
    on = attributes.name(on, "on")
    problems = [found for found in items if isinstance(found, Problem)]
    problems += [one for found in sides if isinstance(found, list) for one in found]
    problems += asked_problems(asked)
    problems += whole_number("workers", workers, 1) if workers is not None else []
    raise_all(list(dict.fromkeys(problems)))
    chosen = _numbered([item for item in items if isinstance(item, Masking)])
    by_risk, by_loss = (found for found in sides if isinstance(found, MapAxis))
    initial = data.initial if isinstance(data, Masked) else data
    axes = Axes(data, initial, by_risk, by_loss, with_score, on)
    points = run(chosen, axes, workers)
    require_axes(points, axes)
    start = AsItIs()
    unmasked = point_of(Masking(start.label, start.method, {}, start.run), replace(axes, on=None))
    return RUMap(
        tuple(points),
        unmasked,
        (by_risk.name, by_risk.meaning),
        (by_loss.name, by_loss.meaning),
        Provenance.of(data),
        data.source.kind,
    )


def _items(given: Any) -> list[Masking | Problem]:
    pairs: Iterable[Any] = given.items() if isinstance(given, Mapping) else given
    if isinstance(given, str | Microdata) or not isinstance(pairs, Iterable):
        what = "the maskings are no list."
        return [Problem("P53", what, "Give maskings, or recipes from ds.grid(…), in a list.")]
    found = [_item(item, number) for number, item in enumerate(pairs, 1)]
    if not found:
        return [Problem("P53", "no masking is given.", "Give some, or recipes from ds.grid(…).")]
    return found


def _item(item: Any, number: int) -> Masking | Problem:
    label: str | None = None
    masking = item
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
        label, masking = item
    if isinstance(masking, Microdata):
        return _given(label, masking, number)
    if isinstance(masking, Recipe):
        parameters = masking.to_dict()
        method = parameters.pop("method", masking.method)
        return Masking(label or masking.label, method, parameters, masking.run)
    if callable(masking):
        own = str(getattr(masking, "__name__", "<"))
        name = label or (f"function {number}" if own.startswith("<") else own)
        return Masking(name, "function", {}, masking, ours=False)
    what = f"number {number} of the maskings is neither masked microdata, a recipe nor a function."
    return Problem("P53", what, "Give for example ds.microaggregate(data, k=5), or ds.grid(…).")


def _given(label: str | None, masked: Microdata, number: int) -> Masking:
    """A file that is masked already: its steps say how, where it was made here."""
    steps = masked.steps if isinstance(masked, Masked) else ()
    method = ", then ".join(_method(step.method, step.parameters) for step in steps) or "elsewhere"
    parameters = {"steps": [step.to_dict() for step in steps]} if steps else {}
    size = steps[-1].parameters.get("k") if steps else None
    usual = f"{method} k={size}" if size else method if steps else f"masked file {number}"
    return Masking(label or usual, method, parameters, lambda _: masked, given=True)


def _method(name: str, parameters: Mapping[str, Any]) -> str:
    """A step in the words of the recipes."""
    return str(maskings[name].word(parameters)) if name in maskings else name


def _numbered(maskings: list[Masking]) -> list[Masking]:
    """Labels that tell the maskings apart: a second one of the same name is (2)."""
    seen: Counter[str] = Counter()
    found = []
    for masking in maskings:
        seen[masking.label] += 1
        again = seen[masking.label]
        found.append(
            masking if again == 1 else replace(masking, label=f"{masking.label} ({again})")
        )
    return found

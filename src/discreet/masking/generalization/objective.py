"""The objective of a search: the loss that is minimised, of all nodes at once or of a single one.

What each loss measures is defined in `discreet.loss.generalization`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.loss.generalization import precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.generalization.figures import Swept
    from discreet.masking.generalization.nodes import NodeClasses, NodeCounter


def swept_objective(swept: Swept) -> NDArray[np.float64]:
    """Per node, the objective, with the classes suppressed that fail."""
    task, k, p = swept.sweeps.task, swept.k, swept.suppressed_for
    n = task.keys.n
    if task.loss == "iyengar":
        return swept.loss
    if task.loss == "entropy":
        return swept.sweeps.entropy_for_distinct(p).iyengar(k, p)
    if task.loss == "discernibility":
        return swept.sweep.discernibility(k, p).astype(float)
    if task.loss == "average-class-size":
        left = n - swept.suppressed
        return np.where(swept.classes > 0, left / np.maximum(swept.classes, 1), float(n))
    if task.loss == "height":
        return task.lattice.heights.astype(float)
    grid = np.stack(np.unravel_index(np.arange(task.lattice.nodes), task.lattice.levels))
    heights = [r.height for r in task.recodings]
    return np.asarray(precision(list(grid), heights, swept.suppressed, n))


def counted_objective(
    counter: NodeCounter, classes: NodeClasses, levels: tuple[int, ...], iyengar: float
) -> float:
    """The objective of a node that was counted in full."""
    task, n = counter.task, counter.task.keys.n
    if task.loss == "entropy":
        return counter.loss(classes, levels, task.entropies)
    if task.loss == "discernibility":
        kept = classes.size[~classes.failing].astype(float)
        return float((kept**2).sum()) + n * classes.suppressed
    if task.loss == "average-class-size":
        return (n - classes.suppressed) / classes.classes if classes.classes else float(n)
    if task.loss == "height":
        return float(sum(levels))
    if task.loss == "precision":
        return float(precision(levels, counter.heights, classes.suppressed, n))
    return iyengar

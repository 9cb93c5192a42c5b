"""Omission: records that are left out where that lowers the price most."""

from __future__ import annotations

from discreet.kernels.compilation import inner, njit
from discreet.kernels.local_recoding.assignment import Assignment, drop
from discreet.kernels.local_recoding.instance import Instance, varied
from discreet.kernels.local_recoding.leftovers import drop_all
from discreet.kernels.local_recoding.moves import saved


@njit(cache=True, nogil=True)
def omit(at: Instance, now: Assignment, most: int, cost: float) -> None:
    """Leave out at most so many records, each at a cost times its weight.

    Step by step the piece, of a class that has enough without it, or the whole class that saves
    most per record, as long as it saves anything.
    """
    while most > 0:
        best, of_class, most_saved = -1, -1, 1e-12
        for c in range(len(now.classes)):
            own = now.classes[c]
            whole, piece = own.weight * own.cost, own.first
            while piece >= 0:
                one = now.pieces[piece]
                paid = one.records * at.items[one.of].weight * (cost + _own_cost(at, one.of))
                whole -= paid
                enough = one.records <= most and own.records - one.records >= at.k
                if enough and varied(at, now.pieces, own.first, piece):
                    each = (saved(at, now, c, piece) - paid) / one.records
                    if each > most_saved:
                        best, of_class, most_saved = piece, c, each
                piece = one.after
            if 0 < own.records <= most and whole / own.records > most_saved:
                best, of_class, most_saved = -1, c, whole / own.records
        if of_class < 0:
            return
        if best >= 0:
            most -= now.pieces[best].records
            drop(at, now, best)
        else:
            most -= now.classes[of_class].records
            drop_all(at, now, of_class)


@inner
def _own_cost(at: Instance, i: int) -> float:
    """What an item costs as it is."""
    total = 0.0
    for a in range(at.codes.shape[1]):
        total += at.tree[at.codes[i, a]].cost
    return total

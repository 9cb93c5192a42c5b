"""Omission: records that are left out where that lowers the price most."""

from __future__ import annotations

from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.assignment import Assignment, drop, varied
from discreet.kernels.local_recoding.instance import Instance
from discreet.kernels.local_recoding.leftovers import drop_all
from discreet.kernels.local_recoding.moves import saved


@njit(cache=True, nogil=True)
def omit(at: Instance, now: Assignment, most: int, cost: float) -> None:
    """Leave out at most so many records, each at a cost times its weight.

    Step by step the piece, of a class that has enough without it, or the whole class that saves
    most per record, as long as it saves anything.
    """
    own = at.cost[at.codes.ravel()].reshape(at.codes.shape).sum(axis=1)
    while most > 0:
        best, of_class, most_saved = -1, -1, 1e-12
        for c in range(len(now.size)):
            whole = now.weight[c] * now.cost[c]
            piece = now.first[c]
            while piece >= 0:
                count, i = now.records[piece], now.item[piece]
                paid = count * at.weight[i] * (cost + own[i])
                whole -= paid
                if count <= most and now.size[c] - count >= at.k and varied(at, now, c, piece):
                    each = (saved(at, now, c, piece) - paid) / count
                    if each > most_saved:
                        best, of_class, most_saved = piece, c, each
                piece = now.after[piece]
            if 0 < now.size[c] <= most and whole / now.size[c] > most_saved:
                best, of_class, most_saved = -1, c, whole / now.size[c]
        if of_class < 0:
            return
        if best >= 0:
            most -= now.records[best]
            drop(at, now, best)
        else:
            most -= now.size[of_class]
            drop_all(at, now, of_class)

"""Destroy and repair: neighbouring classes are broken up and put together anew, then searched
locally; what is not cheaper is taken back (large neighbourhood search, Shaw 1998)."""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.assignment import Assignment, move, rise
from discreet.kernels.local_recoding.instance import Instance
from discreet.kernels.local_recoding.leftovers import settle
from discreet.kernels.local_recoding.moves import improve

_LEAST = 1e-9  # a gain below this share of the price is rounding
_SWEEPS = 10  # of the local search after a repair


def twin(now: Assignment) -> Assignment:
    """A copy, to go back to."""
    return Assignment(*(array.copy() for array in now))  # type: ignore[arg-type]


@njit(cache=True, nogil=True)
def price(now: Assignment) -> float:
    """The price of all classes, with what the items cost as they are."""
    return (now.weight * now.cost).sum()


@njit(cache=True, nogil=True)
def shaken(
    at: Instance, now: Assignment, kept: Assignment, centres: Ints, near: int, salt: int
) -> int:
    """Break up some classes, each with those nearest to it; how often the price fell.

    `kept` is a copy of `now`. In which order they are put together depends on the salt.
    """
    gains = 0
    for c in centres:
        if now.size[c] == 0 or now.cost[c] == 0:
            continue
        _copy(now, kept)
        _break_up(at, now, _neighbours(at, now, c, near))
        settle(at, now, True, (c * 31 + salt) % len(now.size))
        for _ in range(_SWEEPS):
            if not improve(at, now):
                break
        if price(now) < price(kept) * (1 - _LEAST) and now.size.sum() == kept.size.sum():
            gains += 1
        else:
            _copy(kept, now)
    return gains


@njit(cache=True, nogil=True)
def _neighbours(at: Instance, now: Assignment, c: int, near: int) -> Ints:
    """A class and those that cost something and would cost least more together with it."""
    more = np.full(len(now.size), np.inf)
    for other in range(len(now.size)):
        if now.size[other] > 0 and now.cost[other] > 0:
            more[other] = rise(at, now, other, now.node[c], now.fixed[c], now.weight[c], np.inf)
    more[c] = -1.0
    nearest = np.argsort(more, kind="mergesort")[:near]
    return nearest[more[nearest] < np.inf]


@njit(cache=True, nogil=True)
def _break_up(at: Instance, now: Assignment, classes: Ints) -> None:
    """Every piece of some classes becomes a class of its own, as far as there is room."""
    empty = 0
    for c in classes:
        while now.first[c] >= 0 and now.after[now.first[c]] >= 0:
            while empty < len(now.size) and now.first[empty] >= 0:
                empty += 1
            if empty == len(now.size):
                return
            move(at, now, now.first[c], now.records[now.first[c]], empty)


@njit(cache=True, nogil=True)
def _copy(source: Assignment, target: Assignment) -> None:
    _copy_array(source.item, target.item)
    _copy_array(source.records, target.records)
    _copy_array(source.owner, target.owner)
    _copy_array(source.after, target.after)
    _copy_array(source.before, target.before)
    _copy_array(source.free, target.free)
    _copy_array(source.first, target.first)
    _copy_array(source.size, target.size)
    _copy_array(source.weight, target.weight)
    _copy_array(source.cost, target.cost)
    _copy_array(source.node.ravel(), target.node.ravel())
    _copy_array(source.fixed.ravel(), target.fixed.ravel())
    _copy_array(source.touched, target.touched)
    _copy_array(source.shelf, target.shelf)
    _copy_array(source.shelf_first, target.shelf_first)
    _copy_array(source.shelf_after, target.shelf_after)
    _copy_array(source.shelf_before, target.shelf_before)


@njit(cache=True, nogil=True)
def _copy_array(source, target):  # type: ignore[no-untyped-def]
    for i in range(len(source)):
        target[i] = source[i]

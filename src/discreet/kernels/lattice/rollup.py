"""Classes of records packed into one array, and their roll-up by one level.

A *class* is the set of records that agree on every key attribute at the levels
of a node.  A set of classes is one array of records (`class_dtype`):

- `key`    the level codes of the key attributes, one bit field each, in as many
           64-bit words as they need; no field straddles two words;
- `share`  the loss shares of these codes, summed over the attributes;
- `count`  the records of the class, split over the cells of the attributes that
           are counted inside the class (see `sweep`); where a population is counted too,
           its people in the upper half of each number and the records in the lower one;
- `mask`   one bit per value of a confidential attribute that occurs in the cell.

The number of words, cells and masks is part of the dtype, so Numba compiles the
loops over them away, and keys of any width run through the same lines.  How often each
confidential value occurs stands beside, a row of amounts per class (see `amounts`).

Rolling up adds a number to one field of each key and merges equal keys by open
addressing.  Classes keep the order in which they first appear; hence the result is
deterministic, and a set may be rolled up into its own array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats
from discreet.kernels.compilation import njit, shared

Words = NDArray[np.uint64]
Classes = NDArray[np.void]

u64 = np.uint64
GOLDEN = u64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Fibonacci hashing
_STAMPS = u64(2**32)
_ROOMY = 2**16  # up to here a table four times the set still lies in the L2 cache
_PART = 2**13  # classes merged at a time, where their order allows


class LevelStep(NamedTuple):
    """One attribute, one level up: what to add to a key and to a share, by present code.

    `major` is the lowest bit of the attribute by whose codes the classes are in order.
    """

    word: int
    shift: np.uint64
    mask: np.uint64
    delta: Words
    gain: Floats
    major: np.uint64


def class_dtype(
    words: int, cells: int, records: int, masks: Sequence[Words], wide: bool
) -> np.dtype[Any]:
    """Return the dtype of a class, as narrow as its content: it decides memory and speed.

    `wide` masks hold any content.
    """
    count = np.int32 if records < 2**31 else np.int64  # 2**31 with people above the records
    values = max((int(np.bitwise_or.reduce(mask)) for mask in masks), default=0)
    mask = np.dtype(np.uint64) if wide else np.min_scalar_type(values)
    return np.dtype(
        [
            ("key", np.uint64, (words,)),
            ("share", np.float64),
            ("count", count, (cells,)),
            ("mask", mask, (len(masks), cells)),
        ]
    )


def hash_table(size: int) -> NDArray[np.uint32]:
    """Return an empty table that serves every set of up to `size` classes."""
    return np.zeros(1 << max(table_bits(size), table_bits(min(size, _ROOMY))), np.uint32)


@shared
def table_bits(size: int) -> int:
    """Return the address bits used for a set: at least half of the table stays free."""
    wanted = 4 * size if size <= _ROOMY else 2 * size
    bits = 1
    while (1 << bits) < wanted:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def roll(
    source: Classes,
    size: int,
    target: Classes,
    step: LevelStep,
    table: NDArray[np.uint32],
    stamp: np.uint64,
    place: NDArray[np.uint32] | None,
) -> np.int64:
    """Roll the first `size` classes of `source` up by one step; return their number.

    `target` may be `source`: a class never moves back beyond the one being read.
    A table entry is `stamp` + position in `target`; smaller entries are leftovers of
    earlier calls and mean "free", so the table need not be cleared in between: the next
    call takes `fresh_stamp` of `stamp` + the number returned.  `place`, if it is asked
    for, gets the position in `target` of each class of `source`.
    """
    found = begin = np.int64(0)
    while begin < size:
        end = _part_end(source, begin, size, step)
        found = _roll_part(source, begin, end, target, found, step, table, stamp, place)
        begin = end
    return found


@njit(cache=True, nogil=True)
def _part_end(source: Classes, begin: int, size: int, step: LevelStep) -> int:
    """Return where a part may end: after `_PART` classes, before another major code.

    Classes stay in the order of their major codes, so no two parts have one in common:
    each is small enough to be merged in the cache, with a table of its own size.
    """
    end = min(begin + _PART, size)
    while end < size and _major(source[end - 1], step) == _major(source[end], step):
        end += 1
    return end


@njit(cache=True, nogil=True)
def _major(cls: Any, step: LevelStep) -> np.uint64:
    """Return the major code after the step."""
    word = len(cls.key) - 1
    key = cls.key[word]
    if word == step.word:
        key += step.delta[(key >> step.shift) & step.mask]
    major: np.uint64 = key >> step.major
    return major


@njit(cache=True, nogil=True)
def _roll_part(  # noqa: C901
    source: Classes,
    begin: int,
    end: int,
    target: Classes,
    before: int,
    step: LevelStep,
    table: NDArray[np.uint32],
    stamp: np.uint64,
    place: NDArray[np.uint32] | None,
) -> int:
    """Roll up one part, behind the `before` classes made of the parts ahead of it."""
    bits = table_bits(end - begin)
    down = u64(64 - bits)
    last = u64((1 << bits) - 1)
    free = stamp + u64(before)
    found = u64(before)
    for i in range(u64(begin), u64(end)):
        old = source[i]
        code = (old.key[step.word] >> step.shift) & step.mask
        share = old.share + step.gain[code]
        new = target[found]
        slot = u64(0)
        for w in range(len(old.key)):
            word = old.key[w]
            if w == step.word:
                word += step.delta[code]
            new.key[w] = word
            slot = (slot ^ word ^ (word >> u64(32))) * GOLDEN
        slot >>= down
        # The candidate already stands at `found`, so "free" and "equal" are one test,
        # and whether the class is new is never branched upon.
        while True:
            entry = table[slot]
            at = u64(entry - stamp) if entry >= free else found
            equal = True
            for w in range(len(old.key)):
                equal &= target[at].key[w] == new.key[w]
            if equal:
                break
            slot = (slot + u64(1)) & last
        table[slot] = stamp + at
        first = at == found
        cls = target[at]
        for c in range(len(old.count)):
            cls.count[c] = old.count[c] + (0 if first else cls.count[c])
        for a in range(old.mask.shape[0]):
            for c in range(old.mask.shape[1]):
                cls.mask[a, c] = u64(old.mask[a, c]) | (u64(0) if first else u64(cls.mask[a, c]))
        cls.share = share
        if place is not None:
            place[i] = at
        found += u64(first)
    return int(np.int64(found))


@njit(cache=True, nogil=True)
def fresh_stamp(table: NDArray[np.uint32], stamp: np.uint64, coming: int) -> np.uint64:
    """Return `stamp`, or clear the table and start over where `coming` entries would overflow."""
    if stamp + u64(coming) < _STAMPS:
        return stamp
    table[:] = 0
    return u64(1)

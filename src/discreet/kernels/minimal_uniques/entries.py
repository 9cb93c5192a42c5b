"""Entries: all that the walk needs of a tuple, in one word or a few.

From the top: the combination of the narrowest attributes, the code of each other attribute, the
narrowest first, and at the end the number of the tuple and a bit that is set where the entry stands
for more than one record or is not asked for. So tuples agree on the first attributes where the
upper parts of their words do, and no table has to be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.packing import Codes

_WORD = 64
_NONE = 2**64 - 1

Words = NDArray[np.uint64]


class Fields(NamedTuple):
    """Where the codes are. The first field holds the narrowest attributes together.

    Attributes
    ----------
    word, shift, mask : arrays
        A code is ``entry[word] >> shift & mask``.
    before, upto : arrays
        The bits of that word before a field, and with it.
    missing : array
        The code that never makes a tuple alone, or one that is too large.
    number : int
        The bits of the last word with the number of the tuple, and the bit after it.
    """

    word: Ints
    shift: Words
    mask: Words
    before: Words
    upto: Words
    missing: Words
    number: np.uint64


def fields_of(cardinalities: Sequence[int], missing: Sequence[int], tuples: int) -> Fields:
    """Places for codes below some numbers, and for the number of a tuple.

    Examples
    --------
    >>> fields = fields_of([4, 1000], [-1, 0], 300)
    >>> fields.word.tolist(), fields.shift.tolist(), int(fields.number)
    ([0, 0], [62, 52], 1023)
    """
    bits = [max(1, (int(c) - 1).bit_length()) for c in cardinalities]
    places, word, left = [], 0, _WORD
    for size in bits:
        if size > left:
            word, left = word + 1, _WORD
        places.append((word, left - size, (1 << size) - 1, 2**_WORD - (1 << left)))
        left -= size
    words, shifts, masks, before = zip(*places, strict=True)
    return Fields(
        np.array(words, np.int64),
        np.array(shifts, np.uint64),
        np.array(masks, np.uint64),
        np.array(before, np.uint64),
        np.array([b | m << s for _, s, m, b in places], np.uint64),
        np.array([_NONE if code < 0 else code for code in missing], np.uint64),
        np.uint64(2 ** (tuples.bit_length() + 1) - 1),
    )


def sorted_entries(fields: Fields, codes: Codes) -> Words:
    """The words of each tuple, (words, tuples), in their order; the number is where it stood."""
    full = fields.number > (np.uint64(1) << fields.shift[-1]) - np.uint64(1)
    entries = np.zeros((int(fields.word[-1]) + 1 + int(full), len(codes[0])), np.uint64)
    for word, shift, column in zip(fields.word, fields.shift, codes, strict=True):
        entries[word] |= column.astype(np.uint64) << shift
    entries[-1] |= np.arange(len(codes[0]), dtype=np.uint64) << np.uint64(1)
    if len(entries) > 1:
        return np.ascontiguousarray(entries[:, np.lexsort(entries[::-1])])
    entries.sort()
    return entries


def asked(entries: Words, fields: Fields, tuples: NDArray[np.intp]) -> Words:
    """Entries that are numbered as the tuples that are asked for; the last bit marks the others."""
    numbers = np.ones(entries.shape[1], np.uint64)
    numbers[tuples] = np.arange(len(tuples), dtype=np.uint64) << np.uint64(1)
    found = entries.copy()
    found[-1] &= ~fields.number
    found[-1] |= numbers[(entries[-1] & fields.number) >> np.uint64(1)]
    return found

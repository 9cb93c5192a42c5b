"""The first principal component of records: the direction in which they vary most.

Sums over the records are the same for every order of them (``summation``). The loadings are
rounded to twelve digits, so that the last bits of an eigenvector, which differ between machines,
decide nothing. Their sign is chosen: the loading of largest magnitude is positive, the first among
equals. Two standardised columns always have equal ones, up to the digits that a standard deviation
is rounded to; so magnitudes are compared by fewer digits.
"""

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.summation import row_totals, totals

_DIGITS = 12
_DIGITS_OF_SIGN = 6


def first_component(columns: Floats) -> Floats:
    """The loadings of the first principal component.

    Parameters
    ----------
    columns : array of float, shape (d, n)
        Finite; centred here, not scaled.

    Returns
    -------
    loadings : array of d numbers; those of constant columns only are (1, 0, …)

    Examples
    --------
    >>> first_component(np.array([[0.0, 1.0, 2.0], [0.0, -1.0, -2.0]])).round(4).tolist()
    [0.7071, -0.7071]
    """
    products = cross_products(columns - (row_totals(columns) / columns.shape[1])[:, None])
    if not products.any():
        return np.eye(len(columns))[0]
    largest = np.linalg.eigh(products / np.abs(products).max())[1][:, -1]
    loadings = np.round(largest, _DIGITS)
    leading = np.argmax(np.round(np.abs(loadings), _DIGITS_OF_SIGN))
    return np.asarray(loadings * np.sign(loadings[leading]))


def cross_products(columns: Floats) -> Floats:
    """The sum over the records of the product of each pair of columns, as a symmetric matrix."""
    d, n = columns.shape
    one, other = np.triu_indices(d)
    most = np.abs(columns).max(axis=1, initial=0.0)
    sums = totals(lambda at: columns[one, at] * columns[other, at], n, most[one] * most[other])
    found = np.zeros((d, d))
    found[one, other] = found[other, one] = sums
    return found


def scores(columns: Floats, loadings: Floats) -> Floats:
    """The place of each record along a component; added column by column."""
    found = np.zeros(columns.shape[1])
    for column, loading in zip(columns, loadings, strict=True):
        found += column * loading
    return found

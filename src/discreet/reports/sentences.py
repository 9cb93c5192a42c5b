"""Each measure of information loss in a plain sentence with its number."""

from __future__ import annotations

from discreet.reports.blocks import rounded

# {p} the number as a percentage, {v} as it is
_SENTENCES = {
    "il1": "On average a value changed by {p} of itself.",
    "il2": "On average the mean of an attribute changed by {p}.",
    "il3": "On average the variance of an attribute changed by {p}.",
    "il4": "On average the covariance of two attributes changed by {p}.",
    "il5": "On average a correlation changed by {v}.",
    "il": "100 times the mean of IL1 to IL5: 0 is no change.",
    "pil_q": "Loss in the quantiles from 5 % to 95 %.",
    "pil_m1": "Loss in the means.",
    "pil_m2": "Loss in the variances.",
    "pil_m11": "Loss in the covariances.",
    "pil_r": "Loss in the correlations.",
    "pil": "100 times the mean of the five losses above.",
    "sse_ratio": "The squared changes are {p} of the variation between the records.",
    "il1s": "On average a value moved by {v} standard deviations, over √2.",
    "eigenvalues": "On average an eigenvalue of the covariances changed by {p}.",
    "hellinger": "Mean distance between the frequencies before and after: 0 is equal, 1 "
    "has no value in common.",
    "dist": "Number of changed cells; an ordinal cell counts by the steps it moved.",
    "ctbil": "Sum of the differences between the contingency tables before and after.",
    "actbil": "The same difference per cell of the contingency tables.",
    "ebil": "Information that the masked values no longer hold, in bits.",
    "ebil_share": "{p} of the information in the keys, in bits, is lost.",
    "loss": "On average a value of a key now stands for {p} of all its values.",
    "precision_loss": "On average a key went {p} of the way up its hierarchy.",
    "entropy": "{p} of the information in the keys is gone.",
    "discernibility": "Sum over the records of how many look the same; a record that was "
    "left out counts n.",
    "average_class_size": "Records that look the same to an intruder: {v} on average.",
}
_SHORT = {
    "sse_ratio": "SSE/SST", "il1s": "IL1s", "eigenvalues": "eigenvalues",
    "hellinger": "Hellinger", "loss": "Iyengar's loss", "precision_loss": "precision loss",
    "dist": "Dist", "entropy": "entropy", "discernibility": "discernibility",
    "average_class_size": "average class size", "pil_q": "PIL (quantiles)", "pil_m1": "PIL (means)",
    "pil_m2": "PIL (variances)", "pil_m11": "PIL (covariances)", "pil_r": "PIL (correlations)",
    "ctbil": "CTBIL′", "actbil": "ACTBIL′", "ebil_share": "EBIL, share",
}  # fmt: skip


def short(measure: str) -> str:
    """The name of a measure as it is written in the field."""
    return _SHORT.get(measure, measure.upper())


def sentence(measure: str, value: float, meaning: str) -> str:
    """What a measure says; a measure without a sentence of its own is said by its meaning.

    Examples
    --------
    >>> sentence("sse_ratio", 0.25, "")
    'The squared changes are 25% of the variation between the records.'
    """
    plain = _SENTENCES.get(measure)
    if plain is None:
        return f"{meaning[:1].upper()}{meaning[1:]}."
    return plain.format(p=f"{rounded(100 * value, 3)}%", v=rounded(value, 3))

"""How many examples Hypothesis tries: all of them in make thorough, a tenth before a commit."""

from hypothesis import settings

THOROUGH, USUAL, LEAST = 60, 6, 4


def examples(number):
    """Settings of a test that has ``number`` examples in make thorough."""
    return settings(max_examples=max(LEAST, number * settings().max_examples // THOROUGH))

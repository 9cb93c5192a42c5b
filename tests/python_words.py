"""Words of Python: what only somebody who programs can use, and no other surface shows."""

import re

PYTHON = re.compile(r"\bds\.[A-Za-z_]|(?<![\w\])}'\"])\.[A-Za-z_]\w*\(")
_CODE = re.compile(
    r"<(pre|style|script)\b.*?</\1>", re.DOTALL
)  # as a plan is shown as lines of Python


def in_python_words(text):
    """What of a text is in words of Python, with what stands around it."""
    return [text[max(0, m.start() - 60) : m.end() + 40] for m in PYTHON.finditer(text)]


def on_the_page(text):
    """What of a page is in words of Python, but for code."""
    return in_python_words(_CODE.sub("", text))

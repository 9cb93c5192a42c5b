"""The mutants themselves: each is Python, changes one place, and leaves texts and types alone."""

import ast
import random
from pathlib import Path

from tests.mutation.__main__ import FOLDERS, PACKAGE, ROOT
from tests.mutation.mutations import mutants_of

SOURCE = '''\
"""A text."""
LIMIT = 1e-9

@cached(size=3)
def share(n: int, k: Literal[2]) -> int:
    """At least 1."""
    if n < k and not done:
        fail("P10", f"{n + 1} is too small.")
    log(n)
    return max(n - 1, 0) / k

def explain() -> int:
    return 1 + 1
'''


def changes(tmp_path):
    (tmp_path / "share.py").write_text(SOURCE)
    return [(m.line, m.before, m.after) for m in mutants_of(tmp_path, Path("share.py"))]


def test_operators_bounds_constants_and_statements_are_changed_one_at_a_time(tmp_path):
    found = changes(tmp_path)
    assert (2, "1e-09", "0.0") in [(line, f"{float(a)}", b) for line, a, b in found if line == 2]
    assert (7, "n < k", "(n <= k)") in found
    assert (7, "n < k and not done", "(n < k or not done)") in found
    assert (7, "not done", "(done)") in found
    assert (9, "log(n)", "pass") in found
    assert (10, "max(n - 1, 0)", "(min(n - 1, 0))") in found
    assert (10, "n - 1", "(n + 1)") in found
    assert (10, "max(n - 1, 0) / k", "(max(n - 1, 0) * k)") in found


def test_texts_types_decorators_and_what_only_shows_are_left_alone(tmp_path):
    changed = {line for line, _, _ in changes(tmp_path)}
    assert changed == {2, 7, 8, 9, 10}
    assert [after for line, _, after in changes(tmp_path) if line == 8] == ["pass"]


def test_mutants_of_the_package_are_python():
    files = [p for f in FOLDERS for p in sorted((ROOT / PACKAGE / f).rglob("*.py"))]
    every = [m for p in files[::4] for m in mutants_of(ROOT, p.relative_to(ROOT))]
    assert len(every) > 1000
    for mutant in random.Random(1).sample(every, 60):
        source = (ROOT / mutant.path).read_bytes()
        ast.parse(mutant.applied(source))
        assert mutant.applied(source) != source

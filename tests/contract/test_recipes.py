"""The recipes of CONTRIBUTING.md, followed as they are written, as a package of one's own."""

import os
import subprocess
import sys
import tomllib

import pytest

from tests.conftest import ROOT
from tests.unit.test_docs import blocks_of

BLOCKS = blocks_of((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
SOURCES = [block.body for block in BLOCKS if block.language == "python"]
[POINTS] = [tomllib.loads(block.body) for block in BLOCKS if block.language == "toml"]
POINTS = POINTS["project"]["entry-points"]
MODULES = [value.partition(":")[0] for group in POINTS.values() for value in group.values()]

CLI = ("-c", "from discreet.cli import command; command()")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Python in a folder with the package installed; what it prints."""
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "my_package").mkdir()
    for module, source in zip(MODULES, SOURCES, strict=True):
        (folder / f"{module.replace('.', '/')}.py").write_text(source, encoding="utf-8")
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    lines = [f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in names.items())
             for group, names in POINTS.items()]  # fmt: skip
    (info / "entry_points.txt").write_text("\n".join(lines))
    (folder / "people.csv").write_text("age,income,ill\n" + "20,10,flu\n20,90,cold\n" * 4)
    path = os.pathsep.join([str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])

    def started(*command, code=0):
        done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": path}, check=False)  # fmt: skip
        assert done.returncode == code, done.stdout[-1000:] + done.stderr[-2000:]
        return done.stdout

    return started


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_recipe_run(run, module):
    said = run("-c", f"import doctest, {module} as m; print(doctest.testmod(m))")
    assert "failed=0" in said
    assert "attempted=0" not in said


def test_what_the_recipes_add_can_be_used(run):
    assert "--limit" in run(*CLI, "cut-off", "--help")
    run(*CLI, "cut-off", "people.csv", "--keys", "age", "--columns", "income", "--limit", "50",
        "-o", "out.csv")  # fmt: skip
    given = ("people.csv", "--keys", "age", "--confidential", "ill", "--value-share")
    run(*CLI, "check", *given, "0.8")
    run(*CLI, "check", *given, "0.4", code=1)
    said = run("-c", """
import discreet as ds
data = ds.read("people.csv", keys=["age"])
print(ds.changed_cells(data, ds.cut_off(data, "income", limit=50), column="income").explain())
try:
    ds.cut_off(data, ["ill", "agee"], limit=50)
except ds.DiscreetError as error:
    print(sorted(problem.code for problem in error.problems))
""")  # fmt: skip
    assert said.splitlines() == ["50% of the values of 'income' changed.", "['D12', 'R01']"]

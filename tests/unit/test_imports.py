"""Imports: what is loaded when, and which module may know which (the import rule of the design)."""

import ast
import collections
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as ds

PACKAGE = Path(ds.__file__).parent
MODULES = {
    ".".join(["discreet", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(
        ".__init__"
    ): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
ENGINE = "discreet.engine"
# The floor plan: a part of the package imports only those that stand before it.
FLOORS = (
    *("_version", "words", "synonyms", "surface", "errors", "registry", "parameters", "measures"),
    *("progress",),
    *("files", "header", "csvfile", "frames", "formats", "results", "font", "charts"),
    *("kernels", "frequency", "hierarchies", "engine", "data", "datasets"),
    *("risks", "loss", "criteria", "masking", "rumap", "plan", "reports", "app", "cli"),
    *("__main__",),
)
# Methods of a result that lead to a floor above: said here, so that there are no more of them.
DOORS = {
    ("discreet.data.microdata", "discreet.plan.calls"),  # survey.plan()
    ("discreet.masking.found", "discreet.plan.calls"),  # found.plan()
}
MEASURES = ("criteria", "risks", "loss", "masking.generalization")
FRONTS = ("cli", "reports", "plan", "app")
# they know neither data nor measures
BENEATH = ("charts", "errors", "files", "font", "formats", "frames", "results", "surface", "words")
# Words in -ing that name a thing of the field.
NOUNS = {"masking", "missing", "sampling", "recoding", "local_recoding", "packing"}
FRAMES = {"pandas", "polars", "modin", "pyspark"}
SQL = re.compile(
    r"\b(SELECT|FROM|WHERE|JOIN|GROUP BY|ORDER BY|INSERT|UPDATE|DELETE|DROP|CREATE|VARCHAR)\b"
)
TABLE = "age,sex,illness,height\n10,M,a,1.4\n30,M,b,1.8\n20,F,a,1.75\n,F,b,-0.0\n"


# -- what is loaded when -------------------------------------------------------------------------


def loaded(code, folder="."):
    """The top-level modules loaded after running some lines in a new interpreter."""
    ask = "import sys; print(*{m.partition('.')[0] for m in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ask}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_discreet_loads_no_library():
    heavy = {"numba", "pandas", "polars", "altair", "ibis", "duckdb", "numpy", "pyarrow", "typer"}
    assert loaded("import discreet") & heavy == set()


def test_naming_a_public_function_does_not_start_the_engine():
    found = loaded("import discreet as ds; ds.read, ds.risk, ds.check, ds.KAnonymity(5)")
    assert found & {"numba", "pandas", "polars", "altair", "ibis", "duckdb"} == set()


def test_the_command_line_starts_without_the_engine():
    assert loaded("import discreet.cli") & {"numpy", "ibis", "duckdb", "pandas"} == set()


@pytest.mark.parametrize(
    "then", ["ds.risk(data)", "ds.check(data, ds.KAnonymity(2))", "repr(data)"]
)
def test_measuring_a_small_csv_file_loads_little(tmp_path, then):
    """Neither Ibis, which plans queries and loads pandas, nor what compiles or draws."""
    (tmp_path / "t.csv").write_text(TABLE)
    read = "import discreet as ds; data = ds.read('t.csv', keys=['age', 'sex'], confidential='illness')"
    found = loaded(f"{read}; {then}", tmp_path)
    assert found & {"ibis", "pandas", "numba", "polars", "altair", "vl_convert"} == set()
    assert "duckdb" in found  # the test would pass for the wrong reason if nothing was read


MASKINGS = {
    "generalize": "ds.generalize(data, {'sex': ds.Hierarchy.suppress(), 'age': ds.Hierarchy.from_csv('age.csv')}, ds.KAnonymity(2), max_suppressed=0.5).best.mask()",
    "microaggregate": "ds.microaggregate(data, ['height'], k=2)",
}


@pytest.mark.parametrize("masking", MASKINGS.values(), ids=list(MASKINGS))
def test_masking_a_small_csv_file_loads_neither_ibis_nor_pandas(tmp_path, masking):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "age.csv").write_text("10,young\n20,young\n30,old\n,old\n")
    read = "import discreet as ds; data = ds.read('t.csv', keys=['age', 'sex'], types={'height': 'continuous'})"
    assert loaded(f"{read}; {masking}", tmp_path) & {"ibis", "pandas", "polars", "altair"} == set()


# -- which module may know which -----------------------------------------------------------------


@functools.cache
def tree_of(module):
    """A module of the package, parsed."""
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imports(tree, *, typing_too=True):
    """Every module that is imported, wherever the import stands.

    ``from discreet import engine`` counts as discreet.engine, and as discreet.
    """
    skipped = set() if typing_too else {id(n) for n in typing_only(tree)}
    found = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def typing_only(tree):
    """The nodes under ``if TYPE_CHECKING:``."""
    return [
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    ]


def within(module, *packages):
    return any(module == p or module.startswith(f"{p}.") for p in packages)


def ours(found):
    """Those of the imported names that are modules of the package."""
    return {name for name in found if name in MODULES}


def outside(found):
    """Top-level names of the libraries among the imports."""
    tops = {name.partition(".")[0] for name in found}
    return tops - set(sys.stdlib_module_names) - {"discreet"}


def chosen(*parts):
    """The modules that are, or stand in, these parts of the package, with their files."""
    wanted = [f"discreet.{part}" for part in parts]
    return {m: p for m, p in MODULES.items() if within(m, *wanted)}


def those(modules, wrong):
    """What is wrong in each of the modules, where anything is."""
    found = {module: wrong(module) for module in modules}
    return {module: what for module, what in found.items() if what}


@functools.cache
def imported(module, *, typing_too=True):
    """Every module that a module of the package imports."""
    return imports(tree_of(module), typing_too=typing_too)


def docless(path):
    """The lines of a module that import at its top or in its functions, without examples."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line.lstrip() for line in lines if not line.lstrip().startswith(">>>"))


def text_constants(tree):
    """The texts of a module that are not docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def test_the_rules_below_are_about_modules_that_exist():
    assert ENGINE in MODULES
    assert all(chosen(part) for part in ("kernels", "criteria", "risks", "cli"))


def test_kernels_import_numpy_and_numba_and_other_kernels_only():
    def wrong(module):
        found = imported(module)
        solver = {"highspy"} if module.endswith(".integer_program") else set()  # decision 0021
        told = {"discreet.progress"} if module.endswith(".compilation") else set()  # takes seconds
        others = {m for m in ours(found) if not within(m, "discreet.kernels", *told)}
        return outside(found) - {"numpy", "numba", *solver} | others

    assert those(chosen("kernels"), wrong) == {}


def floor(module):
    """The part of the package that a module stands in: a folder, or a file beside the folders."""
    return module.split(".")[1]


def floors_below(module):
    """Each module of another floor that this one imports, at once or when it is needed."""
    found = ours(imported(module, typing_too=False))
    return {m for m in found if m != "discreet" and floor(m) != floor(module)}


def test_the_floor_plan_names_every_part_of_the_package_once():
    assert sorted(FLOORS) == sorted({floor(module) for module in MODULES if module != "discreet"})


def test_imports_lead_downwards_only():
    def upwards(module):
        here = FLOORS.index(floor(module))
        return {m for m in floors_below(module) if FLOORS.index(floor(m)) > here}

    found = those([m for m in MODULES if m != "discreet"], upwards)
    assert {(above, below) for above, all_below in found.items() for below in all_below} == DOORS


def test_a_front_is_known_to_the_public_names_alone():
    """Whoever uses ``ds`` inside is above all that it gives: plans, reports, the app, commands."""
    users = {floor(m) for m in MODULES if m != "discreet"
             and "discreet" in imported(m, typing_too=False)
             and "import discreet as ds\n" in docless(MODULES[m])}  # fmt: skip
    assert users <= {*FRONTS, "rumap"}


def test_modules_are_named_with_nouns():
    names = {part for module in MODULES for part in module.split(".")}
    assert {name for name in names if name.endswith("ing")} <= NOUNS


def test_no_two_classes_have_the_same_name():
    found = collections.Counter(
        node.name
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in found.items() if times > 1] == []


def test_measures_and_criteria_never_import_the_engine():
    """But for the part of a measure that works where the records are."""
    allowed = {"numpy", "pyarrow", "annotated_doc", "annotated_types"}

    def wrong(module):
        found = imported(module)
        return outside(found) - allowed | {m for m in found if within(m, ENGINE)}

    modules = [m for m in chosen(*MEASURES) if not m.endswith(".distributed")]
    assert those(modules, wrong) == {}


def test_only_the_engine_imports_ibis_or_duckdb():
    others = [m for m in MODULES if not within(m, ENGINE)]
    assert those(others, lambda m: outside(imported(m)) & {"ibis", "duckdb"}) == {}


def test_no_module_imports_a_frame_library():
    """But for the engine's Spark, which is an engine as well, and only when it is asked for."""
    found = those(MODULES, lambda module: outside(imported(module)) & FRAMES)
    assert found == {"discreet.engine.spark": {"pyspark"}}


# What methods, criteria, measures and reading say of themselves, for every surface.
DESCRIBED = (
    "data.options",
    "parameters",
    "registry",
    "masking.method",
    "criteria.kind",
    "measures",
    "hierarchies.written",
    "rumap.grid",
    "_version",
)


def test_the_command_line_reports_and_plans_use_the_public_names_only():
    plans = ("plan.criteria", "plan.suggested_hierarchies", "plan.words")
    shared = (*BENEATH, *DESCRIBED, "app", *plans, "reports")

    def wrong(module):
        allowed = [*(f"discreet.{name}" for name in shared), f"discreet.{floor(module)}"]
        found = ours(imported(module, typing_too=False)) - {"discreet"}
        return {m for m in found if not within(m, *allowed)} | used(module) - set(ds.__all__)

    def used(module):
        attributes = [n for n in ast.walk(tree_of(module)) if isinstance(n, ast.Attribute)]
        return {node.attr for node in attributes if getattr(node.value, "id", "") == "ds"}

    assert those(chosen(*FRONTS), wrong) == {}


def test_no_sql_and_no_engine_name_stands_outside_the_engine():
    def wrong(module):
        texts = text_constants(tree_of(module))
        return [t for t in texts if SQL.search(t) or "duckdb" in t.lower()]

    assert those([m for m in MODULES if not within(m, ENGINE)], wrong) == {}


@pytest.mark.parametrize(
    "source",
    [
        "from discreet import engine",
        "from discreet.engine import counts",
        "import discreet.engine as e",
        "def f():\n    from discreet import engine",
    ],
)
def test_an_import_of_the_engine_is_seen_however_it_is_written(source):
    assert any(within(m, ENGINE) for m in imports(ast.parse(source)))


def test_imports_for_typing_can_be_told_apart():
    tree = ast.parse("if TYPE_CHECKING:\n    from discreet import engine\nimport numpy")
    assert imports(tree, typing_too=False) == {"numpy"}
    assert ENGINE in imports(tree)


def test_sql_is_seen_in_a_text_but_not_in_a_docstring():
    found = text_constants(ast.parse('"""SELECT in a docstring."""\nquery = f"SELECT {x} FROM t"'))
    assert [bool(SQL.search(t)) for t in found] == [True, True]


# -- the public names ----------------------------------------------------------------------------


def test_dir_and_all_agree_and_are_sorted():
    assert sorted(dir(ds)) == sorted(ds.__all__)
    assert len(set(ds.__all__)) == len(ds.__all__)


def test_every_public_name_resolves():
    assert [name for name in ds.__all__ if getattr(ds, name) is None] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'rsik'"):
        _ = ds.rsik

"""How many small faults the tests find: ``make mutants``.

A copy of the project is changed in one place at a time, and the tests that enter the changed
function are run, the short ones first, until one fails. A mutant that none finds has survived.
Compiled kernels run as plain Python, so that a change in one is never hidden by a cache.

python -m tests.mutation                   60 mutants of each folder, drawn by a fixed seed
python -m tests.mutation --number 0        all of them
python -m tests.mutation --folder loss     those of one folder
python -m tests.mutation --before e6f5ef8  also how many the tests of that commit kill by themselves
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tests.mutation.mutations import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/discreet")
FOLDERS = ("criteria", "risks", "loss", "masking/generalization", "kernels")
# Tests of figures; those of pages, files, processes and engines do not look at a kernel.
TESTS = ("tests/papers", "tests/properties", "tests/twins", "tests/unit", "src/discreet")
LEFT_OUT = ("test_docs", "test_docs_site", "test_rebuilt", "test_report", "test_imports",
            "test_plan", "test_ledger", "test_settings", "test_progress", "test_written_files",
            "test_engine_turns", "test_rooms", "test_datasets", "test_trends", "test_schools",
            "test_suggest_roles", "test_004_ru_map", "test_003_experiment", "test_001_experiment",
            "test_002_schools", "test_csvfile", "test_reading", "test_errors", "test_003_adult",
            "test_004_trends", "test_report_parts", "test_plan_text", "test_phrasing", "test_hierarchy",
            "test_hierarchy_builders", "test_hierarchy_files")  # fmt: skip
LONGEST = 200  # seconds of processor time for the tests of one mutant: beyond, it loops
COPIED = ("src", "tests", "papers", "examples", "pyproject.toml")
LEFT = ("survived", "unreached")
EQUIVALENT = Path(__file__).parent / "equivalent.txt"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--number", type=int, default=60, help="mutants drawn per folder; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", action="append", choices=FOLDERS)
    parser.add_argument("--seconds", type=float, default=60, help="of tests, per mutant")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--before", help="a commit: what do the tests kill that it had?")
    parser.add_argument("--survey", type=Path, help="a survey kept from an earlier run")
    parser.add_argument("--output", type=Path, help="every mutant with its fate, as JSON")
    asked = parser.parse_args()

    each = {folder: _mutants(folder) for folder in asked.folder or FOLDERS}
    every = sum(map(len, each.values()))
    mutants = [m for own in each.values() for m in _drawn(own, asked.number, asked.seed)]
    random.Random(asked.seed).shuffle(mutants)  # so that a run that is ended says something of all
    excused = _excused()
    with tempfile.TemporaryDirectory(prefix="mutants-") as room:
        copies = [_copy(Path(room) / str(worker)) for worker in range(asked.workers)]
        tests = _survey(copies, asked.survey)
        _require_green(tests, copies[0])
        print(f"{len(mutants):,} of {every:,} mutants, {len(tests):,} tests", flush=True)
        older = _older(tests, asked.before) if asked.before else set(tests)
        fates = _run(mutants, tests, older, copies, asked.seconds)
    if asked.output:
        rows = [{"mutant": m.key, "line": m.line, "fate": f} for m, f in fates]
        asked.output.write_text(json.dumps(rows, indent=1))
    return _report(fates, excused, asked.before)


def _mutants(folder: str) -> list[Mutant]:
    paths = sorted((ROOT / PACKAGE / folder).rglob("*.py"))
    return [m for path in paths for m in mutants_of(ROOT, path.relative_to(ROOT))]


def _drawn(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    if not 0 < number < len(mutants):
        return mutants
    return random.Random(seed).sample(mutants, number)


def _excused() -> set[str]:
    """Mutants that change no answer: one per line, the reason in a comment above it."""
    if not EQUIVALENT.exists():
        return set()
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def _copy(target: Path) -> Path:
    target.mkdir(parents=True)
    leave = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "browser", "app")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir() and name == "src":
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.is_dir():
            shutil.copytree(source, target / name, ignore=leave)
        else:
            shutil.copy(source, target / name)
    return target


def _environment(copy: Path) -> dict[str, str]:
    data = os.environ.get("DISCREET_DATA", str(ROOT.parent / "shared" / "data"))
    return {
        **os.environ,
        "PYTHONPATH": str(copy / "src"),
        "DISCREET_DATA": data,
        "NUMBA_DISABLE_JIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=line",
           "-W", "ignore:overflow encountered:RuntimeWarning",
           "-W", "ignore:invalid value encountered:RuntimeWarning")  # fmt: skip


def _survey(copies: list[Path], kept: Path | None) -> dict[str, dict]:
    """Every test of use: its seconds and the functions it enters."""
    if kept is not None and kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    files = [f for f in _test_files() if not any(f.stem == name for name in LEFT_OUT)]
    parts = [files[i :: len(copies)] for i in range(len(copies))]
    jobs = []
    for copy, part in zip(copies, parts, strict=True):
        command = [sys.executable, "-m", "pytest", *OPTIONS, "-p", "tests.mutation.survey",
                   "--timeout=1200", *map(str, part)]  # fmt: skip
        found = copy / "survey.jsonl"
        environment = {**_environment(copy), "DISCREET_SURVEY": str(found)}
        jobs.append((found, subprocess.Popen(command, cwd=copy, env=environment,
                                             stdout=subprocess.DEVNULL)))  # fmt: skip
    tests: dict[str, dict] = {}
    for found, job in jobs:
        job.wait()
        lines = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
        tests |= {line.pop("test"): line for line in lines}
    if kept is not None:
        kept.write_text(json.dumps(tests))
    return tests


def _require_green(tests: dict[str, dict], copy: Path) -> None:
    """The tests pass where nothing is changed, or no fate would mean anything."""
    some = sorted(tests, key=lambda name: tests[name]["seconds"])[:: max(len(tests) // 40, 1)]
    if code := _tested(some[:30], copy):
        raise RuntimeError(f"the tests end with {code} although nothing was changed")


def _test_files() -> list[Path]:
    found = []
    for folder in TESTS:
        pattern = "test_*.py" if folder.startswith("tests") else "*.py"
        paths = sorted((ROOT / folder).rglob(pattern))
        found += [p.relative_to(ROOT) for p in paths if _holds_tests(p)]
    return found


def _holds_tests(path: Path) -> bool:
    return path.name.startswith("test_") or (
        ">>> " in path.read_text(encoding="utf-8")
        and any(f in path.parts for f in (*FOLDERS, "masking"))
    )


def _older(tests: dict[str, dict], commit: str) -> set[str]:
    """The tests that a commit had, by file and name; examples of the docs are older ones."""
    known: dict[str, set[str]] = {}

    def names(path: str) -> set[str]:
        shown = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=ROOT, check=False,
                               capture_output=True, text=True)  # fmt: skip
        if shown.returncode:
            return set()
        tree = ast.walk(ast.parse(shown.stdout))
        return {node.name for node in tree if isinstance(node, ast.FunctionDef)}

    older = set()
    for test in tests:
        path, _, name = test.partition("::")
        if not path.startswith("tests/"):
            older.add(test)
            continue
        if path not in known:
            known[path] = names(path)
        if name.partition("[")[0].rpartition("::")[2] in known[path]:
            older.add(test)
    return older


def _run(
    mutants: list[Mutant],
    tests: dict[str, dict],
    older: set[str],
    copies: list[Path],
    seconds: float,
) -> list[tuple[Mutant, str]]:
    """The fate of each mutant: first what the older tests make of it, then the others."""
    parts = [
        {name: tests[name] for name in tests if (name in older) == old} for old in (True, False)
    ]
    free: Queue[Path] = Queue()
    for copy in copies:
        free.put(copy)
    done = Counter[str]()

    def one(mutant: Mutant) -> str:
        copy = free.get()
        try:
            fate = _fate(mutant, _chosen(mutant, parts[0], seconds), copy)
            if fate in LEFT:
                later = _fate(mutant, _chosen(mutant, parts[1], seconds), copy)
                fate = "killed since" if later not in LEFT else min(fate, later)
        finally:
            free.put(copy)
        done[fate] += 1
        if sum(done.values()) % 20 == 0:
            print(f"  {sum(done.values())} of {len(mutants)}: {dict(done)}", flush=True)
        return fate

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(zip(mutants, pool.map(one, mutants), strict=True))


def _chosen(mutant: Mutant, tests: dict[str, dict], seconds: float) -> list[str]:
    """The tests that enter the function (the file, for a change outside functions), short first."""
    prefix = f"{mutant.path}:{mutant.function}" if mutant.function else f"{mutant.path}:"

    def enters(functions: list[str]) -> bool:
        if mutant.function:
            return prefix in functions
        return any(name.startswith(prefix) for name in functions)

    able = sorted((t["seconds"], name) for name, t in tests.items() if enters(t["functions"]))
    chosen, spent = [], 0.0
    for each, name in able:
        spent += each
        if chosen and spent > seconds:
            break
        chosen.append(name)
    return chosen


def _fate(mutant: Mutant, chosen: list[str], copy: Path) -> str:
    """Killed, survived, timeout, or reached by no test."""
    if not chosen:
        return "unreached"
    path = copy / mutant.path
    source = path.read_bytes()
    path.write_bytes(mutant.applied(source))
    try:
        code = _tested(chosen, copy)
    finally:
        path.write_bytes(source)
    return "survived" if code == 0 else "timeout" if code < 0 else "killed"


def _tested(chosen: list[str], copy: Path) -> int:
    """The exit code of the chosen tests; below 0 when they went on for too long."""
    listed = copy / "chosen.txt"
    listed.write_text("\n".join(chosen))
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-x", "--timeout=1200", f"@{listed}"]
    limited = ["sh", "-c", f'ulimit -t {LONGEST}; exec "$@"', "sh", *command]
    quiet = subprocess.DEVNULL
    return subprocess.run(
        limited, cwd=copy, env=_environment(copy), stdout=quiet, stderr=quiet, check=False
    ).returncode


def _report(fates: list[tuple[Mutant, str]], excused: set[str], before: str | None) -> int:
    left = [(m, f) for m, f in fates if f in LEFT]
    equivalent = [m for m, _ in left if m.key in excused]
    open_ = sorted((str(m), f) for m, f in left if m.key not in excused)
    for folder in FOLDERS:
        own = [f for m, f in fates if m.path.is_relative_to(PACKAGE / folder)]
        if own:
            dead = sum(f not in LEFT for f in own)
            print(f"{folder:<15} {dead:>4} of {len(own):>4} killed ({dead / len(own):.1%})")
    dead = len(fates) - len(left)
    print(f"{'all':<15} {dead:>4} of {len(fates):>4} killed ({dead / len(fates):.1%}); "
          f"{len(equivalent)} equivalent; without them "
          f"{dead / max(len(fates) - len(equivalent), 1):.1%}")  # fmt: skip
    if before:
        old = sum(f in {"killed", "timeout"} for _, f in fates)
        print(f"by the tests of {before} alone {old} ({old / len(fates):.1%})")
    for line, fate in open_:
        print(f"{fate:<9} {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

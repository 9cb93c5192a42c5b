"""The README and the docs do what they say: their blocks run, and show what they printed.

A page is run from top to bottom in a folder of its own. ```python blocks share one namespace;
of a ```bash block the lines that begin with `discreet ` are run, and must end with the exit code
in the fence (```bash exit=1), 0 when none is given. A ```text block right after shows the output
and must equal it. What is not meant to run says so (```bash no-run) and is counted below.

After a change of wording: DISCREET_WRITE_DOCS=1 pytest tests/unit/test_docs.py
puts the new output into the pages; read the difference before keeping it.
"""

import contextlib
import io
import itertools
import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from discreet.cli import main
from tests.unit.test_imports import FLOORS

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
NOT_RUN = {
    "README.md": 5,
    "CONTRIBUTING.md": 2,
    "docs/engines.md": 4,
    "docs/howto-gate-a-pipeline.md": 1,
    "docs/howto-locked-machines.md": 2,
    "docs/howto-spss.md": 1,
    "docs/local-suppression.md": 2,
    "docs/k-map.md": 2,
}
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)")
WRITE = os.environ.get("DISCREET_WRITE_DOCS") == "1"


@dataclass(frozen=True)
class Block:
    info: tuple[str, ...]
    body: str
    start: int
    end: int
    follows: bool  # nothing but blank lines between the block before and this one

    @property
    def language(self) -> str:
        return self.info[0] if self.info else ""

    @property
    def marked(self) -> bool:
        return "no-run" in self.info

    @property
    def runs(self) -> bool:
        return self.language in {"python", "bash"} and not self.marked

    @property
    def commands(self) -> list[str]:
        joined = self.body.replace("\\\n", " ")
        return [line for line in joined.splitlines() if line.startswith("discreet ")]

    @property
    def exit_code(self) -> int:
        return next((int(w.removeprefix("exit=")) for w in self.info if w.startswith("exit=")), 0)


def blocks_of(text: str) -> list[Block]:
    found, before = [], 0
    for match in FENCE.finditer(text):
        follows = bool(found) and not text[before : match.start()].strip()
        info = tuple(match["info"].split())
        found.append(Block(info, match["body"], match.start("body"), match.end("body"), follows))
        before = match.end()
    return found


def outputs_of(text: str) -> list[tuple[Block, Block | None]]:
    """Each block that runs, with the block that shows its output."""
    blocks = blocks_of(text)
    pairs = itertools.zip_longest(blocks, blocks[1:])
    return [
        (block, after if after and after.follows and after.language == "text" else None)
        for block, after in pairs
        if block.runs
    ]


def run(block: Block, namespace: dict) -> str:
    return run_python(block, namespace) if block.language == "python" else run_commands(block)


def run_python(block: Block, namespace: dict) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.body, "<docs>", "exec"), namespace)
    return printed.getvalue()


def run_commands(block: Block) -> str:
    printed = io.StringIO()
    for line in block.commands:
        sys.argv = shlex.split(line, comments=True)
        shown = contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed)
        with shown[0], shown[1], pytest.raises(SystemExit) as done:
            main()
        assert done.value.code == block.exit_code, f"{line}\n{printed.getvalue()}"
    return printed.getvalue()


def tidy(output: str) -> str:
    """Without what only a first use says."""
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    return "\n".join(line for line in lines if not line.startswith("Compiling kernels."))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_runs_and_shows_what_it_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)  # commands put theirs in its place
    text = page.read_text(encoding="utf-8")
    namespace = {"__name__": "__main__"}
    changed = text
    for block, shown in outputs_of(text):
        output = tidy(run(block, namespace))
        if shown and WRITE:
            at = len(changed) - (len(text) - shown.start)
            changed = changed[:at] + output + "\n" + changed[at + len(shown.body) :]
        elif shown:
            assert output == tidy(shown.body)
    if changed != text:
        page.write_text(changed, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_that_do_not_run_are_marked_and_counted(page):
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    assert sum(b.marked for b in blocks) == NOT_RUN.get(name_of(page), 0)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_block_is_passed_over_in_silence(page):
    text = page.read_text(encoding="utf-8")
    blocks = blocks_of(text)
    shown = [output for _, output in outputs_of(text) if output]
    for block in blocks:
        if block.marked:
            continue
        assert block.language in {"python", "bash", "text", "csv"}, block.info
        assert block.language != "bash" or block.commands, "a bash block without a command to run"
        assert block.language != "text" or block in shown, "output of nothing"
    assert text.count("\n```") == 2 * len(blocks), "a fence is not closed"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_the_project_leads_to_a_file(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent.name == "decisions" or p.stem == "CONTRIBUTING"], ids=name_of)  # fmt: skip
def test_every_module_that_a_decision_names_exists(page):
    named = re.findall(r"`([\w./]+\.py)`", page.read_text(encoding="utf-8"))
    files = [f"/{file.relative_to(ROOT)}" for top in ("src", "tests", "fonts") for file in (ROOT / top).rglob("*.py")]  # fmt: skip
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_the_decision_about_the_engine_names_every_file_of_it():
    text = (ROOT / "docs/decisions/0002-engine-boundary.md").read_text(encoding="utf-8")
    files = {path.name for path in (ROOT / "src/discreet/engine").glob("*.py")} - {"__init__.py"}
    assert sorted(files - {*re.findall(r"`(\w+\.py)`", text)}) == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/decisions/0020-floor-plan.md"])
def test_the_floor_plan_names_every_part_of_the_package(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = {*re.findall(r"`(\w+)/?`", "".join(re.findall(r"^\|.*$", text, re.MULTILINE)))}
    assert sorted({part for part in FLOORS if not part.startswith("_")} - named) == []


def test_every_make_target_that_is_named_exists():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = {
        target
        for page in PAGES
        for target in re.findall(
            r"^make (\w+)|`make (\w+)`", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        for target in target
        if target
    }
    assert {"demo", "test", "check", "bench"} <= named <= set(targets)


def test_a_wrong_output_is_noticed():
    text = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
    [(block, shown)] = outputs_of(text)
    assert tidy(run(block, {})) != tidy(shown.body)


def test_text_after_a_sentence_is_not_taken_for_output():
    text = "```python\nprint(1)\n```\n\nAnd then:\n\n```text\n2\n```\n"
    [(_, shown)] = outputs_of(text)
    assert shown is None

"""The page of the rebuilt papers is what a run makes of it; the quick parts are run here."""

import ast
import re
from pathlib import Path

import pytest

import papers
from papers.chapters import Rebuilt
from papers.figures import CUT, DIGITS, Figure, near, within
from papers.material import Material, reference_folder
from papers.page import page as page_of
from papers.page import part_block
from papers.run import CHAPTERS, PAGE, main, rebuild, terminal_table


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory) -> list[Rebuilt]:
    return rebuild(Material(tmp_path_factory.mktemp("nothing")), quick_only=True)


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_small_tables_of_all_papers_come_out_as_printed(rebuilt):
    figures = [figure for chapter in rebuilt for figure in chapter.figures]
    assert {figure.paper for figure in figures} == {"000", "001", "002", "003", "004"}
    assert [figure for figure in figures if not figure.agrees] == []
    assert len(figures) > 90


def test_the_committed_page_is_what_a_rerun_makes(rebuilt, page):
    for chapter in rebuilt:
        for part in chapter.parts:
            assert part_block(part) in page


def test_the_whole_committed_page_is_what_a_rerun_makes(page):
    material = Material(reference_folder())
    found = page_of(rebuild(material))
    if material.missing:
        absent = ", ".join(sorted(set(material.missing)))
        pytest.skip(f"reference data {absent} not found; set DISCREET_DATA to their folder")
    assert found == page


def test_every_part_of_every_paper_stands_on_the_page_and_no_figure_is_missing(page):
    assert [chapter.title for chapter in CHAPTERS if f"{chapter.title}\n" not in page] == []
    assert page.count("\n### ") >= sum(len(chapter.steps) for chapter in CHAPTERS)
    assert "data not found" not in page
    assert "**no**" not in page


def test_the_papers_are_rebuilt_with_the_public_names_alone():
    for module in Path(papers.__file__).parent.glob("*.py"):
        tree = ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        names = [node.module for node in tree if isinstance(node, ast.ImportFrom)]
        inside = {name for name in names if name and name.startswith("discreet")}
        assert inside <= {"discreet.charts"}, module.name


def test_every_slip_and_finding_is_told_on_the_page(page):
    for name in ("1", "1b", "2", "3", "4", "4b", "5"):
        assert f"> **Slip {name}:" in page
    for name in ("6", "7"):
        assert f"> **Finding {name}:" in page


def test_every_chart_of_the_page_is_there_has_words_and_needs_no_network(page):
    charts = re.findall(r"!\[(.+)\]\((images/papers/.+\.svg)\)", page)
    assert len(charts) >= 8
    for words, path in charts:
        drawn = (PAGE.parent / path).read_text(encoding="utf-8")
        assert len(words) > 40
        assert drawn.startswith("<svg")
        assert not re.search(r'(href|src)="|url\(http|<script', drawn)
    drawn = {path for _, path in charts}
    assert {f"images/papers/{p.name}" for p in PAGE.parent.glob("images/papers/*")} == drawn


def test_without_the_reference_data_figures_are_listed_by_name_and_nothing_fails(tmp_path):
    material = Material(tmp_path)
    needing = [step for chapter in CHAPTERS for step in chapter.steps if not step.quick]
    figures = [
        figure
        for step in needing
        if step.rebuild.__name__ in {"table_2", "table_3", "sse", "table_7", "arx", "sdcmicro"}
        for figure in step.rebuild(material).figures
    ]
    assert {figure.shown for figure in figures} == {"data not found"}
    assert not any(figure.agrees for figure in figures)
    assert len(terminal_table(figures).rows) == len(figures) > 90
    assert {"CASC_census_1080x13.csv", "golden/arx_adult.csv"} <= set(material.missing)


@pytest.mark.parametrize(
    ("printed", "computed", "tolerance", "agrees"),
    [
        ("0.907", 0.90735, DIGITS, True),
        ("0.907", 0.9076, DIGITS, False),
        ("0.316", 0.31667, CUT, True),
        ("0.316", 0.3171, CUT, False),
        ("0.164", 0.160, within(0.03), True),
        ("0.164", 0.158, within(0.03), False),
        ("5", 7, near(2), True),
        ("1,009,993", 1_009_993, DIGITS, True),
        ("1.55 %", 1.6, within(0.1), True),
        ("yes", "no", DIGITS, False),
        ("0.5", None, DIGITS, False),
    ],
)
def test_a_figure_agrees_within_its_tolerance_and_not_beyond(printed, computed, tolerance, agrees):
    assert Figure("000", "Table 1", "k", printed, computed, tolerance).agrees is agrees


def test_the_exit_code_is_1_when_a_figure_does_not_agree(monkeypatch, capsys):
    wrong = Figure("000", "Table 1", "k", "2", 3)

    def with_a_wrong_figure(material, *, quick_only):
        part = next(iter(CHAPTERS[0].rebuilt(material, quick_only=quick_only)))
        return [Rebuilt(CHAPTERS[0], (type(part)("Table 1", "", (wrong,)),))]

    monkeypatch.setattr("papers.run.rebuild", with_a_wrong_figure)
    assert main(["--quick"]) == 1
    assert "0 of 1 figures agree, 1 do not" in capsys.readouterr().out

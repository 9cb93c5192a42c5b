"""The report of a release: sections, figures, audiences, files masked elsewhere, errors, command."""

import importlib.util
import json
import re
import sys

import pyarrow as pa
import pytest

import discreet as ds
from discreet import cli
from tests.reasons import reasons


def survey(n=400, **roles):
    given = {"keys": ["age", "zip", "sex"], "confidential": ["illness"]}
    table = ds.datasets.patients(n, seed=1)
    return ds.read(table, identifiers=["name", "ssn"], **{**given, **roles})


@pytest.fixture(scope="module")
def data():
    return survey()


@pytest.fixture(scope="module")
def found(data):
    hierarchies = {
        "age": ds.Hierarchy.intervals([10, 20, 40]),
        "zip": ds.Hierarchy.prefixes([5, 2, 0]),
        "sex": ds.Hierarchy.suppress(),
    }
    return ds.generalize(data, hierarchies, ds.PSensitiveKAnonymity(2, 5), max_suppressed=0.05)


@pytest.fixture(scope="module")
def masked(found):
    return found.best.mask()


def text_of(path):
    """The words of a page, without tags."""
    import html

    page = path.read_text(encoding="utf-8")
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL))


def test_the_sections_say_what_the_measures_say(tmp_path, data, masked, found):
    written = ds.report(data, masked, tmp_path / "r.html", found=found)
    assert written.sections == (
        "What was released", "Who could be recognised", "What it cost", "How it was chosen",
        "How to repeat it",
    )  # fmt: skip
    said = " ".join(text_of(written.path).split())
    risk = ds.disclosure_risk(data, masked)
    assert f"{masked.n:,} of 400 records are released" in said
    assert f"DR_max = {risk.maximal:.4f}" in said
    assert ds.check(masked, ds.PSensitiveKAnonymity(2, 5)).explain() in said
    assert (
        f"records alone in their class {ds.risk(data).uniques:,} {ds.risk(masked).uniques:,}"
        in said
    )
    assert found.explain().splitlines()[1] in said
    assert "found = ds.generalize(" in said
    assert written.satisfied is True
    assert written.charts == written.path.read_text(encoding="utf-8").count("<svg") == 3


def test_a_column_has_the_type_that_it_had_and_the_one_it_got(tmp_path, data, masked):
    said = text_of(ds.report(data, masked, tmp_path / "r.html").path)
    assert re.search(r"age\s+key\s+continuous, now nominal", said)
    assert re.search(r"sex\s+key\s+nominal\s+\d", said)


def test_the_page_is_one_h1_with_landmarks_and_a_strict_policy(tmp_path, data, masked):
    page = ds.report(data, masked, tmp_path / "r.html").path.read_text(encoding="utf-8")
    for tag in ("h1", "header", "nav", "main", "footer", "title"):
        assert len(re.findall(f"<{tag}[ >]", page)) == 1
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "unsafe" not in page
    assert not re.search(r"<script|\son\w+=|\sstyle=|https?://(?!www\.w3\.org/2000/svg)", page)


def test_the_same_release_gives_the_same_bytes_whatever_the_order_of_the_rows(tmp_path):
    pages = []
    for number, order in enumerate((1, -1)):
        table = ds.datasets.patients(300, seed=1).slice(0)
        rows = list(range(300))[::order]
        data = ds.read(table.take(rows), keys=["age", "income"], record_id="ssn")
        path = tmp_path / f"{number}.html"
        ds.report(data, ds.microaggregate(data, k=5), path, criterion=ds.KAnonymity(5))
        pages.append(path.read_bytes())
    assert pages[0] == pages[1]


def test_the_public_version_has_no_seed_no_distribution_and_nothing_of_single_attributes(tmp_path):
    data = survey(keys=["age", "income"])
    masked = ds.sample(ds.microaggregate(data, k=5), fraction=0.5, seed=918273645)
    paths = {a: tmp_path / f"{a}.html" for a in ("internal", "public")}
    for audience, path in paths.items():
        given = {"score": ds.score(data, masked), "unique_columns": reasons(masked)}
        ds.report(data, masked, path, audience=audience, criterion=ds.KAnonymity(3), **given)
    inside, outside = (text_of(path) for path in paths.values())
    for words in ("918273645", "distribution", "by attribute", "Correlations", "ssn", "DR_min",
                  "Score", "record linkage", "Means", "distinct before"):  # fmt: skip
        assert words in inside, words
        assert words not in outside, words
    assert "The seed is withheld" in outside
    assert "under 5" in outside  # class sizes below the threshold are one


def test_a_small_k_is_not_told_to_the_public(tmp_path, data):
    masked = ds.sample(data, fraction=0.5, seed=1)
    given = {"audience": "public", "unique_columns": reasons(masked)}
    said = text_of(ds.report(data, masked, tmp_path / "p.html", **given).path)
    assert re.search(r"smallest class \(k\)\s+under 5", said)
    assert "alone" not in said


def test_a_criterion_that_fails_is_said_and_returned(tmp_path, data):
    limits = [ds.KAnonymity(50), ds.DisclosureRiskAtMost(0.001)]
    written = ds.report(
        data, ds.sample(data, fraction=0.5, seed=1), tmp_path / "r.html", criterion=limits
    )
    assert written.satisfied is False
    assert "does not hold" in written.explain()
    assert text_of(written.path).count("✗") == 2


def test_criteria_may_be_a_conjunction(tmp_path, data, masked):
    both = ds.AllOf((ds.KAnonymity(2), ds.LDiversity(2)))
    written = ds.report(data, masked, tmp_path / "r.html", criterion=both)
    assert text_of(written.path).count("✓") == 2


def test_every_criterion_is_told_with_whether_it_holds(tmp_path, data, masked):
    asked = [
        ds.KMap(3, data),
        ds.DeltaPresence(0, 1, data),
        ds.BetaLikeness(4),
        ds.DeltaDisclosure(2, "ignore"),
        ds.AverageRisk(0.2),
    ]
    written = ds.report(data, masked, tmp_path / "r.html", criterion=asked)
    said = " ".join(text_of(written.path).split())
    assert all(one.describe() in said for one in asked)
    assert said.count("✓") + said.count("✗") == len(asked)


@pytest.mark.parametrize(
    ("criterion", "threshold", "least"),
    [(None, None, 5), (ds.KAnonymity(3), None, 5), (ds.KAnonymity(20), None, 20),
     (ds.KAnonymity(20), 7, 7)],
)  # fmt: skip
def test_the_threshold_is_five_or_the_k_of_the_criterion(
    tmp_path, data, masked, criterion, threshold, least
):
    path = tmp_path / "r.html"
    ds.report(data, masked, path, criterion=criterion, threshold=threshold)
    assert f"hold at least {least} records" in text_of(path)


def elsewhere(n=300):
    table = ds.datasets.patients(n, seed=2)
    rec = list(range(n))
    initial = table.append_column("rec", [rec])
    coarse = [age // 10 * 10 for age in table["age"].to_pylist()]
    masked = initial.set_column(initial.column_names.index("age"), "age", [coarse])
    return initial, masked.take(rec[::-1])


def test_a_file_masked_elsewhere_is_linked_by_a_column(tmp_path):
    first, other = elsewhere()
    initial = ds.read(first, keys=["age", "sex"], confidential=["illness"])
    masked = ds.read(other.drop_columns(["name", "ssn"]))
    written = ds.report(initial, masked, tmp_path / "r.html", on="rec", criterion=ds.KAnonymity(5))
    said = " ".join(text_of(written.path).split())
    assert "masked elsewhere" in said
    assert "linked by rec. This column must not be released" in said
    assert "age: distribution before and after" in said
    assert "sex: distribution" not in said
    assert f"DR_max = {ds.disclosure_risk(initial, masked, on='rec').maximal:.4f}" in said


def test_identifiers_left_in_a_file_masked_elsewhere_are_a_warning(tmp_path):
    first, other = elsewhere()
    initial = ds.read(first, keys=["age", "sex"], identifiers=["name", "ssn"])
    written = ds.report(initial, ds.read(other), tmp_path / "r.html", on="rec")
    assert "identifiers are still in the masked file: name, ssn" in written.explain()
    assert "Warning: identifiers are still" in text_of(written.path)


def test_lists_of_many_changed_attributes_are_cut_and_say_so(tmp_path):
    columns = {f"v{i}": [(j * (i + 3)) % 50 for j in range(100)] for i in range(26)}
    data = ds.read(columns, keys=list(columns), types=dict.fromkeys(columns, "continuous"))
    masked = ds.microaggregate(data, k=10, method="fixed")
    said = text_of(ds.report(data, masked, tmp_path / "r.html").path)
    assert "The first 24 of 26 changed attributes are drawn" in said
    assert "The first 40 of 325 rows" in said


def test_the_python_lines_of_the_report_repeat_the_masking(tmp_path):
    data = survey(keys=["age", "income"])
    masked = ds.sample(ds.microaggregate(data, k=4, method="fixed"), fraction=0.5, seed=3)
    page = text_of(ds.report(data, masked, tmp_path / "r.html").path)
    lines = page[page.index("import discreet as ds") : page.index("masked.write(")]
    names = {"frame": ds.datasets.patients(400, seed=1)}
    exec(lines, names)
    assert names["masked"].to("arrow").equals(masked.to("arrow"))


def test_a_report_names_a_hierarchy_of_another_folder_and_does_not_open_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hh").mkdir()
    (tmp_path / "hh" / "sex.csv").write_text("F;*\nM;*\n")
    data = survey(keys=["age", "sex"])
    groups = ds.Hierarchy.from_csv("hh/sex.csv")
    masked = ds.pram(data, ["sex"], keep=0.7, within={"sex": groups}, seed=9)
    said = text_of(ds.report(data, masked, tmp_path / "r.html").path)
    assert "ds.Hierarchy.from_csv('sex.csv')" in said


def test_the_plan_in_a_report_lists_no_values_and_says_what_was_left_out(tmp_path):
    table = ds.datasets.patients(400, seed=1)
    data = ds.read(table, keys=["age", "sex"], types={"sex": ["F", "M"]}, missing_values=["Zqx"])
    tree = ds.Hierarchy.from_dict({"F": ["Zqperson"], "M": ["Zqperson"]})
    found = ds.generalize(data, {"sex": tree}, ds.KAnonymity(1))
    said = text_of(ds.report(data, found.best.mask(), tmp_path / "r.html").path)
    assert "source.missing_values, types.sex, hierarchies.sex." in said
    assert "Zqx" not in said
    assert "Zqperson" not in said


def test_the_record_risk_and_the_map_are_shown_inside_only(tmp_path, data, masked, found):
    risk = ds.record_risk(data, known={"age": 0.3, "zip": 0.4}, sensitivity={"illness": 1.0})
    ru_map = ds.ru_map(data, ds.grid(methods=["mdav"], k=[3, 9], columns=["age"]))
    pages = {}
    for audience in ("internal", "public"):
        path = tmp_path / f"{audience}.html"
        given = {"found": found, "record_risk": risk, "ru_map": ru_map}
        given |= {"unique_columns": reasons(masked)}
        ds.report(data, masked, path, audience=audience, **given)
        pages[audience] = text_of(path)
    for words in (risk.explain().splitlines()[0], "Records by their risk", "Risk-utility map",
                  "mdav k=9", "Lattice"):  # fmt: skip
        assert words in pages["internal"], words
        assert words not in pages["public"], words
    assert "ways to make the keys coarser" in pages["public"]
    assert "Next:" not in pages["internal"]


# -- the file --------------------------------------------------------------------------------------


def test_an_existing_file_is_kept_unless_asked(tmp_path, data, masked):
    path = tmp_path / "r.html"
    path.write_text("mine")
    with pytest.raises(ds.DiscreetError) as caught:
        ds.report(data, masked, path)
    assert caught.value.code == "O03"
    assert path.read_text(encoding="utf-8") == "mine"
    ds.report(data, masked, path, overwrite=True)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_nothing_is_left_behind_when_a_measure_fails(tmp_path, data):
    other = ds.read(ds.datasets.patients(50, seed=9), keys=["age", "zip", "sex"])
    with pytest.raises(ds.DiscreetError) as caught:
        ds.report(data, other, tmp_path / "r.html")
    assert caught.value.code == "N03"
    assert list(tmp_path.iterdir()) == []


def test_all_that_is_wrong_with_the_arguments_is_said_at_once(tmp_path, data, masked):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.report(
            data, masked, 5, audience="press", title=7, note=b"x", threshold=0, found=data,
            ru_map=1, record_risk="x", score=2.5,
        )  # fmt: skip
    assert [p.code for p in caught.value.problems] == [
        "O01",
        "P16",
        *["P09"] * 2,
        "P07",
        *["P09"] * 4,
    ]


@pytest.mark.parametrize("name", ["r.csv", "r", "no/such/folder.html"])
def test_a_place_that_is_no_place_for_a_report_is_refused(tmp_path, data, masked, name):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.report(data, masked, tmp_path / name)
    assert caught.value.code in ("O01", "O02")


def test_an_argument_that_is_not_microdata_is_refused(tmp_path, data):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.report(data, {"age": [1]}, tmp_path / "r.html")
    assert caught.value.code == "P09"


@pytest.mark.parametrize("module", ["altair", "jinja2"])
def test_a_package_that_is_not_installed_is_named_before_the_work(
    tmp_path, data, masked, monkeypatch, module
):
    from discreet.reports import fragments

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == module else find(name, *a)
    )
    fragments.environment.cache_clear()
    with pytest.raises(ds.DiscreetError) as caught:
        ds.report(data, masked, tmp_path / "r.html")
    assert caught.value.code == "M01"
    assert "discreet[charts]" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_writing_a_report_opens_no_connection(tmp_path, data, masked, monkeypatch):
    import socket

    def refuse(*_, **__):
        raise AssertionError("a connection is opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert ds.report(data, masked, tmp_path / "r.html").charts == 2


def test_the_result_shows_itself(tmp_path, data, masked):
    given = {"audience": "public", "unique_columns": reasons(masked)}
    written = ds.report(data, masked, tmp_path / "r.html", **given)
    assert written.to_dict()["written"] == "r.html"
    assert str(tmp_path) not in written.explain() + json.dumps(written.to_dict())
    assert "public report is in r.html" in written._repr_html_()


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def run(files, monkeypatch, capfd):
    """A function that runs the command in the folder of the files: exit code, output, errors."""
    monkeypatch.chdir(files)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["discreet", "report", *COMMON, *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code, *capfd.readouterr()

    return command


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    import pyarrow.csv

    folder = tmp_path_factory.mktemp("files")
    first, other = elsewhere()
    pyarrow.csv.write_csv(first.drop_columns(["name", "ssn"]), folder / "initial.csv")
    pyarrow.csv.write_csv(other.drop_columns(["name", "ssn"]), folder / "masked.csv")
    return folder


COMMON = ("initial.csv", "masked.csv", "--on", "rec", "--keys", "age,sex")


def test_the_command_writes_a_report_and_refuses_to_overwrite_it(files, run):
    code, said, _ = run("-o", "r.html", "--title", "Spring release")
    assert (code, "internal report is in r.html" in said) == (0, True)
    assert "publish the version with --public." in said
    assert "<h1>Spring release</h1>" in (files / "r.html").read_text(encoding="utf-8")
    code, _, wrong = run("-o", "r.html")
    assert (code, "O03" in wrong) == (2, True)
    assert run("-o", "r.html", "--force")[0] == 0


def test_the_command_gates_a_pipeline(run):
    code, _, wrong = run("--public", "--k", "50", "-o", "g.html")
    assert (code, "O09" in wrong, "'income'" in wrong) == (2, True, True)
    why = ("--unique-column", "income=of nobody", "--unique-column", "zip=of nobody")
    code, said, _ = run("--public", "--k", "50", "-o", "g.html", "--json", *why)
    found = json.loads(said)
    assert (code, found["audience"], found["satisfied"]) == (1, "public", False)
    assert run("--confidential", "illness", "--p", "1", "-o", "h.html")[0] == 0
    assert run("--at-most", "0.9", "-o", "i.html")[0] == 0


# -- files with blanks ---------------------------------------------------------------------------


def blanked(n=60):
    """A file of which another tool blanked some cells, beside what it was."""
    table = ds.datasets.patients(n, seed=4).select(["age", "sex"])
    numbered = table.append_column("rec", pa.array(range(n)))
    ages = [None if i % 7 == 0 else age for i, age in enumerate(table["age"].to_pylist())]
    released = numbered.set_column(0, "age", pa.array(ages, pa.int64()))
    return ds.read(numbered, keys=["age", "sex"]), ds.read(released)


def test_a_file_with_blanks_is_shown_with_its_four_counts(tmp_path):
    initial, released = blanked()
    found = ds.readings(initial, released, on="rec")
    ds.report(initial, released, tmp_path / "in.html", on="rec", criterion=ds.KAnonymity(3))
    inside = text_of(tmp_path / "in.html")
    for line in [*found.sentences(), *found.warnings(), "below 5", "four counts"]:
        assert line in inside
    ds.report(initial, released, tmp_path / "out.html", on="rec", audience="public")
    public = text_of(tmp_path / "out.html")
    assert "Among how many a record hides" in public
    assert "below 2" not in public
    assert "just one" not in public


def test_a_file_without_blanks_has_no_four_counts(tmp_path, data, masked):
    ds.report(data, masked, tmp_path / "in.html")
    assert "four counts" not in text_of(tmp_path / "in.html")
    ds.report(data, ds.sample(data, fraction=0.5, seed=1), tmp_path / "sample.html")
    assert "four counts" not in text_of(tmp_path / "sample.html")


def test_cells_blanked_here_are_shown_with_the_four_counts(tmp_path, data):
    risk = ds.record_risk(data, known=dict.fromkeys(data.keys, 0.5), sensitivity={"illness": 1.0})
    fewer = ds.protect_records(data, risk, at_most=risk.highest / 2, columns=data.keys)
    assert fewer.in_cells & set(data.keys)
    ds.report(data, fewer, tmp_path / "in.html")
    assert "four counts" in text_of(tmp_path / "in.html")


CELLS = {
    "suppress_cells": lambda data: ds.suppress_cells(data, ds.KAnonymity(3), search="quick"),
    "recode": lambda data: ds.recode(
        data,
        {key: ds.Hierarchy.suppress() for key in data.keys},
        ds.KAnonymity(3),
        method="mondrian",
    ),
}


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("masking", CELLS.values(), ids=list(CELLS))
def test_changed_cells_are_drawn_by_key_and_told_by_class_size(tmp_path, masking, public):
    data = survey(150)
    fewer = masking(data)
    total = sum(fewer.changes.values())
    assert total
    kept = {"income", "age", "zip"} - (fewer.changed - fewer.in_cells)
    reasons = {"audience": "public", "unique_columns": dict.fromkeys(kept, "simulated")}
    ds.report(data, fewer, tmp_path / "r.html", **(reasons if public else {}))
    text = " ".join(text_of(tmp_path / "r.html").split())
    assert f"Step 1 changed {total:,} cell" in text
    assert "Bar chart: Step 1 changed" in (tmp_path / "r.html").read_text(encoding="utf-8")
    rows = text.partition("changed cells, numbers")[2]
    for key, number in fewer.changes.items():
        assert f"{key} {number:,}" in rows
    assert ("By the number of records that had the same keys before." in rows) is not public


def test_a_report_says_what_a_criterion_asks_for_and_whom_the_figures_are_against(
    tmp_path, data, masked
):
    asked = [ds.PSensitiveKAnonymity(p=2, k=3, confidential="illness"), ds.TCloseness(0.9)]
    for audience in ("internal", "public"):
        file = tmp_path / f"{audience}.html"
        why = {"income": "of nobody"}
        ds.report(data, masked, file, criterion=asked, audience=audience, unique_columns=why)
        said = text_of(file)
        assert "It asks for at least 3 records with every combination of age, zip, sex" in said
        assert "with at least 2 values of illness among them." in said
        assert "Confidential values are distributed in every class nearly as" in said
        assert "An intruder is taken to know age, zip, sex of a person." in said


def test_records_that_were_left_out_are_not_taken_for_cells_that_were_blanked(tmp_path):
    ages = [None] * 10 + [*range(20, 30)] * 4 + [90]
    data = ds.read({"age": ages, "sex": ["F"] * 51}, keys=["age", "sex"])
    hierarchies = {"age": ds.Hierarchy.intervals([10]), "sex": ds.Hierarchy.suppress()}
    found = ds.generalize(data, hierarchies, ds.KAnonymity(5), max_suppressed=0.1)
    assert found.best.mask().n == 50
    ds.report(data, found.best.mask(), tmp_path / "r.html", found=found)
    assert "four counts" not in text_of(tmp_path / "r.html")


def test_the_risk_of_households_says_against_whom_it_holds(tmp_path):
    table = {"hid": [1, 1, 2, 2, 3, 4] * 5, "age": [20, 30, 20, 30, 30, 20] * 5}
    data = ds.read(table, keys=["age"], household="hid")
    ds.report(data, ds.sample(data, fraction=0.9, seed=1), tmp_path / "r.html")
    said = text_of(tmp_path / "r.html")
    assert "hid is held back: this holds against someone who can put the records of a" in said


def test_an_identifier_that_is_written_is_not_called_held_back(tmp_path):
    rows = "".join(f"{i // 2},{20 + i % 3}\n" for i in range(60))
    (tmp_path / "homes.csv").write_text(f"hid,age\n{rows}")
    plan = {
        "source": {"file": "homes.csv"},
        "roles": {"keys": ["age"], "household": "hid"},
        "steps": [{"do": "sample", "fraction": 0.9, "seed": 1}],
        "outputs": {"masked": "m.csv", "report": "r.html", "identifiers": ["hid"]},
    }
    ds.Plan.of(plan, tmp_path).run()
    assert (tmp_path / "m.csv").read_text(encoding="utf-8").startswith("hid,age\n")
    said = text_of(tmp_path / "r.html")
    assert "held back" not in said.lower()
    assert "hid is released: it puts the records of a household together." in said
    data = ds.read(tmp_path / "homes.csv", keys=["age"], household="hid")
    with pytest.raises(ds.DiscreetError, match="R12"):
        ds.report(data, ds.sample(data, n=50, seed=1), tmp_path / "x.html", identifiers=["age"])


def test_a_report_tells_which_columns_lost_a_category_with_the_records_left_out(tmp_path):
    table = {"age": ["young", "old"] * 20 + ["old"], "sex": ["F"] * 40 + ["X"]}
    data = ds.read(table, keys=["age", "sex"])
    hierarchies = {"age": ds.Hierarchy.suppress(), "sex": ds.Hierarchy.suppress()}
    found = ds.generalize(data, hierarchies, ds.KAnonymity(5), max_suppressed=0.05)
    masked = found.best.mask()
    ds.report(data, masked, tmp_path / "in.html", found=found)
    assert "Values that no released record has any more: sex (1 of 2)." in text_of(
        tmp_path / "in.html"
    )
    ds.report(data, masked, tmp_path / "out.html", found=found, audience="public")
    assert "any more" not in text_of(tmp_path / "out.html")

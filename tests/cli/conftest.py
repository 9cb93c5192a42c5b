"""A folder with tables and hierarchies, and the command line run there in this process."""

import shutil
import sys

import pyarrow.csv
import pytest

import discreet as ds
from discreet import cli
from tests.python_words import in_python_words

WORD, NUMBER = "SECRET", 918273645  # cells that no command may show


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """The files, made once: each test has a copy."""
    path = tmp_path_factory.mktemp("tables")
    table = ds.datasets.patients(300, 3)
    pyarrow.csv.write_csv(table, path / "patients.csv")
    patients = table.to_pandas()
    patients["rec"] = range(300)
    patients["note"] = [f"{WORD}-{i}" for i in range(300)]
    patients["salary"] = NUMBER
    patients.to_csv(path / "p.csv", index=False)
    (path / "h").mkdir()
    ages = "".join(f"{a};{a // 10 * 10}+;{a // 20 * 20}+;*\n" for a in range(120))
    (path / "h" / "age.csv").write_text(ages)
    zips = "".join(f"{z};{z[:3]};*\n" for z in sorted(patients["zip"].unique()))
    (path / "h" / "of_zip.csv").write_text(zips)
    (path / "h" / "sex.csv").write_text("".join(f"{s};*\n" for s in patients["sex"].unique()))
    return path


@pytest.fixture
def folder(tables, tmp_path, monkeypatch):
    """Where a test works."""
    shutil.copytree(tables, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """A function that runs a command: its exit code, and what it printed."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["discreet", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        shown = capsys.readouterr()
        assert "Traceback" not in shown.err
        assert WORD not in shown.out + shown.err
        assert str(NUMBER)[:7] not in shown.out + shown.err
        assert "--json" in arguments or in_python_words(shown.out + shown.err) == []
        return end.value.code or 0, shown.out, shown.err

    return call

"""The command that blanks single cells."""

import json

import pyarrow as pa
import pyarrow.csv

from tests.unit.test_suppress_cells import KEYS, table


def test_suppress_cells_writes_a_file_and_says_what_it_cost(run, tmp_path):
    file, target = tmp_path / "survey.csv", tmp_path / "masked.csv"
    pa.csv.write_csv(table(), file)
    asked = ["--keys", ",".join(KEYS), "--k", "3", "--cost", "a=2", "--keep", "b=flag"]
    code, out, _ = run("suppress-cells", str(file), *asked, "--json", "-o", str(target))
    assert code == 0
    found = json.loads(out)
    after = pa.csv.read_csv(target, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
    assert sum(after[key].null_count for key in KEYS) == found["cells"] > 0
    assert found["bound"] <= found["cost"]
    assert found["reading"] == "category"

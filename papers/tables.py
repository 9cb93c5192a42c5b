"""The small tables printed in the papers."""

from typing import Any

Table = dict[str, list[Any]]

TABLE_1: Table = {  # papers 000 and 003, Table 1
    "Age": [50, 30, 30, 20, 20, 50],
    "Zip": ["43102"] * 6,
    "Sex": ["M", "F", "F", "M", "M", "M"],
    "Illness": ["Colon Cancer", "Breast Cancer", "HIV", "Diabetes", "Diabetes", "Heart Disease"],
}
TABLE_3: Table = {  # paper 003, Table 3
    "Age": [20, 20, 20, 30, 30, 30, 30],
    "ZipCode": ["43102"] * 7,
    "Sex": ["F", "F", "F", "M", "M", "M", "M"],
    "Illness": [
        "AIDS",
        "AIDS",
        "Diabetes",
        "Diabetes",
        "Diabetes",
        "Heart Disease",
        "Heart Disease",
    ],
    "Income": [50_000, 50_000, 50_000, 30_000, 40_000, 30_000, 40_000],
}
FIGURE_4: Table = {  # paper 000: ages of the initial microdata, then in groups of 2, 4 and 8
    "IM": [8, 10, 19, 23, 37, 43, 68, 72],
    "MM1": [9, 9, 21, 21, 40, 40, 70, 70],
    "MM2": [15, 15, 15, 15, 55, 55, 55, 55],
    "MM3": [35] * 8,
}
FIGURE_4_SEX = ["M", "M", "F", "F", "F", "F", "F", "F"]
FIGURE_21: Table = {  # paper 001: the initial microdata; the samples by record number
    "RecNo": list(range(1, 11)),
    "Age": [10, 30, 20, 20, 10, 25, 20, 25, 10, 20],
    "Sex": ["M", "M", "M", "F", "F", "F", "M", "F", "M", "M"],
}
SAMPLES = {"S1": [1, 2, 3, 4, 5], "S2": [1, 3, 6, 7, 9], "S3": [1, 3, 7, 9, 10]}
FIGURE_3: Table = {  # paper 003: the records behind the lattice of Figure 3, and Table 4
    "Sex": list("MFMMFMMFMM"),
    "ZipCode": [
        *("41076", "41099", "41099", "41076", "43102"),
        *("43102", "43102", "43103", "48202", "48201"),
    ],
}
TABLE_5: Table = {  # paper 003: how often each value of three confidential attributes occurs
    "S1": [300, 300, 200, 100, 100],
    "S2": [500, 300, 100, 40, 35, 25],
    "S3": [700, 200, 50, 10, 10, 10, 10, 5, 3, 2],
}
RECORDS: Table = {  # paper 002, Table 1
    "age": [34, 19, 40, 34, 51],
    "gender": ["Male", "Female", "Male", "Male", "Female"],
    "race": ["Black", "White", "Asian-Pac-Islander", "Black", "Black"],
    "income": [60_000, 36_000, 45_000, 50_000, 65_000],
    "disease": ["Flu", "Flu", "Flu", "Cancer", "Flu"],
}
KNOWN = {"age": 0.3, "gender": 0.8, "race": 0.7, "income": 0.005, "disease": 0.001}  # Table 2
SENSITIVITY = {"income": 0.9, "disease": 1.0}
VALUES = {
    "income": [(None, 40_000, 1.0), (40_000, 70_000, 0.7)],
    "disease": {"Flu": 0.2, "Cancer": 1.0},
}
TWELVE: Table = {  # paper 004, Table 1
    "V1": list("abceeeedcaaa"),
    "V2": list("rrrrstvvvvut"),
}
COUNTED: Table = {  # paper 000, Figure 3: a table with the violating counts, for k = 3
    "Sex": list("FFMMMM" "FMMM" "FFMMMFMMM"),
    "Zip": ["11001"] * 2 + ["12001"] + ["13001"] * 2 + ["13002"]
    + ["21001"] + ["22001"] * 3 + ["31001"] * 5 + ["31002"] * 4,
}  # fmt: skip

"""The small tables printed in the papers, shared by the tests."""

TABLE_1 = {  # papers 000 and 003, Table 1
    "Age": [50, 30, 30, 20, 20, 50],
    "Zip": ["43102"] * 6,
    "Sex": ["M", "F", "F", "M", "M", "M"],
    "Illness": ["Colon Cancer", "Breast Cancer", "HIV", "Diabetes", "Diabetes", "Heart Disease"],
}
TABLE_3 = {  # paper 003, Table 3
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
FIGURE_4 = {  # paper 000: the initial microdata, then Age microaggregated in groups of 2, 4 and 8
    "IM": [8, 10, 19, 23, 37, 43, 68, 72],
    "MM1": [9, 9, 21, 21, 40, 40, 70, 70],
    "MM2": [15, 15, 15, 15, 55, 55, 55, 55],
    "MM3": [35] * 8,
}
FIGURE_4_SEX = ["M", "M", "F", "F", "F", "F", "F", "F"]
FIGURE_21 = {  # paper 001: the initial microdata; the samples by record number
    "RecNo": list(range(1, 11)),
    "Age": [10, 30, 20, 20, 10, 25, 20, 25, 10, 20],
    "Sex": ["M", "M", "M", "F", "F", "F", "M", "F", "M", "M"],
}
SAMPLES = {"S1": [1, 2, 3, 4, 5], "S2": [1, 3, 6, 7, 9], "S3": [1, 3, 7, 9, 10]}

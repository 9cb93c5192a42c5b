"""The small tables printed in the papers, shared by the tests."""

from papers.tables import FIGURE_4, FIGURE_4_SEX, FIGURE_21, SAMPLES, TABLE_1, TABLE_3

__all__ = ["FIGURE_4", "FIGURE_4_SEX", "FIGURE_21", "SAMPLES", "TABLE_1", "TABLE_3"]

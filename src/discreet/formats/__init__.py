"""Files of other programs: SPSS, Stata and SAS data, and spreadsheets, with what they say of their
variables. The extra ``formats`` has the readers (decision 0022).
"""

from discreet.formats.codebook import Codebook, Variable

STATISTICAL = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
READ = (*STATISTICAL, *SHEETS)
WRITTEN = (".sav", ".zsav", ".dta", ".xlsx")

__all__ = ["READ", "SHEETS", "STATISTICAL", "WRITTEN", "Codebook", "Variable"]

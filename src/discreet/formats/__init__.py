"""Files of other programs: SPSS, Stata and SAS data, and spreadsheets, with what they say of their
variables. The extra ``formats`` has the readers (decision 0022).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

STATISTICAL = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
READ = (*STATISTICAL, *SHEETS)
WRITTEN = (".sav", ".zsav", ".dta", ".xlsx")


# -- The codebook of a file: what it says of its variables, beside their values --------------------
#
# SPSS, Stata and SAS files hold numbers and say elsewhere what they stand for: 1 is "male". Here
# the words are the values, wherever all values of a variable have one, and the numbers come back
# when the records are written to such a file.


DROPPED = ("file_label", "notes")  # what can be asked for by name when a file is written


@dataclass(frozen=True, repr=False)
class Variable:
    """What a file says of a variable.

    Attributes
    ----------
    label : str
        The variable in words.
    values : mapping of code to text
        What its codes stand for, without those that mean missing.
    measure : str
        "nominal", "ordinal", "scale", or "" where the file does not say.
    format : str
        How the program shows it: F8.2, %9.0g.
    numeric : bool
        Whether the file stores numbers.
    words : bool
        Whether the words took the place of the codes when it was read.
    """

    label: str = ""
    values: Mapping[Any, str] = field(default_factory=dict)
    measure: str = ""
    format: str = ""
    numeric: bool = False
    words: bool = False

    def texts(self) -> dict[Any, str]:
        """The words of the codes, told apart by the code where two are the same.

        Examples
        --------
        >>> Variable(values={1: "yes", 2: "no", 3: "no"}).texts()
        {1: 'yes', 2: 'no (2)', 3: 'no (3)'}
        """
        plain = [text.strip() for text in self.values.values()]
        return {
            code: text if text and plain.count(text) == 1 else f"{text} ({_shown(code)})".strip()
            for code, text in zip(self.values, plain, strict=True)
        }

    def __repr__(self) -> str:
        return f"Variable({len(self.values)} labels)"  # labels are values of the data


@dataclass(frozen=True, repr=False)
class Codebook:
    """What a file says of its variables and of itself.

    Attributes
    ----------
    program : str
        "SPSS", "Stata", "SAS", or "a spreadsheet".
    variables : mapping of column to Variable
    weight : str or None
        The variable that the program weights by.
    about : mapping of str to text
        What the file says of itself and may name people: it is not written unless asked for.
    """

    program: str
    variables: Mapping[str, Variable] = field(default_factory=dict)
    weight: str | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """A variable in words; empty where the file does not say."""
        known = self.variables.get(name)
        return "" if known is None else known.label

    def with_words(self, names: Collection[str]) -> Codebook:
        """The same, with the variables whose words took the place of their codes."""
        changed = {n: replace(v, words=n in names) for n, v in self.variables.items()}
        return replace(self, variables=changed)

    def __repr__(self) -> str:
        return f"Codebook of {len(self.variables)} variables from {self.program}"


def _shown(code: Any) -> str:
    whole = isinstance(code, float) and code.is_integer()
    return str(int(code)) if whole else str(code)

"""Simulated student records: 27 attributes as in the experiment of Orooji and Knapp (2018).

Their file holds 1,009,993 students of public schools between 1999 and 2011, with contacts to
juvenile justice (LAOJJ) and to corrections (LADOC). It is confidential; they name seven of its
attributes: age, gender, ethnicity, homelessness, the dropout flag and the two contacts. The others
are invented, and so are all shares. What depends on what is as one expects: schools lie in
parishes, poverty differs between these, age follows grade and repeated grades, dropping out
follows absences, justice follows suspensions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.datasets.simulation import Codes, below, draw, stream, text

Shares = Mapping[str | None, Sequence[float]]

FIRST, LAST = 1999, 2011
GRADES = ("PK", "K", *map(str, range(1, 13)))
GENDERS = ("Female", "Male")
FLAGS = ("No", "Yes")
PARISHES = [f"{parish:02}" for parish in range(1, 65)]
KINDS = np.array([0] * 5 + [1, 2] * 29 + [2])  # of each parish: city, suburb, country
PER_PARISH = 22
SCHOOLS = [f"{parish}{school:03}" for parish in PARISHES for school in range(1, PER_PARISH + 1)]
MONTHS = [f"{month:02}" for month in range(1, 13)]
BIRTHS = (82, 76, 83, 79, 82, 82, 88, 90, 88, 86, 82, 82)
NAMES = (
    "age", "gender", "ethnicity", "parish", "school", "grade", "first_year", "last_year",
    "birth_month", "birthplace", "home_language", "lunch", "english_learner", "disability",
    "section_504", "gifted", "homeless", "foster_care", "migrant", "absences", "suspensions",
    "expelled", "repeated", "test_level", "dropout", "laojj_contact", "ladoc_contact",
)  # fmt: skip
# How likely each is to be known: where and when somebody was at school is long ago.
KNOWN = (
    0.05, 0.8, 0.7, 0.03, 0.01, 0.05, 0.01, 0.02, 0.02, 0.1, 0.4, 0.02, 0.3, 0.05, 0.02, 0.1,
    0.005, 0.005, 0.05, 0.002, 0.005, 0.005, 0.02, 0.005, 0.005, 0.001, 0.001,
)  # fmt: skip
SENSITIVE_FLAGS = (
    "homeless", "foster_care", "expelled", "dropout", "laojj_contact", "ladoc_contact",
)  # fmt: skip
SEVERE = ("Intellectual", "Emotional", "Multiple")

# fmt: off
# By kind of parish.
ETHNICITIES: Shares = {
    "Black": (66, 32, 41), "White": (25, 60, 55), "Hispanic": (5, 4.5, 2.2),
    "Asian": (2.8, 2, 0.5), "American Indian": (0.4, 0.6, 1.2), "Pacific": (0.1, 0.1, 0.03),
    "Two or more": (0.7, 0.8, 0.3),
}
LUNCHES: Shares = {
    "Free": (64, 38, 56), "Reduced": (8, 9, 11), "Paid": (24, 50, 29), None: (4, 3, 4),
}
# By ethnicity, in the order above.
LANGUAGES: Shares = {
    "English": (97, 97, 35, 30, 96, 60, 92), "Spanish": (0.2, 0.1, 60, 0.2, 0.3, 0.5, 3),
    "Vietnamese": (0, 0, 0, 38, 0, 0.5, 0.5), "French": (0.5, 0.5, 0, 0.2, 1.5, 0.5, 0.5),
    "Chinese": (0, 0, 0, 12, 0, 1, 0.5), "Arabic": (0.1, 0.3, 0, 1.5, 0, 0, 0.5),
    "Other": (0.2, 0.1, 0.5, 16, 0.2, 35, 1), None: (2, 2, 4.5, 2.1, 2, 2.5, 2),
}
# English at home, or another language.
BIRTHPLACES: Shares = {
    "In state": (86, 48), "Other state": (11, 12), "Abroad": (0.4, 36), None: (2.6, 4),
}
# By gender.
DISABILITIES: Shares = {
    "No": (91.2, 84.9), "Speech": (3, 4.6), "Learning": (2.7, 4.6), "Other health": (0.9, 2.1),
    "Intellectual": (0.9, 1.2), "Emotional": (0.2, 0.8), "Autism": (0.1, 0.6),
    "Hearing or vision": (0.2, 0.2), "Orthopedic": (0.1, 0.1), "Multiple": (0.1, 0.2),
}
# Not poor, poor (free lunch).
LEVELS: Shares = {
    "Unsatisfactory": (7, 16), "Approaching basic": (15, 26), "Basic": (43, 41),
    "Mastery": (24, 11), "Advanced": (8, 2), None: (3, 4),
}
REPEATED = ((86, 12, 1.8, 0.2), (72, 22, 5, 1))
# The last grade of those who were there in the last year, and of those who had left.
LAST_GRADES = ((6, *[7.2] * 13), (1, *[1.4] * 8, 3, 4.5, 7, 8.5, 63))
LATE_YEARS = (72, *[28 / 12] * 12)  # years by which a student joined late
# Of the schools of a parish twelve teach up to grade 5, five teach 6 to 8, five 9 to 12.
TEACHING = [
    [1 / (3 + school) * (low <= school < high) for school in range(PER_PARISH)]
    for low, high in ((0, 12), (12, 17), (17, 22))
]
# Not poor and young, not poor and old, poor and young, poor and old: 0 to 60 days of absence.
ABSENCES = [[decay**day for day in range(61)] for decay in (0.86, 0.9, 0.89, 0.93)]
# Not poor girls and boys, poor girls and boys: none, one, … ten suspensions.
SUSPENSIONS = [[100 - x, *(x * 0.45 * 0.6**i for i in range(10))] for x in (5, 11, 14, 26)]
# By absences and repeated grades; by suspensions and gender; by juvenile, dropout and gender.
DROPOUT = (0.035, 0.1, 0.15, 0.3)
JUVENILE = (0.003, 0.008, 0.025, 0.05, 0.06, 0.1, 0.12, 0.22)
CORRECTIONS = (0.002, 0.012, 0.02, 0.11, 0.04, 0.17, 0.11, 0.34)
# fmt: on


def school_records(n: int = 1_009_993, seed: int = 1) -> pa.Table:
    """Simulate the records of `n` students.

    Parameters
    ----------
    n, seed : int
        Number of records, and where the random stream starts (0 or more).

    Returns
    -------
    pyarrow.Table
        27 columns: age, years, absences, suspensions and repeated grades are int64, the others
        text. Lunch, home language, birthplace, test level and absences are missing for some.

    Examples
    --------
    >>> records = school_records(1000)
    >>> records.shape
    (1000, 27)
    >>> records["gender"].value_counts().field("values").to_pylist()
    ['Male', 'Female']

    References
    ----------
    - Orooji, Knapp (2018), *A novel microdata privacy disclosure risk measure*. IISE Annual
      Conference.
    """
    rng = stream(n, seed, file=2)
    gender = draw(rng, n, (48.6, 51.4))
    parish = draw(rng, n, 1 / np.arange(4, 4 + len(PARISHES)))
    ethnicity = _drawn(rng, ETHNICITIES, KINDS[parish])
    lunch = _drawn(rng, LUNCHES, KINDS[parish])
    poor = (lunch == list(LUNCHES).index("Free")).astype(np.int64)
    columns = {
        "gender": text(GENDERS, gender),
        "ethnicity": text(list(ETHNICITIES), ethnicity),
        "parish": text(PARISHES, parish),
        "lunch": text(list(LUNCHES), lunch),
        **_origin(rng, ethnicity),
        **_needs(rng, gender, poor, KINDS[parish]),
        **_schooling(rng, gender, parish, poor),
    }
    return pa.table({name: columns[name] for name in NAMES})


def school_settings() -> dict[str, Any]:
    """Settings of the record risk for `school_records`.

    The probabilities of age, gender, dropout and LADOC contact, the weights of 0 and 1, α and ε are
    those of the paper, the others are chosen such that, as there, 111 known sets remain. The list
    of Figure 1 begins with the empty set, so the 111 are the empty set and 110 others.

    Returns
    -------
    dict
        The keyword arguments of ``ds.record_risk``: known, sensitivity, value_sensitivity, alpha
        and epsilon.

    Examples
    --------
    >>> from discreet.kernels.known_sets.unions import known_sets
    >>> settings = school_settings()
    >>> sets, _ = known_sets(list(settings["known"].values()), settings["epsilon"], limit=1000)
    >>> len(sets)
    111
    """
    values = {name: {"Yes": 1.0, "No": 0.0} for name in SENSITIVE_FLAGS}
    kept = {name: float(name in SEVERE) for name in DISABILITIES if name is not None}
    ranges = [(None, 5, 0.0), (5, None, 1.0)]
    return {
        "known": dict(zip(NAMES, KNOWN, strict=True)),
        "sensitivity": dict.fromkeys([*values, "disability", "suspensions"], 1.0),
        "value_sensitivity": {**values, "disability": kept, "suspensions": ranges},
        "alpha": 100,
        "epsilon": 0.01,
    }


def _origin(rng: np.random.Generator, ethnicity: Codes) -> dict[str, pa.Array]:
    language = _drawn(rng, LANGUAGES, ethnicity)
    foreign = (np.isin(language, [0, len(LANGUAGES) - 1]) == 0).astype(np.int64)
    return {
        "birth_month": text(MONTHS, draw(rng, len(ethnicity), BIRTHS)),
        "birthplace": text(list(BIRTHPLACES), _drawn(rng, BIRTHPLACES, foreign)),
        "home_language": text(list(LANGUAGES), language),
        "english_learner": _flag(rng, (0.003, 0.38), foreign),
    }


def _needs(
    rng: np.random.Generator, gender: Codes, poor: Codes, kind: Codes
) -> dict[str, pa.Array]:
    return {
        "disability": text(list(DISABILITIES), _drawn(rng, DISABILITIES, gender)),
        "section_504": _flag(rng, (0.02, 0.035), gender),
        "gifted": _flag(rng, (0.07, 0.018), poor),
        "homeless": _flag(rng, (0.002, 0.021), poor),
        "foster_care": _flag(rng, (0.001, 0.007), poor),
        "migrant": _flag(rng, (0.001, 0.003, 0.012), kind),
    }


def _schooling(
    rng: np.random.Generator, gender: Codes, parish: Codes, poor: Codes
) -> dict[str, pa.Array]:
    """The years at school, and what came of them."""
    n = len(parish)
    left = draw(rng, n, (52, 48))  # of those who left before the last year, most did after grade 12
    grade = draw(rng, n, LAST_GRADES, left)
    repeated = draw(rng, n, REPEATED, poor) * (grade > 1)
    last = LAST - left * (1 + below(rng, n, LAST - FIRST))
    first = np.maximum(last - grade - repeated + draw(rng, n, LATE_YEARS), FIRST)
    age = 4 + grade + repeated + draw(rng, n, (68, 32))
    school = parish * PER_PARISH + draw(rng, n, TEACHING, np.searchsorted([7, 10], grade, "right"))
    level = np.where(grade >= 4, _drawn(rng, LEVELS, poor), len(LEVELS) - 1)
    return {
        "age": pa.array(age),
        "school": text(SCHOOLS, school),
        "grade": text(GRADES, grade),
        "first_year": pa.array(np.minimum(first, last)),
        "last_year": pa.array(last),
        "repeated": pa.array(repeated),
        "test_level": text(list(LEVELS), level),
        **_conduct(rng, gender, poor, age, left * (grade > 7), repeated),
    }


def _conduct(
    rng: np.random.Generator, gender: Codes, poor: Codes, age: Codes, left: Codes, repeated: Codes
) -> dict[str, pa.Array]:
    """Absences and suspensions; they come before dropping out and before justice."""
    n = len(age)
    absences = draw(rng, n, ABSENCES, poor * 2 + (age > 13))
    suspended = draw(rng, n, SUSPENSIONS, poor * 2 + gender) * (age > 6)
    often = np.minimum(suspended, 3)
    dropped = _happens(rng, DROPOUT, (absences > 15) * 2 + (repeated > 0)) * left
    juvenile = _happens(rng, JUVENILE, often * 2 + gender) * (age > 9)
    adult = _happens(rng, CORRECTIONS, juvenile * 4 + dropped * 2 + gender) * (age > 16)
    return {
        "absences": pa.array(absences, mask=rng.random(n) < 0.01),
        "suspensions": pa.array(suspended),
        "expelled": _flag(rng, (0.0002, 0.004, 0.01, 0.04), often),
        "dropout": text(FLAGS, dropped),
        "laojj_contact": text(FLAGS, juvenile),
        "ladoc_contact": text(FLAGS, adult),
    }


def _drawn(rng: np.random.Generator, shares: Shares, by: Codes) -> Codes:
    return draw(rng, len(by), np.array(list(shares.values())).T, by)


def _happens(rng: np.random.Generator, rates: Sequence[float], by: Codes) -> Codes:
    return (rng.random(len(by)) < np.array(rates)[by]).astype(np.int64)


def _flag(rng: np.random.Generator, rates: Sequence[float], by: Codes) -> pa.Array:
    return text(FLAGS, _happens(rng, rates, by))

"""Simulated microdata: a billing file, a patient file and student records, reproducible and fast.

They have what makes microdata hard to protect: skewed geography, an uneven age pyramid, rare
values, and confidential attributes that depend on the key attributes. No person is described:
names are chance pairs, and social security numbers from 900-00-0000 on are never assigned.
The billing file has the attributes of the experiment in Truta, Fotouhi and Barth-Jones,
"Disclosure risk measures for the sampling disclosure control method" (SAC 2004).

The same ``n`` and ``seed`` give the same table everywhere (see ``datasets.simulation``). A smaller
file is not the beginning of a larger one.
"""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.datasets.schools import school_records, school_settings
from discreet.datasets.simulation import Codes, below, curve, draw, lognormal, stream, text
from discreet.errors import fail

__all__ = ["billing", "patients", "school_records", "school_settings"]

SSN_HALF = 10_000  # a number is 9LL-LL-RRRR: two halves of four digits
MIXED = 0.1  # share of given names chosen regardless of the origin of the family name
ZIPF = 1 / np.arange(2, 32)  # weights of ranked values, the most common first
SEXES = ("F", "M")
RACES = {"White": 61, "Hispanic": 17, "Black": 13, "Asian": 6, "Two or more": 2, "Native": 1}

# Values at some ages, straight lines between. Pyramid: infants, births around 30, a peak at 75.
AGE_PYRAMID = {0: 16, 1: 9, 5: 5, 15: 5, 30: 10, 40: 9, 60: 15, 75: 20, 85: 13, 92: 4, 100: 0.3}
SHARE_OF_WOMEN = {0: 0.46, 15: 0.50, 30: 0.62, 45: 0.51, 65: 0.48, 80: 0.55, 100: 0.75}
MEDIAN_BILL = {0: 420, 2: 180, 15: 200, 40: 380, 65: 900, 85: 1500, 100: 1700}
MEDIAN_INCOME = {17: 0, 18: 14000, 25: 32000, 35: 46000, 50: 55000, 65: 44000, 99: 21000}
# fmt: off
# Three-digit areas from the most to the least populous, with the income level of each.
AREAS = {
    "021": 1.25, "482": 0.70, "100": 1.40, "606": 1.05, "900": 1.00, "770": 0.95, "191": 0.85,
    "850": 0.90, "070": 1.30, "331": 0.80, "303": 1.00, "752": 1.05, "981": 1.45, "432": 0.90,
    "452": 0.85, "631": 0.80, "010": 0.75, "802": 1.15, "372": 0.95, "701": 0.65, "088": 1.35,
}
PER_AREA = 25
HIGHEST_WEIGHT = 25  # people for whom a record of the most populous area stands
# 37 has no factor in common with 100, so the codes of an area differ and look scattered.
ZIPS = [f"{a}{(39 + 13*i + 37*j) % 100:02}" for i, a in enumerate(AREAS) for j in range(PER_AREA)]
# Skewed twice over: among the areas, and among the codes of an area.
ZIP_WEIGHTS = np.outer(ZIPF[: len(AREAS)], ZIPF[:PER_AREA]).ravel()

# Diagnosis: weights for women, for men, at ages 0-14, 15-29, 30-44, 45-59, 60-74, 75 and over.
DIAGNOSES: dict[str, tuple[float, ...]] = {
    "hypertension":           (1.0, 1.0,     0,    1,    6,   16,   22,   20),
    "type 2 diabetes":        (0.9, 1.1,     0,    1,    5,   12,   15,   11),
    "coronary heart disease": (0.7, 1.3,     0,  0.2,    2,   10,   18,   20),
    "fracture":               (1.0, 1.0,    14,   12,    8,    7,    8,   14),
    "depression":             (1.3, 0.7,     0,   16,   14,   11,    6,    5),
    "pneumonia":              (0.9, 1.1,    14,    3,    3,    5,    8,   13),
    "asthma":                 (1.0, 1.0,    30,   10,    6,    4,    3,    2),
    "osteoarthritis":         (1.2, 0.8,     0,  0.3,    2,    9,   15,   13),
    "complicated pregnancy":  (1.0, 0.0,     0,   26,   22,    0,    0,    0),
    "chronic lung disease":   (0.9, 1.1,     0,  0.2,    1,    6,   12,   11),
    "appendicitis":           (0.9, 1.1,    14,    9,    4,    2,    1,  0.5),
    "stroke":                 (0.9, 1.1,   0.1,  0.3,    1,    4,    9,   14),
    "breast cancer":          (1.0, 0.01,    0,  0.4,    4,   10,    9,    6),
    "prostate cancer":        (0.0, 1.0,     0,    0,  0.2,    5,   13,   10),
    "dementia":               (1.1, 0.9,     0,    0,    0,  0.4,    5,   24),
    "HIV infection":          (0.4, 1.6,  0.05,  1.2,    2,  1.2,  0.4,  0.1),
}

# Origin: share, 6 names of women, 6 of men, 13 of families, each list from common to rare.
NAMES: dict[str, tuple[int, str, str, str]] = {
    "English": (34, "Mary Emma Susan Grace Alice Ruth", "James John Daniel Peter Mark Neil",
        "Smith Johnson Brown Miller Davis Clark Turner Hill Baker Foster Hayes Marsh Webb"),
    "Spanish": (21, "María Ana Lucía Rosa Elena Sofía", "José Luis Juan Carlos Pedro Andrés",
        "García López Pérez Sánchez Cano Flores Vega Ortiz Núñez Molina Ríos Peña Quiroga"),
    "African": (10, "Ama Ngozi Fatou Abena Chioma Efua", "Kwame Chidi Kofi Emeka Tunde Yaw",
        "Mensah Okafor Diallo Owusu Traoré Boateng Eze Ndiaye Asante Balogun Koné Sow Bello"),
    "German": (9, "Anna Julia Katrin Greta Heike Lena", "Stefan Jürgen Lukas Klaus Jan Uwe",
        "Müller Schmidt Weber Fischer Bauer Krüger Vogel Böhm Lindner Ahrens Roth Groß Kern"),
    "Chinese": (8, "Mei Xiu Fang Yan Jing Hui", "Wei Jun Ming Qiang Tao Hao",
        "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Deng"),
    "Indian": (7, "Priya Lakshmi Kavita Asha Divya Nisha", "Rahul Amit Suresh Arjun Ravi Girish",
        "Sharma Patel Singh Kumar Gupta Reddy Iyer Nair Das Joshi Menon Pillai Bhatt"),
    "Slavic": (6, "Olga Irina Jana Vesna Zuzana Milena", "Ivan Piotr Marek Pavel Jakub Bogdan",
        "Novak Petrov Horvat Nowak Kovač Zima Sokolov Bílek Wójcik Babić Orlov Král Lis"),
    "Arabic": (5, "Fatima Layla Aisha Noor Salma Rania", "Ahmed Omar Ali Yusuf Samir Nabil",
        "Khalil Haddad Nasser Mansour Aziz Farah Saleh Khoury Rahman Jaber Sabah Amin Issa"),
}
# fmt: on


def billing(n: int, seed: int = 0) -> pa.Table:
    """Simulate a hospital billing file of `n` records.

    ``{Age, Sex, Zip}`` identifies far better than ``{Age, Race, Sex}``: 525 zip codes against
    six races. Bills are lognormal and their median grows with age from two on.

    Parameters
    ----------
    n, seed : int
        Number of records, and where the random stream starts (0 or more).

    Returns
    -------
    pyarrow.Table
        Age (int64, 0 to 100), Sex (F or M), Race (six groups), Zip (five digits as text, some
        with leading zeros), Amount_Billed (float64, two decimals).

    Examples
    --------
    >>> file = billing(1000)
    >>> file.group_by(["Age", "Sex", "Zip"]).aggregate([]).num_rows  # classes of KA1
    974
    >>> file.group_by(["Age", "Race", "Sex"]).aggregate([]).num_rows  # classes of KA2
    434

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing.
    """
    rng = stream(n, seed, file=0)
    age, sex = _age_and_sex(rng, n)
    amount = lognormal(rng, n, sigma=0.9) * curve(MEDIAN_BILL)[age]
    columns = {
        "Age": age,
        "Sex": text(SEXES, sex),
        "Race": text(list(RACES), draw(rng, n, list(RACES.values()))),
        "Zip": text(ZIPS, draw(rng, n, ZIP_WEIGHTS)),
        "Amount_Billed": np.rint(amount * 100) / 100,
    }
    return pa.table(columns)


def patients(n: int, seed: int = 0, *, weighted: bool = False) -> pa.Table:
    """Simulate a hospital patient file of `n` records, with names and numbers to remove.

    Illness depends on age and sex (prostate cancer: men only; dementia: the old). Income
    depends on age and on the three-digit zip area, and is 0 below 18 years.

    Parameters
    ----------
    n, seed : int
        Number of records, at most 100 million, and where the random stream starts (0 or more).
    weighted : bool
        Whether there is a column of sampling weights: how many patients a record stands for. The
        fewer patients an area has, the larger a part of them was drawn.

    Returns
    -------
    pyarrow.Table
        name (text), ssn (text, distinct), age (int64, 0 to 100), zip (five digits as text, some
        with leading zeros), sex (F or M), illness (text), income (int64, a multiple of 100); and
        weight (int64, 5 to 25), where it is asked for.

    Examples
    --------
    >>> file = patients(1000)
    >>> len(set(file["ssn"].to_pylist()))
    1000
    >>> sum(patients(1000, weighted=True)["weight"].to_pylist())
    19465
    """
    rng = stream(n, seed, file=1)
    if n > SSN_HALF**2:
        fail("P07", f"n must be at most {SSN_HALF**2}.", "There are no more distinct ssn.")
    age, sex = _age_and_sex(rng, n)
    zips = draw(rng, n, ZIP_WEIGHTS)
    level = np.array(list(AREAS.values()))[zips // PER_AREA]
    income = lognormal(rng, n, sigma=0.6) * curve(MEDIAN_INCOME)[age] * level
    columns = {
        "name": _name(rng, n, sex),
        "ssn": _ssn(rng, n),
        "age": age,
        "zip": text(ZIPS, zips),
        "sex": text(SEXES, sex),
        "illness": _illness(rng, n, age, sex),
        "income": np.rint(income / 100).astype(np.int64) * 100,
    }
    drawn = {"weight": HIGHEST_WEIGHT - zips // PER_AREA} if weighted else {}
    return pa.table({**columns, **drawn})


def _age_and_sex(rng: np.random.Generator, n: int) -> tuple[Codes, Codes]:
    age = draw(rng, n, curve(AGE_PYRAMID))
    return age, (rng.random(n) >= curve(SHARE_OF_WOMEN)[age]).astype(np.int64)


def _illness(rng: np.random.Generator, n: int, age: Codes, sex: Codes) -> pa.Array:
    weights = [[w[s] * w[2 + b] for w in DIAGNOSES.values()] for b in range(6) for s in (0, 1)]
    return text(list(DIAGNOSES), draw(rng, n, weights, np.minimum(age // 15, 5) * 2 + sex))


def _name(rng: np.random.Generator, n: int, sex: Codes) -> pa.Array:
    """A given name that suits the sex and mostly the origin of the family name."""
    shares = [share for share, *_ in NAMES.values()]
    given = " ".join(f"{women} {men}" for _, women, men, _ in NAMES.values()).split()
    family = " ".join(families for *_, families in NAMES.values()).split()
    per_sex, per_origin = len(given) // (2 * len(NAMES)), len(family) // len(NAMES)
    home, other = draw(rng, n, shares), draw(rng, n, shares)
    origin = np.where(rng.random(n) < MIXED, other, home)
    first = (origin * 2 + sex) * per_sex + draw(rng, n, ZIPF[:per_sex])
    last = home * per_origin + draw(rng, n, ZIPF[:per_origin])
    return text([f"{g} {f}" for g in given for f in family], first * len(family) + last)


def _ssn(rng: np.random.Generator, n: int) -> pa.Array:
    left, right = _scrambled(rng, n, SSN_HALF)
    heads, tails = _halves()
    return pc.binary_join_element_wise(heads.take(pa.array(left)), tails.take(pa.array(right)), "")


@functools.cache
def _halves() -> tuple[pa.Array, pa.Array]:
    """What stands in front and at the end of a number, by its four digits."""
    numbers = range(SSN_HALF)
    return (
        pa.array([f"9{i // 100:02}-{i % 100:02}-" for i in numbers]),
        pa.array([f"{i:04}" for i in numbers]),
    )


def _scrambled(rng: np.random.Generator, n: int, half: int) -> tuple[Codes, Codes]:
    """Permute 0 … half**2 - 1, written as two digits of base `half`; the first `n` images."""
    left, right = np.divmod(np.arange(n, dtype=np.int64), half)
    for _ in range(2):
        # Feistel: a step adds to one digit a function of the other, so it can be undone.
        left = (left + below(rng, half, half)[right]) % half
        right = (right + below(rng, half, half)[left]) % half
    return left, right

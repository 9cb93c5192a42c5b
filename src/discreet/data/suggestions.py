"""Suggesting roles: which columns look like identifiers, keys or confidential attributes.

By their names, and by the labels of variables where a file has some: the eighteen identifiers of
the HIPAA safe harbour rule (45 CFR 164.514(b)(2)) and what disclosure control usually takes for
keys. And by how many values they have: a column without a telling name on which many records are
unique is proposed as an identifier, that is to be left out: whoever knows its value of a person
finds the record. It is a first guess for a person to correct: what an intruder may know is not
written in the data.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from discreet.data.attributes import is_weight, says, words_of
from discreet.data.microdata import Microdata, require_microdata
from discreet.data.options import ALONE
from discreet.data.unchanged import found_in_words, is_flagged
from discreet.frames import FrameKind
from discreet.results import Result
from discreet.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

SuggestedRole = Literal[
    "identifier", "key", "confidential", "weight", "record id", "household", "subject", "other"
]

_ALONE = tuple(role.replace("_", " ") for role in ALONE)
# words of a name that tell a role; several words in one entry must stand together
_IDENTIFIERS: dict[str, tuple[str, ...]] = {
    "a name": ("name", "surname", "forename", "firstname", "lastname", "fullname", "first name",
               "last name", "full name", "maiden", "middlename", "nom", "prenom", "vorname",
               "nachname", "nombre", "apellido", "username", "login"),
    "a street address": ("street", "address", "addr", "house number", "apartment", "strasse",
                         "adresse", "direccion"),
    "a telephone number": ("phone", "telephone", "tel", "mobile", "cell phone", "cellphone"),
    "a fax number": ("fax",),
    "an e-mail address": ("email", "mail", "e mail"),
    "a social security or national number": ("ssn", "social security", "sin", "nin", "nhs",
                                             "national id", "tax id", "taxid", "nif", "dni", "bsn",
                                             "cpf", "pesel", "passport", "insee"),
    "a medical record number": ("mrn", "medical record", "patient id", "patientid", "patient no"),
    "a health plan number": ("beneficiary", "member id", "policy number", "insurance number",
                             "health plan"),
    "an account number": ("account", "iban", "card number", "credit card", "customer id"),
    "a certificate or licence number": ("license", "licence", "certificate"),
    "a vehicle identifier": ("vin", "plate", "vehicle id", "registration number"),
    "a device identifier": ("device", "serial", "imei", "mac", "udid"),
    "a web address": ("url", "website", "homepage"),
    "an IP address": ("ip", "ip address", "ipaddress"),
    "a biometric identifier": ("fingerprint", "biometric", "retina", "voiceprint"),
    "a photograph": ("photo", "photograph", "image", "picture"),
}  # fmt: skip
_KEYS: dict[str, tuple[str, ...]] = {
    "a place (HIPAA: smaller than a state)": (
        "zip", "zipcode", "postcode", "postal", "plz", "city", "town", "county", "district",
        "region", "municipality", "village", "state", "province", "country", "geo", "latitude",
        "longitude", "lat", "lon", "location", "area", "nuts", "fips", "birthplace", "land",
        "bundesland", "gemeinde", "bezirk", "wohnort", "ort", "kreis", "landkreis", "commune",
        "pays", "municipio", "pais"),
    "a date (HIPAA: all but the year)": (
        "date", "dob", "birth", "birthdate", "birthday", "born", "admission", "admitted",
        "discharge", "discharged", "death", "died", "visit", "datum", "geburtsdatum",
        "aufnahmedatum", "entlassungsdatum", "sterbedatum", "naissance", "nacimiento", "fecha"),
    "age (HIPAA: 90 and over together)": ("age", "years", "birthyear", "yob", "alter", "edad"),
    "sex or gender": ("sex", "gender", "geschlecht", "sexe", "sexo"),
    "origin": ("race", "ethnicity", "ethnic", "nationality", "citizenship", "native", "language",
               "religion", "ancestry"),
    "family": ("marital", "married", "household", "children", "relationship", "spouse", "family"),
    "education": ("education", "degree", "school", "edu", "qualification", "bildung"),
    "work": ("occupation", "job", "profession", "employer", "industry", "workclass", "employment",
             "rank", "position", "beruf"),
}  # fmt: skip
_CONFIDENTIAL: dict[str, tuple[str, ...]] = {
    "health": ("illness", "disease", "diagnosis", "diag", "icd", "condition", "hiv", "drug",
               "medication", "treatment", "symptom", "disability", "pregnant", "bmi", "blood",
               "test result", "therapy", "smoker", "alcohol", "diagnose", "diagnosen",
               "hauptdiagnose", "nebendiagnose", "nebendiagnosen", "aufnahmediagnose",
               "entlassungsdiagnose", "krankheit", "krank", "maladie", "enfermedad"),
    "money": ("income", "salary", "wage", "wages", "earnings", "pay", "capital", "debt", "loan",
              "tax", "wealth", "billed", "cost", "charge", "charges", "expenses", "expend",
              "expenditure", "expenditures", "spending", "saving", "savings", "price", "rent",
              "turnover", "revenue", "profit", "einkommen", "gehalt", "lohn", "kosten", "revenu",
              "ingreso", "ingresos"),
    "belief, conduct or law": ("vote", "party", "orientation", "crime", "conviction", "arrest",
                               "offence", "offense", "grade", "score"),
}  # fmt: skip
_HOUSEHOLD = ("hid", "hhid", "hhno", "hhnum", "hh id", "hh no", "hh nr", "hh number",
              "household id", "household no", "household nr", "household num",
              "household number", "family id", "family no", "family number", "dwelling id",
              "dwelling number", "haushaltsnummer", "haushalt nr", "haushalt id")  # fmt: skip
_HOME = (
    ("household",),
    ("hh",),
    ("family",),
    ("dwelling",),
    ("haushalt",),
)  # a number, or a kind of household
_SUBJECT = ("patient id", "patientid", "patient no", "patient nr", "patient number",
            "person id", "personid", "person no", "person number", "subject id", "subjectid",
            "subject no", "participant id", "respondent id", "client id", "pid")  # fmt: skip
_PERSON = (("patient",), ("person",), ("subject",), ("participant",), ("respondent",))
_WEIGHT = (("weight",), ("weights",), ("gewicht",))  # of a record, or of a body
_RECORD = ("id", "rec", "record", "row", "rowid", "row id", "record id", "recordid", "index",
           "uuid", "guid", "key id", "case", "caseid", "case id", "serialno")  # fmt: skip
_MANY = 0.9  # share of records with a value of their own from which a text may name people
_SHORT = 8  # words of a label up to which it names what is in the column; longer ones are questions
_FEW = 20  # records below which uniqueness says nothing
_EACH = 1000  # records of a person on average, from which a column does not tell people apart
_TOGETHER = 20  # people of a household on average, from which its column is not a number of it


@dataclass(frozen=True)
class Suggestion:
    """A role for a column, and why."""

    column: str
    role: SuggestedRole
    reason: str


@dataclass(frozen=True, repr=False)
class RoleSuggestions(Result):
    """A role for every column, with the reason; to be corrected by someone who knows the data.

    ``.roles`` are arguments of ``ds.read``.

    Attributes
    ----------
    suggestions : tuple of Suggestion
        For each column its name, the role and the reason.

    Examples
    --------
    >>> import discreet as ds
    >>> found = ds.suggest_roles(ds.read({"age": [23, 37, 38] * 9, "ssn": list(range(27))}))
    >>> found.roles["keys"], found.reason("ssn")
    (['age'], 'by its name, a social security or national number')
    """

    suggestions: tuple[Suggestion, ...]
    kind: FrameKind

    @property
    def roles(self) -> dict[str, Any]:
        """The suggestions as arguments: ``ds.read(path, **found.roles)``."""
        several = {"identifiers": "identifier", "keys": "key", "confidential": "confidential"}
        found: dict[str, Any] = {name: self._of(role) for name, role in several.items()}
        found |= {role: self._first(role.replace("_", " ")) for role in ALONE}
        return {name: value for name, value in found.items() if value}

    def _of(self, role: str) -> list[str]:
        return [one.column for one in self.suggestions if one.role == role]

    def _first(self, role: str) -> str | None:
        return next(iter(self._of(role)), None)

    def reason(self, column: str) -> str:
        """Why a column was given its role."""
        return next((one.reason for one in self.suggestions if one.column == column), "")

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per column: role and reason."""
        rows = [vars(one) for one in self.suggestions]
        return self._frame(rows, kind)

    def explain(self) -> str:
        """The suggestions, a line each."""
        width = max((len(one.column) for one in self.suggestions), default=0)
        lines = [
            f"  {one.column:<{width}}  {one.role:<12}  {one.reason}" for one in self.suggestions
        ]
        return "\n".join(["Suggested roles, to be corrected:", *lines])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"roles": self.roles, "columns": [vars(one) for one in self.suggestions]}

    def __repr__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(o.column)}</td><td>{o.role}</td><td>{o.reason}</td></tr>"
            for o in self.suggestions
        )
        head = "<tr><th>column</th><th>suggested role</th><th>reason</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def suggest_roles(data: Microdata) -> RoleSuggestions:
    """Suggest a role for every column, by its name, the label that a file of SPSS, Stata or SAS
    gives it, and how many values it has.

    Parameters
    ----------
    data : Microdata
        Opened with ``ds.read(path)``; roles that it has already are left aside.

    Returns
    -------
    RoleSuggestions
        ``.table()``, ``.roles``.

    Examples
    --------
    >>> import discreet as ds
    >>> patients = ds.read(ds.datasets.patients(100, seed=1))
    >>> ds.suggest_roles(patients).roles["identifiers"]
    ['name', 'ssn']
    """
    require_microdata(data, named="the argument")
    data.value_figures(data.columns)  # counted together
    found: list[Suggestion] = []
    for column in data.columns:
        role, reason = _suggested(data, column)
        if role in _ALONE and any(one.role == role for one in found):
            role = "other" if role == "weight" else "identifier"  # one column plays that role
            reason += "" if role == "identifier" else "; another column has that role"
        found.append(_told(data, Suggestion(column, role, reason)))
    return RoleSuggestions(tuple(found), data.source.kind)


def _told(data: Microdata, one: Suggestion) -> Suggestion:
    """The suggestion, and what it means that many records are unique on the column."""
    figures = data.value_figures([one.column]).get(one.column)
    if figures is None or data.n < _FEW or not is_flagged(data.n, *figures):
        return one
    told = found_in_words(data.n, *figures)
    if one.role == "other":
        reason = f"{told}: leave it out, unless you can say why it may be released"
        known = f"{one.reason}; " if one.reason.startswith("by its ") else ""
        return Suggestion(one.column, "identifier", f"{known}{reason}")
    if one.role in ("confidential", "weight"):
        return Suggestion(one.column, one.role, f"{one.reason}; {told}")
    return one


def _suggested(data: Microdata, column: str) -> tuple[SuggestedRole, str]:
    book = None if data.origin is None else data.origin.book
    label = "" if book is None else book.label(column)
    told = _named(data, column, column, "name")
    if told is None and 0 < len(label.split()) <= _SHORT:
        told = _named(data, column, label, "label")
    return told or _by_values(data, column)


def _named(
    data: Microdata, column: str, name: str, which: Literal["name", "label"]
) -> tuple[SuggestedRole, str] | None:
    """The role of a column by its name, or by its label in a file of SPSS, Stata or SAS."""
    words = words_of(name)
    distinct, missing = data.profile[column]
    kind = data.source.kinds[column]
    unique = data.n >= _FEW and distinct + missing == data.n and missing == 0
    if is_weight(name, kind):
        return "weight", f"by its {which}, a sampling weight"
    if tuple(words) in _WEIGHT and kind in ("integer", "number"):
        return "other", f"by its {which}, a sampling weight or the weight of a body: say which"
    if _is_household(data, column, words):
        shared = missing == 0 and 1 < distinct < data.n
        return (
            "household" if shared else "identifier",
            f"by its {which}, a household number: it tells who lives together",
        )
    if _is_subject(data, column, words):
        return "subject", f"by its {which}, it tells people apart; some have several records"
    if says(words, _RECORD) and unique and kind in ("integer", "text"):
        return "record id", "it names the records: every one has a value of its own"
    bare = tuple(word for word in words if word != "name")  # city_name names a city
    for role, known, tried in (
        ("key", _KEYS, bare if bare != words else ()),
        ("confidential", _CONFIDENTIAL, bare if bare != words else ()),
        ("identifier", _IDENTIFIERS, words),
        ("key", _KEYS, words),
        ("confidential", _CONFIDENTIAL, words),
    ):
        meaning = next((word for word, names in known.items() if says(tried, names)), None)
        if meaning is not None:
            return role, f"by its {which}, {meaning}"  # type: ignore[return-value]
    return None


def _by_values(data: Microdata, column: str) -> tuple[SuggestedRole, str]:
    """The role of a column whose name says nothing."""
    distinct, kind = data.profile[column][0], data.source.kinds[column]
    if kind in ("date", "timestamp"):
        return "key", "a date (HIPAA: all but the year)"
    if kind == "text" and data.n >= _FEW and distinct > _MANY * data.n:
        return "identifier", f"a text with {counted(distinct, 'value')} in {data.n:,} records"
    if kind == "other":
        return "other", "lists, structures or bytes: look into it before release"
    return "other", f"its name says nothing; {counted(distinct, 'value')}"


def _is_subject(data: Microdata, column: str, words: Sequence[str]) -> bool:
    """Whether a column tells people apart of whom some have several records."""
    distinct, missing = data.profile[column]
    if data.source.kinds[column] not in ("integer", "text") or missing or data.n < _FEW:
        return False
    repeated = distinct < data.n < _EACH * distinct
    return repeated and (says(words, _SUBJECT) or tuple(words) in _PERSON)


def _is_household(data: Microdata, column: str, words: Sequence[str]) -> bool:
    """Whether a column numbers households: "household" alone may be a kind of household."""
    if data.source.kinds[column] not in ("integer", "text"):
        return False
    few = data.n < _TOGETHER * data.profile[column][0] and data.n >= _FEW
    return says(words, _HOUSEHOLD) or (few and tuple(words) in _HOME)

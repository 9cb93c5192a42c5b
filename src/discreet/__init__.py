"""discreet: measure and limit disclosure risk in microdata.

    import discreet as ds

    survey = ds.read("survey.csv", keys=["age", "zip", "sex"], confidential=["illness"])
    print(ds.risk(survey).explain())

Names are imported when first used, so that ``import discreet`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from discreet._version import __version__

if TYPE_CHECKING:
    from discreet import datasets, errors
    from discreet.checking import Check, check
    from discreet.criteria import KAnonymity, PSensitiveKAnonymity
    from discreet.errors import DiscreetError
    from discreet.frequency import FrequencySet
    from discreet.microdata import Microdata
    from discreet.reading import read
    from discreet.risks.by_class import Risk, risk

_HOME = {
    "Check": "discreet.checking",
    "DiscreetError": "discreet.errors",
    "FrequencySet": "discreet.frequency",
    "KAnonymity": "discreet.criteria",
    "Microdata": "discreet.microdata",
    "PSensitiveKAnonymity": "discreet.criteria",
    "Risk": "discreet.risks.by_class",
    "check": "discreet.checking",
    "datasets": "discreet.datasets",
    "errors": "discreet.errors",
    "read": "discreet.reading",
    "risk": "discreet.risks.by_class",
}

__all__ = [
    "Check",
    "DiscreetError",
    "FrequencySet",
    "KAnonymity",
    "Microdata",
    "PSensitiveKAnonymity",
    "Risk",
    "__version__",
    "check",
    "datasets",
    "errors",
    "read",
    "risk",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if _HOME[name] == f"discreet.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

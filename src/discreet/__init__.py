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
    from discreet.criteria import (
        AllOf,
        DisclosureRiskAtMost,
        KAnonymity,
        LDiversity,
        PSensitiveKAnonymity,
        TCloseness,
    )
    from discreet.errors import DiscreetError
    from discreet.frequency import FrequencySet
    from discreet.hierarchy import Hierarchy
    from discreet.loss.information import InformationLoss, information_loss
    from discreet.loss.regression import RegressionLoss, regression_loss
    from discreet.loss.score import Score, score
    from discreet.loss.statistics import Statistics, compare_statistics
    from discreet.masking.generalize import generalize
    from discreet.masking.masked import Masked
    from discreet.masking.microaggregate import microaggregate
    from discreet.masking.sample import sample
    from discreet.microdata import Microdata
    from discreet.progressing import Progress, on_progress
    from discreet.reading import read
    from discreet.risks.by_class import Risk, risk
    from discreet.risks.disclosure import DisclosureRisk, disclosure_risk
    from discreet.risks.sampling import SamplingRisk, sampling_risk
    from discreet.risks.weights import Weights

_HOME = {
    "AllOf": "discreet.criteria",
    "Check": "discreet.checking",
    "DisclosureRisk": "discreet.risks.disclosure",
    "DisclosureRiskAtMost": "discreet.criteria",
    "DiscreetError": "discreet.errors",
    "FrequencySet": "discreet.frequency",
    "Hierarchy": "discreet.hierarchy",
    "InformationLoss": "discreet.loss.information",
    "KAnonymity": "discreet.criteria",
    "LDiversity": "discreet.criteria",
    "Masked": "discreet.masking.masked",
    "Microdata": "discreet.microdata",
    "PSensitiveKAnonymity": "discreet.criteria",
    "Progress": "discreet.progressing",
    "RegressionLoss": "discreet.loss.regression",
    "Risk": "discreet.risks.by_class",
    "SamplingRisk": "discreet.risks.sampling",
    "Score": "discreet.loss.score",
    "Statistics": "discreet.loss.statistics",
    "TCloseness": "discreet.criteria",
    "Weights": "discreet.risks.weights",
    "check": "discreet.checking",
    "compare_statistics": "discreet.loss.statistics",
    "datasets": "discreet.datasets",
    "disclosure_risk": "discreet.risks.disclosure",
    "errors": "discreet.errors",
    "generalize": "discreet.masking.generalize",
    "information_loss": "discreet.loss.information",
    "microaggregate": "discreet.masking.microaggregate",
    "on_progress": "discreet.progressing",
    "read": "discreet.reading",
    "regression_loss": "discreet.loss.regression",
    "risk": "discreet.risks.by_class",
    "sample": "discreet.masking.sample",
    "sampling_risk": "discreet.risks.sampling",
    "score": "discreet.loss.score",
}

__all__ = [
    "AllOf",
    "Check",
    "DisclosureRisk",
    "DisclosureRiskAtMost",
    "DiscreetError",
    "FrequencySet",
    "Hierarchy",
    "InformationLoss",
    "KAnonymity",
    "LDiversity",
    "Masked",
    "Microdata",
    "PSensitiveKAnonymity",
    "Progress",
    "RegressionLoss",
    "Risk",
    "SamplingRisk",
    "Score",
    "Statistics",
    "TCloseness",
    "Weights",
    "__version__",
    "check",
    "compare_statistics",
    "datasets",
    "disclosure_risk",
    "errors",
    "generalize",
    "information_loss",
    "microaggregate",
    "on_progress",
    "read",
    "regression_loss",
    "risk",
    "sample",
    "sampling_risk",
    "score",
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

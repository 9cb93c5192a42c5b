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
    from discreet.criteria import (
        AllOf,
        AverageRisk,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        DisclosureRiskAtMost,
        KAnonymity,
        KMap,
        LDiversity,
        PSensitiveKAnonymity,
        TCloseness,
    )
    from discreet.criteria.check import Check, check
    from discreet.data.masked import Masked
    from discreet.data.microdata import Microdata
    from discreet.data.reader import read
    from discreet.data.suggestions import RoleSuggestions, suggest_roles
    from discreet.data.unchanged import Unchanged, unchanged
    from discreet.data.written import Written
    from discreet.engine.resources import Settings, settings
    from discreet.errors import DiscreetError
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.loss.information import InformationLoss, information_loss
    from discreet.loss.propensity import Propensity, propensity
    from discreet.loss.regression import RegressionLoss, regression_loss
    from discreet.loss.score import Score, score
    from discreet.loss.statistics import Statistics, compare_statistics
    from discreet.masking.add_noise import add_noise
    from discreet.masking.advice import Advice, advise
    from discreet.masking.cell_suppression.outcome import SuppressedCells
    from discreet.masking.column_groups import ColumnGroups
    from discreet.masking.generalize import generalize
    from discreet.masking.local_recoding.outcome import LocalRecoding
    from discreet.masking.microaggregate import microaggregate
    from discreet.masking.noise import Noise
    from discreet.masking.post_randomization.transition import (
        PostRandomization,
        TableEstimate,
        Transition,
    )
    from discreet.masking.pram import pram
    from discreet.masking.protect_records import protect_records
    from discreet.masking.rank_swap import rank_swap
    from discreet.masking.recode import recode
    from discreet.masking.round_values import round_values
    from discreet.masking.sample import sample
    from discreet.masking.shuffle import Shuffled, shuffle
    from discreet.masking.suppress_cells import suppress_cells
    from discreet.masking.swap_records import SwappedRecords, swap_records
    from discreet.masking.top_code import top_code
    from discreet.plan.ledger import Ledger
    from discreet.plan.plan import Plan
    from discreet.plan.release import Release
    from discreet.plan.verification import Verification
    from discreet.progress import Progress, on_progress
    from discreet.reports.report import Report, report
    from discreet.risks.attack import Attack, attack
    from discreet.risks.by_class import Risk, risk
    from discreet.risks.candidates import KeyCandidates, key_candidates
    from discreet.risks.disclosure import DisclosureRisk, disclosure_risk
    from discreet.risks.individual import IndividualRisk, individual_risk
    from discreet.risks.interval_disclosure import IntervalDisclosure, interval_disclosure
    from discreet.risks.linkage import Linkage, linkage
    from discreet.risks.model_risk import ModelRisk, model_risk
    from discreet.risks.population_uniqueness import PopulationUniqueness, population_uniqueness
    from discreet.risks.readings import Readings, readings
    from discreet.risks.recognition import PopulationRange, population_range
    from discreet.risks.record import RecordRisk, record_risk
    from discreet.risks.releases import JointReleases, compare_releases
    from discreet.risks.risky_combinations import RiskyCombinations, risky_combinations
    from discreet.risks.sampling import SamplingRisk, sampling_risk
    from discreet.risks.sensitivity import RiskSettings
    from discreet.risks.special_uniques import Suda, suda
    from discreet.risks.weights import Weights
    from discreet.rumap.grid import grid
    from discreet.rumap.recommendation import Recommendation, recommend
    from discreet.rumap.result import RUMap
    from discreet.rumap.ru_map import ru_map

_HOME = {
    "Advice": "discreet.masking.advice",
    "AllOf": "discreet.criteria",
    "Attack": "discreet.risks.attack",
    "AverageRisk": "discreet.criteria",
    "BetaLikeness": "discreet.criteria",
    "Check": "discreet.criteria.check",
    "ColumnGroups": "discreet.masking.column_groups",
    "DeltaDisclosure": "discreet.criteria",
    "DeltaPresence": "discreet.criteria",
    "DisclosureRisk": "discreet.risks.disclosure",
    "DisclosureRiskAtMost": "discreet.criteria",
    "DiscreetError": "discreet.errors",
    "FrequencySet": "discreet.frequency.frequency_set",
    "Hierarchy": "discreet.hierarchies.hierarchy",
    "IndividualRisk": "discreet.risks.individual",
    "InformationLoss": "discreet.loss.information",
    "IntervalDisclosure": "discreet.risks.interval_disclosure",
    "JointReleases": "discreet.risks.releases",
    "KAnonymity": "discreet.criteria",
    "KMap": "discreet.criteria",
    "KeyCandidates": "discreet.risks.candidates",
    "LDiversity": "discreet.criteria",
    "Ledger": "discreet.plan.ledger",
    "Linkage": "discreet.risks.linkage",
    "Masked": "discreet.data.masked",
    "Microdata": "discreet.data.microdata",
    "ModelRisk": "discreet.risks.model_risk",
    "PSensitiveKAnonymity": "discreet.criteria",
    "Plan": "discreet.plan.plan",
    "PopulationRange": "discreet.risks.recognition",
    "PopulationUniqueness": "discreet.risks.population_uniqueness",
    "Progress": "discreet.progress",
    "Propensity": "discreet.loss.propensity",
    "RUMap": "discreet.rumap.result",
    "Readings": "discreet.risks.readings",
    "Recommendation": "discreet.rumap.recommendation",
    "RecordRisk": "discreet.risks.record",
    "RegressionLoss": "discreet.loss.regression",
    "Release": "discreet.plan.release",
    "Report": "discreet.reports.report",
    "Risk": "discreet.risks.by_class",
    "RiskSettings": "discreet.risks.sensitivity",
    "RiskyCombinations": "discreet.risks.risky_combinations",
    "RoleSuggestions": "discreet.data.suggestions",
    "SamplingRisk": "discreet.risks.sampling",
    "Score": "discreet.loss.score",
    "Settings": "discreet.engine.resources",
    "Statistics": "discreet.loss.statistics",
    "Suda": "discreet.risks.special_uniques",
    "TCloseness": "discreet.criteria",
    "Unchanged": "discreet.data.unchanged",
    "Verification": "discreet.plan.verification",
    "Weights": "discreet.risks.weights",
    "Written": "discreet.data.written",
    "Noise": "discreet.masking.noise",
    "add_noise": "discreet.masking.add_noise",
    "advise": "discreet.masking.advice",
    "attack": "discreet.risks.attack",
    "check": "discreet.criteria.check",
    "compare_releases": "discreet.risks.releases",
    "compare_statistics": "discreet.loss.statistics",
    "datasets": "discreet.datasets",
    "disclosure_risk": "discreet.risks.disclosure",
    "errors": "discreet.errors",
    "generalize": "discreet.masking.generalize",
    "grid": "discreet.rumap.grid",
    "individual_risk": "discreet.risks.individual",
    "information_loss": "discreet.loss.information",
    "interval_disclosure": "discreet.risks.interval_disclosure",
    "key_candidates": "discreet.risks.candidates",
    "linkage": "discreet.risks.linkage",
    "microaggregate": "discreet.masking.microaggregate",
    "model_risk": "discreet.risks.model_risk",
    "on_progress": "discreet.progress",
    "population_range": "discreet.risks.recognition",
    "population_uniqueness": "discreet.risks.population_uniqueness",
    "propensity": "discreet.loss.propensity",
    "protect_records": "discreet.masking.protect_records",
    "recode": "discreet.masking.recode",
    "LocalRecoding": "discreet.masking.local_recoding.outcome",
    "read": "discreet.data.reader",
    "rank_swap": "discreet.masking.rank_swap",
    "PostRandomization": "discreet.masking.post_randomization.transition",
    "TableEstimate": "discreet.masking.post_randomization.transition",
    "Transition": "discreet.masking.post_randomization.transition",
    "pram": "discreet.masking.pram",
    "round_values": "discreet.masking.round_values",
    "SwappedRecords": "discreet.masking.swap_records",
    "swap_records": "discreet.masking.swap_records",
    "top_code": "discreet.masking.top_code",
    "readings": "discreet.risks.readings",
    "recommend": "discreet.rumap.recommendation",
    "record_risk": "discreet.risks.record",
    "regression_loss": "discreet.loss.regression",
    "report": "discreet.reports.report",
    "risk": "discreet.risks.by_class",
    "risky_combinations": "discreet.risks.risky_combinations",
    "ru_map": "discreet.rumap.ru_map",
    "sample": "discreet.masking.sample",
    "suppress_cells": "discreet.masking.suppress_cells",
    "SuppressedCells": "discreet.masking.cell_suppression.outcome",
    "sampling_risk": "discreet.risks.sampling",
    "score": "discreet.loss.score",
    "shuffle": "discreet.masking.shuffle",
    "Shuffled": "discreet.masking.shuffle",
    "settings": "discreet.engine.resources",
    "suda": "discreet.risks.special_uniques",
    "suggest_roles": "discreet.data.suggestions",
    "unchanged": "discreet.data.unchanged",
}

__all__ = [
    "Advice",
    "AllOf",
    "Attack",
    "AverageRisk",
    "BetaLikeness",
    "Check",
    "ColumnGroups",
    "DeltaDisclosure",
    "DeltaPresence",
    "DisclosureRisk",
    "DisclosureRiskAtMost",
    "DiscreetError",
    "FrequencySet",
    "Hierarchy",
    "IndividualRisk",
    "InformationLoss",
    "IntervalDisclosure",
    "JointReleases",
    "KAnonymity",
    "KMap",
    "KeyCandidates",
    "LDiversity",
    "Ledger",
    "Linkage",
    "LocalRecoding",
    "Masked",
    "Microdata",
    "ModelRisk",
    "Noise",
    "PSensitiveKAnonymity",
    "Plan",
    "PopulationRange",
    "PopulationUniqueness",
    "PostRandomization",
    "Progress",
    "Propensity",
    "RUMap",
    "Readings",
    "Recommendation",
    "RecordRisk",
    "RegressionLoss",
    "Release",
    "Report",
    "Risk",
    "RiskSettings",
    "RiskyCombinations",
    "RoleSuggestions",
    "SamplingRisk",
    "Score",
    "Settings",
    "Shuffled",
    "Statistics",
    "Suda",
    "SuppressedCells",
    "SwappedRecords",
    "TCloseness",
    "TableEstimate",
    "Transition",
    "Unchanged",
    "Verification",
    "Weights",
    "Written",
    "__version__",
    "add_noise",
    "advise",
    "attack",
    "check",
    "compare_releases",
    "compare_statistics",
    "datasets",
    "disclosure_risk",
    "errors",
    "generalize",
    "grid",
    "individual_risk",
    "information_loss",
    "interval_disclosure",
    "key_candidates",
    "linkage",
    "microaggregate",
    "model_risk",
    "on_progress",
    "population_range",
    "population_uniqueness",
    "pram",
    "propensity",
    "protect_records",
    "rank_swap",
    "read",
    "readings",
    "recode",
    "recommend",
    "record_risk",
    "regression_loss",
    "report",
    "risk",
    "risky_combinations",
    "round_values",
    "ru_map",
    "sample",
    "sampling_risk",
    "score",
    "settings",
    "shuffle",
    "suda",
    "suggest_roles",
    "suppress_cells",
    "swap_records",
    "top_code",
    "unchanged",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        return _described(name)
    module = importlib.import_module(_HOME[name])
    value = module if _HOME[name] == f"discreet.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def _described(name: str) -> Any:
    """What is described and found by its registry: also what other packages add."""
    if not name.startswith("_"):
        from discreet.registry import everything

        found = everything()
        if name in found:
            return found[name].loaded()
        raise AttributeError(_not_here(name, frozenset([*_HOME, *found])))
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def _not_here(name: str, known: frozenset[str]) -> str:
    """That there is no such name; and which one was meant, where that can be told."""
    from discreet.errors import did_you_mean
    from discreet.synonyms import hint

    said = hint(name, known) or f" {did_you_mean(name, known)}".rstrip()
    return f"module 'discreet' has no attribute {name!r}.{said}"


def __dir__() -> list[str]:
    return __all__

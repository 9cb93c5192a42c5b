"""Criteria a masked file must meet: each says what it needs to know of a class, and whether
a class that satisfies it still does after it is merged with another one (monotone)."""

from discreet.criteria.all_of import AllOf
from discreet.criteria.average_risk import AverageRisk
from discreet.criteria.beta_likeness import BetaLikeness
from discreet.criteria.criterion import Criterion
from discreet.criteria.delta_disclosure import DeltaDisclosure
from discreet.criteria.delta_presence import DeltaPresence
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.criteria.k_anonymity import KAnonymity
from discreet.criteria.k_map import KMap
from discreet.criteria.l_diversity import LDiversity
from discreet.criteria.p_sensitive import PSensitiveKAnonymity
from discreet.criteria.t_closeness import TCloseness

__all__ = [
    "AllOf",
    "AverageRisk",
    "BetaLikeness",
    "Criterion",
    "DeltaDisclosure",
    "DeltaPresence",
    "DisclosureRiskAtMost",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "PSensitiveKAnonymity",
    "TCloseness",
]

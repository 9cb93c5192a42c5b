"""Criteria a masked file must meet: each says what it needs to know of a class, and whether
a class that satisfies it still does after it is merged with another one (monotone)."""

from discreet.criteria.all_of import AllOf
from discreet.criteria.criterion import Criterion
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.criteria.k_anonymity import KAnonymity
from discreet.criteria.l_diversity import LDiversity
from discreet.criteria.p_sensitive import PSensitiveKAnonymity
from discreet.criteria.t_closeness import TCloseness

__all__ = [
    "AllOf",
    "Criterion",
    "DisclosureRiskAtMost",
    "KAnonymity",
    "LDiversity",
    "PSensitiveKAnonymity",
    "TCloseness",
]

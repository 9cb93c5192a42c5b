"""Criteria a masked file must meet: each says what it needs to know of a class, and whether
a class that satisfies it still does after it is merged with another one (monotone)."""

from discreet.criteria.criterion import Criterion
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.criteria.k_anonymity import KAnonymity
from discreet.criteria.p_sensitive import PSensitiveKAnonymity

__all__ = ["Criterion", "DisclosureRiskAtMost", "KAnonymity", "PSensitiveKAnonymity"]

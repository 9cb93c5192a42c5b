"""The public names, and where each of them is: read by type checkers, and by `discreet` itself."""

from discreet import datasets as datasets, errors as errors
from discreet._version import __version__ as __version__
from discreet.criteria.all_of import AllOf as AllOf
from discreet.criteria.average_risk import AverageRisk as AverageRisk
from discreet.criteria.beta_likeness import BetaLikeness as BetaLikeness
from discreet.criteria.check import Check as Check, check as check
from discreet.criteria.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from discreet.criteria.delta_presence import DeltaPresence as DeltaPresence
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost as DisclosureRiskAtMost
from discreet.criteria.k_anonymity import KAnonymity as KAnonymity
from discreet.criteria.k_map import KMap as KMap
from discreet.criteria.l_diversity import LDiversity as LDiversity
from discreet.criteria.p_sensitive import PSensitiveKAnonymity as PSensitiveKAnonymity
from discreet.criteria.t_closeness import TCloseness as TCloseness
from discreet.data.masked import Masked as Masked
from discreet.data.microdata import Microdata as Microdata
from discreet.data.reader import read as read
from discreet.data.suggestions import (
    RoleSuggestions as RoleSuggestions,
    suggest_roles as suggest_roles,
)
from discreet.data.unchanged import Unchanged as Unchanged, unchanged as unchanged
from discreet.data.unchanged import Written as Written
from discreet.engine.limits import Settings as Settings, settings as settings
from discreet.errors import DiscreetError as DiscreetError
from discreet.frequency.frequency_set import FrequencySet as FrequencySet
from discreet.hierarchies.hierarchy import Hierarchy as Hierarchy
from discreet.loss.information import (
    InformationLoss as InformationLoss,
    information_loss as information_loss,
)
from discreet.loss.propensity import Propensity as Propensity, propensity as propensity
from discreet.loss.regression import (
    RegressionLoss as RegressionLoss,
    regression_loss as regression_loss,
)
from discreet.loss.score import Score as Score, score as score
from discreet.loss.statistics import (
    Statistics as Statistics,
    compare_statistics as compare_statistics,
)
from discreet.masking.add_noise import add_noise as add_noise
from discreet.masking.advice import Advice as Advice, advise as advise
from discreet.masking.cell_suppression.outcome import SuppressedCells as SuppressedCells
from discreet.masking.generalize import generalize as generalize
from discreet.masking.local_recoding.outcome import LocalRecoding as LocalRecoding
from discreet.masking.microaggregate import (
    ColumnGroups as ColumnGroups,
    microaggregate as microaggregate,
)
from discreet.masking.noise import Noise as Noise
from discreet.masking.pram import pram as pram
from discreet.masking.protect_records import protect_records as protect_records
from discreet.masking.rank_swap import rank_swap as rank_swap
from discreet.masking.recode import recode as recode
from discreet.masking.round_values import round_values as round_values
from discreet.masking.sample import sample as sample
from discreet.masking.shuffle import Shuffled as Shuffled, shuffle as shuffle
from discreet.masking.suppress_cells import suppress_cells as suppress_cells
from discreet.masking.swap_records import (
    SwappedRecords as SwappedRecords,
    swap_records as swap_records,
)
from discreet.masking.top_code import top_code as top_code
from discreet.masking.transition import (
    PostRandomization as PostRandomization,
    TableEstimate as TableEstimate,
    Transition as Transition,
)
from discreet.plan.ledger import Ledger as Ledger
from discreet.plan.plan import Plan as Plan
from discreet.plan.run import Release as Release
from discreet.plan.verification import Verification as Verification
from discreet.progress import Progress as Progress, on_progress as on_progress
from discreet.reports.report import Report as Report, report as report
from discreet.risks.attack import Attack as Attack, attack as attack
from discreet.risks.by_class import Risk as Risk, risk as risk
from discreet.risks.candidates import (
    KeyCandidates as KeyCandidates,
    key_candidates as key_candidates,
)
from discreet.risks.disclosure import (
    DisclosureRisk as DisclosureRisk,
    disclosure_risk as disclosure_risk,
)
from discreet.risks.individual import (
    IndividualRisk as IndividualRisk,
    individual_risk as individual_risk,
)
from discreet.risks.interval_disclosure import (
    IntervalDisclosure as IntervalDisclosure,
    interval_disclosure as interval_disclosure,
)
from discreet.risks.linkage import Linkage as Linkage, linkage as linkage
from discreet.risks.model_risk import ModelRisk as ModelRisk, model_risk as model_risk
from discreet.risks.population_uniqueness import (
    PopulationUniqueness as PopulationUniqueness,
    population_uniqueness as population_uniqueness,
)
from discreet.risks.readings import Readings as Readings, readings as readings
from discreet.risks.recognition import (
    PopulationRange as PopulationRange,
    population_range as population_range,
)
from discreet.risks.record import RecordRisk as RecordRisk, record_risk as record_risk
from discreet.risks.releases import (
    JointReleases as JointReleases,
    compare_releases as compare_releases,
)
from discreet.risks.risky_combinations import (
    RiskyCombinations as RiskyCombinations,
    risky_combinations as risky_combinations,
)
from discreet.risks.sampling import SamplingRisk as SamplingRisk, sampling_risk as sampling_risk
from discreet.risks.sensitivity import RiskSettings as RiskSettings
from discreet.risks.special_uniques import Suda as Suda, suda as suda
from discreet.risks.weights import Weights as Weights
from discreet.rumap.grid import grid as grid
from discreet.rumap.recommendation import Recommendation as Recommendation, recommend as recommend
from discreet.rumap.result import RUMap as RUMap
from discreet.rumap.ru_map import ru_map as ru_map

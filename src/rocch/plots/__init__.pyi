"""The names of `rocch.plots`."""

from .binary import DetDisplay as DetDisplay
from .binary import GainDisplay as GainDisplay
from .binary import RocBandDisplay as RocBandDisplay
from .binary import RocHullDisplay as RocHullDisplay
from .binary import RocPrecisionRecallDisplay as RocPrecisionRecallDisplay
from .costs import CostCurveDisplay as CostCurveDisplay
from .costs import NetBenefitDisplay as NetBenefitDisplay
from .costs import SuperiorityDisplay as SuperiorityDisplay
from .multiclass import DecisionRegionsDisplay as DecisionRegionsDisplay
from .multiclass import ParallelRatesDisplay as ParallelRatesDisplay
from .referral import ReferralDisplay as ReferralDisplay
from .surfaces import MissFrontDisplay as MissFrontDisplay
from .surfaces import RandomDistanceDisplay as RandomDistanceDisplay
from .surfaces import SurfaceDisplay as SurfaceDisplay

__all__: list[str]

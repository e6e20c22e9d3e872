"""The names of `rocch.plots`."""

from .bands import RocBandDisplay as RocBandDisplay
from .costs import CostCurveDisplay as CostCurveDisplay
from .costs import NetBenefitDisplay as NetBenefitDisplay
from .costs import SuperiorityDisplay as SuperiorityDisplay
from .hull import RocHullDisplay as RocHullDisplay
from .multiclass import DecisionRegionsDisplay as DecisionRegionsDisplay
from .multiclass import ParallelRatesDisplay as ParallelRatesDisplay
from .surfaces import MissFrontDisplay as MissFrontDisplay
from .surfaces import RandomDistanceDisplay as RandomDistanceDisplay
from .surfaces import SurfaceDisplay as SurfaceDisplay
from .views import DetDisplay as DetDisplay
from .views import GainDisplay as GainDisplay
from .views import RocPrecisionRecallDisplay as RocPrecisionRecallDisplay

__all__: list[str]

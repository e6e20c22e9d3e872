"""The names of `rocch.roc`."""

from .average import AveragedCurve as AveragedCurve
from .average import average_curves as average_curves
from .average import pool_curves as pool_curves
from .conditions import Interval as Interval
from .conditions import IsoPerformanceLine as IsoPerformanceLine
from .conditions import RowConditions as RowConditions
from .criteria import LinearLimit as LinearLimit
from .curve_table import CurveTable as CurveTable
from .guarantee import Guarantee as Guarantee
from .hull import Verdict as Verdict
from .knob import Knob as Knob
from .new_rows import NewRowsCost as NewRowsCost
from .new_rows import NewRowsRates as NewRowsRates
from .operating_point import ClassTotals as ClassTotals
from .operating_point import OperatingPoint as OperatingPoint
from .operating_point import Performance as Performance
from .operating_point import RocPoint as RocPoint
from .partial_auc import PartialAuc as PartialAuc
from .referral import Referral as Referral
from .referral import referral_slopes as referral_slopes
from .savings import Saving as Saving
from .savings import Savings as Savings
from .sensitivity import Choice as Choice
from .sensitivity import Sensitivity as Sensitivity
from .sensitivity import Shortfall as Shortfall
from .sensitivity import WinningRange as WinningRange
from .views import CostCurve as CostCurve
from .views import CostLine as CostLine
from .views import DecisionCurve as DecisionCurve
from .views import DetCurve as DetCurve
from .views import GainCurve as GainCurve
from .views import PrecisionRecallCurve as PrecisionRecallCurve
from .views import probability_cost as probability_cost

__all__: list[str]

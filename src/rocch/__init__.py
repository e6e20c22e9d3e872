"""rocch: robust classification when costs and class balance are known only roughly.

Public names are loaded when first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rocch.compare.calibrated import em_prevalence
    from rocch.compare.losses import LossComparison, Stretch, compare_losses
    from rocch.compare.prevalence import PrevalenceEstimate, estimate_prevalence
    from rocch.compare.shape_check import ShapeCheck
    from rocch.compare.superiority import BestStretch, Standing, Superiority, who_is_best
    from rocch.errors import (
        AssumptionError,
        GuaranteeError,
        InfeasibleError,
        InputError,
        MissingExtraError,
        RocchError,
        UndefinedError,
    )
    from rocch.hybrid.aimed import AimedClassifier
    from rocch.hybrid.classifier import RocchClassifier
    from rocch.hybrid.combining.combine import Combinations, find_combinations
    from rocch.hybrid.combining.confirm import Combination
    from rocch.hybrid.combining.find_settings import Setting, Settings, find_settings
    from rocch.hybrid.combining.gain import Gain
    from rocch.hybrid.combining.rule_classifier import RuleClassifier
    from rocch.hybrid.combining.running_cost import cheapest_order, running_cost
    from rocch.hybrid.combining.simplest import simplest_subset
    from rocch.hybrid.combining.votes import VoteClassifier
    from rocch.hybrid.each import GroupedClassifier, RowAimedClassifier
    from rocch.hybrid.knob import Knob
    from rocch.hybrid.rule import Rule
    from rocch.hybrid.saving import load, save
    from rocch.hybrid.selection import Selection
    from rocch.hybrid.tuning.exploration import Exploration
    from rocch.hybrid.tuning.reaction import Reaction
    from rocch.hybrid.tuning.tuner import KnobTuner
    from rocch.hybrid.vertex_rates import FoldRate, VertexCheck
    from rocch.plots.hull_display import RocHullDisplay
    from rocch.plots.superiority_display import SuperiorityDisplay
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Conditions, Interval, IsoPerformanceLine
    from rocch.roc.criteria import (
        AlarmShare,
        Capacity,
        Constrained,
        ErrorRate,
        ExpectedCost,
        LeastExpectedRegret,
        Maximise,
        MinimaxRegret,
        MinimumTpr,
        NeymanPearson,
    )
    from rocch.roc.curve import RocCurve, auc
    from rocch.roc.hull import RocHull, Verdict
    from rocch.roc.judged import Judged
    from rocch.roc.limits import LinearLimit
    from rocch.roc.operating_point import OperatingPoint
    from rocch.roc.performance import Performance
    from rocch.roc.point import RocPoint
    from rocch.roc.row_conditions import RowConditions
    from rocch.roc.sensitivity import Choice, Sensitivity, Shortfall
    from rocch.roc.slope_ranges import SlopeRange

_HOMES = {
    "rocch.compare.calibrated": ("em_prevalence",),
    "rocch.compare.losses": ("LossComparison", "Stretch", "compare_losses"),
    "rocch.compare.prevalence": ("PrevalenceEstimate", "estimate_prevalence"),
    "rocch.compare.shape_check": ("ShapeCheck",),
    "rocch.compare.superiority": ("BestStretch", "Standing", "Superiority", "who_is_best"),
    "rocch.errors": (
        "AssumptionError",
        "GuaranteeError",
        "InfeasibleError",
        "InputError",
        "MissingExtraError",
        "RocchError",
        "UndefinedError",
    ),
    "rocch.hybrid.aimed": ("AimedClassifier",),
    "rocch.hybrid.classifier": ("RocchClassifier",),
    "rocch.hybrid.combining.combine": ("Combinations", "find_combinations"),
    "rocch.hybrid.combining.confirm": ("Combination",),
    "rocch.hybrid.combining.find_settings": ("Setting", "Settings", "find_settings"),
    "rocch.hybrid.combining.gain": ("Gain",),
    "rocch.hybrid.combining.rule_classifier": ("RuleClassifier",),
    "rocch.hybrid.combining.running_cost": ("cheapest_order", "running_cost"),
    "rocch.hybrid.combining.simplest": ("simplest_subset",),
    "rocch.hybrid.combining.votes": ("VoteClassifier",),
    "rocch.hybrid.each": ("GroupedClassifier", "RowAimedClassifier"),
    "rocch.hybrid.knob": ("Knob",),
    "rocch.hybrid.rule": ("Rule",),
    "rocch.hybrid.saving": ("load", "save"),
    "rocch.hybrid.selection": ("Selection",),
    "rocch.hybrid.tuning.exploration": ("Exploration",),
    "rocch.hybrid.tuning.reaction": ("Reaction",),
    "rocch.hybrid.tuning.tuner": ("KnobTuner",),
    "rocch.hybrid.vertex_rates": ("FoldRate", "VertexCheck"),
    "rocch.plots.hull_display": ("RocHullDisplay",),
    "rocch.plots.superiority_display": ("SuperiorityDisplay",),
    "rocch.roc.belief": ("Belief",),
    "rocch.roc.conditions": ("Conditions", "Interval", "IsoPerformanceLine"),
    "rocch.roc.criteria": (
        "AlarmShare",
        "Capacity",
        "Constrained",
        "ErrorRate",
        "ExpectedCost",
        "LeastExpectedRegret",
        "Maximise",
        "MinimaxRegret",
        "MinimumTpr",
        "NeymanPearson",
    ),
    "rocch.roc.curve": ("RocCurve", "auc"),
    "rocch.roc.hull": ("RocHull", "Verdict"),
    "rocch.roc.judged": ("Judged",),
    "rocch.roc.limits": ("LinearLimit",),
    "rocch.roc.operating_point": ("OperatingPoint",),
    "rocch.roc.performance": ("Performance",),
    "rocch.roc.point": ("RocPoint",),
    "rocch.roc.row_conditions": ("RowConditions",),
    "rocch.roc.sensitivity": ("Choice", "Sensitivity", "Shortfall"),
    "rocch.roc.slope_ranges": ("SlopeRange",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AimedClassifier",
    "AlarmShare",
    "AssumptionError",
    "Belief",
    "BestStretch",
    "Capacity",
    "Choice",
    "Combination",
    "Combinations",
    "Conditions",
    "Constrained",
    "ErrorRate",
    "ExpectedCost",
    "Exploration",
    "FoldRate",
    "Gain",
    "GroupedClassifier",
    "GuaranteeError",
    "InfeasibleError",
    "InputError",
    "Interval",
    "IsoPerformanceLine",
    "Judged",
    "Knob",
    "KnobTuner",
    "LeastExpectedRegret",
    "LinearLimit",
    "LossComparison",
    "Maximise",
    "MinimaxRegret",
    "MinimumTpr",
    "MissingExtraError",
    "NeymanPearson",
    "OperatingPoint",
    "Performance",
    "PrevalenceEstimate",
    "Reaction",
    "RocCurve",
    "RocHull",
    "RocHullDisplay",
    "RocPoint",
    "RocchClassifier",
    "RocchError",
    "RowAimedClassifier",
    "RowConditions",
    "Rule",
    "RuleClassifier",
    "Selection",
    "Sensitivity",
    "Setting",
    "Settings",
    "ShapeCheck",
    "Shortfall",
    "SlopeRange",
    "Standing",
    "Stretch",
    "Superiority",
    "SuperiorityDisplay",
    "UndefinedError",
    "Verdict",
    "VertexCheck",
    "VoteClassifier",
    "auc",
    "cheapest_order",
    "compare_losses",
    "em_prevalence",
    "estimate_prevalence",
    "find_combinations",
    "find_settings",
    "load",
    "running_cost",
    "save",
    "simplest_subset",
    "who_is_best",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'rocch' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

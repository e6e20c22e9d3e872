"""rocch: robust classification when costs and class balance are known only roughly.

Public names are loaded when first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rocch.compare.calibrated import em_prevalence
    from rocch.compare.prevalence import PrevalenceEstimate, estimate_prevalence
    from rocch.errors import (
        AssumptionError,
        GuaranteeError,
        InfeasibleError,
        InputError,
        MissingExtraError,
        RocchError,
        UndefinedError,
    )
    from rocch.plots.hull_display import RocHullDisplay
    from rocch.roc.conditions import Conditions, Interval, IsoPerformanceLine
    from rocch.roc.criteria import (
        AlarmShare,
        Capacity,
        Constrained,
        ErrorRate,
        ExpectedCost,
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
    from rocch.roc.sensitivity import Choice, Sensitivity, Shortfall
    from rocch.roc.slope_ranges import SlopeRange

_HOMES = {
    "rocch.compare.calibrated": ("em_prevalence",),
    "rocch.compare.prevalence": ("PrevalenceEstimate", "estimate_prevalence"),
    "rocch.errors": (
        "AssumptionError",
        "GuaranteeError",
        "InfeasibleError",
        "InputError",
        "MissingExtraError",
        "RocchError",
        "UndefinedError",
    ),
    "rocch.plots.hull_display": ("RocHullDisplay",),
    "rocch.roc.conditions": ("Conditions", "Interval", "IsoPerformanceLine"),
    "rocch.roc.criteria": (
        "AlarmShare",
        "Capacity",
        "Constrained",
        "ErrorRate",
        "ExpectedCost",
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
    "rocch.roc.sensitivity": ("Choice", "Sensitivity", "Shortfall"),
    "rocch.roc.slope_ranges": ("SlopeRange",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AlarmShare",
    "AssumptionError",
    "Capacity",
    "Choice",
    "Conditions",
    "Constrained",
    "ErrorRate",
    "ExpectedCost",
    "GuaranteeError",
    "InfeasibleError",
    "InputError",
    "Interval",
    "IsoPerformanceLine",
    "Judged",
    "LinearLimit",
    "Maximise",
    "MinimaxRegret",
    "MinimumTpr",
    "MissingExtraError",
    "NeymanPearson",
    "OperatingPoint",
    "Performance",
    "PrevalenceEstimate",
    "RocCurve",
    "RocHull",
    "RocHullDisplay",
    "RocPoint",
    "RocchError",
    "Sensitivity",
    "Shortfall",
    "SlopeRange",
    "UndefinedError",
    "Verdict",
    "auc",
    "em_prevalence",
    "estimate_prevalence",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'rocch' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

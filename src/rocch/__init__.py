"""rocch: robust classification when costs and class balance are known only roughly.

Public names are loaded when first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rocch.compare.aucs.auc import AucEstimate, AucValue, auc_interval
    from rocch.compare.aucs.comparison import AucComparison, AucDifference, compare_aucs
    from rocch.compare.aucs.equal_aucs import EqualityTest
    from rocch.compare.aucs.unpaired import compare_aucs_unpaired
    from rocch.compare.aucs.variation import Variation, variation
    from rocch.compare.calibrated import em_prevalence
    from rocch.compare.cost_curve import (
        CostCurve,
        CostLine,
        CostRange,
        probability_cost,
    )
    from rocch.compare.curve_tests import (
        CurveTest,
        CurveTests,
        compare_curves,
        compare_curves_unpaired,
    )
    from rocch.compare.decisions.h_measure import h_measure
    from rocch.compare.decisions.weighed import (
        Weighed,
        WeighedChoice,
        WeighedClassifier,
        weigh_choices,
    )
    from rocch.compare.honest.honest_choice import HonestChoice, Rival, honest_choice
    from rocch.compare.losses.comparison import LossComparison, Stretch, compare_losses
    from rocch.compare.losses.lc_interval import LcInterval, lc_intervals
    from rocch.compare.losses.shape_check import ShapeCheck
    from rocch.compare.losses.superiority import (
        BestStretch,
        Standing,
        Superiority,
        who_is_best,
    )
    from rocch.compare.net_benefit import DecisionCurve
    from rocch.compare.prevalence import PrevalenceEstimate, estimate_prevalence
    from rocch.compare.rates import PointIntervals, point_intervals, rate_interval
    from rocch.compare.resampling.bands import RocBand, roc_band
    from rocch.compare.resampling.bootstrap import bootstrap
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.compare.resampling.boxes import ThresholdBox, threshold_boxes
    from rocch.compare.resampling.replicate import Replicate
    from rocch.deploy.decide import decide_frame
    from rocch.errors import (
        AssumptionError,
        GuaranteeError,
        InfeasibleError,
        InputError,
        MissingExtraError,
        RocchError,
        RocchWarning,
        ScoreScaleWarning,
        StorageError,
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
    from rocch.hybrid.many_classes.aimed_surface import AimedSurface
    from rocch.hybrid.many_classes.classifier import RocSurfaceClassifier
    from rocch.hybrid.many_classes.families import KnnFamily, MlpFamily
    from rocch.hybrid.rule import Rule
    from rocch.hybrid.saving import load, save
    from rocch.hybrid.selection import Selection
    from rocch.hybrid.tuning.exploration import Exploration
    from rocch.hybrid.tuning.reaction import Reaction
    from rocch.hybrid.tuning.tuner import KnobTuner
    from rocch.hybrid.vertex_rates import FoldRate, VertexCheck
    from rocch.library.added import Added, Judgement
    from rocch.library.library import ClassifierLibrary
    from rocch.library.records import (
        Compacted,
        Export,
        LibraryClassifier,
        LogEntry,
        Verification,
    )
    from rocch.library.savings import Saving
    from rocch.multiclass.archive import Archive
    from rocch.multiclass.assign import assign, expected_cost_of_answers
    from rocch.multiclass.aucs.class_reference import class_reference_curves, class_reference_hulls
    from rocch.multiclass.aucs.comparison import compare_multiclass_aucs
    from rocch.multiclass.aucs.multiclass_auc import ClassPair, MulticlassAuc, multiclass_auc
    from rocch.multiclass.aucs.pairwise import PairwiseAucs, pairwise_aucs
    from rocch.multiclass.classes import Classes
    from rocch.multiclass.confusion import Confusion
    from rocch.multiclass.cost_matrix import CostMatrix
    from rocch.multiclass.dirichlet import DirichletBelief
    from rocch.multiclass.implied import best_classifier
    from rocch.multiclass.region import region_volume
    from rocch.multiclass.row_costs import RowCosts
    from rocch.multiclass.search.classifiers import FittedModels, JudgedPosteriors
    from rocch.multiclass.search.function import FunctionModel
    from rocch.multiclass.search.knn import KnnModel
    from rocch.multiclass.search.mlp import MlpModel
    from rocch.multiclass.search.model import SearchModel
    from rocch.multiclass.search.search import SurfaceSearch
    from rocch.multiclass.search.several import SeveralModels
    from rocch.multiclass.surface import RocSurface
    from rocch.multiclass.surface_member import SurfaceMember, SurfacePoint
    from rocch.multiclass.three_classes import ThreeClassData, three_class_data
    from rocch.multiclass.volumes import (
        DominatedShare,
        cube_volume,
        dominated_share,
        exclusive_share,
    )
    from rocch.multiclass.within import LeastRegret, OptimalWithin
    from rocch.plots.band_display import RocBandDisplay
    from rocch.plots.cost_display import CostCurveDisplay
    from rocch.plots.decision_regions_display import DecisionRegionsDisplay
    from rocch.plots.det_display import DetDisplay
    from rocch.plots.gain_display import GainDisplay
    from rocch.plots.hull_display import RocHullDisplay
    from rocch.plots.miss_front_display import MissFrontDisplay
    from rocch.plots.net_benefit_display import NetBenefitDisplay
    from rocch.plots.parallel_rates_display import ParallelRatesDisplay
    from rocch.plots.precision_recall_display import RocPrecisionRecallDisplay
    from rocch.plots.random_distance_display import RandomDistanceDisplay
    from rocch.plots.superiority_display import SuperiorityDisplay
    from rocch.plots.surface_display import SurfaceDisplay
    from rocch.report.many_classes.summarise import summarise_posteriors
    from rocch.report.many_classes.summary import ManyClassesSummary
    from rocch.report.schema import summary_schema
    from rocch.report.summarise import summarise
    from rocch.report.summary import Summary
    from rocch.report.write import write_report
    from rocch.roc.average import AveragedCurve, average_curves
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Conditions, Interval, IsoPerformanceLine
    from rocch.roc.criteria import (
        AlarmShare,
        Capacity,
        Constrained,
        ErrorRate,
        ExpectedCost,
        Maximise,
        MinimumTpr,
        NeymanPearson,
    )
    from rocch.roc.curve import RocCurve, auc
    from rocch.roc.det import DetCurve
    from rocch.roc.gain import GainCurve
    from rocch.roc.hull import RocHull, Verdict
    from rocch.roc.judged import Judged
    from rocch.roc.limits import LinearLimit
    from rocch.roc.operating_point import OperatingPoint
    from rocch.roc.performance import Performance
    from rocch.roc.point import RocPoint
    from rocch.roc.pooling import pool_curves
    from rocch.roc.precision_recall import PrecisionRecallCurve
    from rocch.roc.regret import LeastExpectedRegret, MinimaxRegret
    from rocch.roc.row_conditions import RowConditions
    from rocch.roc.sensitivity import Choice, Sensitivity, Shortfall
    from rocch.roc.slope_ranges import SlopeRange
    from rocch.scale.area import FrameAuc
    from rocch.scale.areas import auc_from_frame
    from rocch.scale.files import open_files
    from rocch.scale.hulls import hull_from_frame, hulls_from_frame
    from rocch.scale.outline import CurveOutline
    from rocch.scale.outlines import counts_from_frame, outlines_from_frame
    from rocch.scale.summary import FrameSummary, summarise_frame
    from rocch.scale.work import Work

_HOMES = {
    "rocch.compare.aucs.auc": ("AucEstimate", "AucValue", "auc_interval"),
    "rocch.compare.aucs.comparison": ("AucComparison", "AucDifference", "compare_aucs"),
    "rocch.compare.aucs.equal_aucs": ("EqualityTest",),
    "rocch.compare.aucs.unpaired": ("compare_aucs_unpaired",),
    "rocch.compare.aucs.variation": ("Variation", "variation"),
    "rocch.compare.calibrated": ("em_prevalence",),
    "rocch.compare.cost_curve": ("CostCurve", "CostLine", "CostRange", "probability_cost"),
    "rocch.compare.curve_tests": (
        "CurveTest",
        "CurveTests",
        "compare_curves",
        "compare_curves_unpaired",
    ),
    "rocch.compare.decisions.h_measure": ("h_measure",),
    "rocch.compare.decisions.weighed": (
        "Weighed",
        "WeighedChoice",
        "WeighedClassifier",
        "weigh_choices",
    ),
    "rocch.compare.honest.honest_choice": ("HonestChoice", "Rival", "honest_choice"),
    "rocch.compare.losses.comparison": ("LossComparison", "Stretch", "compare_losses"),
    "rocch.compare.losses.lc_interval": ("LcInterval", "lc_intervals"),
    "rocch.compare.losses.shape_check": ("ShapeCheck",),
    "rocch.compare.losses.superiority": ("BestStretch", "Standing", "Superiority", "who_is_best"),
    "rocch.compare.net_benefit": ("DecisionCurve",),
    "rocch.compare.prevalence": ("PrevalenceEstimate", "estimate_prevalence"),
    "rocch.compare.rates": ("PointIntervals", "point_intervals", "rate_interval"),
    "rocch.compare.resampling.bands": ("RocBand", "roc_band"),
    "rocch.compare.resampling.bootstrap": ("bootstrap",),
    "rocch.compare.resampling.bootstrapped": ("Bootstrap",),
    "rocch.compare.resampling.boxes": ("ThresholdBox", "threshold_boxes"),
    "rocch.compare.resampling.replicate": ("Replicate",),
    "rocch.deploy.decide": ("decide_frame",),
    "rocch.errors": (
        "AssumptionError",
        "GuaranteeError",
        "InfeasibleError",
        "InputError",
        "MissingExtraError",
        "RocchError",
        "RocchWarning",
        "ScoreScaleWarning",
        "StorageError",
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
    "rocch.hybrid.many_classes.aimed_surface": ("AimedSurface",),
    "rocch.hybrid.many_classes.classifier": ("RocSurfaceClassifier",),
    "rocch.hybrid.many_classes.families": ("KnnFamily", "MlpFamily"),
    "rocch.hybrid.rule": ("Rule",),
    "rocch.hybrid.saving": ("load", "save"),
    "rocch.hybrid.selection": ("Selection",),
    "rocch.hybrid.tuning.exploration": ("Exploration",),
    "rocch.hybrid.tuning.reaction": ("Reaction",),
    "rocch.hybrid.tuning.tuner": ("KnobTuner",),
    "rocch.hybrid.vertex_rates": ("FoldRate", "VertexCheck"),
    "rocch.library.added": ("Added", "Judgement"),
    "rocch.library.library": ("ClassifierLibrary",),
    "rocch.library.records": (
        "Compacted",
        "Export",
        "LibraryClassifier",
        "LogEntry",
        "Verification",
    ),
    "rocch.library.savings": ("Saving",),
    "rocch.multiclass.archive": ("Archive",),
    "rocch.multiclass.assign": ("assign", "expected_cost_of_answers"),
    "rocch.multiclass.aucs.class_reference": ("class_reference_curves", "class_reference_hulls"),
    "rocch.multiclass.aucs.comparison": ("compare_multiclass_aucs",),
    "rocch.multiclass.aucs.multiclass_auc": ("ClassPair", "MulticlassAuc", "multiclass_auc"),
    "rocch.multiclass.aucs.pairwise": ("PairwiseAucs", "pairwise_aucs"),
    "rocch.multiclass.classes": ("Classes",),
    "rocch.multiclass.confusion": ("Confusion",),
    "rocch.multiclass.cost_matrix": ("CostMatrix",),
    "rocch.multiclass.dirichlet": ("DirichletBelief",),
    "rocch.multiclass.implied": ("best_classifier",),
    "rocch.multiclass.region": ("region_volume",),
    "rocch.multiclass.row_costs": ("RowCosts",),
    "rocch.multiclass.search.classifiers": ("FittedModels", "JudgedPosteriors"),
    "rocch.multiclass.search.function": ("FunctionModel",),
    "rocch.multiclass.search.knn": ("KnnModel",),
    "rocch.multiclass.search.mlp": ("MlpModel",),
    "rocch.multiclass.search.model": ("SearchModel",),
    "rocch.multiclass.search.search": ("SurfaceSearch",),
    "rocch.multiclass.search.several": ("SeveralModels",),
    "rocch.multiclass.surface": ("RocSurface",),
    "rocch.multiclass.surface_member": ("SurfaceMember", "SurfacePoint"),
    "rocch.multiclass.three_classes": ("ThreeClassData", "three_class_data"),
    "rocch.multiclass.volumes": (
        "DominatedShare",
        "cube_volume",
        "dominated_share",
        "exclusive_share",
    ),
    "rocch.multiclass.within": ("LeastRegret", "OptimalWithin"),
    "rocch.plots.band_display": ("RocBandDisplay",),
    "rocch.plots.cost_display": ("CostCurveDisplay",),
    "rocch.plots.decision_regions_display": ("DecisionRegionsDisplay",),
    "rocch.plots.det_display": ("DetDisplay",),
    "rocch.plots.gain_display": ("GainDisplay",),
    "rocch.plots.hull_display": ("RocHullDisplay",),
    "rocch.plots.miss_front_display": ("MissFrontDisplay",),
    "rocch.plots.net_benefit_display": ("NetBenefitDisplay",),
    "rocch.plots.parallel_rates_display": ("ParallelRatesDisplay",),
    "rocch.plots.precision_recall_display": ("RocPrecisionRecallDisplay",),
    "rocch.plots.random_distance_display": ("RandomDistanceDisplay",),
    "rocch.plots.superiority_display": ("SuperiorityDisplay",),
    "rocch.plots.surface_display": ("SurfaceDisplay",),
    "rocch.report.many_classes.summarise": ("summarise_posteriors",),
    "rocch.report.many_classes.summary": ("ManyClassesSummary",),
    "rocch.report.schema": ("summary_schema",),
    "rocch.report.summarise": ("summarise",),
    "rocch.report.summary": ("Summary",),
    "rocch.report.write": ("write_report",),
    "rocch.roc.average": ("AveragedCurve", "average_curves"),
    "rocch.roc.belief": ("Belief",),
    "rocch.roc.conditions": ("Conditions", "Interval", "IsoPerformanceLine"),
    "rocch.roc.criteria": (
        "AlarmShare",
        "Capacity",
        "Constrained",
        "ErrorRate",
        "ExpectedCost",
        "Maximise",
        "MinimumTpr",
        "NeymanPearson",
    ),
    "rocch.roc.curve": ("RocCurve", "auc"),
    "rocch.roc.det": ("DetCurve",),
    "rocch.roc.gain": ("GainCurve",),
    "rocch.roc.hull": ("RocHull", "Verdict"),
    "rocch.roc.judged": ("Judged",),
    "rocch.roc.limits": ("LinearLimit",),
    "rocch.roc.operating_point": ("OperatingPoint",),
    "rocch.roc.performance": ("Performance",),
    "rocch.roc.point": ("RocPoint",),
    "rocch.roc.pooling": ("pool_curves",),
    "rocch.roc.precision_recall": ("PrecisionRecallCurve",),
    "rocch.roc.regret": ("LeastExpectedRegret", "MinimaxRegret"),
    "rocch.roc.row_conditions": ("RowConditions",),
    "rocch.roc.sensitivity": ("Choice", "Sensitivity", "Shortfall"),
    "rocch.roc.slope_ranges": ("SlopeRange",),
    "rocch.scale.area": ("FrameAuc",),
    "rocch.scale.areas": ("auc_from_frame",),
    "rocch.scale.files": ("open_files",),
    "rocch.scale.hulls": ("hull_from_frame", "hulls_from_frame"),
    "rocch.scale.outline": ("CurveOutline",),
    "rocch.scale.outlines": ("counts_from_frame", "outlines_from_frame"),
    "rocch.scale.summary": ("FrameSummary", "summarise_frame"),
    "rocch.scale.work": ("Work",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Added",
    "AimedClassifier",
    "AimedSurface",
    "AlarmShare",
    "Archive",
    "AssumptionError",
    "AucComparison",
    "AucDifference",
    "AucEstimate",
    "AucValue",
    "AveragedCurve",
    "Belief",
    "BestStretch",
    "Bootstrap",
    "Capacity",
    "Choice",
    "ClassPair",
    "Classes",
    "ClassifierLibrary",
    "Combination",
    "Combinations",
    "Compacted",
    "Conditions",
    "Confusion",
    "Constrained",
    "CostCurve",
    "CostCurveDisplay",
    "CostLine",
    "CostMatrix",
    "CostRange",
    "CurveOutline",
    "CurveTest",
    "CurveTests",
    "DecisionCurve",
    "DecisionRegionsDisplay",
    "DetCurve",
    "DetDisplay",
    "DirichletBelief",
    "DominatedShare",
    "EqualityTest",
    "ErrorRate",
    "ExpectedCost",
    "Exploration",
    "Export",
    "FittedModels",
    "FoldRate",
    "FrameAuc",
    "FrameSummary",
    "FunctionModel",
    "Gain",
    "GainCurve",
    "GainDisplay",
    "GroupedClassifier",
    "GuaranteeError",
    "HonestChoice",
    "InfeasibleError",
    "InputError",
    "Interval",
    "IsoPerformanceLine",
    "Judged",
    "JudgedPosteriors",
    "Judgement",
    "KnnFamily",
    "KnnModel",
    "Knob",
    "KnobTuner",
    "LcInterval",
    "LeastExpectedRegret",
    "LeastRegret",
    "LibraryClassifier",
    "LinearLimit",
    "LogEntry",
    "LossComparison",
    "ManyClassesSummary",
    "Maximise",
    "MinimaxRegret",
    "MinimumTpr",
    "MissFrontDisplay",
    "MissingExtraError",
    "MlpFamily",
    "MlpModel",
    "MulticlassAuc",
    "NetBenefitDisplay",
    "NeymanPearson",
    "OperatingPoint",
    "OptimalWithin",
    "PairwiseAucs",
    "ParallelRatesDisplay",
    "Performance",
    "PointIntervals",
    "PrecisionRecallCurve",
    "PrevalenceEstimate",
    "RandomDistanceDisplay",
    "Reaction",
    "Replicate",
    "Rival",
    "RocBand",
    "RocBandDisplay",
    "RocCurve",
    "RocHull",
    "RocHullDisplay",
    "RocPoint",
    "RocPrecisionRecallDisplay",
    "RocSurface",
    "RocSurfaceClassifier",
    "RocchClassifier",
    "RocchError",
    "RocchWarning",
    "RowAimedClassifier",
    "RowConditions",
    "RowCosts",
    "Rule",
    "RuleClassifier",
    "Saving",
    "ScoreScaleWarning",
    "SearchModel",
    "Selection",
    "Sensitivity",
    "Setting",
    "Settings",
    "SeveralModels",
    "ShapeCheck",
    "Shortfall",
    "SlopeRange",
    "Standing",
    "StorageError",
    "Stretch",
    "Summary",
    "Superiority",
    "SuperiorityDisplay",
    "SurfaceDisplay",
    "SurfaceMember",
    "SurfacePoint",
    "SurfaceSearch",
    "ThreeClassData",
    "ThresholdBox",
    "UndefinedError",
    "Variation",
    "Verdict",
    "Verification",
    "VertexCheck",
    "VoteClassifier",
    "Weighed",
    "WeighedChoice",
    "WeighedClassifier",
    "Work",
    "assign",
    "auc",
    "auc_from_frame",
    "auc_interval",
    "average_curves",
    "best_classifier",
    "bootstrap",
    "cheapest_order",
    "class_reference_curves",
    "class_reference_hulls",
    "compare_aucs",
    "compare_aucs_unpaired",
    "compare_curves",
    "compare_curves_unpaired",
    "compare_losses",
    "compare_multiclass_aucs",
    "counts_from_frame",
    "cube_volume",
    "decide_frame",
    "dominated_share",
    "em_prevalence",
    "estimate_prevalence",
    "exclusive_share",
    "expected_cost_of_answers",
    "find_combinations",
    "find_settings",
    "h_measure",
    "honest_choice",
    "hull_from_frame",
    "hulls_from_frame",
    "lc_intervals",
    "load",
    "multiclass_auc",
    "open_files",
    "outlines_from_frame",
    "pairwise_aucs",
    "point_intervals",
    "pool_curves",
    "probability_cost",
    "rate_interval",
    "region_volume",
    "roc_band",
    "running_cost",
    "save",
    "simplest_subset",
    "summarise",
    "summarise_frame",
    "summarise_posteriors",
    "summary_schema",
    "three_class_data",
    "threshold_boxes",
    "variation",
    "weigh_choices",
    "who_is_best",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'rocch' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""The names of `rocch.stats`."""

from .auc import AucEstimate as AucEstimate
from .auc import AucValue as AucValue
from .auc import Variation as Variation
from .auc import auc_interval as auc_interval
from .auc import variation as variation
from .bands import PointIntervals as PointIntervals
from .bands import RocBand as RocBand
from .bands import ThresholdBox as ThresholdBox
from .bands import point_intervals as point_intervals
from .bands import rate_interval as rate_interval
from .bands import roc_band as roc_band
from .bands import threshold_boxes as threshold_boxes
from .comparisons import AucComparison as AucComparison
from .comparisons import AucDifference as AucDifference
from .comparisons import CurveTest as CurveTest
from .comparisons import CurveTests as CurveTests
from .comparisons import EqualityTest as EqualityTest
from .comparisons import compare_aucs as compare_aucs
from .comparisons import compare_aucs_unpaired as compare_aucs_unpaired
from .comparisons import compare_curves as compare_curves
from .comparisons import compare_curves_unpaired as compare_curves_unpaired
from .cost_axis import Stretch as Stretch
from .decisions import ChoiceAnalysis as ChoiceAnalysis
from .decisions import ClassifierAnalysis as ClassifierAnalysis
from .decisions import DecisionAnalysis as DecisionAnalysis
from .decisions import RankedClassifier as RankedClassifier
from .decisions import Superiority as Superiority
from .decisions import decision_analysis as decision_analysis
from .decisions import h_measure as h_measure
from .decisions import rank_under_belief as rank_under_belief
from .guarantees import OutOfSampleChoice as OutOfSampleChoice
from .guarantees import Rival as Rival
from .guarantees import out_of_sample_choice as out_of_sample_choice
from .losses import LcInterval as LcInterval
from .losses import LossComparison as LossComparison
from .losses import ShapeCheck as ShapeCheck
from .losses import compare_losses as compare_losses
from .losses import lc_intervals as lc_intervals
from .prevalence import PrevalenceEstimate as PrevalenceEstimate
from .prevalence import em_prevalence as em_prevalence
from .prevalence import estimate_prevalence as estimate_prevalence
from .resampling import Bootstrap as Bootstrap
from .resampling import Replicate as Replicate
from .resampling import bootstrap as bootstrap

__all__: list[str]

"""The names of `rocch.multiclass`."""

from .archive import Archive as Archive
from .auc import ClassPair as ClassPair
from .auc import MulticlassAuc as MulticlassAuc
from .auc import PairwiseAucs as PairwiseAucs
from .auc import class_reference_curves as class_reference_curves
from .auc import class_reference_hulls as class_reference_hulls
from .auc import compare_multiclass_aucs as compare_multiclass_aucs
from .auc import multiclass_auc as multiclass_auc
from .auc import pairwise_aucs as pairwise_aucs
from .classes import Classes as Classes
from .classes import ThreeClassData as ThreeClassData
from .classes import three_class_data as three_class_data
from .confusion import Confusion as Confusion
from .costs import DirichletBelief as DirichletBelief
from .costs import RowCosts as RowCosts
from .models import FittedModels as FittedModels
from .models import FunctionModel as FunctionModel
from .models import KnownProbabilities as KnownProbabilities
from .models import SearchModel as SearchModel
from .models import SeveralModels as SeveralModels
from .parametric_models import KnnModel as KnnModel
from .parametric_models import MlpModel as MlpModel
from .question import ClassQuestion as ClassQuestion
from .rules import assign as assign
from .rules import best_classifier as best_classifier
from .rules import prediction_risks as prediction_risks
from .search import SurfaceSearch as SurfaceSearch
from .stack import ProbabilityStack as ProbabilityStack
from .surface import LeastRegret as LeastRegret
from .surface import OptimalWithin as OptimalWithin
from .surface import RocSurface as RocSurface
from .surface import SurfaceMember as SurfaceMember
from .surface import SurfacePoint as SurfacePoint
from .views import miss_front as miss_front
from .volumes import DominatedShare as DominatedShare
from .volumes import cube_volume as cube_volume
from .volumes import dominated_share as dominated_share
from .volumes import exclusive_share as exclusive_share
from .volumes import region_volume as region_volume

__all__: list[str]

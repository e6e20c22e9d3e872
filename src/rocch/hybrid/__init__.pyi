"""The names of `rocch.hybrid`."""

from .aimed import AimedClassifier as AimedClassifier
from .aimed import GroupedClassifier as GroupedClassifier
from .aimed import RowAimedClassifier as RowAimedClassifier
from .climb import Reaction as Reaction
from .combine import Combination as Combination
from .combine import Combinations as Combinations
from .combine import find_combinations as find_combinations
from .decide import decide_frame as decide_frame
from .features import LabelColumn as LabelColumn
from .features import ScoreColumn as ScoreColumn
from .gain import Gain as Gain
from .gain import cheapest_order as cheapest_order
from .gain import running_cost as running_cost
from .hybrid import FoldRate as FoldRate
from .hybrid import Knob as Knob
from .hybrid import Selection as Selection
from .hybrid import VertexCheck as VertexCheck
from .model_selection import simplest_subset as simplest_subset
from .multiclass import AimedSurface as AimedSurface
from .multiclass import KnnFamily as KnnFamily
from .multiclass import MlpFamily as MlpFamily
from .rule import And as And
from .rule import AtLeast as AtLeast
from .rule import Or as Or
from .rule import Predicts as Predicts
from .rule import Rule as Rule
from .settings import Setting as Setting
from .settings import Settings as Settings
from .settings import find_settings as find_settings
from .tune import Exploration as Exploration
from .tune import KnobTuner as KnobTuner
from .votes import RuleClassifier as RuleClassifier
from .votes import VoteClassifier as VoteClassifier

__all__: list[str]

"""The names of `rocch.hybrid`."""

from .aimed import AimedClassifier as AimedClassifier
from .aimed import GroupedClassifier as GroupedClassifier
from .aimed import RowAimedClassifier as RowAimedClassifier
from .climb import Reaction as Reaction
from .combine import Combination as Combination
from .combine import Combinations as Combinations
from .combine import find_combinations as find_combinations
from .decide import decide_frame as decide_frame
from .estimators import LabelColumn as LabelColumn
from .estimators import RuleClassifier as RuleClassifier
from .estimators import ScoreColumn as ScoreColumn
from .estimators import VoteClassifier as VoteClassifier
from .gain import Gain as Gain
from .gain import cheapest_order as cheapest_order
from .gain import running_cost as running_cost
from .hybrid import FoldRate as FoldRate
from .hybrid import Selection as Selection
from .hybrid import VertexCheck as VertexCheck
from .multiclass import AimedSurface as AimedSurface
from .multiclass import KnnFamily as KnnFamily
from .multiclass import MlpFamily as MlpFamily
from .multiclass_rule import MulticlassRule as MulticlassRule
from .multiclass_rule import MulticlassRuleTemplates as MulticlassRuleTemplates
from .referral import ReferringClassifier as ReferringClassifier
from .referral_rule import ReferralRule as ReferralRule
from .rule import And as And
from .rule import AtLeast as AtLeast
from .rule import Or as Or
from .rule import Predicts as Predicts
from .rule import Rule as Rule
from .rule import Stack as Stack
from .rule import StackAtLeast as StackAtLeast
from .rule import Term as Term
from .rule_templates import RuleTemplates as RuleTemplates
from .selection import Setting as Setting
from .selection import Settings as Settings
from .selection import find_settings as find_settings
from .selection import simplest_subset as simplest_subset
from .stacking import ForgettingCost as ForgettingCost
from .stacking import StackedScores as StackedScores
from .stacking import stack_scores as stack_scores
from .tune import Exploration as Exploration
from .tune import KnobTuner as KnobTuner

__all__: list[str]

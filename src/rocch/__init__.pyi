"""The names of `rocch`, each written once; they are loaded when first used."""

from . import hybrid as hybrid
from . import library as library
from . import multiclass as multiclass
from . import plots as plots
from . import report as report
from . import roc as roc
from . import scale as scale
from . import service as service
from . import stats as stats
from .errors import AssumptionError as AssumptionError
from .errors import GuaranteeError as GuaranteeError
from .errors import InfeasibleError as InfeasibleError
from .errors import InputError as InputError
from .errors import MissingExtraError as MissingExtraError
from .errors import PositiveClassWarning as PositiveClassWarning
from .errors import RocchError as RocchError
from .errors import RocchWarning as RocchWarning
from .errors import ScoreScaleWarning as ScoreScaleWarning
from .errors import StorageError as StorageError
from .errors import UndefinedError as UndefinedError
from .hybrid.classifier import RocchClassifier as RocchClassifier
from .hybrid.multiclass import RocSurfaceClassifier as RocSurfaceClassifier
from .hybrid.save import load as load
from .hybrid.save import save as save
from .hybrid.scoring import cost_scorer as cost_scorer
from .hybrid.scoring import expected_cost as expected_cost
from .multiclass.costs import CostMatrix as CostMatrix
from .report.write import write_report as write_report
from .roc.belief import Belief as Belief
from .roc.conditions import Conditions as Conditions
from .roc.criteria import ErrorRate as ErrorRate
from .roc.criteria import ExpectedCost as ExpectedCost
from .roc.criteria import LeastExpectedRegret as LeastExpectedRegret
from .roc.criteria import Maximize as Maximize
from .roc.criteria import MinimaxRegret as MinimaxRegret
from .roc.curve import RocCurve as RocCurve
from .roc.curve import auc as auc
from .roc.hull import RocHull as RocHull
from .roc.limits import Capacity as Capacity
from .roc.limits import Constrained as Constrained
from .roc.limits import CostLimit as CostLimit
from .roc.limits import MinimumPrecision as MinimumPrecision
from .roc.limits import MinimumTpr as MinimumTpr
from .roc.limits import NeymanPearson as NeymanPearson
from .roc.limits import PredictedPositiveLimit as PredictedPositiveLimit
from .roc.question import Question as Question

__version__: str
__all__: list[str]

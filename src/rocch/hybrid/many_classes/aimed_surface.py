"""A surface aimed at run time: an immutable view that is itself a scikit-learn classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.hybrid.aimed import View
from rocch.inputs import as_flag
from rocch.kernels.assignment import least_cost
from rocch.multiclass.confusion import Confusion
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.hybrid.many_classes.surface_hybrid import SurfaceHybrid
    from rocch.multiclass.members import SurfacePoint

    AnyArray = np.ndarray[Any, Any]


class AimedSurface(View):
    """A multi-class hybrid aimed at costs and priors; made by `RocSurfaceClassifier.at`.

    It cannot be changed and never refits; `clone` returns it as it is. Only the model of the chosen
    member is evaluated.

    Attributes
    ----------
    point
        The chosen member, its expected cost, and who is just as good.
    costs, priors, limits, parsimonious, least_regret
        What it was aimed at, and how.
    regret
        With `least_regret`, the most that the member can cost beyond the best one.
    """

    point: SurfacePoint
    regret: float | None
    hybrid: SurfaceHybrid  # type: ignore[assignment]  # a view looks at either kind of hybrid

    def __init__(
        self,
        hybrid: SurfaceHybrid,
        costs: Any,
        *,
        priors: Any = OBSERVED,
        limits: Any = None,
        parsimonious: bool = False,
        least_regret: bool = False,
    ) -> None:
        careful, safe = as_flag(parsimonious, "parsimonious"), as_flag(least_regret, "least_regret")
        if safe:
            point, regret = hybrid.least_regret(costs, priors, limits)
        else:
            point, regret = hybrid.best(costs, priors, limits, parsimonious=careful), None
        self.freeze(
            hybrid=hybrid,
            costs=costs,
            priors=priors,
            limits=limits,
            parsimonious=careful,
            least_regret=safe,
            point=point,
            regret=regret,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def models_asked(self) -> list[Any]:
        """Return the fitted model of the chosen member."""
        return [self.hybrid.models[self.point.member.model]]

    @property
    def rule(self) -> str:
        """What it does, in words."""
        member = self.point.member
        return (
            f"answer with the class of least expected cost by {member}, answering by {member.costs}"
        )

    def predict(self, X: Any) -> AnyArray:
        """Answer rows."""
        return np.asarray(self.classes_[self.decide(self.features(X))])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the posteriors of the chosen member's model; the costs decide on top of them."""
        return self.hybrid.member_posteriors(self.point.member, self.features(X))

    def decide(self, features: Any) -> IntArray:
        """Return answers, as places among the classes, for features that were checked."""
        member = self.point.member
        posteriors = self.hybrid.member_posteriors(member, features)
        return least_cost(posteriors, np.asarray(member.costs.values))  # type: ignore[union-attr]

    def confusion(self, X: Any, y: Any) -> Confusion:
        """Count the answers on labelled rows, to be compared with `point.confusion`."""
        return Confusion.from_labels(y, self.predict(X), classes=self.hybrid.surface.classes)

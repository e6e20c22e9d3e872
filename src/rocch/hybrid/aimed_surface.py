"""A multi-class hybrid aimed at run time."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from rocch.arrays import AnyArray, DataFrame, Features, FloatArray
from rocch.hybrid.aimed import View, frame_like
from rocch.hybrid.expression import STACK
from rocch.hybrid.families import MlpFamily
from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.hybrid.scoring import expected_cost
from rocch.hybrid.surface_hybrid import SurfaceHybrid, cheapest_classes
from rocch.inputs import as_flag, check_length
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.costs import CostMatrix, Costs, Shares, as_costs, as_priors
from rocch.multiclass.surface import RateLimits, SurfacePoint
from rocch.results import write_html
from rocch.roc.conditions import OBSERVED
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.savings import Savings
from rocch.svg import Mark, draw_amounts

# The most kinds of errors in a small picture.
MOST_ERRORS = 6
# With more rows, `print` repeats no exact choice.
QUICK = 10_000


class AimedSurface(View):
    """An immutable multi-class hybrid aimed at costs and priors; made by `RocSurfaceClassifier.at`.

    Attributes
    ----------
    point
        The chosen member, its expected cost, and the members that are just as good.
    costs, priors, limits, exact, parsimonious, least_regret
        What it was aimed at.
    regret
        With `least_regret`, the most that the member can cost beyond the best one.
    """

    point: SurfacePoint
    regret: float | None
    hybrid: SurfaceHybrid  # type: ignore[assignment]  # views are of either kind of hybrid

    def __init__(
        self,
        hybrid: SurfaceHybrid,
        costs: Costs,
        *,
        priors: Shares = OBSERVED,
        limits: RateLimits = None,
        exact: bool = False,
        parsimonious: bool = False,
        least_regret: bool = False,
    ) -> None:
        careful, safe = as_flag(parsimonious, "parsimonious"), as_flag(least_regret, "least_regret")
        on_these_rows = as_flag(exact, "exact")
        regret = None
        if safe:
            point, regret = hybrid.least_regret(costs, priors, limits)
        elif on_these_rows or limits or hybrid.stack is None:
            point = hybrid.best(costs, priors, limits, parsimonious=careful)
        else:
            point = hybrid.best_on_new_rows(costs, priors)
        self.freeze(
            hybrid=hybrid,
            costs=costs,
            priors=priors,
            limits=limits,
            exact=on_these_rows,
            parsimonious=careful,
            least_regret=safe,
            point=point,
            regret=regret,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def used_models(self) -> list[BaseEstimator]:
        """Return the model of the chosen member, or the stack's components."""
        chosen, stack = self.point.member.model, self.hybrid.stack
        needed = stack.components if stack is not None and chosen == STACK else (chosen,)
        return [self.hybrid.models[name] for name in needed]

    @property
    def rule(self) -> MulticlassRule:
        """The rule on the probabilities that `predict_proba` returns, as Python and SQL."""
        member = self.point.member
        name = str(member) if member.parameters else member.model
        costs = np.asarray(member.costs.values).ravel()  # type: ignore[union-attr]
        return MulticlassRule(
            self.hybrid.surface.classes.names,
            name,
            tuple(costs.tolist()),
            adjusted=member.place is not None,
        )

    @property
    def objective(self) -> str:
        """What the rule is best at, in words."""
        if self.least_regret:
            return "the least regret on the evaluation rows"
        if self.for_new_rows:
            return "what is expected to be best on new rows"
        or_rule = ", or a rule that no member leads clearly" if self.parsimonious else ""
        return f"the cheapest on the evaluation rows{or_rule}"

    @property
    def for_new_rows(self) -> bool:
        """Whether the stack decides by the costs, which is expected to be best on new rows."""
        on_these_rows = self.exact or self.limits or self.least_regret
        return self.hybrid.stack is not None and not on_these_rows

    @cached_property
    def on_new_rows(self) -> NewRowsCost:
        """What the choice is expected to cost on new rows, estimated at the first access.

        The choice is made again without each tenth of the evaluation rows, which then shows its
        cost. Models are not fitted again, and an exact choice is among the same members. The
        evaluation rows are decided by stacks fitted to other rows. The deployed stack knows all
        rows, so its expected cost can be lower than theirs.
        """
        if self.least_regret:
            return NewRowsCost(None, note="costs between bounds have no single expected cost")
        if self.limits:
            note = "it is estimated only for choices without limits"
            return NewRowsCost(self.point.expected_cost, note=note)
        if isinstance(self.hybrid.models.get(self.point.member.model), MlpFamily):
            note = "networks are evaluated on the rows that they are fitted to"
            return NewRowsCost(self.point.expected_cost, note=note)
        return self._new_rows[0]

    @cached_property
    def _new_rows(self) -> tuple[NewRowsCost, FloatArray]:
        return self.hybrid.cost_on_new_rows(
            self.point,
            self.costs,
            self.priors,
            exact=not self.for_new_rows,
            parsimonious=self.parsimonious,
        )

    def savings(self, baseline: ArrayLike | None = None) -> Savings:
        """Return what the choice saves on new rows against today's practice.

        It is compared with the likeliest class by the best single classifier, with the one class
        that is cheapest for all rows, and with `baseline`: the labels predicted for the evaluation
        rows. Without exact costs there is no saving, and the `note` says so.

        Examples
        --------
        >>> import rocch
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_wine(return_X_y=True)
        >>> model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], objectives=None).fit(X, y)
        >>> costs = rocch.CostMatrix({(0, 1): 20, (2, 1): 20}, classes=[0, 1, 2], default=1)
        >>> for row in model.at(costs).savings().rows:
        ...     print(row.baseline)
        the likeliest class by nb
        always predicting 0
        """
        cost, labels = self.on_new_rows, None
        if cost.expected is None:
            return Savings((), note=cost.note)
        if baseline is not None:
            labels = self.hybrid.surface.classes.codes(baseline, "baseline")
            check_length(labels.size, self.hybrid.truths.size, "baseline", "evaluation rows")
        return self.hybrid.savings(self._new_rows, self.costs, self.priors, labels)

    def describe(self) -> str:
        """Return the model, its errors and cost on the evaluation rows, and why it was chosen."""
        worst = ""
        if self.regret is not None:
            worst = f", at worst {self.regret:.6g} per row more than the best member"
        return f"{self.point}{worst} ({self.objective})"

    def __str__(self) -> str:
        is_quick = self.for_new_rows or self.hybrid.truths.size <= QUICK
        if not is_quick or self.on_new_rows.expected is None:
            return self.describe()
        return f"{self.describe()}\n{self.on_new_rows}\n{self.savings()}"

    def _repr_html_(self) -> str:
        confusion, surface = self.point.confusion, self.hybrid.surface
        is_member = self.point.member.place is not None and len(surface) > 1
        trade_off = surface.draw_trade_off(confusion) if is_member else ""
        text = f"{self}\n\nOn the evaluation rows, truths in rows, predictions in columns:"
        return write_html(text, confusion._tables(), self._draw_costs() + trade_off)

    def _draw_costs(self) -> str:
        """Return a small picture of the errors that make up the expected cost."""
        classes, confusion = self.hybrid.surface.classes, self.point.confusion
        costs = as_costs(self.costs, classes)
        shares = as_priors(self.priors, classes, confusion.totals)
        if not (costs.exact and shares.exact):
            return ""
        paid = 1000 * shares.shares[:, np.newaxis] * confusion.rates * costs.values
        order = np.argsort(-paid, axis=None, kind="stable")
        marks = [
            Mark(f"{classes.names[k]} predicted as {classes.names[j]}", 0.0, float(paid[k, j]))
            for k, j in zip(*np.unravel_index(order, paid.shape), strict=True)
            if paid[k, j] > 0
        ]
        return draw_amounts(marks[:MOST_ERRORS], "cost per 1,000 cases, by error")

    def score(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the negative expected cost of predictions, or the accuracy by the error rate.

        Of costs between bounds, the middle counts.
        """
        classes = self.hybrid.surface.classes
        given = as_costs(self.costs, classes)
        is_observed = isinstance(self.priors, str) and self.priors == OBSERVED
        if is_observed and given == CostMatrix.zero_one(classes):
            return float(super().score(X, y, sample_weight))
        given = given if given.exact else given.middle()
        return -expected_cost(
            y, self.predict(X), given, sample_weight=sample_weight, priors=self.priors
        )

    def predict(self, X: Features) -> AnyArray:
        """Return the predicted classes."""
        return np.asarray(self.classes_[cheapest_classes(self.predict_proba(X), self.point.member)])

    def predict_proba(self, X: Features) -> FloatArray:
        """Return the probabilities on which the costs decide."""
        return self.hybrid.member_probabilities(self.point.member, self.features(X))

    def scores(self, X: Features) -> DataFrame:
        """Return a data frame with a column of probabilities for each class, which the rule needs.

        It is of the library of `X`, with its index; for arrays, of the first one installed.
        """
        names = map(str, self.hybrid.surface.classes)
        return frame_like(X, dict(zip(names, self.predict_proba(X).T, strict=True)))

    def confusion(self, X: Features, y: ArrayLike) -> Confusion:
        """Return the confusion matrix of labeled rows."""
        return Confusion.from_labels(y, self.predict(X), classes=self.hybrid.surface.classes)

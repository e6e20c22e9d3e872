"""A fitted multi-class hybrid: its choices, what they cost on new rows, and what they save."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator

from rocch.arrays import AnyArray, Features, FloatArray, IntArray
from rocch.errors import Hint, InfeasibleError, InputError, format_list
from rocch.hybrid.expression import STACK
from rocch.hybrid.families import Family
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes, as_probabilities
from rocch.multiclass.costs import Costs, Shares, as_costs, as_priors
from rocch.multiclass.models import predict_probabilities
from rocch.multiclass.new_rows import (
    LEVEL,
    choose_repeatedly,
    class_cost_interval,
    compare_predictions,
)
from rocch.multiclass.rules import implied_rules
from rocch.multiclass.stack import FOLDS, ProbabilityStack, deal_folds
from rocch.multiclass.surface import RateLimits, RocSurface, SurfaceMember, SurfacePoint
from rocch.roc.conditions import OBSERVED
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.savings import TODAY, Savings

# The cheapest members of a surface, among which a choice is repeated without some of the rows.
CONSIDERED = 300
# Efron's weight (1983) of what rows cost by stacks fitted to others; the rest is what they cost by
# the stack fitted to all. It makes up for models that saw fewer rows than the deployed ones.
CROSS_FITTED = 0.632
# Standard errors by which a member must lead a rule to be chosen.
LEAD = 2.0


def estimator_probabilities(
    name: str, estimator: BaseEstimator, features: Features, classes: Classes
) -> FloatArray:
    """Return a classifier's probabilities, with columns in the order of the classes."""
    if not hasattr(estimator, "predict_proba"):
        raise InputError(
            "estimators",
            "have predict_proba",
            f"{name!r}, which does not",
            Hint("Wrap it in scikit-learn's CalibratedClassifierCV."),
        )
    known = np.asarray(estimator.classes_).tolist()
    if set(known) != set(classes):
        raise InputError(
            "estimators",
            "know the classes of y, {expected}",
            f"{name!r}, which knows {format_list(known, 30)}",
            "Every split must leave rows of every class to fit on: use fewer or stratified splits."
            if set(classes) - set(known)
            else "Evaluate it on rows of all its classes.",
            expected=format_list(classes, 30),
        )
    predicted = predict_probabilities(name, estimator, features, classes)
    return as_probabilities(predicted, classes, argument=f"predict_proba of {name!r}")


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceHybrid:
    """A fitted multi-class hybrid.

    Attributes
    ----------
    surface
        The surface; without a search, the classifiers' own predictions.
    truths
        The class of each evaluation row, as its place.
    probabilities
        Each classifier's probabilities of the evaluation rows; those of "stack" are by stacks that
        were fitted to other rows.
    stack
        The stack to deploy, fitted to all evaluation rows.
    units
        The row, or group, of the data that each evaluation row comes from.
    models
        The deployed classifiers and families.
    classes
        The labels of the classes.
    n_features_in, feature_names_in
        The features of the models.
    """

    surface: RocSurface
    truths: IntArray
    probabilities: Mapping[str, FloatArray]
    stack: ProbabilityStack | None
    units: IntArray
    models: Mapping[str, BaseEstimator]
    classes: AnyArray
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    # constant: a member predicts without coins, by its own models
    key_column: str | None = None
    of_columns: bool = False

    def best_on_new_rows(self, costs: Costs, priors: Shares) -> SurfacePoint:
        """Return the rule of the stack that the costs imply."""
        own = {STACK: self.probabilities[STACK]}
        rules = implied_rules(own, self.truths, self.surface.classes, costs, priors)
        member = replace(rules.member(0), place=None)
        return SurfacePoint(member, member.confusion.expected_cost(costs, priors), ())

    def best(
        self, costs: Costs, priors: Shares, limits: RateLimits, *, parsimonious: bool
    ) -> SurfacePoint:
        """Return the cheapest member, or rule implied by the costs, on the evaluation rows.

        If parsimonious, a rule stays unless a member leads by more than two standard errors.
        """
        if not self.probabilities:
            return self.surface.best(costs, priors, limits=limits)
        rules = self._implied_rules(costs, priors)
        point = self._place(_append(self.surface, rules).best(costs, priors, limits=limits))
        if parsimonious and point.member.place is not None:
            try:
                rule = rules.best(costs, priors, limits=limits)
            except InfeasibleError:  # no rule is within the limits
                return point
            saved = self._losses(rule.member, costs) - self._losses(point.member, costs)
            if not self._leads(saved, np.arange(saved.size), priors):
                member = replace(rule.member, place=None, parameters={})
                return replace(rule, member=member, equals=())
        return point

    def least_regret(
        self, costs: Costs, priors: Shares, limits: RateLimits
    ) -> tuple[SurfacePoint, float]:
        """Return the member, or rule of the middle costs, with the least worst-case regret."""
        surface = self.surface
        bounds = as_costs(costs, surface.classes)
        if self.probabilities:
            shares = as_priors(priors, surface.classes, surface.totals)
            rules = self._implied_rules(bounds.middle(), priors if shares.exact else OBSERVED)
            surface = _append(surface, rules)
        safest = surface.least_regret(bounds, priors, limits=limits)
        place = int(safest.member.place or 0)
        point = SurfacePoint(safest.member, None, (place,), surface.objectives == "rates")
        return self._place(point), safest.regret

    def cost_on_new_rows(
        self, point: SurfacePoint, costs: Costs, priors: Shares, *, exact: bool, parsimonious: bool
    ) -> tuple[NewRowsCost, FloatArray]:
        """Return what a choice is expected to cost on new rows, made again without each fold.

        The second result is what it costs on each evaluation row.
        """
        classes = self.surface.classes
        values = as_costs(costs, classes).values
        shares = as_priors(priors, classes, self.surface.totals).shares
        if exact or self.stack is None:
            choose = self._choice(costs, priors, parsimonious=parsimonious)
            predictions = choose_repeatedly(choose, deal_folds(self.truths, self.units))
            losses, by = values[self.truths, predictions], ""
        else:
            fitted = cheapest_classes(self.stack.predict_proba(self.probabilities), point.member)
            by = "stacks fitted to other rows"
            losses = CROSS_FITTED * self._losses(point.member, costs)
            losses += (1 - CROSS_FITTED) * values[self.truths, fitted]
        found = class_cost_interval(losses, self.truths, self.units, values, shares)
        cost = NewRowsCost(point.expected_cost, *found, LEVEL, FOLDS, apparent_by=by)
        return cost, losses

    def savings(
        self,
        found: tuple[NewRowsCost, FloatArray],
        costs: Costs,
        priors: Shares,
        baseline: IntArray | None,
    ) -> Savings:
        """Return what a choice saves against one class for all rows, a model alone, and labels."""
        classes = self.surface.classes
        given = as_costs(costs, classes)
        shares = as_priors(priors, classes, self.surface.totals).shares
        compared = {} if baseline is None else {TODAY: baseline}
        likeliest = {n: t.argmax(axis=1) for n, t in self.probabilities.items() if n != STACK}
        if likeliest:
            by_row = (shares / self.surface.totals)[self.truths]
            paid = {n: given.values[self.truths, own] @ by_row for n, own in likeliest.items()}
            best = min(paid, key=lambda name: paid[name])
            compared[f"the likeliest class by {best}"] = likeliest[best]
        return compare_predictions(found, compared, self.truths, self.units, given, shares)

    def _choice(
        self, costs: Costs, priors: Shares, *, parsimonious: bool
    ) -> Callable[[IntArray], IntArray]:
        """Return a function that makes the choice of `best` on some of the rows."""
        shares = as_priors(priors, self.surface.classes, self.surface.totals).shares
        weights = as_costs(costs, self.surface.classes).values * shares[:, np.newaxis]
        risks = np.tensordot(self.surface.all_rates, weights, axes=2)
        rules = self._implied_rules(costs, priors).members if self.probabilities else []
        places = np.argsort(risks, kind="stable")[:CONSIDERED]
        candidates = [*rules, *map(self.surface.member, places.tolist())]
        predictions = np.array([self._predictions(member) for member in candidates])
        losses = as_costs(costs, self.surface.classes).values[self.truths, predictions]

        def choose(rows: IntArray) -> IntArray:
            truths = self.truths[rows]
            by_row = (shares / np.maximum(np.bincount(truths, minlength=shares.size), 1))[truths]
            means = losses[:, rows] @ by_row
            best = int(means.argmin())
            if parsimonious and rules:
                rule = int(means[: len(rules)].argmin())
                leads = self._leads(losses[rule] - losses[best], rows, priors)
                best = best if leads else rule
            return np.asarray(predictions[best])

        return choose

    def _place(self, point: SurfacePoint) -> SurfacePoint:
        """Return a point without the places of rules, which are not on the surface."""
        member, on_surface = point.member, range(len(self.surface))
        if member.place not in on_surface:
            member = replace(member, place=None, parameters={})
        equals = tuple(place for place in point.equals if place in on_surface)
        return replace(point, member=member, equals=equals)

    def _implied_rules(self, costs: Costs, priors: Shares) -> RocSurface:
        return implied_rules(self.probabilities, self.truths, self.surface.classes, costs, priors)

    def _losses(self, member: SurfaceMember, costs: Costs) -> FloatArray:
        """Return what a member's prediction of each evaluation row costs."""
        values = as_costs(costs, self.surface.classes).values
        return np.asarray(values[self.truths, self._predictions(member)])

    def _leads(self, saved: FloatArray, rows: IntArray, priors: Shares) -> bool:
        """Whether a member that saves so much on rows is cheaper beyond chance."""
        totals, truths = self.surface.totals, self.truths[rows]
        shares = as_priors(priors, self.surface.classes, totals).shares
        own = np.maximum(np.bincount(truths, minlength=totals.size), 1)
        mean = np.bincount(truths, saved[rows], totals.size) / own
        squares = np.bincount(truths, (saved[rows] - mean[truths]) ** 2, totals.size)
        variance = (shares**2 * squares / (own * np.maximum(own - 1, 1))).sum()
        return bool(shares @ mean > LEAD * np.sqrt(variance))

    def _predictions(self, member: SurfaceMember) -> IntArray:
        probabilities = self.probabilities.get(member.model)
        if probabilities is None:
            probabilities = self.models[member.model].model_.probabilities(_parameters(member))
        return cheapest_classes(probabilities, member)

    def member_probabilities(self, member: SurfaceMember, features: Features) -> FloatArray:
        """Return the probabilities of new rows by a member."""
        if member.model == STACK and self.stack is not None:
            return self.stack.predict_proba(
                {name: self._model_probabilities(name, features) for name in self.stack.components}
            )
        model = self.models[member.model]
        if isinstance(model, Family):
            return model.model_.probabilities_of(_parameters(member), features)
        return self._model_probabilities(member.model, features)

    def _model_probabilities(self, name: str, features: Features) -> FloatArray:
        return estimator_probabilities(name, self.models[name], features, self.surface.classes)


def _parameters(member: SurfaceMember) -> FloatArray:
    return np.array(list(member.parameters.values()))


def cheapest_classes(probabilities: FloatArray, member: SurfaceMember) -> IntArray:
    """Return the places of the classes that a member predicts from probabilities."""
    return least_cost(probabilities, np.asarray(member.costs.values))  # type: ignore[union-attr]


def _append(surface: RocSurface, rules: RocSurface) -> RocSurface:
    parameters = np.zeros((len(rules), surface.parameters.shape[1]))
    return replace(
        surface,
        counts=np.concatenate([surface.counts, rules.counts]),
        models=surface.models + rules.models,
        parameters=np.concatenate([surface.parameters, parameters]),
        costs=np.concatenate([np.asarray(each.costs) for each in (surface, rules)]),
    )

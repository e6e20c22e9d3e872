"""The multi-class hybrid: a ROC surface that is aimed at run time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, Tags, assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rocch.arrays import AnyArray, Columns, Features, FloatArray, IntArray
from rocch.errors import (
    Hint,
    InfeasibleError,
    InputError,
    SurfaceWarning,
    format_count,
    format_list,
)
from rocch.hybrid.aimed import View
from rocch.hybrid.estimators import FoldEnsemble
from rocch.hybrid.expression import STACK
from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.hybrid.scoring import expected_cost
from rocch.hybrid.training import (
    Cv,
    NamedModels,
    cross_fit,
    fit_copy,
    join_held_out,
    label_column,
    make_splits,
    order_rows,
    training_features,
)
from rocch.inputs import as_choice, as_codes, as_flag, as_whole, check_length
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes, as_probabilities
from rocch.multiclass.confusion import Confusion, count_predictions
from rocch.multiclass.costs import CostMatrix, DirichletBelief, as_costs, as_priors
from rocch.multiclass.models import KnownProbabilities, SearchModel, predict_probabilities
from rocch.multiclass.new_rows import LEVEL, choose_repeatedly, class_cost_interval, saving_interval
from rocch.multiclass.parametric_models import KnnModel, MlpModel
from rocch.multiclass.rules import implied_rules, plain_predictions
from rocch.multiclass.search import MOST_CLASSES, Alphas, SurfaceSearch
from rocch.multiclass.stack import FOLDS, ProbabilityStack, cross_fit_stack, deal_folds
from rocch.multiclass.surface import RocSurface, SurfaceMember, SurfacePoint
from rocch.progress import Verbose, track
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.savings import TODAY, Saving, Savings

Costs: TypeAlias = CostMatrix | DirichletBelief
# The share of each class.
Shares: TypeAlias = Columns | DirichletBelief
# The largest rates allowed, by class or by (truth, prediction).
RateLimits: TypeAlias = Mapping[Any, float] | None

# The cheapest members of a surface, among which a choice is repeated without some of the rows.
CONSIDERED = 300
# With more rows, `print` repeats no exact choice.
QUICK = 10_000
# Efron's weight (1983) of what rows cost by stacks fitted to others; the rest is what they cost by
# the stack fitted to all. It makes up for models that saw fewer rows than the deployed ones.
CROSS_FITTED = 0.632
# Standard errors by which a member must lead a rule to be chosen.
LEAD = 2.0
# The joint search of all classifiers, beside those of families; no estimator has this name.
CLASSIFIERS = "all classifiers, whose search is one"


class Family(BaseEstimator):
    """Classifiers that differ in their parameters, which the search varies."""

    # Made of rows, their labels and the family's parameters.
    search_model: type[KnnModel] | type[MlpModel]

    def fit(self, X: Features, y: ArrayLike) -> Self:
        """Store the rows and their labels."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.__dict__.pop("model_", None)
        return self

    @cached_property
    def model_(self) -> SearchModel:
        """The model that the search varies."""
        return self.search_model(self.X_, self.y_, **self.get_params())

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "model_"}


class KnnFamily(Family):
    """Probabilistic nearest neighbors (Everson and Fieldsend, equation 11), leave-one-out.

    Parameters
    ----------
    most_neighbors
        The largest k, by default at most 200.
    scale
        Whether to divide the features by their standard deviations.
    """

    search_model = KnnModel

    def __init__(self, *, most_neighbors: int | None = None, scale: bool = True) -> None:
        self.most_neighbors = most_neighbors
        self.scale = scale


class MlpFamily(Family):
    """Perceptrons with one hidden layer, evaluated on the rows they are fitted to.

    Parameters
    ----------
    hidden
        The number of hidden units.
    """

    search_model = MlpModel

    def __init__(self, *, hidden: int = 5) -> None:
        self.hidden = hidden


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
            apparent = point.expected_cost
            choose = self._choice(costs, priors, parsimonious=parsimonious)
            predictions = choose_repeatedly(choose, deal_folds(self.truths, self.units))
            losses = values[self.truths, predictions]
        else:
            fitted = _cheapest(self.stack.predict_proba(self.probabilities), point.member)
            counts = count_predictions(self.truths, fitted, len(classes))
            apparent = Confusion(classes, counts).expected_cost(costs, priors)
            losses = CROSS_FITTED * self._losses(point.member, costs)
            losses += (1 - CROSS_FITTED) * values[self.truths, fitted]
        found = class_cost_interval(losses, self.truths, self.units, values, shares)
        return NewRowsCost(apparent, *found, LEVEL, FOLDS), losses

    def savings(
        self,
        found: tuple[NewRowsCost, FloatArray],
        costs: Costs,
        priors: Shares,
        baseline: IntArray | None,
    ) -> Savings:
        """Return what a choice saves against one class for all rows, a model alone, and labels."""
        cost, losses = found
        classes, expected = self.surface.classes, cost.expected or 0.0
        values = as_costs(costs, classes).values
        shares = as_priors(priors, classes, self.surface.totals).shares

        def compare(name: str, predictions: IntArray) -> Saving:
            paid = values[self.truths, predictions]
            own, interval = class_cost_interval(paid, self.truths, self.units, values, shares)
            saves, bounds = saving_interval(losses, paid, self.truths, self.units, values, shares)
            return Saving(name, own, interval, saves, bounds)

        rows = [] if baseline is None else [compare(TODAY, baseline)]
        likeliest = {
            name: compare(f"the likeliest class by {name}", table.argmax(axis=1))
            for name, table in self.probabilities.items()
            if name != STACK
        }
        if likeliest:
            rows.append(min(likeliest.values(), key=lambda row: row.cost))
        always = shares @ values
        cheapest = int(always.argmin())
        known, (low, high) = float(always[cheapest]), cost.interval or (expected, expected)
        bounds = Interval(known - high, known - low)
        name = f"always predicting {classes.names[cheapest]}"
        rows.append(Saving(name, known, Interval(known, known), known - expected, bounds))
        return Savings(tuple(rows), cost.expected, cost.interval, cost.confidence)

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
        return _cheapest(probabilities, member)

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


def _cheapest(probabilities: FloatArray, member: SurfaceMember) -> IntArray:
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
        return MulticlassRule(self.hybrid.surface.classes.names, name, tuple(costs.tolist()))

    @property
    def objective(self) -> str:
        """What the rule is best at, in words."""
        if self.least_regret:
            return "the least regret on the evaluation rows"
        if self._for_new_rows:
            return "what is expected to be best on new rows"
        or_rule = ", or a rule that no member leads clearly" if self.parsimonious else ""
        return f"the cheapest on the evaluation rows{or_rule}"

    @property
    def _for_new_rows(self) -> bool:
        on_these_rows = self.exact or self.limits or self.least_regret
        return self.hybrid.stack is not None and not on_these_rows

    @cached_property
    def on_new_rows(self) -> NewRowsCost:
        """What the choice is expected to cost on new rows, estimated at the first access.

        The choice is made again without each tenth of the evaluation rows, which then shows its
        cost. Models are not fitted again, and an exact choice is among the same members.
        """
        if self.least_regret:
            return NewRowsCost(None, note="costs between bounds have no single expected cost")
        if self.limits:
            note = "it is estimated only for choices without limits"
            return NewRowsCost(self.point.expected_cost, note=note)
        if isinstance(self.hybrid.models.get(self.point.member.model), MlpFamily):
            note = "networks of MlpFamily are evaluated on the rows that they are fitted to"
            return NewRowsCost(self.point.expected_cost, note=note)
        return self._new_rows[0]

    @cached_property
    def _new_rows(self) -> tuple[NewRowsCost, FloatArray]:
        return self.hybrid.cost_on_new_rows(
            self.point,
            self.costs,
            self.priors,
            exact=not self._for_new_rows,
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
        is_quick = self._for_new_rows or self.hybrid.truths.size <= QUICK
        if not is_quick or self.on_new_rows.expected is None:
            return self.describe()
        return f"{self.describe()}\n{self.on_new_rows}\n{self.savings()}"

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
        return np.asarray(self.classes_[_cheapest(self.predict_proba(X), self.point.member)])

    def predict_proba(self, X: Features) -> FloatArray:
        """Return the probabilities on which the costs decide."""
        return self.hybrid.member_probabilities(self.point.member, self.features(X))

    def confusion(self, X: Features, y: ArrayLike) -> Confusion:
        """Return the confusion matrix of labeled rows."""
        return Confusion.from_labels(y, self.predict(X), classes=self.hybrid.surface.classes)


class RocSurfaceClassifier(NamedModels):
    """A multi-class hybrid of classifiers that is re-aimed at run time without refitting.

    Stacks the classifiers' out-of-fold probabilities, and searches the joint ROC surface of all of
    them. For any costs and class balance it predicts the class of least expected cost by the stack,
    which is expected to be best on new rows; or, where asked for, with what is exactly the best on
    the evaluation rows: the cheapest member of the surface, or rule that the costs imply.

    Parameters
    ----------
    estimators
        Pairs (name, classifier) of classifiers with `predict_proba`, and of families
        (`KnnFamily()`, `MlpFamily()`), whose parameters are searched too. Classifiers in
        `FrozenEstimator` are not refitted.
    cv
        A number of stratified folds, which respect groups; a splitter; an iterable of splits; or a
        share to hold out, such as 0.25.
    costs, priors
        The default aim: by default the error rate at the observed class balance.
    objectives
        What the surface trades off: "rates" (all ways to err, up to 6 classes), "misses" (of each
        class, up to 12), or None for no search, only rules that the costs imply. "auto" is
        "rates" up to 6 classes, else None with a warning.
    generations, draws, alphas, tolerance, patience
        As for `SurfaceSearch`.
    parsimonious
        Whether an exact choice is the rule that the costs imply unless a member leads it by more
        than two standard errors.
    stack
        Whether to stack the classifiers (families are left out) as one more, called "stack".
    refit
        Whether to fit classifiers again on all rows; otherwise the fold models predict together.
    n_jobs
        The number of parallel fits.
    random_state
        The seed of the search and of a hold-out; a whole number.
    verbose
        1 shows the progress of fits and of the search; a function is called with the number of
        steps done, and of all.

    Attributes
    ----------
    surface_
        The surface.
    stack_
        The `ProbabilityStack`, with its weights; None without one.
    default_
        The view that `predict` uses.
    named_estimators_
        The deployed models.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> model = rocch.RocSurfaceClassifier(
    ...     [("lr", LogisticRegression(max_iter=500)), ("nb", GaussianNB())], generations=50
    ... ).fit(X, y)
    >>> costs = rocch.CostMatrix(
    ...     {("virginica", "versicolor"): 10}, classes=model.classes_, default=1
    ... )
    >>> print(model.stack_)
    0.858 lr + 0.419 nb
    >>> careful = model.at(costs)
    >>> careful.predict(X[:2])
    array(['setosa', 'setosa'], dtype='<U10')
    >>> round(careful.on_new_rows.expected, 2)
    0.14
    >>> model.at(costs, exact=True).point.confusion["virginica", "versicolor"]
    0
    """

    def __init__(
        self,
        estimators: Sequence[tuple[str, BaseEstimator]],
        *,
        cv: Cv = 5,
        costs: Costs | None = None,
        priors: Shares = OBSERVED,
        objectives: str | None = "auto",
        generations: int = 500,
        draws: int = 100,
        alphas: Alphas | None = None,
        tolerance: float | None = None,
        patience: int = 200,
        parsimonious: bool = False,
        stack: bool = True,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int = 0,
        verbose: Verbose = 0,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.costs = costs
        self.priors = priors
        self.objectives = objectives
        self.generations = generations
        self.draws = draws
        self.alphas = alphas
        self.tolerance = tolerance
        self.patience = patience
        self.parsimonious = parsimonious
        self.stack = stack
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Features, y: ArrayLike, *, groups: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit the models, and search the surface of their out-of-fold probabilities.

        Parameters
        ----------
        X, y
            Rows and their labels.
        groups
            The group of each row, for splits that respect groups.
        **params
            Metadata for the models' `fit`, with scikit-learn's metadata routing.
        """
        as_flag(self.refit, "refit")
        with_stack = as_flag(self.stack, "stack")
        models = self.named_models()
        features = training_features(self, X)
        labels, classes = _as_labels(y, features)
        if self.costs is not None:  # so that mistakes cost no fitting
            as_costs(self.costs, classes)
        as_priors(self.priors, classes, np.bincount(classes.truths(labels, "y")))
        data = (features, labels)
        families = {n: fit_copy(m, *data, {}) for n, m in models if isinstance(m, Family)}
        plain = [(name, model) for name, model in models if name not in families]
        rows: IntArray = np.arange(labels.size)
        probabilities: dict[str, FloatArray] = {}
        fitted: dict[str, BaseEstimator] = dict(families)
        if plain:
            rows, probabilities, deployed = self._fit_models(plain, data, classes, groups, params)
            fitted |= deployed
        if families and not np.array_equal(rows, np.arange(labels.size)):
            raise InputError(
                "cv",
                "hold out every row once where families are searched beside classifiers",
                "other splits",
                "Pass a number of folds.",
            )
        truths = classes.truths(labels[rows], "y")
        units = rows if groups is None else as_codes(groups, "groups")[rows]
        stack = None
        if with_stack and probabilities:
            stack = ProbabilityStack.of_rows(probabilities, truths, classes)
            probabilities[STACK] = cross_fit_stack(probabilities, truths, deal_folds(truths, units))
        self.restore(
            SurfaceHybrid(
                self._find_surface(probabilities, families, labels[rows], classes),
                truths,
                probabilities,
                stack,
                units,
                {name: fitted[name] for name, _ in models},
                np.unique(labels),
                getattr(self, "n_features_in_", None),
                getattr(self, "feature_names_in_", None),
            )
        )
        return self

    def _fit_models(
        self,
        models: list[tuple[str, BaseEstimator]],
        data: tuple[Features, AnyArray],
        classes: Classes,
        groups: ArrayLike | None,
        params: Mapping[str, Any],
    ) -> tuple[IntArray, dict[str, FloatArray], dict[str, BaseEstimator]]:
        """Return held-out rows, their probabilities, and the classifiers to deploy."""
        routed = self.routed(models, None, groups, params)
        splits = make_splits(
            self.cv,
            data,
            models=models,
            groups=groups,
            split_params=routed.splitter["split"],
            random_state=self.random_state,
        )
        output = partial(estimator_probabilities, classes=classes)
        steps = len(models) * (len(splits) + 1)
        deployed: dict[str, BaseEstimator] = {}
        with track(f"Fitting {format_count(len(models), 'model')}", self.verbose, steps) as step:
            fitted = cross_fit(models, data, splits, routed, output, self.n_jobs, step.advance)
            for name, model in models:
                folds = [fold.estimator for fold in fitted[name]]
                if self.refit:
                    deployed[name] = fit_copy(model, *data, routed[name].fit)
                else:
                    deployed[name] = folds[0] if len(folds) == 1 else FoldEnsemble(folds)
                step.advance()
        rows, _, order = order_rows(splits)
        probabilities = {name: join_held_out(own, order) for name, own in fitted.items()}
        return rows, probabilities, deployed

    def restore(self, hybrid: SurfaceHybrid) -> None:
        """Set the fitted attributes from a hybrid."""
        self.hybrid_, self.surface_, self.classes_ = hybrid, hybrid.surface, hybrid.classes
        self.stack_ = hybrid.stack
        self.named_estimators_ = Bunch(**hybrid.models)
        self.estimators_ = list(hybrid.models.values())
        if hybrid.n_features_in is not None:
            self.n_features_in_ = hybrid.n_features_in
        if hybrid.feature_names_in is not None:
            self.feature_names_in_ = hybrid.feature_names_in
        equal = CostMatrix.zero_one(hybrid.surface.classes)
        self.default_ = self.at(equal if self.costs is None else self.costs)

    def at(
        self,
        costs: Costs,
        priors: Shares | None = None,
        *,
        limits: RateLimits = None,
        exact: bool = False,
        parsimonious: bool | None = None,
    ) -> AimedSurface:
        """Return an immutable view aimed at costs and a class balance.

        By default it is the stack's prediction of least expected cost, which is expected to be best
        on new rows; under limits, or without a stack, the exact choice.

        Parameters
        ----------
        costs
            A `CostMatrix`, or a `DirichletBelief`, whose mean decides.
        priors
            The shares of the classes, or "observed"; by default the constructor's.
        limits
            The largest rates allowed on the evaluation rows: `{(truth, prediction): rate}` or
            `{class: rate}`.
        exact
            Whether to choose what is cheapest on the evaluation rows, without rounding, among all
            members of the surface and rules that the costs imply.
        parsimonious
            By default the constructor's.
        """
        check_is_fitted(self, "hybrid_")
        return AimedSurface(
            self.hybrid_,
            costs,
            priors=self.priors if priors is None else priors,
            limits=limits,
            exact=exact,
            parsimonious=self.parsimonious if parsimonious is None else parsimonious,
        )

    def at_least_regret(
        self, costs: CostMatrix, priors: Shares | None = None, *, limits: RateLimits = None
    ) -> AimedSurface:
        """Return a view aimed at the least worst-case regret, which is its `regret`.

        Parameters
        ----------
        costs, priors
            Numbers or intervals.
        limits
            As for `at`.
        """
        check_is_fitted(self, "hybrid_")
        priors = self.priors if priors is None else priors
        return AimedSurface(self.hybrid_, costs, priors=priors, limits=limits, least_regret=True)

    def score(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the negative expected cost at the default aim; by the error rate, the accuracy."""
        check_is_fitted(self, "surface_")
        return self.default_.score(X, y, sample_weight)

    def predict(
        self, X: Features, *, costs: Costs | None = None, priors: Shares | None = None
    ) -> AnyArray:
        """Return the classes of rows, by the default aim or other costs and priors.

        Parameters
        ----------
        X
            The rows.
        costs, priors
            As for `at`, for this call only.
        """
        check_is_fitted(self, "hybrid_")
        view = self.default_
        if costs is not None or priors is not None:
            view = self.at(self.default_.costs if costs is None else costs, priors)
        return view.predict(X)

    def predict_proba(self, X: Features) -> FloatArray:
        """Return the probabilities by the model of the default aim."""
        check_is_fitted(self, "hybrid_")
        return self.default_.predict_proba(X)

    def confusion(self, X: Features, y: ArrayLike) -> Confusion:
        """Return the confusion matrix of labeled rows by the default aim."""
        check_is_fitted(self, "hybrid_")
        return self.default_.confusion(X, y)

    def _find_surface(
        self,
        probabilities: dict[str, FloatArray],
        families: dict[str, Family],
        labels: AnyArray,
        classes: Classes,
    ) -> RocSurface:
        """Return the joint surface, or the classifiers' own predictions."""
        objectives = self._objectives(len(classes), bool(families))
        if objectives is None:
            return plain_predictions(probabilities, classes.truths(labels), classes)
        parts: dict[str, SearchModel] = {name: family.model_ for name, family in families.items()}
        if probabilities:
            parts[CLASSIFIERS] = KnownProbabilities(probabilities, classes)
        found = {
            name: self._search(model, labels, classes, objectives) for name, model in parts.items()
        }
        return RocSurface.joined(found) if families else found[CLASSIFIERS]

    def _objectives(self, classes: int, families: bool) -> str | None:
        if self.objectives is None and not families:
            return None
        objectives = as_choice(self.objectives, ("auto", *MOST_CLASSES), "objectives")
        if objectives != "auto":
            return objectives
        most = MOST_CLASSES["rates"]
        if classes <= most or families:
            return "rates"
        warnings.warn(
            f"no surface was searched, because with more than {most} classes (here {classes}) "
            "nearly everything is on it: exact choices are among the rules that the costs imply. "
            "Pass objectives=None to silence this, or 'misses' to search up to "
            f"{MOST_CLASSES['misses']} classes.",
            SurfaceWarning,
            stacklevel=4,
        )
        return None

    def _search(
        self, model: SearchModel, labels: AnyArray, classes: Classes, objectives: str
    ) -> RocSurface:
        search = SurfaceSearch(
            model,
            labels,
            classes=classes,
            objectives=objectives,  # type: ignore[arg-type]  # which it checks
            draws=self.draws,
            alphas=self.alphas,
            seed=as_whole(self.random_state, "random_state", least=0),
        )
        return search.run(
            self.generations,
            tolerance=self.tolerance,
            patience=self.patience,
            verbose=self.verbose,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _as_labels(y: ArrayLike, features: Features) -> tuple[AnyArray, Classes]:
    labels = label_column(y)
    check_consistent_length(features, labels)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    present = np.unique(labels)
    if present.size == 1:  # scikit-learn's checks want these words
        got = f"one class only, {format_list(present)}"
        raise InputError("y", "hold two or more classes", got, "Add rows of the others.")
    return labels, Classes.of(present, "y")

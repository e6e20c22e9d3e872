"""The multi-class hybrid: a ROC surface that is aimed at run time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
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
from rocch.errors import InfeasibleError, InputError, SurfaceWarning, format_list
from rocch.hybrid.aimed import View
from rocch.hybrid.estimators import FoldEnsemble
from rocch.hybrid.training import (
    NamedModels,
    cross_fit,
    fit_copy,
    join_held_out,
    label_column,
    make_splits,
    order_rows,
    training_features,
)
from rocch.inputs import as_choice, as_flag, as_whole
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes, as_probabilities
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.costs import CostMatrix, DirichletBelief, as_costs, as_priors
from rocch.multiclass.models import KnownProbabilities, SearchModel, predict_probabilities
from rocch.multiclass.parametric_models import KnnModel, MlpModel
from rocch.multiclass.rules import implied_rules, plain_predictions
from rocch.multiclass.search import MOST_CLASSES, SurfaceSearch
from rocch.multiclass.surface import RocSurface, SurfaceMember, SurfacePoint
from rocch.roc.conditions import OBSERVED

Costs: TypeAlias = CostMatrix | DirichletBelief
# The share of each class.
Shares: TypeAlias = Columns | DirichletBelief
# The largest rates allowed, by class or by (truth, prediction).
RateLimits: TypeAlias = Mapping[Any, float] | None

# Standard errors by which a member must lead a rule; see docs/multiclass.md.
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
            "Wrap it in scikit-learn's CalibratedClassifierCV.",
        )
    known = np.asarray(estimator.classes_).tolist()
    if set(known) != set(classes):
        raise InputError(
            "estimators",
            f"know the classes of y, {format_list(classes, 30)}",
            f"{name!r}, which knows {format_list(known, 30)}",
            "Every split must leave rows of every class to fit on: use fewer or stratified splits."
            if set(classes) - set(known)
            else "Evaluate it on rows of all its classes.",
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
        Each classifier's probabilities of the evaluation rows.
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
    models: Mapping[str, BaseEstimator]
    classes: AnyArray
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    # constant: a member predicts without coins, by its own models
    key_column: str | None = None
    of_columns: bool = False

    def best(
        self, costs: Costs, priors: Shares, limits: RateLimits, *, parsimonious: bool
    ) -> SurfacePoint:
        """Return the cheapest member, or rule implied by the costs.

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
            if not self._leads(point.member, rule.member, costs, priors):
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

    def _place(self, point: SurfacePoint) -> SurfacePoint:
        """Return a point without the places of rules, which are not on the surface."""
        member, on_surface = point.member, range(len(self.surface))
        if member.place not in on_surface:
            member = replace(member, place=None, parameters={})
        equals = tuple(place for place in point.equals if place in on_surface)
        return replace(point, member=member, equals=equals)

    def _implied_rules(self, costs: Costs, priors: Shares) -> RocSurface:
        return implied_rules(self.probabilities, self.truths, self.surface.classes, costs, priors)

    def _leads(
        self, member: SurfaceMember, rule: SurfaceMember, costs: Costs, priors: Shares
    ) -> bool:
        """Whether a member is cheaper than a rule beyond chance."""
        values = as_costs(costs, self.surface.classes).values
        totals = self.surface.totals
        shares = as_priors(priors, self.surface.classes, totals).shares
        saved = (
            values[self.truths, self._predictions(rule)]
            - values[self.truths, self._predictions(member)]
        )
        mean = np.bincount(self.truths, saved) / totals
        squares = np.bincount(self.truths, (saved - mean[self.truths]) ** 2)
        variance = (shares**2 * squares / (totals * np.maximum(totals - 1, 1))).sum()
        return bool(shares @ mean > LEAD * np.sqrt(variance))

    def _predictions(self, member: SurfaceMember) -> IntArray:
        probabilities = self.probabilities.get(member.model)
        if probabilities is None:
            probabilities = self.models[member.model].model_.probabilities(_parameters(member))
        return _cheapest(probabilities, member)

    def member_probabilities(self, member: SurfaceMember, features: Features) -> FloatArray:
        """Return the probabilities of new rows by a member."""
        model = self.models[member.model]
        if isinstance(model, Family):
            return model.model_.probabilities_of(_parameters(member), features)
        return estimator_probabilities(member.model, model, features, self.surface.classes)


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
    costs, priors, limits, parsimonious, least_regret
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def used_models(self) -> list[BaseEstimator]:
        """Return the model of the chosen member."""
        return [self.hybrid.models[self.point.member.model]]

    @property
    def rule(self) -> str:
        """The rule in words."""
        member = self.point.member
        return f"predict the class of least expected cost by {member}, under {member.costs}"

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

    Searches the joint ROC surface of out-of-fold probabilities. For any costs and class balance it
    predicts with the cheapest member of the surface, or rule that the costs imply: exactly the best
    on the evaluation rows.

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
        Whether to prefer the rule that the costs imply unless a member leads it by more than two
        standard errors. With few rows this is better on new ones.
    refit
        Whether to fit classifiers again on all rows; otherwise the fold models predict together.
    n_jobs
        The number of parallel fits.
    random_state
        The seed of the search and of a hold-out; a whole number.

    Attributes
    ----------
    surface_
        The surface.
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
    >>> careful = model.at(costs)
    >>> careful.point.confusion["virginica", "versicolor"]
    0
    >>> careful.predict(X[:2])
    array(['setosa', 'setosa'], dtype='<U10')
    """

    def __init__(
        self,
        estimators: Sequence[tuple[str, BaseEstimator]],
        *,
        cv: Any = 5,
        costs: Costs | None = None,
        priors: Shares = OBSERVED,
        objectives: str | None = "auto",
        generations: int = 500,
        draws: int = 100,
        alphas: Any = None,
        tolerance: float | None = None,
        patience: int = 200,
        parsimonious: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int = 0,
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
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        models = self.named_models()
        features = training_features(self, X)
        labels, classes = _as_labels(y, features)
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
        self.restore(
            SurfaceHybrid(
                self._find_surface(probabilities, families, labels[rows], classes),
                classes.truths(labels[rows], "y"),
                probabilities,
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
        fitted = cross_fit(models, data, splits, routed, output, self.n_jobs)
        rows, _, order = order_rows(splits)
        probabilities = {name: join_held_out(own, order) for name, own in fitted.items()}
        deployed: dict[str, BaseEstimator] = {}
        for name, model in models:
            folds = [fold.estimator for fold in fitted[name]]
            if self.refit:
                deployed[name] = fit_copy(model, *data, routed[name].fit)
            else:
                deployed[name] = folds[0] if len(folds) == 1 else FoldEnsemble(folds)
        return rows, probabilities, deployed

    def restore(self, hybrid: SurfaceHybrid) -> None:
        """Set the fitted attributes from a hybrid."""
        self.hybrid_, self.surface_, self.classes_ = hybrid, hybrid.surface, hybrid.classes
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
        parsimonious: bool | None = None,
    ) -> AimedSurface:
        """Return an immutable view aimed at costs and a class balance.

        Parameters
        ----------
        costs
            A `CostMatrix`, or a `DirichletBelief`, whose mean decides.
        priors
            The shares of the classes, or "observed"; by default the constructor's.
        limits
            The largest rates allowed on the evaluation rows: `{(truth, prediction): rate}` or
            `{class: rate}`.
        parsimonious
            By default the constructor's.
        """
        check_is_fitted(self, "hybrid_")
        return AimedSurface(
            self.hybrid_,
            costs,
            priors=self.priors if priors is None else priors,
            limits=limits,
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
            "nearly everything is on it: at(costs) chooses among the rules that the costs imply. "
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
        return search.run(self.generations, tolerance=self.tolerance, patience=self.patience)

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

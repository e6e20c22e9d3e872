"""The multi-class hybrid: a ROC surface that is aimed at run time, as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rocch.arrays import AnyArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError, SurfaceWarning, format_list
from rocch.hybrid.aimed import View
from rocch.hybrid.estimators import FoldEnsemble
from rocch.hybrid.training import (
    NamedModels,
    fit_copy,
    label_column,
    make_splits,
    new_features,
    training_features,
)
from rocch.inputs import as_choice, as_flag, as_whole
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes, as_probabilities
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.costs import CostMatrix, as_costs, as_priors
from rocch.multiclass.models import KnownProbabilities, SearchModel, predict_probabilities
from rocch.multiclass.parametric_models import KnnModel, MlpModel
from rocch.multiclass.rules import implied_rules, plain_predictions
from rocch.multiclass.search import MOST_CLASSES, SurfaceSearch
from rocch.multiclass.surface import RocSurface, SurfaceMember, SurfacePoint
from rocch.roc.conditions import OBSERVED

Splits: TypeAlias = Sequence[tuple[IntArray | None, IntArray]]

# Standard errors by which a member must lead a rule; docs/multiclass.md shows what was measured.
LEAD = 2.0
# The name of the joint search of all classifiers beside those of families; no estimator has it.
CLASSIFIERS = "all classifiers, whose search is one"


class Family(BaseEstimator):
    """Classifiers that differ in their parameters, over which a surface is searched."""

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows and their labels."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.__dict__.pop("_model", None)
        return self

    @property
    def model_(self) -> SearchModel:
        """The model that the search varies, made of the rows when first needed."""
        if "_model" not in self.__dict__:
            self._model = self.search_model(self.X_, self.y_)
        return self._model

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_model"}


class KnnFamily(Family):
    """Probabilistic nearest neighbors (Everson and Fieldsend, equation 11) for all k and beta.

    Every row is evaluated by its neighbors, itself left out.

    Parameters
    ----------
    most_neighbors
        The largest k; by default 200, or fewer where there are fewer rows.
    scale
        Whether to divide the features by their standard deviations.
    """

    def __init__(self, *, most_neighbors: int | None = None, scale: bool = True) -> None:
        self.most_neighbors = most_neighbors
        self.scale = scale

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        return KnnModel(X, y, most_neighbors=self.most_neighbors, scale=self.scale)


class MlpFamily(Family):
    """Multi-layer perceptrons with one hidden layer, for all their weights.

    As in the paper, they are evaluated on the rows that they are fitted to, which flatters them:
    evaluate the result on other rows.

    Parameters
    ----------
    hidden
        The number of hidden units.
    """

    def __init__(self, *, hidden: int = 5) -> None:
        self.hidden = hidden

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        return MlpModel(X, y, hidden=self.hidden)


def estimator_probabilities(
    name: str, estimator: Any, features: Any, classes: Classes
) -> FloatArray:
    """Return a fitted classifier's probabilities, with columns in the order of the classes."""
    if not hasattr(estimator, "predict_proba"):
        raise InputError(
            "estimators",
            "have predict_proba",
            f"{name!r}, which does not",
            "Wrap it in scikit-learn's CalibratedClassifierCV.",
        )
    known = np.asarray(estimator.classes_).tolist()
    if set(known) != set(classes):
        missing = [each for each in classes if each not in known]
        raise InputError(
            "estimators",
            f"know the classes of y, {format_list(classes, 30)}",
            f"{name!r}, which knows {format_list(known, 30)}",
            "Every split must leave rows of every class to fit on: use fewer splits, or "
            "stratified ones; a class needs two rows at least."
            if missing
            else "Evaluate it on rows of all its classes.",
        )
    predicted = predict_probabilities(name, estimator, features, classes)
    return as_probabilities(predicted, classes, argument=f"predict_proba of {name!r}")


def evaluate_models(
    models: Sequence[tuple[str, Any]],
    data: tuple[Any, AnyArray],
    splits: Splits,
    fit_params: Mapping[str, Mapping[str, Any]],
    classes: Classes,
    n_jobs: int | None,
) -> tuple[IntArray, dict[str, FloatArray], dict[str, list[Any]]]:
    """Fit every model on every split.

    Returns the held-out rows in rising order (with repeats), their probabilities by each model, and
    the fold models.
    """
    from sklearn.utils.parallel import Parallel, delayed

    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_predict)(name, model, data, split, fit_params[name], fold, classes)
        for name, model in models
        for fold, split in enumerate(splits)
    )
    held_out = np.concatenate([test for _, test in splits])
    order = np.argsort(held_out, kind="stable")
    probabilities, fold_models = {}, {}
    for place, (name, _) in enumerate(models):
        own = fitted[place * len(splits) : (place + 1) * len(splits)]
        probabilities[name] = np.concatenate([predicted for _, predicted in own])[order]
        fold_models[name] = [model for model, _ in own]
    return held_out[order], probabilities, fold_models


def _fit_and_predict(
    name: str,
    estimator: Any,
    data: tuple[Any, AnyArray],
    split: tuple[IntArray | None, IntArray],
    fit_params: Mapping[str, Any],
    fold: int,
    classes: Classes,
) -> tuple[Any, FloatArray]:
    from rocch.hybrid._sklearn_compat import _safe_indexing

    (features, labels), (train, test) = data, split
    try:
        if train is not None:
            estimator = fit_copy(estimator, features, labels, fit_params, train)
        rows = _safe_indexing(features, test)
        return estimator, estimator_probabilities(name, estimator, rows, classes)
    except Exception as error:
        error.add_note(f"This happened to classifier {name!r} on split {fold} of the data.")
        raise


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceHybrid:
    """A fitted hybrid of many classes: a surface, the probabilities behind it, and the models.

    Attributes
    ----------
    surface
        The surface; with very many classes only the classifiers as they are.
    truths
        The class of each evaluation row, as its place.
    probabilities
        For each classifier, the probabilities of the evaluation rows.
    models
        The deployed models by name: fitted classifiers and families.
    classes
        The classes as the data's own labels.
    n_features_in, feature_names_in
        The features that the models were fitted on.
    """

    surface: RocSurface
    truths: IntArray
    probabilities: Mapping[str, FloatArray]
    models: Mapping[str, Any]
    classes: AnyArray
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    # always these: a member predicts without coins, and its models are here
    key_column: str | None = None
    of_columns: bool = False

    def best(self, costs: Any, priors: Any, limits: Any, *, parsimonious: bool) -> SurfacePoint:
        """Return the cheapest of the members and of the rules that the costs imply.

        If parsimonious, a rule stands unless a member leads it by more than two standard errors.
        """
        if not self.probabilities:
            return self.surface.best(costs, priors, limits=limits)
        rules = self._implied_rules(costs, priors)
        point = _append(self.surface, rules).best(costs, priors, limits=limits)
        known = len(self.surface)
        if point.member.place is not None and point.member.place >= known:
            return _as_rule(point, known)
        if parsimonious:
            try:
                rule = rules.best(costs, priors, limits=limits)
            except InfeasibleError:  # no rule keeps the limits, so the members must
                return point
            if not self._leads(point.member, rule.member, costs, priors):
                return _as_rule(rule, 0)
        return replace(point, equals=tuple(place for place in point.equals if place < known))

    def least_regret(self, costs: Any, priors: Any, limits: Any) -> tuple[SurfacePoint, float]:
        """Return the member, or a rule of the middle costs, that loses least at worst."""
        surface = self.surface
        if self.probabilities:
            middle = as_costs(costs, surface.classes).middle()
            shares = as_priors(priors, surface.classes, surface.totals)
            rules = self._implied_rules(middle, priors if shares.exact else OBSERVED)
            surface = _append(surface, rules)
        safest = surface.least_regret(costs, priors, limits=limits)
        place = int(safest.member.place or 0)
        point = SurfacePoint(safest.member, None, (place,), surface.objectives == "rates")
        known = len(self.surface)
        return (point if place < known else _as_rule(point, known)), safest.regret

    def _implied_rules(self, costs: Any, priors: Any) -> RocSurface:
        return implied_rules(self.probabilities, self.truths, self.surface.classes, costs, priors)

    def _leads(self, member: SurfaceMember, rule: SurfaceMember, costs: Any, priors: Any) -> bool:
        """Whether a member is cheaper than a rule by more than chance would make it."""
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
        """Return a member's predictions on the evaluation rows."""
        if member.model in self.probabilities:
            return _cheapest(self.probabilities[member.model], member)
        return _cheapest(
            self.models[member.model].model_.probabilities(_parameters(member)), member
        )

    def member_probabilities(self, member: SurfaceMember, features: Any) -> FloatArray:
        """Return the probabilities of new rows by a member's model, with its parameters."""
        model = self.models[member.model]
        if isinstance(model, Family):
            return model.model_.probabilities_of(_parameters(member), features)
        return estimator_probabilities(member.model, model, features, self.surface.classes)


def _parameters(member: SurfaceMember) -> FloatArray:
    return np.array(list(member.parameters.values()))


def _cheapest(probabilities: FloatArray, member: SurfaceMember) -> IntArray:
    return least_cost(probabilities, np.asarray(member.costs.values))  # type: ignore[union-attr]


def _as_rule(point: SurfacePoint, known: int) -> SurfacePoint:
    """Return a point whose member is a rule of the costs, and so has no place on the surface."""
    member = replace(point.member, place=None, parameters={})
    equals = tuple(place for place in point.equals if place < known)
    return replace(point, member=member, equals=equals)


def _append(surface: RocSurface, rules: RocSurface) -> RocSurface:
    """Return the members of a surface with rules behind them."""
    parameters = np.zeros((len(rules), surface.parameters.shape[1]))
    costs = None
    if surface.costs is not None and rules.costs is not None:
        costs = np.concatenate([surface.costs, rules.costs])
    return RocSurface(
        surface.classes,
        np.concatenate([surface.counts, rules.counts]),
        surface.models + rules.models,
        np.concatenate([surface.parameters, parameters]),
        surface.parameter_names,
        costs,
        surface.objectives,
    )


class AimedSurface(View):
    """A multi-class hybrid aimed at costs and priors; made by `RocSurfaceClassifier.at`.

    It cannot be changed and never refits. Only the chosen member's model is evaluated.

    Attributes
    ----------
    point
        The chosen member, its expected cost, and the members that are just as good.
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
        """The rule in words."""
        member = self.point.member
        return (
            f"answer with the class of least expected cost by {member}, answering by {member.costs}"
        )

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted classes of rows."""
        return np.asarray(self.classes_[self.decide(self.features(X))])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities by the chosen member's model; the costs decide on them."""
        return self.hybrid.member_probabilities(self.point.member, self.features(X))

    def decide(self, features: Any) -> IntArray:
        """Return predictions, as places among the classes, for features that were checked."""
        member = self.point.member
        return _cheapest(self.hybrid.member_probabilities(member, features), member)

    def confusion(self, X: Any, y: Any) -> Confusion:
        """Count the predictions on labeled rows, to be compared with `point.confusion`."""
        return Confusion.from_labels(y, self.predict(X), classes=self.hybrid.surface.classes)


class RocSurfaceClassifier(NamedModels):
    """The multi-class hybrid: one classifier to deploy, re-aimed at run time without refitting.

    Fits several classifiers and searches the joint ROC surface of their out-of-fold probabilities.
    For any cost matrix and class balance named later it predicts with the cheapest of the surface's
    members and of the rules that the costs imply. On the rows that built it, it is never worse than
    any member for any costs, exactly; on new rows it is as good as the estimates.

    Parameters
    ----------
    estimators
        Pairs (name, classifier) of classifiers with `predict_proba`, and of families
        (`KnnFamily()`, `MlpFamily()`) whose parameters the search varies too. Wrap fitted
        classifiers in `FrozenEstimator`; if all are frozen, `fit` only evaluates them.
    cv
        A number of stratified folds, which keep groups together; any splitter; an iterable of
        splits; or a share such as 0.25 to hold out.
    costs, priors
        What `predict` aims at; by default the error rate at the observed class balance.
    objectives
        What the surface trades off: "rates" (all ways to err, for up to 6 classes), "misses" (of
        each class, for up to 12), or None: no surface is searched, and `at` chooses among the rules
        that the costs imply. "auto" is "rates" up to 6 classes; with more, where nearly everything
        would be on the surface, it is None, with a warning.
    generations, draws, alphas, tolerance, patience
        How long to search, as for `SurfaceSearch`: the classifiers together, and each family.
    parsimonious
        Whether to predict by the rule that the costs imply unless a member of the surface leads it
        by more than two standard errors on the evaluation rows. The best of thousands of members
        looks better than it is, so with few rows this is better for new ones.
    refit
        Whether classifiers are fitted again on all rows; if not, the fold models predict together.
    n_jobs
        How many fits run at once.
    random_state
        Seeds the search and a hold-out; a whole number.

    Attributes
    ----------
    surface_
        The surface.
    default_
        The view that `predict` uses.
    named_estimators_
        The deployed models.
    classes_, n_features_in_, feature_names_in_
        As for any scikit-learn classifier.

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
        estimators: Any,
        *,
        cv: Any = 5,
        costs: Any = None,
        priors: Any = OBSERVED,
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

    def fit(self, X: Any, y: Any, *, groups: Any = None, **params: Any) -> Self:
        """Fit the models, evaluate them on rows they have not seen, and search their surface.

        Parameters
        ----------
        X, y
            Rows and their labels.
        groups
            The group of each row, where rows belong together.
        **params
            Metadata for the models' `fit`, where scikit-learn's metadata routing is on.
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
        fitted: dict[str, Any] = dict(families)
        if plain:
            rows, probabilities, deployed = self._fit_models(plain, data, classes, groups, params)
            fitted |= deployed
        if families and not np.array_equal(rows, np.arange(labels.size)):
            raise InputError(
                "cv",
                "hold out every row once where families are searched beside classifiers",
                "splits that do not",
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
        models: list[tuple[str, Any]],
        data: tuple[Any, AnyArray],
        classes: Classes,
        groups: Any,
        params: Any,
    ) -> tuple[IntArray, dict[str, FloatArray], dict[str, Any]]:
        """Return the held-out rows, their probabilities, and the classifiers to deploy."""
        routed = self.routed(models, None, groups, params)
        fit_params = {name: routed[name]["fit"] for name, _ in models}
        splits = make_splits(
            self.cv,
            data,
            models=models,
            groups=groups,
            split_params=routed.splitter["split"],
            random_state=self.random_state,
        )
        rows, probabilities, folds = evaluate_models(
            models, data, splits, fit_params, classes, self.n_jobs
        )
        if self.refit:
            deployed = {name: fit_copy(model, *data, fit_params[name]) for name, model in models}
        else:
            deployed = {
                name: own[0] if len(own) == 1 else FoldEnsemble(own) for name, own in folds.items()
            }
        return rows, probabilities, deployed

    def restore(self, hybrid: SurfaceHybrid) -> None:
        """Take over a fitted hybrid, as after fitting or loading."""
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
        costs: Any,
        priors: Any = None,
        *,
        limits: Any = None,
        parsimonious: bool | None = None,
    ) -> AimedSurface:
        """Aim at costs and a class balance, without refitting: an immutable view.

        Parameters
        ----------
        costs
            A `CostMatrix`, or a `DirichletBelief` about costs, whose mean decides.
        priors
            The shares of the classes, or "observed"; by default the constructor's.
        limits
            The largest rates allowed on the evaluation rows: `{(truth, prediction): rate}` or
            `{class: rate}`.
        parsimonious
            By default as for the constructor.
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
        self, costs: CostMatrix, priors: Any = None, *, limits: Any = None
    ) -> AimedSurface:
        """Aim at bounds on costs or priors: at what loses least in the worst case.

        As `RocSurface.least_regret`; the view's `regret` is the most that its member can cost per
        row beyond the best one.

        Parameters
        ----------
        costs, priors
            Each a number or an interval.
        limits
            As for `at`.
        """
        check_is_fitted(self, "hybrid_")
        priors = self.priors if priors is None else priors
        return AimedSurface(self.hybrid_, costs, priors=priors, limits=limits, least_regret=True)

    def predict(self, X: Any, *, costs: Any = None, priors: Any = None) -> AnyArray:
        """Return the classes of rows by the default aim, or by other costs and priors.

        Parameters
        ----------
        X
            The rows.
        costs, priors
            As for `at`, for this call only; by default those of the default aim.
        """
        check_is_fitted(self, "hybrid_")
        view = self.default_
        if costs is not None or priors is not None:
            view = self.at(self.default_.costs if costs is None else costs, priors)
        return np.asarray(self.classes_[view.decide(new_features(self, X))])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities by the model behind the default aim."""
        check_is_fitted(self, "hybrid_")
        return self.hybrid_.member_probabilities(self.default_.point.member, new_features(self, X))

    def confusion(self, X: Any, y: Any) -> Confusion:
        """Count the default aim's predictions on labeled rows."""
        check_is_fitted(self, "hybrid_")
        return self.default_.confusion(X, y)

    def _find_surface(
        self,
        probabilities: dict[str, FloatArray],
        families: dict[str, Family],
        labels: AnyArray,
        classes: Classes,
    ) -> RocSurface:
        """Search the joint surface; with very many classes, take the classifiers as they are."""
        objectives = self._objectives(len(classes), bool(families))
        if objectives is None:
            return plain_predictions(probabilities, classes.truths(labels), classes)
        parts: dict[str, Any] = {name: family.model_ for name, family in families.items()}
        if probabilities:
            parts[CLASSIFIERS] = KnownProbabilities(probabilities, classes)
        found = {
            name: self._search(model, labels, classes, objectives) for name, model in parts.items()
        }
        return RocSurface.joined(found) if families else found[CLASSIFIERS]

    def _objectives(self, classes: int, families: bool) -> str | None:
        """Return what the search trades off; None for no search."""
        if self.objectives is None and not families:
            return None
        objectives = as_choice(self.objectives, ("auto", *MOST_CLASSES), "objectives")
        if objectives != "auto":
            return objectives
        most = MOST_CLASSES["rates"]
        if classes <= most or families:
            return "rates"
        warnings.warn(
            f"no surface was searched, because more than {most} classes (here {classes}) leave "
            "nearly everything on it: surface_ holds each classifier's most likely classes alone, "
            "and at(costs) chooses among the rules that the costs imply. Pass objectives=None if "
            f"that is meant, or 'misses' to search up to {MOST_CLASSES['misses']} classes.",
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
            seed=as_whole(self.random_state, "random_state", least=0, hint="It seeds the search."),
        )
        return search.run(self.generations, tolerance=self.tolerance, patience=self.patience)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _as_labels(y: Any, features: Any) -> tuple[AnyArray, Classes]:
    labels = label_column(y)
    check_consistent_length(features, labels)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    present = np.unique(labels)
    if present.size < 2:
        got = f"one class only, {format_list(present)}" if present.size else "no rows"
        raise InputError("y", "hold two or more classes", got, "Add rows of the others.")
    return labels, Classes.of(present, "y")

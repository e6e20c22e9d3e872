"""The multi-class hybrid: a ROC surface that is aimed at run time, as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rocch.arrays import AnyArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError, SurfaceWarning, format_list
from rocch.hybrid.aimed import View
from rocch.hybrid.features import FoldEnsemble, new_features, training_features
from rocch.hybrid.training import NamedModels, fit_copy, label_column, splits_of
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

if TYPE_CHECKING:
    Splits = Sequence[tuple[IntArray | None, IntArray]]


# --- Families of classifiers whose parameters the search may vary, in scikit-learn's manner -------


class Family(BaseEstimator):
    """Classifiers that differ in their parameters, over which a surface is searched.

    Fitting keeps the rows; the model that the search varies is made of them.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows and their labels."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.__dict__.pop("_model", None)
        return self

    @property
    def model_(self) -> SearchModel:
        """What the search varies, made of the rows when first asked for."""
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

    Every row is judged by its neighbors, itself left out.

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

    They are judged on the rows that they are fitted to, as in the paper, so their rates flatter
    them: judge the result on other rows.

    Parameters
    ----------
    hidden
        How many hidden units there are.
    """

    def __init__(self, *, hidden: int = 5) -> None:
        self.hidden = hidden

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        return MlpModel(X, y, hidden=self.hidden)


# --- Posteriors of rows by models that have not seen them: what a surface is judged on ------------


def posteriors_of(name: str, estimator: Any, features: Any, classes: Classes) -> FloatArray:
    """Ask a fitted classifier, its columns brought into the order of the classes."""
    if not hasattr(estimator, "predict_proba"):
        raise InputError(
            "estimators",
            "give probabilities (predict_proba)",
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
            else "Judge it on rows of all its classes.",
        )
    answers = predict_probabilities(name, estimator, features, classes)
    return as_probabilities(answers, classes, argument=f"predict_proba of {name!r}")


def judged_rows(splits: Splits) -> IntArray:
    """Return the rows held out, in rising order; repeated splits hold out rows more than once."""
    return np.sort(np.concatenate([test for _, test in splits]), kind="stable")


def judge(
    models: Sequence[tuple[str, Any]],
    data: tuple[Any, AnyArray],
    splits: Splits,
    fit_params: Mapping[str, Mapping[str, Any]],
    classes: Classes,
    n_jobs: int | None,
) -> tuple[dict[str, FloatArray], dict[str, list[Any]]]:
    """Fit every model on every split; return posteriors of held-out rows, and the fold models."""
    from sklearn.utils.parallel import Parallel, delayed

    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_ask)(name, model, data, split, fit_params[name], (fold, classes))
        for name, model in models
        for fold, split in enumerate(splits)
    )
    order = np.argsort(np.concatenate([test for _, test in splits]), kind="stable")
    posteriors, fold_models = {}, {}
    for place, (name, _) in enumerate(models):
        own = fitted[place * len(splits) : (place + 1) * len(splits)]
        posteriors[name] = np.concatenate([answers for _, answers in own])[order]
        fold_models[name] = [model for model, _ in own]
    return posteriors, fold_models


def _fit_and_ask(
    name: str,
    estimator: Any,
    data: tuple[Any, AnyArray],
    split: tuple[IntArray | None, IntArray],
    fit_params: Mapping[str, Any],
    where: tuple[int, Classes],
) -> tuple[Any, FloatArray]:
    from rocch.hybrid._sklearn_compat import _safe_indexing

    (features, labels), (train, test), (fold, classes) = data, split, where
    try:
        if train is not None:
            estimator = fit_copy(estimator, features, labels, fit_params, train)
        return estimator, posteriors_of(name, estimator, _safe_indexing(features, test), classes)
    except Exception as error:
        error.add_note(f"This happened to classifier {name!r} on split {fold} of the data.")
        raise


# --------------------------------------------------------------------------------------------------
# What fitting leaves: a surface, the judged posteriors behind it, and the models that answer.

LEAD = 2.0
"""Standard errors by which a member must lead a rule. The best of thousands looks better than it
is: docs/multiclass.md shows what was measured with none, and with this many."""


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceHybrid:
    """A fitted hybrid of many classes.

    Attributes
    ----------
    surface
        The surface; with very many classes only the classifiers as they are.
    truths
        The class of each judged row, as its place.
    posteriors
        For each classifier, the posteriors of the judged rows.
    models
        The models that answer, by name: fitted classifiers and families.
    classes
        The classes as the data's own labels.
    n_features_in, feature_names_in
        The features that the models were fitted on.
    key_column
        Always None: a member answers without coins.
    of_columns
        Always False: its models are here.
    """

    surface: RocSurface
    truths: IntArray
    posteriors: Mapping[str, FloatArray]
    models: Mapping[str, Any]
    classes: AnyArray
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    key_column: str | None = None
    of_columns: bool = False

    def best(self, costs: Any, priors: Any, limits: Any, *, parsimonious: bool) -> SurfacePoint:
        """Return the cheapest of the members and of the rules that the costs themselves imply.

        If parsimonious, a rule stands unless a member leads it by more than two standard errors.
        """
        if not self.posteriors:
            return self.surface.best(costs, priors, limits=limits)
        rules = implied_rules(self.posteriors, self.truths, self.surface.classes, costs, priors)
        point = _joined(self.surface, rules).best(costs, priors, limits=limits)
        known = len(self.surface)
        if point.member.place is not None and point.member.place >= known:
            return _rule(point, known)
        if parsimonious:
            try:
                rule = rules.best(costs, priors, limits=limits)
            except InfeasibleError:  # no rule keeps the limits, so the members must
                return point
            if not self._leads(point.member, rule.member, costs, priors):
                return _rule(rule, 0)
        return replace(point, equals=tuple(place for place in point.equals if place < known))

    def least_regret(self, costs: Any, priors: Any, limits: Any) -> tuple[SurfacePoint, float]:
        """Return the member, or a rule of the middle costs, that loses least at worst."""
        joined = self.surface
        if self.posteriors:
            middle = as_costs(costs, self.surface.classes).middle()
            shares = as_priors(priors, self.surface.classes, self.surface.totals)
            usual = priors if shares.exact else OBSERVED
            rules = implied_rules(self.posteriors, self.truths, joined.classes, middle, usual)
            joined = _joined(joined, rules)
        safest = joined.least_regret(costs, priors, limits=limits)
        place = int(safest.member.place or 0)
        point = SurfacePoint(safest.member, None, (place,), self.surface.objectives == "rates")
        known = len(self.surface)
        return (point if place < known else _rule(point, known)), safest.regret

    def _leads(self, member: SurfaceMember, rule: SurfaceMember, costs: Any, priors: Any) -> bool:
        """Say whether a member is cheaper than a rule by more than chance would make it."""
        values = as_costs(costs, self.surface.classes).values
        totals = self.surface.totals
        shares = as_priors(priors, self.surface.classes, totals).shares
        saved = (
            values[self.truths, self._judged_answers(rule)]
            - values[self.truths, self._judged_answers(member)]
        )
        mean = np.bincount(self.truths, saved) / totals
        squares = np.bincount(self.truths, (saved - mean[self.truths]) ** 2)
        variance = (shares**2 * squares / (totals * np.maximum(totals - 1, 1))).sum()
        return bool(shares @ mean > LEAD * np.sqrt(variance))

    def _judged_answers(self, member: SurfaceMember) -> IntArray:
        """Return a member's answers on the judged rows."""
        if member.model in self.posteriors:
            posteriors = self.posteriors[member.model]
        else:
            vector = np.array(list(member.parameters.values()))
            posteriors = self.models[member.model].model_.probabilities(vector)
        return least_cost(posteriors, np.asarray(member.costs.values))  # type: ignore[union-attr]

    def member_posteriors(self, member: SurfaceMember, features: Any) -> FloatArray:
        """Return the posteriors of new rows by a member's model, with its parameters."""
        model = self.models[member.model]
        if isinstance(model, Family):
            vector = np.array(list(member.parameters.values()))
            return model.model_.probabilities_of(vector, features)
        return posteriors_of(member.model, model, features, self.surface.classes)


def _rule(point: SurfacePoint, known: int) -> SurfacePoint:
    """Return a point whose member is a rule of the costs, and so has no place on the surface."""
    member = replace(point.member, place=None, parameters={})
    equals = tuple(place for place in point.equals if place < known)
    return replace(point, member=member, equals=equals)


def _joined(surface: RocSurface, rules: RocSurface) -> RocSurface:
    """Return the members of a surface with further ones behind them."""
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


# --- A surface aimed at run time: an immutable view that is itself a scikit-learn classifier ------


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
        """Count the answers on labeled rows, to be compared with `point.confusion`."""
        return Confusion.from_labels(y, self.predict(X), classes=self.hybrid.surface.classes)


# --- The multi-class hybrid as a scikit-learn classifier ------------------------------------------

CLASSIFIERS = "all classifiers, whose search is one"
"""Their name among the parts that are searched, which no estimator has; members have their own."""


class RocSurfaceClassifier(NamedModels):
    """The multi-class hybrid: one classifier to deploy, re-aimed at run time without refitting.

    Fits several classifiers, searches the joint ROC surface of their out-of-fold posteriors, and
    answers for any cost matrix and any class balance named later, with the cheapest of the
    surface's members and of the rules that the costs themselves imply. On the rows that built it,
    it is never worse than any member for any costs, exactly; on new rows it is as good as the
    estimates are.

    Parameters
    ----------
    estimators
        Pairs (name, classifier) of any classifiers with `predict_proba`, and of families
        (`KnnFamily()`, `MlpFamily()`) whose parameters the search may vary too. Wrap fitted
        classifiers in `FrozenEstimator`; if all are frozen, `fit` only judges them.
    cv
        A number of stratified folds, which keep groups together if `fit` is given some; any
        splitter; an iterable of splits; or a share such as 0.25 to hold out.
    costs, priors
        What `predict` aims at; by default the error rate at the observed class balance.
    objectives
        What the surface trades off: "rates" (all ways to err, for up to 6 classes), "misses" (of
        each class, for up to 12), or None: no surface is searched, and `at` chooses among the rules
        that the costs imply, of all classifiers. "auto" is rates up to 6 classes; with more, where
        nearly everything would be on the surface, it is None, and a warning says so.
    generations, draws, alphas, tolerance, patience
        How long to search, as for `SurfaceSearch`: the classifiers together, and each family.
    parsimonious
        Whether to answer by the rule that the costs imply unless a member of the surface leads it
        by more than two standard errors on the judged rows. The best of thousands of members looks
        better than it is, so with few rows this is the wiser choice for new ones; it gives up that
        no member is better on the judged rows.
    refit
        Whether classifiers are fitted again on all rows; if not, the fold models answer together.
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
        The models that answer.
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
        """Fit the models, judge them on rows they have not seen, and search their surface.

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
        labels, classes = _labels(y, features)
        data = (features, labels)
        families = {n: fit_copy(m, *data, {}) for n, m in models if isinstance(m, Family)}
        plain = [(name, model) for name, model in models if name not in families]
        rows: IntArray = np.arange(labels.size)
        posteriors: dict[str, FloatArray] = {}
        fitted: dict[str, Any] = dict(families)
        if plain:
            rows, posteriors, answering = self._judged(plain, data, classes, groups, params)
            fitted |= answering
        if families and not np.array_equal(rows, np.arange(labels.size)):
            raise InputError(
                "cv",
                "hold out every row once where families are searched beside classifiers",
                "splits that do not",
                "Pass a number of folds.",
            )
        self.restore(
            SurfaceHybrid(
                self._surface(posteriors, families, labels[rows], classes),
                classes.truths(labels[rows], "y"),
                posteriors,
                {name: fitted[name] for name, _ in models},
                np.unique(labels),
                getattr(self, "n_features_in_", None),
                getattr(self, "feature_names_in_", None),
            )
        )
        return self

    def _judged(
        self,
        models: list[tuple[str, Any]],
        data: tuple[Any, AnyArray],
        classes: Classes,
        groups: Any,
        params: Any,
    ) -> tuple[IntArray, dict[str, FloatArray], dict[str, Any]]:
        """Return the rows held out, their posteriors, and the classifiers as they will answer."""
        routed = self.routed(models, None, groups, params)
        fit_params = {name: routed[name]["fit"] for name, _ in models}
        splits = splits_of(
            models, self.cv, data, None, groups, routed.splitter["split"], self.random_state
        )
        posteriors, folds = judge(models, data, splits, fit_params, classes, self.n_jobs)
        answering = {n: self._deployed(m, data, folds[n], fit_params[n]) for n, m in models}
        return judged_rows(splits), posteriors, answering

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
        """Aim at costs and a class balance: an immutable view that is itself a classifier.

        Nothing is refitted.

        Parameters
        ----------
        costs
            A `CostMatrix`, or a `DirichletBelief` about costs, whose mean decides.
        priors
            The shares of the classes where it will work, or "observed"; by default the
            constructor's.
        limits
            The largest rates allowed on the judged rows: `{(truth, prediction): rate}` or
            `{class: rate}`.
        parsimonious
            As for the constructor, whose setting holds by default.
        """
        check_is_fitted(self, "hybrid_")
        careful = self.parsimonious if parsimonious is None else parsimonious
        priors = self.priors if priors is None else priors
        return AimedSurface(self.hybrid_, costs, priors=priors, limits=limits, parsimonious=careful)

    def at_least_regret(
        self, costs: CostMatrix, priors: Any = None, *, limits: Any = None
    ) -> AimedSurface:
        """Aim at bounds on costs or priors: at what loses least in the worst case.

        As `RocSurface.least_regret`; the view's `regret` is the most that its member can cost, per
        judged row, beyond the best one for what turns out to hold.

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
        """Answer rows by the default aim, or by other costs and priors for this call.

        Parameters
        ----------
        X
            The rows.
        costs, priors
            As for `at`; what is left out is as for the default aim.
        """
        check_is_fitted(self, "hybrid_")
        view = self.default_
        if costs is not None or priors is not None:
            view = self.at(self.default_.costs if costs is None else costs, priors)
        return np.asarray(self.classes_[view.decide(new_features(self, X))])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the posteriors of the model behind the default aim."""
        check_is_fitted(self, "hybrid_")
        return self.hybrid_.member_posteriors(self.default_.point.member, new_features(self, X))

    def confusion(self, X: Any, y: Any) -> Confusion:
        """Count the default aim's answers on labeled rows."""
        check_is_fitted(self, "hybrid_")
        return self.default_.confusion(X, y)

    def _surface(
        self,
        posteriors: dict[str, FloatArray],
        families: dict[str, Family],
        labels: AnyArray,
        classes: Classes,
    ) -> RocSurface:
        """Search the joint surface; with very many classes, take the classifiers as they are."""
        objectives = self._objectives(len(classes), bool(families))
        if objectives is None:
            return plain_predictions(posteriors, classes.truths(labels), classes)
        parts: dict[str, Any] = {name: family.model_ for name, family in families.items()}
        if posteriors:
            parts[CLASSIFIERS] = KnownProbabilities(posteriors, classes)
        found = {
            name: self._searched(model, labels, classes, objectives)
            for name, model in parts.items()
        }
        return RocSurface.joined(found) if families else found[CLASSIFIERS]

    def _objectives(self, classes: int, families: bool) -> str | None:
        """Return what a search trades off; None where none is made."""
        if self.objectives is None and not families:
            return None
        objectives = as_choice(self.objectives, ("auto", *MOST_CLASSES), "objectives")
        most = MOST_CLASSES["rates"]
        if objectives != "auto":
            return objectives
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

    def _searched(
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

    def _deployed(
        self, model: Any, data: tuple[Any, AnyArray], fold_models: list[Any], fit_params: Any
    ) -> Any:
        """Return a classifier as it will answer: refitted, or made of its fold models."""
        if not self.refit:
            return fold_models[0] if len(fold_models) == 1 else FoldEnsemble(fold_models)
        return fit_copy(model, *data, fit_params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _labels(y: Any, features: Any) -> tuple[AnyArray, Classes]:
    labels = label_column(y)
    check_consistent_length(features, labels)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    present = np.unique(labels)
    if present.size < 2:
        got = f"one class only, {format_list(present)}" if present.size else "no rows"
        raise InputError("y", "hold two or more classes", got, "Add rows of the others.")
    return labels, Classes.of(present, "y")

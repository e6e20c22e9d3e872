"""The multi-class hybrid: a ROC surface that is aimed at run time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, Tags, assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rocch.arrays import AnyArray, Features, FloatArray, IntArray
from rocch.errors import InputError, SurfaceWarning, format_count, format_list
from rocch.hybrid.aimed_surface import AimedSurface
from rocch.hybrid.estimators import FoldEnsemble
from rocch.hybrid.expression import STACK
from rocch.hybrid.families import Family
from rocch.hybrid.surface_hybrid import SurfaceHybrid, estimator_probabilities
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
from rocch.inputs import as_choice, as_flag, as_whole
from rocch.labels import as_codes
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.costs import CostMatrix, Costs, Shares, as_costs, as_priors
from rocch.multiclass.models import KnownProbabilities, SearchModel
from rocch.multiclass.rules import plain_predictions
from rocch.multiclass.search import MOST_CLASSES, Alphas, SurfaceSearch
from rocch.multiclass.stack import ProbabilityStack, cross_fit_stack, deal_folds
from rocch.multiclass.surface import RateLimits, RocSurface
from rocch.progress import Verbose, track
from rocch.roc.conditions import OBSERVED

# The joint search of all classifiers, beside those of families; no estimator has this name.
CLASSIFIERS = "all classifiers, whose search is one"


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

"""The ROCCH-hybrid as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing

from rocch.hybrid.combining.rule_classifier import RuleClassifier
from rocch.hybrid.features import training_features, without_columns
from rocch.hybrid.fitted import FittedHybrid
from rocch.hybrid.fold_ensemble import FoldEnsemble
from rocch.hybrid.hybrid import Hybrid, check_symmetric, plain_label
from rocch.hybrid.keeping import Wishes, affordable, keep
from rocch.hybrid.named_models import NamedModels
from rocch.hybrid.out_of_fold import fit_copy, judge
from rocch.hybrid.training import (
    Target,
    as_binary,
    checked_costs,
    checking_rows,
    splits_of,
    weights_of,
)
from rocch.inputs import as_flag, as_number
from rocch.roc.conditions import as_conditions
from rocch.roc.criteria import ErrorRate, MinimaxRegret

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from rocch.arrays import IntArray
    from rocch.hybrid.out_of_fold import OutOfFold
    from rocch.hybrid.scores import Component

    AnyArray = np.ndarray[Any, Any]


def _directed(model: Any, pos_label: Any) -> Any:
    """Return a model in which every rule knows the class to detect, if it was not told another."""
    if isinstance(model, FrozenEstimator) or not hasattr(model, "get_params"):
        return model
    parts = {"": model, **{f"{name}__": part for name, part in model.get_params().items()}}
    untold = {
        f"{path}pos_label": plain_label(pos_label)
        for path, part in parts.items()
        if isinstance(part, RuleClassifier) and part.pos_label is None
    }
    return clone(model).set_params(**untold) if untold else model


class RocchClassifier(FittedHybrid, NamedModels):
    """The ROCCH-hybrid: one classifier to deploy, re-aimed at run time without refitting.

    Fits several classifiers, builds their joint ROC convex hull from out-of-fold scores, keeps only
    those that hold a vertex, and answers for any costs, any class balance and any other criterion
    named later. On the rows that built the hull it is never worse than any of the classifiers at
    any threshold (Provost and Fawcett, Theorem 4); on new rows it is as good as the estimates are.

    Parameters
    ----------
    estimators
        Pairs (name, classifier) of any classifiers with scikit-learn's interface: with
        probabilities, a decision function, or labels only. Wrap fitted ones in `FrozenEstimator`;
        if all are frozen, `fit` only judges them, on all rows that it is given.
    cv
        A number of stratified folds, which keep groups together if `fit` is given some; any
        splitter (groups and time order too); an iterable of splits; or a share such as 0.25, the
        hold-out that the hull is judged on.
    criterion
        What `predict` aims at: `Conditions` or any criterion. By default the error rate at the
        prevalence of the judged rows; with `within`, the least worst regret there.
    refit
        Whether the kept models are fitted again on all rows. If not, the fold models are kept and
        their scores averaged; with a hold-out the one model is exactly that which was judged.
    pos_label
        The class to detect. By default the second of the sorted labels, which is enough for the
        error rate; if labels are not 0/1, -1/1 or boolean, any other aim asks you to name it.
    within
        `Conditions` with intervals that bound what can come: keeps only what can be best there.
    row_budget, row_costs
        Leaves out models whose running cost per row exceeds the budget (section 3.8). Costs by
        name, in any unit; by default the seconds per row measured while judging.
    parsimonious
        Drop models as long as, at every slope, what is lost on the judged rows is within one
        standard error of the loss.
    combine
        Also seek rules of several models ("gbm >= 0.4 and nb >= 0.2"), on the first half of the
        splits; the other half confirms them, and the whole hull is then judged on that half alone.
        With a budget, chains that ask a dear model only where a cheap one leaves the answer open.
    check_size
        A share of rows held out from everything, on which the deployed models are checked
        (`check_`): whole groups where groups are given, the last rows with a `TimeSeriesSplit`.
    randomise, row_key, seed
        As for `at`, for the default aim and for `predict(X, conditions=...)`. A column named by
        `row_key` is taken out of the rows when fitting, too.
    n_jobs
        How many fits run at once.
    random_state
        Seeds the hold-outs of `cv` and `check_size`.

    Attributes
    ----------
    hull_
        The joint hull of the kept models.
    kept_
        Names of the kept models; `named_estimators_` has them fitted.
    discarded_
        For each of the others, why it was forgotten.
    out_of_fold_
        The scores that the hull was judged on, of all models: `scores`, `positive`, `rows`.
    default_
        The view that `predict` uses, with its `rule` and its `point`.
    combinations_
        With `combine`, what was found and confirmed, and why other combinations were not.
    fold_rates_
        The rates of every vertex on every fold.
    check_
        With `check_size`, what every vertex promises and what the deployed models do.
    classes_, n_features_in_, feature_names_in_
        As for any scikit-learn classifier.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = rocch.RocchClassifier(
    ...     [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    ... )
    >>> model.fit(X, y).kept_
    ('nb',)
    >>> model.discarded_
    {'tree': 'holds no vertex of the hull: never the best, whatever the conditions'}
    >>> costly_misses = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=50)
    >>> today = model.at(costly_misses)
    >>> today.predict(X[:3])
    array([...])
    >>> print(today.rule)
    answer 1 when ...
    """

    def __init__(
        self,
        estimators: Any,
        *,
        cv: Any = 5,
        criterion: Any = None,
        refit: bool = True,
        pos_label: Any = None,
        within: Any = None,
        row_budget: float | None = None,
        row_costs: Any = None,
        parsimonious: bool = False,
        combine: bool = False,
        check_size: float | None = None,
        randomise: bool = False,
        row_key: str | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.criterion = criterion
        self.refit = refit
        self.pos_label = pos_label
        self.within = within
        self.row_budget = row_budget
        self.row_costs = row_costs
        self.parsimonious = parsimonious
        self.combine = combine
        self.check_size = check_size
        self.randomise = randomise
        self.row_key = row_key
        self.seed = seed
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        hull_weight: Any = None,
        groups: Any = None,
        **params: Any,
    ) -> Self:
        """Fit the models, judge them on rows they have not seen, and keep those on the hull.

        Parameters
        ----------
        X
            The rows: an array, a data frame, or whatever the models take.
        y
            Labels of two classes.
        sample_weight
            What each row counts, for the hull and for the fits of models that take weights.
        hull_weight
            What each row counts for the hull alone, for example the amount at stake; for the hull
            it takes the place of `sample_weight`.
        groups
            For splitters that keep groups together.
        params
            More for the models' own `fit`; with scikit-learn's metadata routing, what each
            requests.
        """
        self._check_settings()
        models = self.named_models()
        features = training_features(self, without_columns(X, [self.row_key], None))
        target = as_binary(y, features, self.pos_label)
        if not target.known:
            check_symmetric(self._aim, target.classes)
        costs = checked_costs(self.row_costs, [name for name, _ in models])
        models, too_dear = self._worth_fitting(models, costs, target)
        routed = self.routed(models, sample_weight, groups, params)
        rest, held_out = checking_rows(
            self.check_size, self.cv, target.labels, groups, self.random_state
        )
        data = features, target.labels
        splits = splits_of(
            models, self.cv, data, rest, groups, routed.splitter["split"], self.random_state
        )
        judged, fold_models = judge(
            models,
            data,
            splits,
            {name: routed[name]["fit"] for name, _ in models},
            pos_label=target.pos_label,
            weights=weights_of(hull_weight, sample_weight, target.labels),
            groups=groups,
            n_jobs=self.n_jobs,
        )
        kept = keep(judged, self._wishes(judged, costs))
        self.out_of_fold_, self.combinations_ = kept.judged, kept.combinations
        components = {
            name: self._deployed(model, data, rest, fold_models[name], routed[name]["fit"])
            for name, model in models
            if name in kept.names
        }
        self.restore(
            Hybrid(
                kept.hull,
                components,
                target.classes,
                target.column,
                target.known,
                kept.judged.effective_rows,
                kept.expressions,
                n_features_in=getattr(self, "n_features_in_", None),
                feature_names_in=getattr(self, "feature_names_in_", None),
                key_column=self.row_key,
            ),
            discarded={**too_dear, **kept.discarded},
        )
        if held_out is not None:
            self.check_ = self.check(_safe_indexing(features, held_out), target.labels[held_out])
        return self

    def _check_settings(self) -> None:
        for name in ("refit", "parsimonious", "combine", "randomise"):
            as_flag(getattr(self, name), name)
        if self.within is not None:
            as_conditions(self.within)
        if self.row_budget is not None:
            as_number(self.row_budget, "row_budget", least=0, do="It is a cost per row.")

    @property
    def _aim(self) -> Any:
        """What `predict` aims at."""
        if self.criterion is not None:
            return self.criterion
        return ErrorRate() if self.within is None else MinimaxRegret(self.within)

    def _worth_fitting(
        self, models: list[tuple[str, Any]], costs: Mapping[str, float] | None, target: Target
    ) -> tuple[list[tuple[str, Any]], dict[str, str]]:
        """Return the models that could be kept, told the class to detect, and why not others."""
        too_dear: dict[str, str] = {}
        cheap = [name for name, _ in models]
        if costs is not None and not self.combine:
            cheap = affordable(cheap, self.row_budget, costs, too_dear)
        told = [(name, _directed(model, target.pos_label)) for name, model in models]
        return [(name, model) for name, model in told if name in cheap], too_dear

    def _wishes(self, judged: OutOfFold, costs: Mapping[str, float] | None) -> Wishes:
        if costs is None:  # measured times differ from run to run: they serve a budget only
            costs = {} if self.row_budget is None else judged.seconds_per_row
        return Wishes(
            within=self.within,
            row_budget=self.row_budget,
            row_costs=costs,
            parsimonious=self.parsimonious,
            combine=self.combine,
        )

    def _deployed(
        self,
        model: Any,
        data: tuple[Any, AnyArray],
        rest: IntArray | None,
        fold_models: list[Component],
        fit_params: Any,
    ) -> Component:
        """Return a kept model as it will decide: refitted, or made of its fold models."""
        if not self.refit:
            return fold_models[0] if len(fold_models) == 1 else FoldEnsemble.of(fold_models)
        return replace(fold_models[0], estimator=fit_copy(model, *data, fit_params, rest))

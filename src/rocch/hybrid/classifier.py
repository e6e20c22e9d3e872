"""The ROCCH-hybrid as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rocch.arrays import AnyArray, DataFrame, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, PositiveClassWarning, format_count, format_list
from rocch.hybrid._sklearn_compat import _safe_indexing
from rocch.hybrid.aimed import (
    AimedClassifier,
    FairClassifier,
    GroupedClassifier,
    RowAimedClassifier,
    score_frame,
)
from rocch.hybrid.components import Component, ScoredBatch
from rocch.hybrid.estimators import FoldEnsemble, RuleClassifier
from rocch.hybrid.expression import STACK
from rocch.hybrid.fairness import FairKind, GroupLimits, as_group_column, find_fair_rates
from rocch.hybrid.gain import as_costs, predict_each
from rocch.hybrid.hybrid import Aim, Hybrid, Keys, check_symmetric, plain_label
from rocch.hybrid.reference import Reference
from rocch.hybrid.referral import ReferringClassifier
from rocch.hybrid.row_selection import Selection, select_rows
from rocch.hybrid.selection import SelectionResult, find_expensive, select_models
from rocch.hybrid.stacking import ForgettingCost, forgetting_cost
from rocch.hybrid.training import (
    Cv,
    Data,
    FittedModel,
    Models,
    NamedModels,
    RandomSource,
    Splits,
    Target,
    as_binary,
    column_of,
    evaluate_models,
    fit_copy,
    hold_out_rows,
    list_models,
    make_splits,
    training_features,
    weights_of,
    without_columns,
)
from rocch.hybrid.vertex_checks import FoldRate, VertexCheck, check_vertices, fold_rates
from rocch.inputs import as_flag, as_number, as_whole, check_length
from rocch.labels import as_positive
from rocch.progress import Progress, Verbose, track
from rocch.results import ByName, Records
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions, RowConditions, as_conditions
from rocch.roc.criteria import Criterion, ErrorRate, MinimaxRegret
from rocch.roc.question import Question
from rocch.roc.referral import Referral
from rocch.rows import ScoredRows
from rocch.stats.guarantees import OutOfSampleChoice, out_of_sample_choice
from rocch.stats.prevalence import Method, PrevalenceEstimate


def _if_models_have(method: str) -> Any:
    def check(model: RocchClassifier) -> bool:
        if hasattr(model, "hybrid_"):
            return hasattr(model.default_, method)
        models = [part for _, part in list_models(model.estimators)]
        others = method == "predict_proba" or not any(hasattr(m, "predict_proba") for m in models)
        return others and all(hasattr(m, method) for m in models)

    return available_if(check)


def _warn_of_unknown_direction(classes: AnyArray) -> None:
    warnings.warn(
        f"the labels {format_list(classes.tolist())} do not show which class is positive, so only "
        "the observed error rate can be aimed at. For costs or rates, pass pos_label=..., the "
        "class to detect; criterion=ErrorRate() silences this.",
        PositiveClassWarning,
        stacklevel=3,
    )


def _name_positive_class(model: BaseEstimator, pos_label: Label) -> BaseEstimator:
    """Set `pos_label` of every `RuleClassifier` in a model that has none."""
    if isinstance(model, FrozenEstimator) or not hasattr(model, "get_params"):
        return model
    parts = {"": model, **{f"{name}__": part for name, part in model.get_params().items()}}
    params = {
        f"{path}pos_label": plain_label(pos_label)
        for path, part in parts.items()
        if isinstance(part, RuleClassifier) and part.pos_label is None
    }
    return clone(model).set_params(**params) if params else model


# The models of each split, by name.
FittedFolds: TypeAlias = Mapping[str, Sequence[FittedModel]]


class _Plan(NamedTuple):
    """What is fitted, and on which rows.

    `rest` are the rows without those held out for the final check; None for all.
    """

    models: Models
    data: Data
    pos_label: Label
    routed: Bunch
    splits: Splits
    rest: IntArray | None
    held_out: IntArray | None
    groups: ArrayLike | None

    @property
    def title(self) -> str:
        """What progress is called."""
        return f"Fitting {format_count(len(self.models), 'model')}"

    @property
    def steps(self) -> int:
        """The number of fits, one for the selection, and one for each model to deploy."""
        return len(self.models) * (len(self.splits) + 1) + 1

    @property
    def held_out_data(self) -> Data | None:
        """The rows that are held out for the final check."""
        if self.held_out is None:
            return None
        features, labels = self.data
        return _safe_indexing(features, self.held_out), labels[self.held_out]


class RocchClassifier(NamedModels):
    """The ROCCH-hybrid: one classifier to deploy, re-aimed at run time without refitting.

    Fits several classifiers and a stack of them, builds their joint ROC convex hull from
    out-of-fold scores, and keeps those that are needed. Costs are aimed for new rows; aimed with
    `exact=True`, it is never worse on the evaluation rows than any of them at any threshold
    (Provost and Fawcett, Theorem 4).

    Parameters
    ----------
    estimators
        Pairs (name, classifier). Fitted ones in a `FrozenEstimator` are only evaluated.
    cv
        Number of folds, a splitter, an iterable of splits, or a hold-out share such as 0.25.
    criterion
        Default aim of `predict`: `Conditions` or any criterion. If None, the observed error rate,
        or minimax regret `within`.
    refit
        Whether to refit the kept models on all rows; otherwise fold models are averaged.
    pos_label
        The class to detect; by default 1 of 0/1 or -1/1, True, yes, or else the second class, where
        all aims but the error rate need it.
    within
        `Conditions` with intervals: keep only models that can be best there.
    row_budget, row_costs
        Drop models that cost more per row than the budget (section 3.8). Costs by name; by default
        measured seconds.
    parsimonious
        Drop models as long as the loss at every slope is within one standard error.
    stack
        Whether to add a stack of the models: the log odds of the positive class as a sum of the
        models' log odds with non-negative weights, fitted on the out-of-fold scores.
    combine
        Also search for rules such as "gbm >= 0.4 and nb >= 0.2" on the first half of the splits;
        the second half confirms them and builds the hull. If some are confirmed, there is no
        stack, and all aims take the hull.
    check_size
        Share of rows on which to check the deployed models, and to certify limits with a
        confidence: whole groups, if given; the last rows with a `TimeSeriesSplit`.
    keep_folds
        Whether to keep the fold models of refitted models. `estimate_prevalence` scores a batch by
        them; without them it uses the rows of `check_size`.
    exact, randomize, row_key, seed
        As for `at`. The models never see `row_key`.
    n_jobs
        Number of parallel fits.
    random_state
        Seed of hold-outs.
    verbose
        1 shows progress; a function is called with the number of steps done, and of all.

    Attributes
    ----------
    hull_
        The joint hull of the kept models and the stack.
    kept_, named_estimators_
        The kept models: names, and fitted.
    discarded_
        Why each other model was dropped.
    out_of_fold_
        The evaluation rows (`rocch.rows.ScoredRows`).
    seconds_per_row_
        Scoring time of each model.
    default_
        The view that `predict` uses, with its `rule` and its `point`.
    stack_
        The stack, with its weights; None without one.
    combinations_
        Results of `combine`.
    fold_rates_
        The rates of every vertex on every fold.
    reference_
        What `estimate_prevalence` compares a batch with; None if nothing was kept for it.
    check_
        With `check_size`, promised and reached rates of every vertex.

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
    >>> print(model.fit(X, y).stack_)
    -0.13... + 0.31... logit(nb) + 0.14... logit(tree)
    >>> costly_misses = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=50)
    >>> today = model.at(costly_misses)
    >>> today.predict(X[:3])
    array([...])
    >>> print(today.rule)
    predict 1 when stack >= -1.19..., where stack = ...
    >>> print(today.on_new_rows)
    expected to cost ... per case on new rows (95%: ...
    """

    def __init__(
        self,
        estimators: Models,
        *,
        cv: Cv = 5,
        criterion: Conditions | Criterion | None = None,
        refit: bool = True,
        pos_label: Label | None = None,
        within: Conditions | None = None,
        row_budget: float | None = None,
        row_costs: Mapping[str, float] | None = None,
        parsimonious: bool = False,
        stack: bool = True,
        combine: bool = False,
        check_size: float | None = None,
        keep_folds: bool = True,
        exact: bool = False,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
        random_state: RandomSource = None,
        verbose: Verbose = 0,
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
        self.stack = stack
        self.combine = combine
        self.check_size = check_size
        self.keep_folds = keep_folds
        self.exact = exact
        self.randomize = randomize
        self.row_key = row_key
        self.seed = seed
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Features,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        hull_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Fit and evaluate the models, stack them, and keep those that an aim may need.

        Parameters
        ----------
        X, y
            Features as the models take them, and labels of two classes.
        sample_weight
            Weights for the hull, and for models that take them.
        hull_weight
            Weights for the hull alone, for example the amount at stake.
        groups
            Groups for the splitter.
        params
            Metadata that models request.
        """
        self._check_settings()
        models = self.named_models()
        features = training_features(self, without_columns(X, [self.row_key], None))
        target = self._read_target(y, features)
        costs, expensive = self._known_costs([name for name, _ in models])
        affordable = [pair for pair in models if pair[0] not in expensive]
        plan = self._plan(affordable, features, target, sample_weight, groups, params)
        with track(plan.title, self.verbose, plan.steps) as step:
            weights = weights_of(hull_weight, sample_weight, target.labels)
            rows, fitted = self._evaluate(plan, weights, step)
            selected = self._select_models(rows, costs)
            step.advance()
            components = self._deploy_models(plan, selected.names, fitted, step)
        hybrid = self._build_hybrid(selected, components, target)
        held_out = plan.held_out_data
        if held_out is not None and rows.weights is None:
            batch = ScoredBatch(components, held_out[0])
            hybrid = hybrid.check_on(batch, held_out[1] == target.pos_label)
        self.restore(
            hybrid,
            discarded={**expensive, **selected.discarded},
            reference=self._find_reference(hybrid, fitted, selected.rows),
        )
        if held_out is not None:
            self._check_held_out(*held_out)
        return self

    def _read_target(self, y: ArrayLike, features: Features) -> Target:
        """Return the labels; where they do not show which class is positive, warn or refuse."""
        target = as_binary(y, features, self.pos_label)
        if not target.known:
            check_symmetric(self._aim, target.classes)
            if self.criterion is None:
                _warn_of_unknown_direction(target.classes)
        self._fitted_rows = target.labels.size
        return target

    def _plan(
        self,
        models: Models,
        features: Features,
        target: Target,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        params: Mapping[str, Any],
    ) -> _Plan:
        """Hold rows out for the final check, and split the others."""
        named = [(name, _name_positive_class(model, target.pos_label)) for name, model in models]
        routed = self.routed(named, sample_weight, groups, params)
        data, source = (features, target.labels), self.random_state
        rest, held_out = hold_out_rows(self.check_size, self.cv, target.labels, groups, source)
        splits = make_splits(
            self.cv,
            data,
            models=named,
            rest=rest,
            groups=groups,
            split_params=routed.splitter["split"],
            random_state=source,
        )
        return _Plan(named, data, target.pos_label, routed, splits, rest, held_out, groups)

    def _evaluate(
        self, plan: _Plan, weights: FloatArray | None, step: Progress
    ) -> tuple[ScoredRows, FittedFolds]:
        """Return out-of-fold scores of all models, and the models of the folds."""
        rows, fitted = evaluate_models(
            plan.models,
            plan.data,
            plan.splits,
            plan.routed,
            pos_label=plan.pos_label,
            weights=weights,
            groups=plan.groups,
            n_jobs=self.n_jobs,
            advance=step.advance,
        )
        self.seconds_per_row_ = {
            name: sum(each.seconds for each in own) / len(rows) for name, own in fitted.items()
        }
        self._kinds = {
            name: Component.of(name, own[0].estimator, plan.pos_label).kind
            for name, own in fitted.items()
        }
        return rows, fitted

    def _check_settings(self) -> None:
        flags = ("refit", "parsimonious", "stack", "combine", "keep_folds", "exact", "randomize")
        for name in flags:
            as_flag(getattr(self, name), name)
        if self.within is not None:
            as_conditions(self.within)
        if self.row_budget is not None:
            as_number(self.row_budget, "row_budget", least=0)

    def _known_costs(self, names: list[str]) -> tuple[dict[str, float] | None, dict[str, str]]:
        """Return the costs known before fitting, and why models are not even fitted."""
        if self.row_costs is None:
            return None, {}
        costs = as_costs(self.row_costs, names, "row_costs")
        if self.combine:  # a chain may hold an expensive model
            return costs, {}
        return costs, find_expensive(names, self.row_budget, costs)

    def _select_models(self, rows: ScoredRows, costs: dict[str, float] | None) -> SelectionResult:
        if costs is None:  # measured times differ from run to run: they serve a budget only
            costs = {} if self.row_budget is None else self.seconds_per_row_
        selected = select_models(
            rows,
            self._kinds,
            stack=self.stack,
            within=self.within,
            row_budget=self.row_budget,
            row_costs=costs,
            parsimonious=self.parsimonious,
            combine=self.combine,
        )
        self.out_of_fold_, self.combinations_ = selected.rows, selected.combinations
        return selected

    def _deploy_models(
        self, plan: _Plan, names: Container[str], fitted: FittedFolds, step: Progress
    ) -> dict[str, Component]:
        """Return the chosen models, each refitted or made of its fold models."""
        deployed = {}
        for name, model in plan.models:
            if name in names:
                folds = [fold.estimator for fold in fitted[name]]
                if self.refit:
                    estimator = fit_copy(model, *plan.data, plan.routed[name].fit, plan.rest)
                else:
                    estimator = folds[0] if len(folds) == 1 else FoldEnsemble(folds)
                first = Component.of(name, folds[0], plan.pos_label)
                deployed[name] = replace(first, estimator=estimator)
            step.advance()
        return deployed

    def _find_reference(
        self, hybrid: Hybrid, fitted: FittedFolds, rows: ScoredRows
    ) -> Reference | None:
        """Return what batches are compared with, unless it needs fold models that are not kept."""
        folds = {name: [fold.estimator for fold in fitted[name]] for name in hybrid.components}
        found = Reference.of_folds(hybrid, folds, rows)
        return found if self.keep_folds or not (self.refit and found.folds) else None

    def _build_hybrid(
        self, selected: SelectionResult, components: Mapping[str, Component], target: Target
    ) -> Hybrid:
        return Hybrid(
            selected.hull,
            components,
            target.classes,
            target.column,
            target.known,
            selected.rows.effective_rows,
            selected.expressions,
            n_features_in=getattr(self, "n_features_in_", None),
            feature_names_in=getattr(self, "feature_names_in_", None),
            key_column=self.row_key,
            scorer=selected.scorer,
            clustered=selected.rows.groups is not None,
            rows=selected.rows,
        )

    def restore(
        self,
        hybrid: Hybrid,
        *,
        discarded: dict[str, str],
        reference: Reference | None,
        fold_rates: Records[FoldRate] | None = None,
        check: Records[VertexCheck] | None = None,
    ) -> None:
        """Set the fitted attributes, after fitting or loading."""
        self.hybrid_ = hybrid
        self.hull_ = hybrid.hull
        self.classes_ = hybrid.classes
        self.kept_, self.discarded_ = tuple(hybrid.components), discarded
        self.named_estimators_ = Bunch(**{n: c.estimator for n, c in hybrid.components.items()})
        self.estimators_ = list(self.named_estimators_.values())
        scorer = hybrid.scorer
        self.stack_ = scorer.stack if scorer is not None and scorer.name == STACK else None
        self._fold_rates, self.reference_ = fold_rates, reference
        self.__dict__.pop("check_", None)  # of an earlier fit
        if check is not None:
            self.check_ = check
        if hybrid.n_features_in is not None:
            self.n_features_in_ = hybrid.n_features_in
        if hybrid.feature_names_in is not None:
            self.feature_names_in_ = hybrid.feature_names_in
        self.default_ = self._aim_as_constructed(self._aim)

    @property
    def _aim(self) -> Conditions | Criterion:
        if self.criterion is not None:
            return self.criterion
        return ErrorRate() if self.within is None else MinimaxRegret(self.within)

    def _aim_as_constructed(self, aim: Aim) -> AimedClassifier:
        return self.at(
            aim, exact=self.exact, randomize=self.randomize, row_key=self.row_key, seed=self.seed
        )

    @property
    def _fitted_hybrid(self) -> Hybrid:
        check_is_fitted(self, "hybrid_")
        return self.hybrid_

    def _rows(self) -> ScoredRows:
        """Return the evaluation rows, each once."""
        if not hasattr(self, "out_of_fold_"):
            raise InputError(
                "the model",
                "have the rows that its hull was built from",
                "a loaded model",
                Hint("Pass labeled rows to the functions of rocch.stats."),
            )
        return self.out_of_fold_.once()

    def at(
        self,
        criterion: Aim,
        *,
        exact: bool = False,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> AimedClassifier:
        """Return the model aimed at a criterion: an immutable classifier. Nothing is refitted.

        Parameters
        ----------
        criterion
            `Conditions`, any criterion, a `Knob`, or a point of this hull.
        exact
            By default, criteria with a slope (conditions, beliefs, the error rate) are aimed for
            new rows: by the stack, or the best calibrated model, at Bayes' threshold. If True, the
            choice is the vertex of the hull, which is the best on the evaluation rows. Limits with
            a confidence are met by the stack or that model, too, on the rows that `check_size` held
            out, or else on the evaluation rows. Other criteria always take the hull.
        randomize
            Whether a coin may choose between two vertices (Theorem 7). If not, limits are met by
            the best point of a kept model's curve.
        row_key, seed
            Column of row keys and seed of the coins; by default the constructor's column, or row
            contents. The models do not see the column unless it was a feature.
        """
        return AimedClassifier(
            self._fitted_hybrid,
            criterion,
            exact=exact,
            randomize=randomize,
            row_key=row_key,
            seed=seed,
        )

    def at_rows(self, conditions: RowConditions, *, exact: bool = False) -> RowAimedClassifier:
        """Return the model aimed at each row by its own conditions; `exact` is as for `at`."""
        return RowAimedClassifier(self._fitted_hybrid, conditions, exact=exact)

    def at_each(
        self,
        criteria: Mapping[Any, Aim],
        *,
        group: str | None = None,
        exact: bool = False,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> GroupedClassifier:
        """Return the model aimed at a criterion for each group of rows, such as a country.

        Parameters
        ----------
        criteria
            Maps each group to its criterion.
        group
            Column of groups. If None, pass `groups` to `predict`.
        exact, randomize, row_key, seed
            As for `at`.
        """
        return GroupedClassifier(
            self._fitted_hybrid,
            criteria,
            group=group,
            exact=exact,
            randomize=randomize,
            row_key=row_key,
            seed=seed,
        )

    def at_fair(
        self,
        conditions: Conditions,
        *,
        groups: ArrayLike,
        tolerance: float,
        rates: FairKind = "both",
        limits: GroupLimits | Mapping[Any, GroupLimits] | None = None,
        randomize: bool = False,
        group: str | None = None,
        unknown: Label | None = None,
        row_key: str | None = None,
        seed: int = 0,
    ) -> FairClassifier:
        """Return the model with rates that differ little between groups, such as men and women.

        The choice is among the kept models and the stack, on the evaluation rows. It needs the
        group of each row to predict.

        Parameters
        ----------
        conditions, tolerance, rates, limits, randomize
            As for `rocch.hybrid.fair_rates`.
        groups
            The sensitive group of each row that was passed to `fit`. These are not the `groups` of
            `fit`, which the splitter keeps together.
        group
            Column of groups of new rows. If None, pass `groups` to `predict`. The models do not
            see the column unless it was a feature.
        unknown
            The group whose rule decides rows of other groups, and rows whose group is missing; by
            default these are refused.
        row_key, seed
            As for `at`.
        """
        hybrid = self._fitted_hybrid
        hybrid.check_direction(conditions)
        rows, given = self._rows(), as_group_column(groups)
        check_length(given.size, self._fitted_rows, "groups")
        scores = {
            name: column
            for name, column in rows.scores.items()
            if name in hybrid.components or (name == STACK and self.stack_ is not None)
        }
        combined = predict_each(rows, hybrid.expressions.values())
        scores |= dict(zip(hybrid.expressions, combined, strict=True))
        fair = find_fair_rates(
            replace(rows, scores=scores),
            given if rows.index is None else given[rows.index],
            conditions,
            tolerance=tolerance,
            rates=rates,
            limits=limits,
            randomize=randomize,
        )
        options: Any = {"group": group, "unknown": unknown, "row_key": row_key, "seed": seed}
        return FairClassifier(hybrid, fair.points, **options, fair=fair)

    def refer(
        self,
        conditions: Conditions | Question | Referral,
        *,
        cost: float | None = None,
        max_referred: float | None = None,
        max_wrong: float | None = None,
        confidence: float | None = None,
        exact: bool = False,
    ) -> ReferringClassifier:
        """Return the model that decides some rows and refers the others to a person.

        Parameters
        ----------
        conditions, cost, max_referred, max_wrong, confidence
            As for `RocHull.refer`; or the result of it, of this model's hull.
        exact
            By default, a cost alone is aimed for new rows: by the stack, or the best calibrated
            model, at Bayes' two thresholds; a limit with a confidence is certified for these, on
            the rows that `check_size` held out or else on the evaluation rows. If True, or with
            limits on the evaluation rows, the choice is the best of the hull.
        """
        return ReferringClassifier(
            self._fitted_hybrid,
            conditions,
            cost=cost,
            max_referred=max_referred,
            max_wrong=max_wrong,
            confidence=confidence,
            exact=exact,
        )

    def predict(self, X: Features, conditions: Aim | RowConditions | None = None) -> AnyArray:
        """Return the predicted labels at the default aim.

        `conditions` overrides it: `Conditions`, any criterion, or `RowConditions`.
        """
        check_is_fitted(self, "hybrid_")
        if isinstance(conditions, RowConditions):
            return self.at_rows(conditions, exact=self.exact).predict(X)
        view = self.default_ if conditions is None else self._aim_as_constructed(conditions)
        return view.predict(X)

    def score(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return how good predictions are by the default aim, greater is better.

        It is the negative expected cost per case if `criterion` states costs, and the accuracy by
        default; see `AimedClassifier.score`.
        """
        check_is_fitted(self, "hybrid_")
        return self.default_.score(X, y, sample_weight)

    def scores(self, X: Features) -> DataFrame:
        """Return a data frame with the scores of all kept models, which the SQL of rules needs.

        The frame is of the library of `X`, with its index; for arrays, of the first one installed.
        `model.at(...).scores(X)` has the models of one rule only.
        """
        check_is_fitted(self, "hybrid_")
        return score_frame(self.default_, X, self.kept_, [self.row_key])

    @_if_models_have("predict_proba")
    def predict_proba(self, X: Features) -> FloatArray:
        """Return the class probabilities of the stack or model behind the default aim."""
        check_is_fitted(self, "hybrid_")
        probabilities: FloatArray = self.default_.predict_proba(X)
        return probabilities

    @_if_models_have("decision_function")
    def decision_function(self, X: Features) -> FloatArray:
        """Return scores minus the threshold of the default aim, for `classes_[1]`."""
        check_is_fitted(self, "hybrid_")
        margins: FloatArray = self.default_.decision_function(X)
        return margins

    def select(
        self,
        X: Features,
        k: int,
        *,
        prevalence: float | None = None,
        row_key: str | Keys | None = None,
        seed: int = 0,
    ) -> Selection:
        """Select the best K rows of a batch.

        Parameters
        ----------
        X, k
            The batch, and the number of rows to select.
        prevalence
            Share of positives in the batch; by default that of the evaluation rows.
        row_key, seed
            Row keys or their column, and the seed of the draw between two vertices.
        """
        hybrid = self._fitted_hybrid
        hybrid.check_direction()
        column = self.row_key if row_key is None else row_key if isinstance(row_key, str) else None
        if column is not None:
            row_key = column_of(X, column, "row_key")
        return select_rows(
            hybrid,
            self.default_.batch(X, column),
            k,
            prevalence=prevalence,
            row_key=row_key,
            seed=as_whole(seed, "seed", least=0),
        )

    def estimate_prevalence(
        self, X: Features, *, model: str | None = None, method: Method = "likelihood"
    ) -> PrevalenceEstimate:
        """Estimate the prevalence in an unlabeled batch, assuming that nothing else has changed.

        The batch is scored by the models that scored the labeled rows: all fold models, or without
        them the deployed model, if it scored rows held out by `check_size`.

        Parameters
        ----------
        X
            The batch.
        model
            The name of a kept model; by default the one with the largest AUC.
        method
            As for `rocch.stats.estimate_prevalence`.
        """
        hybrid = self._fitted_hybrid
        hybrid.check_direction()
        if self.reference_ is None:
            raise InputError(
                "the model",
                "keep labeled scores of its deployed models, or the models of its folds",
                "models refitted after cross-validation (keep_folds=False)",
                Hint(
                    "Fit with check_size=0.2 or keep_folds=True, or pass a curve of the deployed "
                    "model on other labeled rows to rocch.stats.estimate_prevalence."
                ),
            )
        return self.reference_.estimate(hybrid, self.default_.batch(X), model, method)

    def out_of_sample_choice(
        self,
        conditions: Conditions | Belief,
        *,
        prevalence: float | None = None,
        replicates: int = 2000,
        confidence: float = 0.95,
        random_state: int = 0,
    ) -> OutOfSampleChoice:
        """Return what the best choice at given conditions is expected to cost on new rows.

        Parameters are those of `rocch.stats.out_of_sample_choice`. The choice is among all models,
        discarded ones included, before refitting.
        """
        self._fitted_hybrid.check_direction(conditions)
        rows = self._rows()
        if rows.weights is not None:
            raise InputError(
                "the model", "be fitted without weights, to evaluate the choice", "weighted rows"
            )
        return out_of_sample_choice(
            rows.positive,
            rows.scores,
            conditions,
            prevalence=prevalence,
            groups=rows.groups,
            replicates=replicates,
            confidence=confidence,
            random_state=random_state,
        )

    def forgetting_costs(self) -> ByName[str, ForgettingCost]:
        """Return what aims for new rows are expected to cost more without each model.

        Stacks with and without the model are compared on rows that neither was fitted on, at slopes
        from 1/20 to 20.
        """
        self._fitted_hybrid.check_direction()
        rows = self._rows()
        if STACK not in rows.scores:
            raise InputError(
                "the model",
                "have a stack",
                "none",
                Hint(
                    "Fit two or more models with stack=True. There is none where one of them gets "
                    "all the weight."
                ),
            )
        scores = np.asarray(rows.scores[STACK], dtype=float)
        found = {name: forgetting_cost(rows, self._kinds, name, scores) for name in self._kinds}
        return ByName(found, "model")

    def check(self, X: Features, y: ArrayLike) -> Records[VertexCheck]:
        """Return promised and reached rates of every vertex on rows used for nothing else."""
        hybrid = self._fitted_hybrid
        batch = self.default_.batch(X)
        positive = hybrid.positives(y, "y")
        check_length(positive.size, len(batch), "y")
        return check_vertices(hybrid, batch, as_positive(positive, argument="y"))

    def _check_held_out(self, X: Features, y: ArrayLike) -> None:
        """Set `check_`, and let the held-out rows replace fold models that are not kept."""
        self.check_ = self.check(X, y)
        if self.reference_ is None:
            hybrid = self._fitted_hybrid
            positive = hybrid.positives(y, "y")
            self.reference_ = Reference.of_rows(hybrid, self.default_.batch(X), positive)

    @property
    def fold_rates_(self) -> Records[FoldRate]:
        """The rates of every vertex on every fold."""
        hybrid = self._fitted_hybrid
        if self._fold_rates is None:
            self._fold_rates = fold_rates(hybrid, self.out_of_fold_)
        return self._fold_rates

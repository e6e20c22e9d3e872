"""Searching for classifiers that extend the hull: many settings of one learner, the useful kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import BoolArray, IntArray
from rocch.errors import InputError, describe_type
from rocch.hybrid.combine import rows_to_find
from rocch.hybrid.gain import ALL_SLOPES, DecidedSample, Gain, as_slopes, envelope, gains, strongest
from rocch.hybrid.training import checked_splits, label_column, scores_out_of_fold
from rocch.inputs import as_codes, as_number, as_positive, is_number, to_host
from rocch.kernels.hull import extend_hull, twice_area
from rocch.roc.hull import RocHull

# --------------------------------------------------------------------------------------------------
# Forward selection: models join one by one, as long as other rows confirm what each one adds.


class Step(NamedTuple):
    """What became of one model, in the order in which they were considered."""

    model: str
    kept: bool
    gain: Gain | None
    reason: str


@dataclass(frozen=True, eq=False)
class Forward:
    """The finding rows propose models by the area they add; the confirming rows decide."""

    finders: DecidedSample
    others: DecidedSample
    slopes: tuple[float, float]
    standard_errors: float

    def steps(self) -> list[Step]:
        """Consider all models; the first always stays, those that add nothing come last."""
        start = np.array([0, self.finders.totals[0]]), np.array([0, self.finders.totals[1]])
        left, hull = list(self._points), start
        kept: list[str] = []
        steps: list[Step] = []
        while left:
            areas = {
                model: twice_area(*extend_hull(hull, *self._points[model])[0]) for model in left
            }
            idle = [model for model in left if areas[model] == twice_area(*hull)]
            if len(idle) == len(left) and kept:
                reason = "it adds nothing to those kept on the finding rows"
                return steps + [Step(model, False, None, reason) for model in left]
            best = min(left, key=lambda model: (-areas[model], model))
            step = self._confirmed(best, kept)
            steps.append(step)
            left.remove(best)
            if step.kept:
                kept.append(best)
                hull = extend_hull(hull, *self._points[best])[0]
        return steps

    def _confirmed(self, model: str, kept: Sequence[str]) -> Step:
        if not kept:
            return Step(model, True, None, "the largest area on the finding rows")
        old = [setting for name in kept for setting in self.others.settings(name)]
        new = self.finders.settings(model)  # thresholds fitted to the judging rows would flatter it
        before, after = (envelope(self.others, self.others.decisions(s)) for s in (old, old + new))
        gain = strongest(gains(self.others, after, before, self.slopes), self.standard_errors)
        if gain is None:
            return Step(model, False, None, "it adds nothing to those kept on the confirming rows")
        if not gain.exceeds(self.standard_errors):
            return Step(model, False, gain, f"it gains only {gain}")
        return Step(model, True, gain, f"it gains {gain}")

    @cached_property
    def _points(self) -> dict[str, tuple[IntArray, IntArray]]:
        """False and true positives of every model's own vertices on the finding rows."""
        return {
            model: self.finders.count_all(self.finders.decisions(self.finders.settings(model)))
            for model in self.finders.models
        }


# --------------------------------------------------------------------------------------------------
# Searching for classifiers that extend the hull: many settings of one learner, the useful kept.
#
# Provost and Fawcett, section 5: "cost-sensitive learning may be used to find better components for
# the ROCCH-hybrid, by searching explicitly for classifiers that extend the ROCCH".


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One setting of a learner, and what it adds to the hull of those kept before it.

    Attributes
    ----------
    name, params
        The parameters, in words and as they are.
    estimator
        A clone with these parameters, not fitted.
    gain
        Where it most clearly extends the hull of those kept before it, on the confirming rows.
        None for the first, which has no hull to extend, and for one that extends it nowhere.
    kept
        Whether it belongs to the answer.
    reason
        Why, or why not.
    """

    name: str
    params: Mapping[str, Any]
    estimator: Any
    gain: Gain | None
    kept: bool
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {'kept' if self.kept else 'dropped'}, {self.reason}"


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What a search among settings found.

    Attributes
    ----------
    tried
        All settings: those kept in the order in which they were taken, then the others.
    hull
        The hull of those kept on the confirming rows.
    """

    tried: tuple[Setting, ...]
    hull: RocHull

    @property
    def kept(self) -> tuple[Setting, ...]:
        """The settings that extend the hull on rows not used to choose them."""
        return tuple(setting for setting in self.tried if setting.kept)

    @property
    def dropped(self) -> tuple[Setting, ...]:
        """The others; each says why."""
        return tuple(setting for setting in self.tried if not setting.kept)

    @property
    def estimators(self) -> list[tuple[str, Any]]:
        """Names and clones of those kept, ready to be fitted together."""
        return [(setting.name, setting.estimator) for setting in self.kept]


def find_settings(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    find: Any = 0.5,
    pos_label: Any = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    standard_errors: float = 1.0,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Settings:
    """Try many settings of a classifier, and keep those that extend the hull on other rows.

    Every setting is scored out of fold. Settings are then taken one by one, always the one that
    adds most area to the hull of those kept on the finding rows; it stays if, with the thresholds
    it has there, it extends that hull on the confirming rows by more than a standard error at some
    slope. Those kept before it have their best thresholds on the confirming rows.

    Parameters
    ----------
    estimator
        A scikit-learn classifier for two classes, or a pipeline that ends in one.
    param_grid
        What to try: lists of values by parameter (or several such mappings), as for
        `GridSearchCV`, or a `ParameterGrid` or `ParameterSampler`. Class weights are a parameter
        like any other: `{"class_weight": [None, "balanced", {0: 1, 1: 10}]}`.
    X, y, pos_label
        Features as the classifier takes them, and labels.
    cv, groups
        Folds, as scikit-learn takes them; each row may be tested once at most. Rows that are never
        tested, such as the first of a `TimeSeriesSplit`, are not judged.
    find, random_state
        Rows to choose with: a Boolean mask over all rows, or a share (of whole groups, where there
        are groups; else of each class) to draw with this seed. The others confirm.
    slopes, standard_errors
        As for `find_combinations`.
    n_jobs
        Settings to fit at the same time, as scikit-learn takes it.

    Returns
    -------
    Settings
        `.estimators` holds names and clones, ready for a joint classifier.

    Notes
    -----
    No row is scored by a model that saw it, and none that confirms took part in choosing. But the
    models behind the scores of finding rows were fitted on confirming rows too, as in any
    cross-validation, so the two parts are not independent to the last degree.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> found = rocch.hybrid.find_settings(tree, {"max_depth": [1, 2, 3]}, X, y)
    >>> [name for name, clone in found.estimators]
    ['max_depth=2', 'max_depth=1']
    >>> print(found.dropped[0])
    max_depth=3: dropped, it adds nothing to those kept on the finding rows
    """
    features, labels = to_host(X, "X"), label_column(y)
    positive = as_positive(labels, pos_label, argument="y")
    label = pos_label if pos_label is not None else labels[positive][0]
    candidates = _candidates(estimator, param_grid)
    splits, tested = _splits(cv, features, labels, groups)
    scores, failed = _scored(candidates, features, labels, splits, label, n_jobs)
    sample = DecidedSample.of(positive[tested], scores, pos_label=None, sample_weight=None)
    finding = _finding(find, positive, tested, groups, random_state)
    others = sample.part(~finding, "confirm")
    steps = Forward(
        sample.part(finding, "find"),
        others,
        as_slopes(slopes),
        as_number(standard_errors, "standard_errors", least=0),
    ).steps()
    steps += [Step(name, False, None, f"it could not be fitted: {why}") for name, why in failed]
    steps.sort(key=lambda step: not step.kept)
    tried = [Setting(s.model, *candidates[s.model], s.gain, s.kept, s.reason) for s in steps]
    hull = RocHull.of(*(others.curve(setting.name) for setting in tried if setting.kept))
    return Settings(tuple(tried), hull)


def _candidates(estimator: Any, param_grid: Any) -> dict[str, tuple[dict[str, Any], Any]]:
    """Return parameters and a clone for every setting, by name."""
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    if isinstance(param_grid, Mapping | list | tuple):
        try:
            param_grid = ParameterGrid(param_grid)
        except (TypeError, ValueError) as error:
            raise InputError(
                "param_grid", "list values by parameter", str(error), "As for GridSearchCV."
            ) from None
    if not isinstance(param_grid, Iterable) or isinstance(param_grid, str):
        raise InputError(
            "param_grid",
            "map parameters to lists of values, or be a ParameterGrid or ParameterSampler",
            describe_type(param_grid),
            "As for GridSearchCV.",
        )
    found: dict[str, tuple[dict[str, Any], Any]] = {}
    seen: Counter[str] = Counter()
    for params in param_grid:
        plain = setting_name(params) or type(estimator).__name__
        seen[plain] += 1
        name = plain if seen[plain] == 1 else f"{plain} ({seen[plain]})"
        try:
            found[name] = dict(params), clone(estimator).set_params(**params)
        except (TypeError, ValueError) as error:
            raise InputError(
                "param_grid", "name parameters of the estimator", str(error), "See get_params()."
            ) from None
    if not found:
        raise InputError("param_grid", "hold at least one setting", "none", "Pass some values.")
    return found


def setting_name(params: Mapping[str, Any]) -> str:
    """Write parameters as a name; scikit-learn allows no double underscore in it."""
    pairs = (
        f"{key.replace('__', '.')}={getattr(value, '__name__', value)}"
        for key, value in sorted(params.items())
    )
    return re.sub("__+", "_", " ".join(", ".join(pairs).split()))


def _splits(cv: Any, features: Any, y: Any, groups: Any) -> tuple[list[Any], BoolArray]:
    """Return the folds, and which rows they test."""
    from sklearn.model_selection import check_cv

    try:
        splits = list(check_cv(cv, y, classifier=True).split(features, y, groups))
    except (TypeError, ValueError) as error:
        raise InputError("cv", "split the rows", str(error), "As for GridSearchCV.") from None
    return splits, checked_splits(splits, y)


def _scored(
    candidates: Mapping[str, tuple[dict[str, Any], Any]],
    features: Any,
    y: Any,
    splits: list[Any],
    label: Any,
    n_jobs: int | None,
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the scores by setting, and why some settings have none."""
    from sklearn.utils.parallel import Parallel, delayed

    def score(setting: Any) -> Any:
        try:
            return scores_out_of_fold(setting, features, y, splits, label)
        except Exception as error:
            return " ".join(str(error).split())

    answers = Parallel(n_jobs=n_jobs)(delayed(score)(setting) for _, setting in candidates.values())
    named = dict(zip(candidates, answers, strict=True))
    failed = [(name, answer) for name, answer in named.items() if isinstance(answer, str)]
    if len(failed) == len(named):
        raise InputError(
            "estimator", "be fitted by some setting", f"errors only: {failed[0][1]}", "Mend one."
        )
    return {name: found for name, found in named.items() if not isinstance(found, str)}, failed


def _finding(
    find: Any, positive: BoolArray, tested: BoolArray, groups: Any, random_state: int
) -> BoolArray:
    """Return which of the tested rows choose."""
    if is_number(find):
        own = None if groups is None else as_codes(groups, "groups")[tested]
        return rows_to_find(find, positive[tested], random_state, own)
    return rows_to_find(find, positive, random_state)[tested]

"""What comes before fitting: labels, weights, splits, and what goes to which model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GroupShuffleSplit,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils import Bunch, _safe_indexing, assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from rocch.errors import InputError, SampleWeightWarning, bad_input, kind_of, quantity, shown
from rocch.inputs import as_number, as_numpy, as_weights, distinct_labels, is_number
from rocch.roc.curve import whole_weights

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

    AnyArray = np.ndarray[Any, Any]

EVIDENT = ({0, 1}, {-1, 1})
"""Labels of which 1 (or True) is evidently the positive one."""


class Target(NamedTuple):
    """Labels of two classes, and which of them is to be detected."""

    labels: AnyArray
    classes: AnyArray
    column: int
    """The place of the class to detect."""
    known: bool
    """Whether that class was named, or is evident; otherwise it is a guess."""

    @property
    def pos_label(self) -> Any:
        """The class to detect."""
        return self.classes[self.column]


def as_binary(y: Any, features: Any, pos_label: Any) -> Target:
    """Return labels of two classes, and which of them is to be detected."""
    labels = label_column(y)
    if labels.dtype.kind not in "biufOUST":
        raise bad_input(
            "y", "be numbers, texts or flags", f"labels of type {labels.dtype}", "Name the classes."
        )
    check_consistent_length(features, labels)
    classes = two_classes(labels)
    known = classes.tolist()
    if pos_label is None:
        return Target(labels, classes, 1, set(known) in EVIDENT)
    if pos_label not in known:
        raise bad_input(
            "pos_label", "be a label of y", repr(pos_label), f"The labels are: {shown(known)}."
        )
    return Target(labels, classes, known.index(pos_label), True)


def label_column(y: Any) -> AnyArray:
    """Return labels as one column, of which none is missing or ambiguous."""
    if y is None:
        raise InputError(
            "This classifier requires y to be passed, but the target y is None. Pass the labels."
        )
    labels = column_or_1d(as_numpy(y, "y"), warn=True)
    distinct_labels(labels, "y")
    if labels.dtype != object or not labels.size:
        return np.asarray(labels)
    plain = np.array(labels.tolist())
    # numbers and flags that came as objects are what they are, and so are texts in a list
    texts = isinstance(y, list | tuple) and all(isinstance(label, str) for label in labels)
    return plain if texts or plain.dtype.kind in "biu" else labels


def two_classes(labels: AnyArray) -> AnyArray:
    """Return the two classes that occur, sorted; other numbers of classes are refused."""
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    classes = np.unique(labels)
    if classes.size > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(labels)}."
        )
    if classes.size < 2:
        came = f"one class only, {shown(classes.tolist())}" if classes.size else "no rows"
        raise bad_input("y", "hold two classes", came, "Add rows of the class that is missing.")
    return classes


def weights_of(hull_weight: Any, sample_weight: Any, labels: AnyArray) -> FloatArray | None:
    """Return what each row counts for the hull."""
    weights = None
    for name, given in (("sample_weight", sample_weight), ("hull_weight", hull_weight)):
        if given is None:
            continue
        many = np.full(labels.size, given) if is_number(given) else given
        weights = as_weights(many, labels.size, argument=name)
        whole_weights(labels == labels[0], weights, name)  # which refuses none for a class
    return weights


def checked_costs(row_costs: Any, names: Sequence[str]) -> Mapping[str, float] | None:
    """Return the running cost per row of every model, if costs were given."""
    if row_costs is None:
        return None
    if not isinstance(row_costs, Mapping) or set(row_costs) != set(names):
        came = f"costs for {shown(row_costs)}" if isinstance(row_costs, Mapping) else None
        raise bad_input(
            "row_costs",
            "map every model's name to its running cost per row",
            came or kind_of(row_costs),
            f"The models are: {shown(names)}.",
        )
    return {name: as_number(cost, "row_costs", least=0) for name, cost in row_costs.items()}


def routed_by_hand(
    models: Sequence[tuple[str, Any]], sample_weight: Any, groups: Any, params: Mapping[str, Any]
) -> Bunch:
    """Say what goes where when scikit-learn's metadata routing is off."""
    if params:
        raise bad_input(
            "params",
            "be routed",
            f"{shown(params)} without routing",
            "Turn it on: sklearn.set_config(enable_metadata_routing=True).",
        )
    routed = Bunch(splitter=Bunch(split={} if groups is None else {"groups": groups}))
    unweighted = []
    for name, model in models:
        takes = has_fit_parameter(model, "sample_weight")
        routed[name] = Bunch(
            fit={"sample_weight": sample_weight} if takes and sample_weight is not None else {}
        )
        if not takes and not isinstance(model, FrozenEstimator):
            unweighted.append(name)
    if sample_weight is not None and unweighted:
        warnings.warn(
            f"{shown(unweighted)} cannot be fitted with sample_weight; for these the weights count "
            "in the hull only.",
            SampleWeightWarning,
            stacklevel=3,
        )
    return routed


def checking_rows(
    share: Any, cv: Any, labels: AnyArray, groups: Any, random_state: Any
) -> tuple[IntArray | None, IntArray | None]:
    """Return the rows to work with (None: all) and those held out for the check at the end."""
    if share is None:
        return None, None
    as_share(share, "check_size")
    if isinstance(cv, TimeSeriesSplit):
        start = labels.size - max(1, round(share * labels.size))
        return np.arange(start), np.arange(start, labels.size)
    train, test = next(hold_out(share, groups, random_state).split(labels, labels, groups))
    return train, test


def splits_of(
    models: Sequence[tuple[str, Any]],
    cv: Any,
    data: tuple[Any, AnyArray],
    rest: IntArray | None,
    groups: Any,
    split_params: Mapping[str, Any],
    random_state: Any,
) -> list[tuple[IntArray | None, IntArray]]:
    """Return the splits in numbers of rows; fitted models need none to be fitted on.

    With rows held out for the check (`rest` are the others), splitters split the rest. Splits that
    are fixed beforehand are about all rows; they only lose those held out.
    """
    features, labels = data
    rows = np.arange(labels.size) if rest is None else rest
    if all(isinstance(model, FrozenEstimator) for _, model in models):
        return [(None, rows)]
    splitter, split_params = _splitter(cv, labels, groups, split_params, random_state)
    fixed = isinstance(cv, PredefinedSplit) or not (hasattr(cv, "split") or is_number(cv))
    if rest is None or fixed:
        kept = np.zeros(labels.size, dtype=bool)
        kept[rows] = True
        found = [
            tuple(side[kept[side]] for side in _numbered(split, labels.size))
            for split in splitter.split(features, labels, **split_params)
        ]
    else:
        split_params = {name: _safe_indexing(v, rest) for name, v in split_params.items()}
        part = _safe_indexing(features, rest), labels[rest]
        found = [
            tuple(rest[side] for side in _numbered(split, rest.size))
            for split in splitter.split(*part, **split_params)
        ]
    if not any(test.size for _, test in found):
        raise bad_input("cv", "hold out some rows", "none", "For example: 5 for five folds.")
    return [(train, test) for train, test in found if test.size]


def _splitter(
    cv: Any, labels: AnyArray, groups: Any, split_params: Mapping[str, Any], random_state: Any
) -> tuple[Any, Mapping[str, Any]]:
    """Return the splitter and what its `split` gets; a plain number respects groups, too."""
    number = is_number(cv) and not isinstance(cv, float)
    given = {} if groups is None else {"groups": groups}
    if isinstance(cv, float):
        return hold_out(as_share(cv, "cv"), groups, random_state), given
    if number and groups is not None:
        return StratifiedGroupKFold(int(cv)), given
    return check_cv(cv, labels, classifier=True), split_params


def hold_out(share: float, groups: Any, random_state: Any) -> Any:
    """Return a splitter that holds out one share of the rows, or of the groups."""
    kind = StratifiedShuffleSplit if groups is None else GroupShuffleSplit
    return kind(n_splits=1, test_size=share, random_state=random_state)


def as_share(share: Any, argument: str) -> float:
    """Return a share of the rows that leaves some on both sides."""
    if not is_number(share) or not 0 < share < 1:
        raise bad_input(
            argument, "be a share between 0 and 1", repr(share), "For example: 0.2 for a fifth."
        )
    return float(share)


def _numbered(split: Any, rows: int) -> tuple[IntArray, IntArray]:
    """Return both sides of a split as row numbers, where it may give masks."""
    sides = []
    for side in map(np.asarray, split):
        mask = side.dtype == bool
        if (mask and side.size != rows) or (side.size and side.dtype.kind not in "biu"):
            raise bad_input(
                "cv",
                f"give row numbers, or masks of {rows} rows",
                f"a mask of {side.size}" if mask else f"values of type {side.dtype}",
                "See scikit-learn's splitters.",
            )
        sides.append(np.flatnonzero(side) if mask else side.astype(np.intp))
    train, test = sides
    for side in sides:
        if side.size and not (-rows <= side.min() and side.max() < rows):
            raise bad_input(
                "cv",
                f"split the {rows} rows",
                f"row {side.max() if side.max() >= rows else side.min()}",
                "Number the rows from 0.",
            )
    fitted = np.zeros(rows, dtype=bool)
    fitted[train] = True
    if fitted[test].any():
        raise bad_input(
            "cv",
            "hold out rows that are not fitted on",
            f"{quantity(int(np.count_nonzero(fitted[test])), 'row')} on both sides of a split",
            "Scores of rows that a model has seen would flatter it.",
        )
    return train % rows, test % rows

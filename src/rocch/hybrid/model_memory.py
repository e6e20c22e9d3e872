"""Arrays that compiled code follows without looking, checked in models from files.

scikit-learn's compiled code trusts what `fit` built: a tree's children lie within its array, its
features within the rows. In a forged file they may lie anywhere, and `predict` would read or write
memory that is not its own. The checks here are those of

- decision trees, alone, in forests and in gradient boosting, also by histograms,
- KD trees and ball trees of nearest neighbors, and the labels of the neighbors,
- support vector machines,
- sparse matrices and splines.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    RadiusNeighborsClassifier,
)
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree
from sklearn.utils.validation import check_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    AnyArray = np.ndarray[Any, Any]

LEAF = -1
CATEGORIES = 256
"""How many categories of a feature a bitset holds."""


def check_memory(objects: Iterable[Any]) -> None:
    """Refuse models whose compiled code would leave its memory; raise ValueError."""
    for each in objects:
        for kind, check in CHECKS:
            if isinstance(each, kind):
                check(each)


def _need(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} cannot have been fitted like this")


def _within(values: Any, low: Any, high: Any) -> bool:
    """Say whether all whole numbers lie from a lower limit up to below an upper one."""
    values = np.asarray(values)
    return values.dtype.kind in "iu" and bool(np.all((values >= low) & (values < high)))


def _check_tree(tree: Any) -> None:
    _need(0 < tree.node_count <= tree.capacity and tree.n_outputs > 0, "a tree")
    places = np.arange(tree.node_count)
    inner = tree.children_left != LEAF
    for children in (tree.children_left, tree.children_right):
        # after their parents, or predicting would never end
        _need(_within(children[inner], places[inner] + 1, tree.node_count), "a tree")
    _need(_within(tree.feature[inner], 0, tree.n_features), "a tree")


def _check_tree_features(model: Any) -> None:
    tree = getattr(model, "tree_", None)
    if tree is not None:
        _need(isinstance(tree, Tree) and tree.n_features == model.n_features_in_, "a tree")


def _check_boosting(model: Any) -> None:
    stages = getattr(model, "estimators_", None)
    if stages is None:
        return
    _need(isinstance(stages, np.ndarray) and stages.ndim == 2 and stages.size, "a boosting model")
    width = len(model.classes_) if len(getattr(model, "classes_", ())) > 2 else 1
    _need(stages.shape[1] == width == model.n_trees_per_iteration_, "a boosting model")
    shares = getattr(model.init_, "class_prior_", None)  # of classes, from which it begins
    _need(width == 1 or shares is None or len(shares) == width, "a boosting model")
    for each in stages.flat:
        _need(isinstance(each, BaseDecisionTree), "a boosting model")
        _check_tree_features(each)
        _need(each.n_features_in_ == model.n_features_in_, "a boosting model")


def _check_histograms(model: Any) -> None:
    iterations = getattr(model, "_predictors", None)
    if iterations is None:
        return
    _need(not getattr(model, "_in_fit", False), "a boosting model")
    _check_preprocessor(model._preprocessor, model.n_features_in_)
    categorical = np.asarray(model._bin_mapper.is_categorical_)
    _need(categorical.shape == (model.n_features_in_,), "a boosting model")
    for feature in np.flatnonzero(categorical):
        known = np.asarray(model._bin_mapper.bin_thresholds_[feature])
        _need(np.all((known >= 0) & (known < CATEGORIES)), "a boosting model")
    for predictor in (each for trees in iterations for each in trees):
        _check_predictor(predictor, categorical.astype(bool))


def _check_predictor(predictor: Any, categorical: AnyArray) -> None:
    nodes, what = predictor.nodes, "a boosting model's tree"
    _need(nodes.ndim == 1 and nodes.size, what)
    places, inner = np.arange(nodes.size), nodes["is_leaf"] == 0
    for children in (nodes["left"], nodes["right"]):
        _need(_within(children[inner], places[inner] + 1, nodes.size), what)
    _need(_within(nodes["feature_idx"][inner], 0, categorical.size), what)
    chosen = inner & (nodes["is_categorical"] != 0)
    _need(categorical[nodes["feature_idx"][chosen]].all(), what)
    for bitsets in (predictor.raw_left_cat_bitsets, predictor.binned_left_cat_bitsets):
        _need(bitsets.ndim == 2 and bitsets.shape[1] == CATEGORIES // 32, what)
        _need(_within(nodes["bitset_idx"][chosen], 0, len(bitsets)), what)


def _check_preprocessor(preprocessor: Any, features: int) -> None:
    """Refuse a preprocessor after which rows would have fewer columns than trees ask for."""
    if preprocessor is None:
        return
    what = "a boosting model's preprocessor"
    _need(isinstance(preprocessor, ColumnTransformer), what)
    encoder, numerical = preprocessor.transformers_[:2]
    _need(isinstance(encoder[1], OrdinalEncoder), what)
    _need(isinstance(numerical[1], FunctionTransformer), what)
    function = numerical[1].func
    _need(isinstance(function, partial) and function.func is check_array, what)
    masks = np.array([encoder[2], numerical[2]])
    _need(masks.dtype == bool and masks.shape == (2, features), what)
    _need(masks.any(axis=0).all(), what)


def _check_neighbors(tree: Any) -> None:
    data, order, nodes, bounds, *_, metric, weights = tree.__getstate__()
    (rows, columns), what = data.shape, "a tree of neighbors"
    _check_metric(metric, data)
    sides = 2 if isinstance(tree, KDTree) else 1
    _need(rows and nodes.size and bounds.shape == (sides, nodes.size, columns), what)
    _need(order.shape == (rows,) and _within(order, 0, rows), what)
    _need(weights is None or weights.shape == (rows,), what)
    start, end = nodes["idx_start"], nodes["idx_end"]
    _need(start[0] == 0 and end[0] == rows and np.all(start <= end), what)
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    left, right = 2 * inner + 1, 2 * inner + 2
    _need(_within(right, 0, nodes.size), what)
    # children share their parent's rows, or more neighbors would be found than there are
    _need(np.array_equal(start[left], start[inner]), what)
    _need(np.array_equal(end[left], start[right]) and np.array_equal(end[right], end[inner]), what)


def _check_metric(metric: Any, data: AnyArray) -> None:
    _need(isinstance(metric, DistanceMetric), "a distance")
    matrix = metric.__getstate__()[2]
    _need(matrix.shape[0] == matrix.shape[1], "a distance")
    metric._validate_data(data)


def _check_labels(model: Any) -> None:
    labels = getattr(model, "_y", None)
    if labels is None or np.ndim(labels) != 1:
        return
    _need(len(labels) == model._fit_X.shape[0], "nearest neighbors")
    _need(_within(labels, 0, len(model.classes_)), "nearest neighbors")


def _check_machine(model: Any) -> None:
    """Check a support vector machine: libsvm takes the sizes of all arrays from one of them."""
    if not hasattr(model, "support_"):
        return
    what = "a support vector machine"
    classifies = model._impl in ("c_svc", "nu_svc")
    sizes, coefficients = np.asarray(model._n_support), model._dual_coef_
    vectors = model.support_vectors_.shape[0]
    if not model._sparse and (model.kernel == "precomputed" or callable(model.kernel)):
        vectors = len(model.support_)
        _need(_within(model.support_, 0, model.shape_fit_[0]), what)
    _need(model._sparse or len(model.support_) == vectors, what)
    _need(not classifies or (sizes.size > 1 and np.all(sizes >= 0)), what)
    _need(not classifies or int(sizes.sum(dtype=np.int64)) == vectors, what)
    width = sizes.size - 1 if classifies else 1
    shape = (width * vectors,) if model._sparse else (width, vectors)
    _need((coefficients.data if model._sparse else coefficients).shape == shape, what)
    pairs = sizes.size * width // 2 if classifies else 1
    _need(len(model._intercept_) >= pairs, what)
    _need(all(len(each) == 0 or len(each) >= pairs for each in (model._probA, model._probB)), what)


def _check_sparse(matrix: Any) -> None:
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)


def _check_spline(spline: Any) -> None:
    BSpline(spline.t, spline.c, spline.k, spline.extrapolate, spline.axis)


CHECKS: tuple[tuple[Any, Callable[[Any], None]], ...] = (
    (Tree, _check_tree),
    (BaseDecisionTree, _check_tree_features),
    (BaseGradientBoosting, _check_boosting),
    ((HistGradientBoostingClassifier, HistGradientBoostingRegressor), _check_histograms),
    ((KDTree, BallTree), _check_neighbors),
    ((KNeighborsClassifier, RadiusNeighborsClassifier), _check_labels),
    (BaseLibSVM, _check_machine),
    ((sparse.spmatrix, sparse.sparray), _check_sparse),
    (BSpline, _check_spline),
)

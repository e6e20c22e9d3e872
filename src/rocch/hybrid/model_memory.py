"""Checks of arrays that scikit-learn's compiled code follows without bounds checks.

They refuse every forgery known to us; there may be others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline, _bsplines
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    RadiusNeighborsClassifier,
)
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_array

from rocch.arrays import AnyArray, BoolArray, IntArray
from rocch.errors import format_list
from rocch.hybrid._sklearn_compat import (
    BaseForest,
    BaseGradientBoosting,
    BaseLibSVM,
    NeighborsBase,
    Tree,
)

# Libraries whose instances never override attributes of their class.
LIBRARIES = ("sklearn.", "scipy.interpolate.", "rocch.")
LEAF = -1
# The number of categories in a bitset.
CATEGORIES = 256


def check_memory(objects: Iterable[Any]) -> None:
    """Raise ValueError for models whose compiled code would leave its memory."""
    for each in objects:
        _check_attributes(each)
        for kind, check in CHECKS:
            if isinstance(each, kind):
                check(each)


def _check_attributes(each: Any) -> None:
    """Refuse attributes that override those of the class."""
    kind = type(each)
    if kind.__module__.startswith(LIBRARIES) and hasattr(each, "__dict__"):
        hidden = [name for name in vars(each) if hasattr(kind, name)]
        _need(not hidden, f"{kind.__name__} with its own {format_list(hidden)}")


def _need(holds: object, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} cannot have been fitted like this")


def _within(values: AnyArray, low: IntArray | int, high: int) -> bool:
    """Whether all values are integers in [low, high)."""
    return values.dtype.kind in "iu" and bool(np.all((values >= low) & (values < high)))


def _check_branches(
    inner: BoolArray, sides: Sequence[AnyArray], used: AnyArray, features: int, what: str
) -> None:
    """Refuse inner nodes without children, or of features that do not exist."""
    for children in sides:
        # after their parents, or predict would never end
        _need(_within(children[inner], np.flatnonzero(inner) + 1, inner.size), what)
    _need(_within(used[inner], 0, features), what)


def _check_tree(tree: Any) -> None:
    _need(0 < tree.node_count <= tree.capacity and tree.n_outputs > 0, "a tree")
    sides = tree.children_left, tree.children_right
    _check_branches(sides[0] != LEAF, sides, tree.feature, tree.n_features, "a tree")


def _check_tree_features(model: Any) -> None:
    tree = getattr(model, "tree_", None)
    if tree is not None:
        _need(isinstance(tree, Tree) and tree.n_features == model.n_features_in_, "a tree")


def _check_forest(model: Any) -> None:
    features = getattr(model, "n_features_in_", None)  # rows are checked once, against this
    for each in getattr(model, "estimators_", ()):
        _need(isinstance(each, BaseDecisionTree) and each.n_features_in_ == features, "a forest")


def _check_boosting(model: Any) -> None:
    stages = getattr(model, "estimators_", None)
    if stages is None:
        return
    _need(isinstance(stages, np.ndarray) and stages.ndim == 2 and stages.size, "a boosting model")
    width = len(model.classes_) if len(getattr(model, "classes_", ())) > 2 else 1
    _need(stages.shape[1] == width == model.n_trees_per_iteration_, "a boosting model")
    for each in stages.flat:
        _need(isinstance(each, BaseDecisionTree), "a boosting model")
        _check_tree_features(each)
        _need(each.n_features_in_ == model.n_features_in_, "a boosting model")
    for rows in (1, 3):  # trees add to the first model's predictions, of any shape
        features = np.zeros((rows, model.n_features_in_), dtype=np.float32)
        first = model._raw_predict_init(features)
        _need(first.shape == (rows, width) and first.dtype == np.float64, "a boosting model")


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
    inner, used = nodes["is_leaf"] == 0, nodes["feature_idx"]
    _check_branches(inner, (nodes["left"], nodes["right"]), used, categorical.size, what)
    chosen = inner & (nodes["is_categorical"] != 0)
    _need(categorical[used[chosen]].all(), what)
    for bitsets in (predictor.raw_left_cat_bitsets, predictor.binned_left_cat_bitsets):
        _need(bitsets.ndim == 2 and bitsets.shape[1] == CATEGORIES // 32, what)
        _need(_within(nodes["bitset_idx"][chosen], 0, len(bitsets)), what)


def _check_preprocessor(preprocessor: Any, features: int) -> None:
    """Refuse a preprocessor that drops columns."""
    if preprocessor is None:
        return
    what = "a boosting model's preprocessor"
    _need(isinstance(preprocessor, ColumnTransformer), what)
    encoder, numerical, *others = preprocessor.transformers_
    _need(isinstance(encoder[1], OrdinalEncoder), what)
    _need(isinstance(numerical[1], FunctionTransformer) and not numerical[1].kw_args, what)
    function = numerical[1].func
    _need(isinstance(function, partial) and function.func is check_array, what)
    _need(not function.args and set(function.keywords) == {"dtype", "ensure_all_finite"}, what)
    masks = np.array([encoder[2], numerical[2]])
    _need(masks.dtype == bool and masks.shape == (2, features), what)
    _need(np.array_equal(masks[0], ~masks[1]), what)
    places = preprocessor._transformer_to_input_indices  # for data frames
    for name, mask in zip((encoder[0], numerical[0]), masks, strict=True):
        _need(np.array_equal(places[name], np.flatnonzero(mask)), what)
    _need(all(other[1] == "drop" for other in others), what)
    _need(preprocessor.n_features_in_ == features, what)
    _need(len(getattr(preprocessor, "feature_names_in_", range(features))) == features, what)


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
    # children split their parent's rows, or more neighbors would be found than exist
    _need(np.array_equal(start[left], start[inner]), what)
    _need(np.array_equal(end[left], start[right]) and np.array_equal(end[right], end[inner]), what)


def _check_metric(metric: Any, data: AnyArray) -> None:
    _need(isinstance(metric, DistanceMetric), "a distance")
    matrix = metric.__getstate__()[2]
    _need(matrix.shape[0] == matrix.shape[1], "a distance")
    metric._validate_data(data)


def _check_rows(model: Any) -> None:
    rows = getattr(model, "_fit_X", None)
    if rows is not None:
        shape = (model.n_samples_fit_, model.n_features_in_)
        _need(rows.shape == shape, "nearest neighbors")


def _check_labels(model: Any) -> None:
    labels = getattr(model, "_y", None)
    if labels is not None:
        _need(np.shape(labels) == (model._fit_X.shape[0],), "nearest neighbors")
        _need(_within(labels, 0, len(model.classes_)), "nearest neighbors")


def _check_machine(model: Any) -> None:
    """Check a support vector machine; libsvm takes all sizes from one array."""
    if not hasattr(model, "support_"):
        return
    what = "a support vector machine"
    classifies = model._impl in ("c_svc", "nu_svc")
    sizes, coefficients = np.asarray(model._n_support), model._dual_coef_
    classes = len(model.classes_) if classifies else 2
    _need(sizes.shape == (classes,) and classes > 1 and np.all(sizes >= 0), what)
    by_rows = model.kernel == "precomputed" or callable(model.kernel)
    _need(not (model._sparse and by_rows), what)
    if by_rows:
        vectors = len(model.support_)
        _need(_within(model.support_, 0, model.shape_fit_[0]), what)
    else:
        vectors, columns = model.support_vectors_.shape
        _need(columns == model.n_features_in_, what)
    if model._sparse:
        _need(model.support_vectors_.format == "csr", what)
    else:
        _need(len(model.support_) == vectors, what)
    _need(not classifies or int(sizes.sum(dtype=np.int64)) == vectors, what)
    width = classes - 1 if classifies else 1
    shape = (width * vectors,) if model._sparse else (width, vectors)
    _need((coefficients.data if model._sparse else coefficients).shape == shape, what)
    pairs = classes * width // 2
    _need(len(model._intercept_) >= pairs, what)
    sigmoids = {len(model._probA), len(model._probB)}
    _need(sigmoids == {0} or min(sigmoids) >= pairs, what)
    wanted = vars(model).get("_effective_probability", model.probability)
    _need(not wanted or 0 not in sigmoids, what)


def _check_sparse(matrix: Any) -> None:
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)


def _check_spline(spline: Any) -> None:
    spline = vars(spline).get("_delegate_to") or spline  # since SciPy 1.18
    own = vars(spline)  # since SciPy 1.16 under private names, behind properties
    knots, coefficients = (own.get(f"_{name}", own.get(name)) for name in "tc")
    _need(spline.axis == 0 and knots.dtype == coefficients.dtype == np.float64, "a spline")
    BSpline(knots, coefficients, spline.k, spline.extrapolate)


CHECKS: tuple[tuple[Any, Callable[[Any], None]], ...] = (
    (Tree, _check_tree),
    (BaseDecisionTree, _check_tree_features),
    (BaseForest, _check_forest),
    (BaseGradientBoosting, _check_boosting),
    ((HistGradientBoostingClassifier, HistGradientBoostingRegressor), _check_histograms),
    ((KDTree, BallTree), _check_neighbors),
    (NeighborsBase, _check_rows),
    ((KNeighborsClassifier, RadiusNeighborsClassifier), _check_labels),
    (BaseLibSVM, _check_machine),
    ((sparse.spmatrix, sparse.sparray), _check_sparse),
    ((BSpline, getattr(_bsplines, "_BSpline", BSpline)), _check_spline),
)

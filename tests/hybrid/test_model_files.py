"""Models from files that somebody else may have written."""

from __future__ import annotations

import io
import json
import re
import tracemalloc
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn._loss.loss import HalfMultinomialLoss
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import BallTree, KDTree, KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, SplineTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree
from sklearn.utils.validation import check_array

import rocch
from rocch.hybrid.model_files import pack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RNG = np.random.default_rng(5)
Y = np.arange(80) % 2
X = RNG.normal(size=(80, 3)) + Y[:, None]
MIXED = np.column_stack([X[:, :2], np.arange(80) // 2 % 5])


def hybrid(fitted: Any, features: Any = X) -> Any:
    return rocch.RocchClassifier([("mine", FrozenEstimator(fitted))]).fit(features, Y)


def saved(fitted: Any, path: Path, features: Any = X) -> Path:
    rocch.save(hybrid(fitted, features), path)
    return path


def repacked(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Change parts of a saved file, and let its digests be right."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    del files["digests.json"]
    change(files)
    path.write_bytes(pack(files))
    return path


def skops_file(model: bytes, change: Callable[[dict[str, bytes]], None], packing: int = 0) -> bytes:
    """Change parts of a model's file."""
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w", packing or zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return changed.getvalue()


# --- memory that compiled code follows


def tree_with(tree: Any, **nodes: tuple[int, int]) -> Any:
    """Return a copy of a tree with other fields at some places."""
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    for field, (place, value) in nodes.items():
        state["nodes"][field][place] = value
    copy = Tree(*tree.__reduce__()[1])
    copy.__setstate__(state)
    return copy


def decision_tree(**forged: Any) -> Any:
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
    return model, lambda: setattr(model, "tree_", tree_with(model.tree_, **forged))


def forest() -> Any:
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    last = model.estimators_[-1]
    return model, lambda: setattr(last, "tree_", tree_with(last.tree_, feature=(0, 9)))


def forest_of_more_features() -> Any:
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    other = RandomForestClassifier(3, random_state=0).fit(np.hstack([0 * X, X]), Y)
    return model, lambda: model.estimators_.__setitem__(-1, other.estimators_[-1])


def with_its_own_check() -> Any:
    """Stand a function in for the method that compares the features of rows with the tree's."""
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
    return model, lambda: setattr(model, "_validate_X_predict", partial(check_array))


def boosting(change: Callable[[Any], None]) -> Any:
    model = GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, Y)
    return model, lambda: change(model)


def of_one_row(model: Any) -> None:
    """Begin with a model that predicts one row, whatever there are."""
    mean = FunctionTransformer(np.mean, kw_args={"axis": 0, "keepdims": True}).fit(X)
    model.init_ = Pipeline([("mean", mean), ("model", GaussianNB().fit(X, Y))])


def of_other_classes(model: Any) -> None:
    """Begin with a model of two classes, and claim three."""
    model.init_ = LogisticRegression().fit(X, Y)
    model.classes_, model.n_classes_, model.n_trees_per_iteration_ = np.arange(3), 3, 3
    model._loss = HalfMultinomialLoss(n_classes=3)
    model.estimators_ = np.repeat(model.estimators_, 3, axis=1)


def of_more_features(model: Any) -> None:
    other = GradientBoostingClassifier(n_estimators=2).fit(np.hstack([0 * X, X]), Y)
    model.estimators_[1, 0] = other.estimators_[1, 0]


def wider(model: Any) -> None:
    model.estimators_ = np.hstack([model.estimators_] * 2)


def histograms(field: str, place: int, value: int) -> Any:
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=[2], random_state=0)
    model.fit(MIXED, Y)

    def change() -> None:
        nodes = model._predictors[-1][0].nodes
        nodes["is_categorical"][0] = field == "bitset_idx" or nodes["is_categorical"][0]
        if field == "bitset_idx":
            nodes["feature_idx"][0] = 2
        nodes[field][place] = value

    return model, change


def neighbors(change: Callable[[list[Any]], None], algorithm: str = "kd_tree") -> Any:
    model = KNeighborsClassifier(3, algorithm=algorithm, leaf_size=5).fit(X, Y)

    def forge() -> None:
        state = [a.copy() if isinstance(a, np.ndarray) else a for a in model._tree.__getstate__()]
        change(state)
        kind = KDTree if algorithm == "kd_tree" else BallTree
        model._tree = kind.__new__(kind)
        model._tree.__setstate__(tuple(state))

    return model, forge


def at(place: int, field: str | None, row: int, value: int) -> Callable[[list[Any]], None]:
    def change(state: list[Any]) -> None:
        (state[place] if field is None else state[place][field])[row] = value

    return change


def cut(place: int) -> Callable[[list[Any]], None]:
    def change(state: list[Any]) -> None:
        state[place] = state[place][:, :1]

    return change


def preprocessed(change: Callable[[Any], None]) -> Any:
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=[2], random_state=0)
    model.fit(MIXED, Y)
    return model, lambda: change(model._preprocessor)


def labels(value: int) -> Any:
    model = KNeighborsClassifier(3, algorithm="brute").fit(X, Y)
    return model, lambda: model._y.__setitem__(0, value)


def rows(**forged: Any) -> Any:
    model = KNeighborsClassifier(3, algorithm="brute").fit(X, Y)
    return model, lambda: vars(model).update(forged)


def machine(name: str, change: Callable[[Any], Any]) -> Any:
    model = SVC(random_state=0).fit(X, Y)
    return model, lambda: setattr(model, name, change(getattr(model, name)))


def sparse_machine(name: str, change: Callable[[Any], Any]) -> Any:
    model = SVC(random_state=0).fit(sparse.csr_matrix(X), Y)
    return model, lambda: setattr(model, name, change(getattr(model, name)))


def sparse_rows() -> Any:
    model = LogisticRegression().fit(X, Y).sparsify()
    return model, lambda: model.coef_.indices.__setitem__(0, 10**6)


def spline(**forged: Any) -> Any:
    model = make_pipeline(SplineTransformer(), LogisticRegression()).fit(X, Y)
    one = model[0].bsplines_[0]
    inner = vars(one).get("_delegate_to", one)  # since SciPy 1.18
    known = {name.lstrip("_") if name not in vars(inner) else name: forged[name] for name in forged}
    return model, lambda: vars(inner).update(known)


TURNED = {"_t": np.linspace(-5, 5, 24), "_c": np.ones((1, 20)), "axis": 1}
"""A spline of one coefficient, which looks like twenty along its other axis."""
WIDE = {"encoder": [0], "numerical": [1]}


FORGED: dict[str, tuple[Callable[[], Any], str]] = {
    "a child outside": (lambda: decision_tree(left_child=(0, 10**6)), "a tree"),
    "a child before its parent": (lambda: decision_tree(right_child=(0, 0)), "a tree"),
    "a negative child": (lambda: decision_tree(right_child=(0, -7)), "a tree"),
    "a feature outside": (lambda: decision_tree(feature=(0, 3)), "a tree"),
    "a negative feature": (lambda: decision_tree(feature=(0, -2)), "a tree"),
    "a tree of a forest": (forest, "a tree"),
    "a stage of other features": (lambda: boosting(of_more_features), "a boosting model"),
    "wider stages": (lambda: boosting(wider), "a boosting model"),
    "a histogram's child": (lambda: histograms("left", 0, 10**6), "a boosting model's tree"),
    "a histogram's loop": (lambda: histograms("right", 0, 0), "a boosting model's tree"),
    "a histogram's feature": (lambda: histograms("feature_idx", 0, 99), "a boosting model's tree"),
    "a histogram's bits": (lambda: histograms("bitset_idx", 0, 99), "a boosting model's tree"),
    "a neighbor outside": (lambda: neighbors(at(1, None, 0, 10**6)), "a tree of neighbors"),
    "a node's rows": (lambda: neighbors(at(2, "idx_end", 0, 10**6)), "a tree of neighbors"),
    "rows found twice": (lambda: neighbors(at(2, "idx_start", 2, 0)), "a tree of neighbors"),
    "no leaves": (lambda: neighbors(at(2, "is_leaf", -1, 0)), "a tree of neighbors"),
    "narrow bounds": (lambda: neighbors(cut(3), "ball_tree"), "a tree of neighbors"),
    "no distance": (lambda: neighbors(lambda s: s.__setitem__(11, None)), "a distance"),
    "a label outside": (lambda: labels(10**6), "nearest neighbors"),
    "coefficients": (lambda: machine("_dual_coef_", lambda a: a[:, :1]), "a support vector"),
    "support vectors": (lambda: machine("support_vectors_", lambda a: a[:1]), "a support vector"),
    "negative support": (lambda: machine("_n_support", lambda a: a - [99, -99]), "a support vec"),
    "intercepts": (lambda: machine("_intercept_", lambda a: a[:0]), "a support vector machine"),
    "a sparse matrix": (sparse_rows, "indices"),
    "a spline": (lambda: spline(k=90), "[Kk]nots"),
    "a turned spline": (lambda: spline(**TURNED), "a spline"),
    "a tree of other features": (forest_of_more_features, "a forest"),
    "a method": (with_its_own_check, "DecisionTreeClassifier with its own '_validate_X_predict'"),
    "a constant": (lambda: machine("_impl", lambda _: "epsilon_svr"), "SVC with its own '_impl'"),
    "one first row": (lambda: boosting(of_one_row), "a boosting model"),
    "other classes": (lambda: boosting(of_other_classes), "a boosting model"),
    "columns of frames": (
        lambda: preprocessed(lambda p: setattr(p, "_transformer_to_input_indices", WIDE)),
        "a boosting model's preprocessor",
    ),
    "an argument of a check": (
        lambda: preprocessed(lambda p: p.transformers_[1][1].func.keywords.update(order="C")),
        "a boosting model's preprocessor",
    ),
    "narrow rows": (lambda: rows(_fit_X=X[:, :1]), "nearest neighbors"),
    "fewer rows": (lambda: rows(_fit_X=X[:9], _y=Y[:9]), "nearest neighbors"),
    "labels in columns": (lambda: rows(_y=Y[:, None]), "nearest neighbors"),
    "sigmoids": (
        lambda: sparse_machine("_effective_probability", lambda _: True),
        "a support vector machine",
    ),
    "half of the sigmoids": (lambda: machine("_probA", lambda _: np.ones(1)), "a support vector"),
    "rows as columns": (
        lambda: sparse_machine("support_vectors_", sparse.csc_matrix),
        "a support vector machine",
    ),
    "a kernel of rows": (
        lambda: sparse_machine("kernel", lambda _: "precomputed"),
        "a support vector machine",
    ),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_memory_that_was_forged_is_refused(forgery: str, tmp_path: Path) -> None:
    make, what = FORGED[forgery]
    fitted, forge = make()
    features = MIXED if isinstance(fitted, HistGradientBoostingClassifier) else X
    if getattr(fitted, "_sparse", False):
        features = sparse.csr_matrix(X)
    model = hybrid(fitted, features)
    rocch.save(model, tmp_path / "good")
    again = rocch.load(tmp_path / "good")
    np.testing.assert_array_equal(again.predict(features), model.predict(features))
    forge()
    digest = rocch.save(model, tmp_path / "forged")
    with pytest.raises(rocch.InputError, match=rf"'mine' must be a model as it .*{what}"):
        rocch.load(tmp_path / "forged")
    rocch.load(tmp_path / "forged", digest=digest)  # whoever has the digest wrote it


@pytest.mark.parametrize("count", [8, 10**6, 10**15, 0, -1])
def test_a_tree_with_other_nodes_than_it_claims(count: int, tmp_path: Path) -> None:
    fitted = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, Y)
    assert fitted.tree_.node_count == 7

    def claim(files: dict[str, bytes]) -> None:
        before, found, after = files["schema.json"].decode().partition('"node_count": {')
        assert found
        after = after.replace('"content": "7"', f'"content": "{count}"', 1)
        after = re.sub(r'"__id__": \d+', '"__id__": 1', after, count=1)  # it is another number
        files["schema.json"] = (before + found + after).encode()

    model = "models/0.skops"
    path = saved(fitted, tmp_path / "m")
    repacked(path, lambda files: files.update({model: skops_file(files[model], claim)}))
    if count > 0:  # scikit-learn counts what is there
        np.testing.assert_array_equal(rocch.load(path).predict(X), hybrid(fitted).predict(X))
        return
    with pytest.raises(rocch.InputError, match=r"damaged or forged data \(a tree cannot"):
        rocch.load(path)


@given(data=st.data())
def test_a_tree_that_is_accepted_can_be_followed(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
    model, nodes = hybrid(fitted), fitted.tree_.node_count
    number = st.integers(-3, nodes + 2)
    for field in data.draw(st.sets(st.sampled_from(["left_child", "right_child", "feature"]))):
        forged = {field: (data.draw(st.integers(0, nodes - 1)), data.draw(number))}
        fitted.tree_ = tree_with(fitted.tree_, **forged)
    path = tmp_path_factory.mktemp("forged") / "model"
    rocch.save(model, path)
    try:
        loaded = rocch.load(path)
    except rocch.InputError:
        return
    assert set(loaded.predict(X)) <= {0, 1}


def test_boosters_of_others_need_a_digest_or_trust(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    boosted = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1)
    frame = pd.DataFrame(X, columns=list("abc"))
    model = hybrid(boosted.fit(frame, Y), frame)
    digest = rocch.save(model, tmp_path / "m")
    booster = "lightgbm.basic.Booster"
    with pytest.raises(rocch.InputError, match=rf"'mine' holds memory.*\['{booster}'\]"):
        rocch.load(tmp_path / "m")
    for options in ({"digest": digest}, {"trusted": [booster]}):
        again: Any = rocch.load(tmp_path / "m", **options)
        np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


# --- files that would fill the memory, or make a reader fail

BOMB = 300 * 2**20
"""What a bomb unpacks to, in bytes."""


def header() -> bytes:
    head = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (BOMB // 8,)}
    np.lib.format.write_array_header_1_0(head, shape)
    return head.getvalue()


def bomb(*, lying: bool) -> bytes:
    """Return a zip file with a part that is small as long as it is packed."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("bomb.npy", "w") as part,
    ):
        part.write(header())
        for _ in range(BOMB // 2**20):
            part.write(bytes(2**20))
    size = (BOMB + len(header())).to_bytes(4, "little")  # it stands in two places
    return content.getvalue().replace(size, size if not lying else (1000).to_bytes(4, "little"))


def with_bomb(model: bytes, *, lying: bool, nested: bool) -> bytes:
    """Return a model's file in which the first array is a bomb, or a file with one."""
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    first = next(name for name in files if name.endswith(".npy"))
    if nested:
        return skops_file(model, lambda parts: parts.update({first: bomb(lying=lying)}))
    files["schema.json"] = files["schema.json"].replace(first.encode(), b"bomb.npy")
    content = io.BytesIO(bomb(lying=lying))
    with zipfile.ZipFile(content, "a") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("lying", [False, True])
def test_a_small_file_stays_small(tmp_path: Path, lying: bool, nested: bool) -> None:
    path = saved(GaussianNB().fit(X, Y), tmp_path / "m")

    def change(files: dict[str, bytes]) -> None:
        model = "models/0.skops"
        files[model] = with_bomb(files[model], lying=lying, nested=nested)

    repacked(path, change)
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    try:
        with pytest.raises(
            rocch.InputError, match=r"'mine' must (unpack to at most 20|be a model as)"
        ):
            rocch.load(path)
        assert tracemalloc.get_traced_memory()[1] < BOMB / 3
    finally:
        tracemalloc.stop()


def test_packed_sparse_matrices_are_read(tmp_path: Path) -> None:
    rows = sparse.csr_matrix(np.maximum(X, 0))
    for fitted in (KNeighborsClassifier(3).fit(rows, Y), SVC().fit(rows, Y)):
        model = hybrid(fitted, rows)
        rocch.save(model, tmp_path / "m")
        again = rocch.load(tmp_path / "m")
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


def test_a_part_that_is_read_often_counts_often(tmp_path: Path) -> None:
    path = saved(GaussianNB().fit(X, Y), tmp_path / "m")
    array = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode"}
    array |= {"type": "numpy", "file": "large.npy"}

    def change(files: dict[str, bytes]) -> None:
        large = io.BytesIO()
        np.save(large, np.zeros(10**5))
        described = json.loads(files["schema.json"])
        head = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
        described["content"]["content"]["more"] = {**head, "content": [array] * 1000}
        files |= {"large.npy": large.getvalue(), "schema.json": json.dumps(described).encode()}

    model = "models/0.skops"
    packed = zipfile.ZIP_DEFLATED
    repacked(path, lambda files: files.update({model: skops_file(files[model], change, packed)}))
    with pytest.raises(rocch.InputError, match="'mine' must unpack to at most 20 times its size"):
        rocch.load(path)


@pytest.mark.parametrize("scoring", ["roc_auc", None])
def test_boosting_that_a_scorer_stopped_is_saved(scoring: str | None, tmp_path: Path) -> None:
    fitted = HistGradientBoostingClassifier(early_stopping=True, scoring=scoring, max_iter=3)
    model = hybrid(fitted.fit(X, Y))
    before = dict(vars(fitted))
    rocch.save(model, tmp_path / "m")
    assert vars(fitted) == before
    again = rocch.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("known_before", [False, True])
def test_nodes_that_are_no_row_are_refused_before_a_tree_is_built(
    tmp_path: Path, known_before: bool
) -> None:
    path = saved(DecisionTreeClassifier(max_depth=2).fit(X, Y), tmp_path / "m")

    def change(files: dict[str, bytes]) -> None:
        single = io.BytesIO()
        np.save(single, np.array(1))
        files["single.npy"] = single.getvalue()
        described = json.loads(files["schema.json"])
        content = described["content"]["content"]["estimator"]["content"]
        nodes = content["content"]["tree_"]["content"]["content"]["nodes"]
        wrong = nodes | {"file": "single.npy"}
        if known_before:  # by the number of another object, which is built first
            content["content"]["criterion"] = wrong
        else:
            nodes["file"] = "single.npy"
        files["schema.json"] = json.dumps(described).encode()

    model = "models/0.skops"
    repacked(path, lambda files: files.update({model: skops_file(files[model], change)}))
    if known_before:
        assert set(rocch.load(path).predict(X)) <= {0, 1}
        return
    with pytest.raises(rocch.InputError, match=r"damaged or forged data \(a tree's nodes"):
        rocch.load(path)


@pytest.mark.parametrize(
    ("mark", "place", "change"),
    [
        (b"PK\x05\x06", 16, (2**32 - 2).to_bytes(4, "little")),
        (b"PK\x01\x02", 8, (0x800).to_bytes(2, "little") + bytes(36) + b"\xff"),
    ],
)
def test_a_damaged_list_of_parts(tmp_path: Path, mark: bytes, place: int, change: bytes) -> None:
    path = saved(GaussianNB().fit(X, Y), tmp_path / "m")
    content = bytearray(path.read_bytes())
    at = content.rfind(mark) + place
    content[at : at + len(change)] = change
    path.write_bytes(content)
    with pytest.raises(rocch.InputError, match="path must name a file as rocch"):
        rocch.load(path)


def npy(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def first_array(content: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        files[next(name for name in files if name.endswith(".npy"))] = content

    return change


def schema(text: str) -> Callable[[dict[str, bytes]], None]:
    return lambda files: files.update({"schema.json": text.encode()})


def doubled(times: int) -> str:
    """Return lists of lists, each of which holds the one within it twice."""
    head = '"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"'
    text = f'{{{head}, "content": [], "__id__": 1}}'
    for number in range(1, times):
        again = f'{{{head}, "content": [], "__id__": {number}}}'
        text = f'{{{head}, "content": [{text}, {again}], "__id__": {number + 1}}}'
    return f'{{"protocol": 2, {text[1:]}'


DEEP = 100_000
NUMBERS = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,)}\n"
UNFINISHED = "{'descr': ('''\n"


@pytest.mark.parametrize(
    "change",
    [
        first_array(npy(NUMBERS % 10**14)),
        first_array(npy(NUMBERS % 10**10)),
        first_array(npy(NUMBERS % 3)),
        first_array(npy(NUMBERS % -1)),
        first_array(npy("{'descr': '<U0', 'fortran_order': False, 'shape': (10000000000,)}\n")),
        first_array(npy(UNFINISHED)),
        first_array(npy("(" * 9000)),
        first_array(b"PK"),
        schema("[" * DEEP + "]" * DEEP),
        schema(doubled(60)),
        schema("[]"),
        schema("null"),
        schema("{}"),
        schema('{"protocol": 2, "__loader__": "ListNode", "__class__": 3, "__module__": {}}'),
        schema('{"protocol": 2, "__loader__": {}, "__class__": "a", "__module__": "b"}'),
    ],
)
def test_parts_that_make_no_model_are_refused(
    tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    path = saved(GaussianNB().fit(X, Y), tmp_path / "m")
    model = "models/0.skops"
    repacked(path, lambda files: files.update({model: skops_file(files[model], change)}))
    with pytest.raises(rocch.InputError, match=r"'mine' must be .*; got damaged or forged"):
        rocch.load(path)


def long_labels(files: dict[str, bytes]) -> None:
    classes = {"dtype": "<U500000000", "labels": ["a", "b"]}
    manifest = json.loads(files["manifest.json"]) | {"classes": classes}
    files["manifest.json"] = json.dumps(manifest).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda files: files.update({"manifest.json": b"[" * DEEP + b"]" * DEEP}),
        first_array(npy(NUMBERS % 10**14)),
        first_array(npy(UNFINISHED)),
        long_labels,
    ],
)
def test_data_that_make_no_hybrid_are_refused(
    tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    path = repacked(saved(GaussianNB().fit(X, Y), tmp_path / "m"), change)
    with pytest.raises(rocch.InputError, match="path must name a file as rocch"):
        rocch.load(path)


def test_parts_that_lie_in_one_place_are_refused(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a", bytes(10**5))
        first = archive.filelist[0]
        for number in range(500):
            again = zipfile.ZipInfo(f"a{number}")
            for field in ("CRC", "compress_size", "file_size", "header_offset"):
                setattr(again, field, getattr(first, field))
            archive.filelist.append(again)
    (tmp_path / "m").write_bytes(content.getvalue())
    with pytest.raises(rocch.InputError, match="path must name a file as rocch"):
        rocch.load(tmp_path / "m")

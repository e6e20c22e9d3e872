"""Saving and loading: exact, and refusing whatever is not as it was saved."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.errors import ModelVersionWarning
from tests.support.columns import ColumnScores

if TYPE_CHECKING:
    from pathlib import Path


KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
MODELS = {
    "lr": make_pipeline(StandardScaler(), LogisticRegression()),
    "nb": GaussianNB(),
    "ridge": RidgeClassifier(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra": ExtraTreesClassifier(5, random_state=0),
    "boost": GradientBoostingClassifier(n_estimators=5, random_state=0),
    "hist": HistGradientBoostingClassifier(max_iter=5, random_state=0),
    "ada": AdaBoostClassifier(n_estimators=5, random_state=0),
    "knn": KNeighborsClassifier(),
    "svc": SVC(),
    "calibrated": CalibratedClassifierCV(LinearSVC(), cv=2),
    "mlp": MLPClassifier((3,), solver="lbfgs", max_iter=2000, random_state=0),
}


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    X, y = make_classification(240, 5, flip_y=0.1, random_state=2)
    return X, y


@pytest.fixture
def saved(data: tuple[Any, Any], tmp_path: Path) -> tuple[Any, Path, str]:
    models = [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    model = rocch.RocchClassifier(models, cv=3, criterion=KNOWN).fit(*data)
    path = tmp_path / "model.rocch"
    return model, path, rocch.save(model, path)


def same(a: Any, b: Any, X: Any) -> None:
    for aim in (KNOWN, rocch.ErrorRate(), rocch.NeymanPearson(0.03), rocch.MinimumTpr(0.9)):
        for randomize in (False, True):
            one = a.at(aim, randomize=randomize)
            other = b.at(aim, randomize=randomize)
            assert one.point == other.point
            np.testing.assert_array_equal(one.predict(X), other.predict(X))
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_array_equal(a.select(X, 17).rows, b.select(X, 17).rows)


@pytest.mark.parametrize("name", MODELS)
def test_models_of_all_kinds(name: str, data: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = data
    path = tmp_path / "model.rocch"
    model = rocch.RocchClassifier([(name, MODELS[name])], cv=2).fit(X, y)
    rocch.save(model, path)
    again = rocch.load(path)
    assert again.hull_ == model.hull_
    same(model, again, X)


def test_gradient_boosting_of_another_maker(data: tuple[Any, Any], tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    X, y = data
    boosted = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1)
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = rocch.RocchClassifier([("light", boosted)], cv=2).fit(frame, y)
    digest = rocch.save(model, tmp_path / "m")
    same(model, rocch.load(tmp_path / "m", digest=digest), frame)


@pytest.mark.parametrize(
    "question",
    [
        rocch.Question(
            prevalence=0.2,
            false_positive=5,
            false_negative=110,
            currency="EUR",
            cases_per_month=2e5,
        ),
        rocch.Question(prevalence=(0.1, 0.3), false_positive=(3, 8), false_negative=(80, 150)),
        rocch.Question(cost_ratio=(3, 20), likely=5, max_fpr=0.2),
        rocch.Question(max_fpr=0.1, randomize=True),
    ],
)
def test_views_of_questions(
    saved: tuple[Any, Path, str], data: tuple[Any, Any], tmp_path: Path, question: rocch.Question
) -> None:
    X, _ = data
    view = saved[0].at(question)
    rocch.save(view, tmp_path / "view.rocch")
    again: Any = rocch.load(tmp_path / "view.rocch")
    assert again.criterion == question
    assert again.point == view.point
    np.testing.assert_array_equal(again.predict(X), view.predict(X))


def test_everything_else_comes_back_too(data: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d", "é"])
    words = np.where(y == 1, "bad", "good")
    vague = rocch.Conditions(prevalence=(0.2, 0.6), false_positive=1, false_negative=(1, 9))
    model = rocch.RocchClassifier(
        [("nb", GaussianNB()), ("ridge", RidgeClassifier()), ("knn", KNeighborsClassifier(1))],
        cv=StratifiedKFold(3, shuffle=True, random_state=5),
        pos_label="bad",
        criterion=rocch.Constrained(KNOWN, rocch.NeymanPearson(0.4)),
        check_size=0.2,
        row_costs={"nb": 1, "ridge": 2, "knn": 3.5},
        random_state=np.random.RandomState(0),
    ).fit(frame, words)
    rocch.save(model, tmp_path / "m")
    again = rocch.load(tmp_path / "m")
    assert isinstance(again, rocch.RocchClassifier)
    assert again.kept_ == model.kept_
    assert again.discarded_ == model.discarded_
    assert again.fold_rates_ == model.fold_rates_
    assert again.check_ == model.check_
    assert again.criterion == model.criterion
    assert again.hull_.sensitivity(vague) == model.hull_.sensitivity(vague)
    assert list(again.feature_names_in_) == list(frame.columns)
    assert again.classes_.tolist() == ["bad", "good"]
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert again.default_.rule == model.default_.rule
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame.rename(columns={"a": "z"}))
    fresh = clone(again).fit(frame, words)  # the settings are whole: it can be fitted again
    assert fresh.cv.random_state == 5
    assert [name for name, _ in fresh.estimators] == list(model.kept_)  # the rest is forgotten
    assert set(fresh.row_costs) == set(model.kept_)


@pytest.mark.parametrize(
    "options", [{"refit": False}, {"cv": 0.4, "refit": False, "random_state": 0}]
)
def test_fold_models(data: tuple[Any, Any], tmp_path: Path, options: Any) -> None:
    model = rocch.RocchClassifier([("nb", GaussianNB()), ("svc", LinearSVC())], **options)
    model.fit(*data)
    rocch.save(model, tmp_path / "m")
    same(model, rocch.load(tmp_path / "m"), data[0])


def test_restricted_and_weighted_hulls(data: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = data
    vague = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(2, 9))
    weights = np.random.default_rng(0).random(y.size) + 0.1
    model = rocch.RocchClassifier([("nb", GaussianNB())], within=vague)
    model.fit(X, y, hull_weight=weights)
    rocch.save(model, tmp_path / "m")
    again = rocch.load(tmp_path / "m")
    assert isinstance(again, rocch.RocchClassifier)
    assert again.hull_ == model.hull_
    assert again.hull_.slope_bounds == model.hull_.slope_bounds
    assert again.default_.point == model.default_.point
    with pytest.raises(rocch.InputError, match="restricted"):
        again.at(rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=1000))


@pytest.mark.parametrize(
    "aim",
    [
        KNOWN,
        rocch.NeymanPearson(0.123),
        rocch.Capacity(10, positives=20, negatives=30),
        rocch.PredictedPositiveLimit(0.2, prevalence=0.3),
        rocch.PredictedPositiveLimit(0.2, prevalence="observed"),
        rocch.MinimumPrecision(0.7),
        rocch.CostLimit(0.9, KNOWN),
        rocch.Constrained(KNOWN, rocch.MinimumPrecision(0.6, prevalence=0.3)),
        rocch.Maximize("f1", prevalence=0.2),
        rocch.Constrained(KNOWN, rocch.roc.LinearLimit(tpr=1, fpr=2, at_most=0.7)),
        rocch.MinimaxRegret(
            rocch.Conditions(prevalence=(0.2, 0.4), false_positive=1, false_negative=(1, 7))
        ),
        rocch.ExpectedCost(KNOWN),
        rocch.ErrorRate(0.1),
        rocch.roc.Knob(0.4),
    ],
)
def test_an_aimed_view(saved: tuple[Any, Path, str], data: Any, aim: Any, tmp_path: Path) -> None:
    view = saved[0].at(aim, randomize=True, seed=3)
    rocch.save(view, tmp_path / "view")
    again = rocch.load(tmp_path / "view")
    assert isinstance(again, rocch.hybrid.AimedClassifier)
    assert again.criterion == aim
    assert again.rule == view.rule
    assert again.point == view.point
    np.testing.assert_array_equal(again.predict(data[0]), view.predict(data[0]))
    by_point = saved[0].at(view.point)
    rocch.save(by_point, tmp_path / "point")
    assert rocch.load(tmp_path / "point").point == view.point


def test_a_view_by_groups(saved: tuple[Any, Path, str], data: Any, tmp_path: Path) -> None:
    model = saved[0]
    view = model.at_each({"n": KNOWN, 3: rocch.NeymanPearson(0.02)}, randomize=True, seed=2)
    groups = np.array(["n", 3], dtype=object)[np.arange(240) % 2]
    rocch.save(view, tmp_path / "view")
    again: Any = rocch.load(tmp_path / "view")
    assert again.points == view.points
    np.testing.assert_array_equal(
        again.predict(data[0], groups=groups), view.predict(data[0], groups=groups)
    )
    rows = rocch.roc.RowConditions(prevalence=0.5, false_positive=1, false_negative=[1, 2])
    with pytest.raises(rocch.InputError, match="Views of certain rows"):
        rocch.save(model.at_rows(rows), tmp_path / "rows")


def test_votes_and_rules_of_the_package_itself(data: Any, tmp_path: Path) -> None:
    X, y = data
    stumps = [(f"s{i}", DecisionTreeClassifier(max_depth=1, random_state=i)) for i in range(3)]
    model = rocch.RocchClassifier([("votes", rocch.hybrid.VoteClassifier(stumps))], cv=2).fit(X, y)
    rocch.save(model, tmp_path / "m")
    same(model, rocch.load(tmp_path / "m"), X)
    by_hand = rocch.hybrid.RuleClassifier(lambda X: X[:, 0] > 0)
    model = rocch.RocchClassifier([("rule", by_hand)], cv=2).fit(X, y)
    if model.kept_:
        with pytest.raises(rocch.InputError, match="written in place"):
            rocch.save(model, tmp_path / "m", trusted=["test_saving.<lambda>"])


def test_a_discarded_model_of_ones_own_does_not_stand_in_the_way(data: Any, tmp_path: Path) -> None:
    X, y = data
    mine = FrozenEstimator(ColumnScores(1).fit(np.zeros((240, 5)), y))
    models = [("nb", FrozenEstimator(GaussianNB().fit(X, y))), ("mine", mine)]
    model = rocch.RocchClassifier(models).fit(np.hstack([X[:, :1], 0 * X[:, 1:]]), y)
    assert "mine" in model.discarded_
    rocch.save(model, tmp_path / "m")


@pytest.mark.parametrize(
    "change",
    [
        {"column": 7},
        {"hull": {}},
        {"classes": {"dtype": "<i8", "labels": [0, 1, 2]}},
        {"models": {"nb": "models/9.skops"}},
        {"components": {"nb": {"method": "__class__", "column": 1}}},
        {"params": None},
        {"fold_rates": [[1]]},
        {"libraries": None},
        {"libraries": {"numpy": 3}},
        {"components": {}},
        {"n_features_in": "six"},
    ],
)
def test_data_that_make_no_model(saved: tuple[Any, Path, str], change: Any) -> None:
    _, path, _ = saved
    manifest = {**manifest_of(path), **change}
    rewritten(path, {"manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(rocch.InputError, match="data that make no model"):
        rocch.load(path)


def test_the_digest_is_that_of_the_file(saved: tuple[Any, Path, str]) -> None:
    import hashlib

    _, path, digest = saved
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(rocch.InputError, match="another file than the one whose digest"):
        rocch.load(path, digest=digest)


def test_a_truncated_file(saved: tuple[Any, Path, str]) -> None:
    _, path, _ = saved
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(rocch.InputError, match="path must name a file as rocch"):
            rocch.load(path)


def test_no_flipped_byte_goes_unnoticed(saved: tuple[Any, Path, str]) -> None:
    _, path, digest = saved
    whole = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(whole), 150):
        altered = bytearray(whole)
        altered[place] ^= 1 << rng.integers(0, 8)
        path.write_bytes(altered)
        with pytest.raises(rocch.InputError):
            rocch.load(path, digest=digest)
        try:
            loaded = rocch.load(path)
        except rocch.InputError:
            continue
        assert loaded.hull_ == saved[0].hull_  # a byte of the zip's own notes, not of any part


def rewritten(path: Path, changes: dict[str, Any], *, sums: bool = True) -> None:
    """Rewrite parts of a saved file, with right digests or with the old ones."""
    from rocch.hybrid.model_files import pack

    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    old = files.pop("digests.json")
    files |= {name: data for name, data in changes.items() if data is not None}
    files = {name: data for name, data in files.items() if changes.get(name, b"") is not None}
    path.write_bytes(pack(files))
    if not sums:
        with zipfile.ZipFile(path, "w") as archive:
            for name, part in {**files, "digests.json": old}.items():
                archive.writestr(name, part)


def manifest_of(path: Path) -> Any:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))


def test_altered_parts(saved: tuple[Any, Path, str]) -> None:
    _, path, digest = saved
    manifest = manifest_of(path)
    manifest["column"] = 0
    changed = json.dumps(manifest).encode()
    rewritten(path, {"manifest.json": changed}, sums=False)
    with pytest.raises(rocch.InputError, match=r"altered parts: 'manifest\.json'"):
        rocch.load(path)
    rewritten(path, {"extra.txt": b"x"}, sums=False)
    with pytest.raises(rocch.InputError, match="parts that were added or removed"):
        rocch.load(path)
    rewritten(path, {"manifest.json": changed, "extra.txt": None})  # forged, with right digests
    with pytest.raises(rocch.InputError, match="another file than the one whose digest was given"):
        rocch.load(path, digest=digest)


def test_a_newer_format_and_other_files(saved: tuple[Any, Path, str], tmp_path: Path) -> None:
    _, path, _ = saved
    manifest = manifest_of(path)
    newer = json.dumps({**manifest, "version": 2, "rocch": "9.9"}).encode()
    rewritten(path, {"manifest.json": newer})
    with pytest.raises(rocch.InputError, match=r"got format 2, written by rocch 9\.9"):
        rocch.load(path)
    rewritten(path, {"manifest.json": json.dumps({"format": "other"}).encode()})
    with pytest.raises(rocch.InputError, match="a file of another kind"):
        rocch.load(path)
    unversioned = {name: value for name, value in manifest.items() if name != "version"}
    rewritten(path, {"manifest.json": json.dumps(unversioned).encode()})
    with pytest.raises(rocch.InputError, match="got format None"):
        rocch.load(path)
    rewritten(path, {"manifest.json": None})
    with pytest.raises(rocch.InputError, match="a file of another kind"):
        rocch.load(path)
    rewritten(path, {"manifest.json": b"{"})
    with pytest.raises(rocch.InputError, match="unreadable data"):
        rocch.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(rocch.InputError, match="a zip file of another kind"):
        rocch.load(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("digests.json", "{}")
    with pytest.raises(rocch.InputError, match="parts packed in another way"):
        rocch.load(path)
    with pytest.raises(rocch.InputError, match=r"name a file that can be read; .*\(No such file"):
        rocch.load(tmp_path / "nowhere")


def test_unlisted_types_are_refused_before_anything_is_built(
    saved: tuple[Any, Path, str], data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import skops.io

    _, path, _ = saved
    evil = skops.io.dumps(ColumnScores().fit(*data))
    rewritten(path, {"models/1.skops": evil})
    built: list[Any] = []
    monkeypatch.setattr(skops.io, "loads", lambda *a, **_: built.append(a))
    with pytest.raises(rocch.InputError, match=r"not on the allow-list.*columns\.ColumnScores"):
        rocch.load(path)
    assert not built


def test_a_damaged_model_file_with_right_digests(saved: tuple[Any, Path, str]) -> None:
    _, path, _ = saved
    rewritten(path, {"models/0.skops": b"no zip"})
    with pytest.raises(rocch.InputError, match="'nb' must be a model as it was saved"):
        rocch.load(path)


def test_types_of_ones_own(data: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = data
    frozen = FrozenEstimator(ColumnScores(0).fit(X, y))
    model = rocch.RocchClassifier([("mine", frozen)]).fit(X, y)
    path = tmp_path / "m"
    with pytest.raises(
        rocch.InputError, match=r"trusted=\['tests\.support\.columns\.ColumnScores'\]"
    ):
        rocch.save(model, path)
    assert not path.exists()
    rocch.save(model, path, trusted=["tests.support.columns.ColumnScores"])
    with pytest.raises(rocch.InputError, match="not on the allow-list"):
        rocch.load(path)
    same(model, rocch.load(path, trusted=["tests.support.columns.ColumnScores"]), X)


def test_what_cannot_be_saved(data: tuple[Any, Any], tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    path = tmp_path / "m"
    own = rocch.Maximize(lambda fpr, tpr: tpr - fpr)
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=2, criterion=own).fit(*data)
    with pytest.raises(rocch.InputError, match="settings that can be saved as plain data"):
        rocch.save(model, path)
    splits = ((a, b) for a, b in [(np.arange(120), np.arange(120, 240))])
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=splits).fit(*data)
    with pytest.raises(rocch.InputError, match="'the settings' must have a form that can be saved"):
        rocch.save(model, path)
    with pytest.raises(NotFittedError):
        rocch.save(rocch.RocchClassifier([("nb", GaussianNB())]), path)
    with pytest.raises(rocch.InputError, match="model must be a fitted RocchClassifier"):
        rocch.save(GaussianNB(), path)


def test_columns_selected_by_a_pandas_index(data: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = pd.DataFrame(data[0], columns=list("abcde")), data[1]
    scale = ColumnTransformer([("scale", StandardScaler(), X.select_dtypes("number").columns[:3])])
    pipeline = make_pipeline(scale, LogisticRegression())
    model = rocch.RocchClassifier([("lr", pipeline)], cv=2).fit(X, y)
    rocch.save(model, tmp_path / "m")
    same(model, rocch.load(tmp_path / "m"), X)
    assert isinstance(scale.transformers[0][2], pd.Index)  # the user's own model stays as it was


def test_the_part_that_cannot_be_saved_is_named(data: tuple[Any, Any], tmp_path: Path) -> None:
    pipeline = make_pipeline(FunctionTransformer(kw_args=None), GaussianNB())
    model = rocch.RocchClassifier([("nb", FrozenEstimator(pipeline.fit(*data)))]).fit(*data)
    pipeline[0].kw_args = {"log": [1, (i for i in range(3))]}
    with pytest.raises(rocch.InputError, match=r"got a builtins\.generator within it"):
        rocch.save(model, tmp_path / "m")


def test_other_library_versions_are_told(saved: tuple[Any, Path, str]) -> None:
    _, path, _ = saved
    manifest = manifest_of(path)
    manifest["libraries"]["scikit-learn"] = "0.24.2"
    rewritten(path, {"manifest.json": json.dumps(manifest).encode()})
    with pytest.warns(ModelVersionWarning, match=r"saved with scikit-learn 0\.24\.2 \(now "):
        rocch.load(path)
    assert {"numpy", "scipy", "scikit-learn", "skops"} <= set(manifest["libraries"])


def test_nothing_of_single_rows_is_in_the_file(saved: tuple[Any, Path, str]) -> None:
    _, path, _ = saved
    with zipfile.ZipFile(path) as archive:
        arrays = [n for n in archive.namelist() if n.startswith("arrays/")]
        for name in arrays:
            array = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            assert (np.diff(array) >= 0).all() or (np.diff(array) <= 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(rocch.load(path), "out_of_fold_")


def test_without_the_extra(
    saved: tuple[Any, Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(rocch.MissingExtraError, match=r"rocch\[save\]"):
        rocch.save(saved[0], tmp_path / "m")


@pytest.mark.parametrize("trusted", ["mine.Mine", [int]])
def test_trusted_types_are_a_list_of_names(tmp_path: Path, trusted: Any) -> None:
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(
        *make_classification(80, random_state=0)
    )
    path = tmp_path / "m"
    rocch.save(model, path)
    with pytest.raises(rocch.InputError, match="trusted must be a list of names of types"):
        rocch.save(model, path, trusted=trusted)
    with pytest.raises(rocch.InputError, match="trusted must be a list of names of types"):
        rocch.load(path, trusted=trusted)


def test_a_digest_that_is_no_text_is_another_one(tmp_path: Path) -> None:
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(
        *make_classification(80, random_state=0)
    )
    rocch.save(model, tmp_path / "m")
    with pytest.raises(rocch.InputError, match="another file than the one whose digest"):
        rocch.load(tmp_path / "m", digest=5)  # type: ignore[arg-type]

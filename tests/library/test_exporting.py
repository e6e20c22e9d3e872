"""A library's hybrid decides as a hybrid fitted on the same rows would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch import Conditions, InputError, NeymanPearson, RocCurve
from rocch.hybrid.rule import ColumnBatch
from rocch.library import ClassifierLibrary
from rocch.library.export import _check_stack
from tests.support.places import files_of

if TYPE_CHECKING:
    from tests.support.places import Places

X, Y = load_breast_cancer(return_X_y=True)
TRAIN, TEST = slice(None, 300), slice(300, None)
MODELS: dict[str, Any] = {
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    "forest": RandomForestClassifier(n_estimators=5, random_state=0),
    "lr": make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
    "svm": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
}
AIMS: list[Any] = [
    Conditions(prevalence=0.3, false_positive=1, false_negative=1),
    Conditions(prevalence=0.05, false_positive=1, false_negative=30),
    NeymanPearson(0.03),
    rocch.roc.Knob(0.4),
]


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    return {name: model.fit(X[TRAIN], Y[TRAIN]) for name, model in MODELS.items()}


@pytest.fixture
def library(places: Places) -> ClassifierLibrary:
    return places.create()


def scores_of(model: Any) -> Any:
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X[TEST])[:, 1]
    return model.decision_function(X[TEST])


def test_a_hybrid_of_models(
    library: ClassifierLibrary, fitted: dict[str, Any], tmp_path: Path
) -> None:
    for name, model in fitted.items():
        library.add_model(name, model, X[TEST], Y[TEST], row_ids=np.arange(300, 569))
    done = library.export(tmp_path / "hybrid.rocch", note="first")
    assert (done.version, done.note) == (1, "first")
    assert done == library.current_export
    assert Path(done.path).read_bytes() == (tmp_path / "hybrid.rocch").read_bytes()
    hybrid: Any = rocch.load(done.path, digest=done.sha256)
    assert set(hybrid.kept_) == set(done.classifiers) <= library.hull.winners
    for aim in AIMS:
        view = hybrid.at(aim)
        point = library.best(aim) if not isinstance(aim, rocch.roc.Knob) else aim.on(library.hull)
        assert (view.point.fpr, view.point.tpr) == (point.fpr, point.tpr)
        alarms = view.predict(X[TEST]) == 1
        assert alarms[Y[TEST] == 0].mean() == pytest.approx(point.fpr)
        assert alarms[Y[TEST] == 1].mean() == pytest.approx(point.tpr)
    assert hybrid.estimate_prevalence(X[TEST]).prevalence == pytest.approx(Y[TEST].mean(), abs=0.02)
    assert library.verify().sound


def test_a_hybrid_of_scores(library: ClassifierLibrary, fitted: dict[str, Any]) -> None:
    columns = {name: scores_of(model) for name, model in fitted.items()}
    library.add_scores(Y[TEST], columns)
    rule = RocCurve.from_labels(Y[TEST], X[TEST][:, 0] < 13, name="rule")
    library.add(rule)
    hybrid: Any = rocch.load(library.export().path)
    frame = pd.DataFrame({**columns, "rule": (X[TEST][:, 0] < 13).astype(int)})
    for aim in AIMS:
        view = hybrid.at(aim)
        alarms = view.predict(frame[list(hybrid.feature_names_in_)]) == 1
        assert alarms[Y[TEST] == 1].mean() == pytest.approx(view.point.tpr)
        assert alarms[Y[TEST] == 0].mean() == pytest.approx(view.point.fpr)


def test_models_can_be_exported_as_columns_too(
    library: ClassifierLibrary, fitted: dict[str, Any]
) -> None:
    library.add_model("tree", fitted["tree"], X[TEST], Y[TEST])
    one = GaussianNB().fit(X[TRAIN][:, :1], Y[TRAIN])
    library.add_scores(Y[TEST], {"one": one.predict_proba(X[TEST][:, :1])[:, 1]})
    with pytest.raises(InputError, match=r"models must be in the library .* got none for 'one'"):
        library.export()
    assert library.current_export is None
    hybrid: Any = rocch.load(library.export(scores=True).path)
    assert set(hybrid.feature_names_in_) == set(hybrid.kept_)


def test_several_settings_become_columns(library: ClassifierLibrary) -> None:
    y = [0, 0, 0, 1, 1, 1]
    rules = {"strict": [0, 0, 0, 1, 0, 0], "lax": [0, 0, 1, 1, 1, 1]}
    library.add(RocCurve.from_labels(y, rules, name="rules"))
    hybrid: Any = rocch.load(library.export().path)
    assert set(hybrid.kept_) == {"rules at strict", "rules at lax"}
    frame = pd.DataFrame({f"rules at {name}": labels for name, labels in rules.items()})
    view = hybrid.at(NeymanPearson(0.1))
    assert view.predict(frame[list(hybrid.feature_names_in_)]).tolist() == rules["strict"]


def test_text_labels_and_the_other_class(library: ClassifierLibrary) -> None:
    names = np.array(["malignant", "benign"])[Y]
    model = GaussianNB().fit(X[TRAIN], names[TRAIN])
    library.add_model("nb", model, X[TEST], names[TEST], pos_label="malignant")
    hybrid: Any = rocch.load(library.export().path)
    assert hybrid.hybrid_.positive == "malignant"
    view = hybrid.at(NeymanPearson(0.05))
    alarms = view.predict(X[TEST]) == "malignant"
    assert alarms[names[TEST] == "malignant"].mean() == pytest.approx(view.point.tpr)


def test_within_bounds_and_on_different_rows(places: Places, fitted: dict[str, Any]) -> None:
    bounds = Conditions(prevalence=0.4, false_positive=(1, 2), false_negative=1)
    library = places.create("bounded", within=bounds)
    for name, model in fitted.items():
        library.add_model(name, model, X[TEST], Y[TEST])
    hybrid: Any = rocch.load(library.export().path)
    inside = Conditions(prevalence=0.4, false_positive=1.5, false_negative=1)
    assert hybrid.at(inside).point.fpr == library.best(inside).fpr
    with pytest.raises(InputError, match="restricted to slopes"):
        hybrid.at(AIMS[1])
    mixed = places.create("mixed")
    mixed.add_model("nb", fitted["nb"], X[TEST], Y[TEST])
    mixed.add_model("forest", fitted["forest"], X[250:], Y[250:], allow_different_rows=True)
    again: Any = rocch.load(mixed.export().path)
    assert again.at(inside).point.tpr == mixed.best(inside).tpr
    assert again.predict(X[TEST]).shape == (269,)


def test_what_cannot_be_exported(library: ClassifierLibrary, fitted: dict[str, Any]) -> None:
    library.add_model("tree", fitted["tree"], X[TEST], Y[TEST])
    narrow = GaussianNB().fit(X[TRAIN][:, :1], Y[TRAIN])
    library.add_model("narrow", narrow, X[TEST][:, :1], Y[TEST])
    assert {"tree", "narrow"} <= library.hull.winners
    with pytest.raises(InputError, match="same features"):
        library.export()
    library.prune("tree", "narrow")
    with pytest.raises(InputError, match="beats a constant prediction"):
        library.export()


def test_a_model_that_is_discarded_is_not_packed(library: ClassifierLibrary) -> None:
    perfect = DecisionTreeClassifier(random_state=0).fit(X[TEST], Y[TEST])
    library.add_model("perfect", perfect, X[TEST], Y[TEST])
    before = files_of(library)

    class Unsavable(GaussianNB):  # type: ignore[misc]  # scikit-learn's classes are untyped
        """Written in place, so nobody could load it."""

    added = library.add_model("odd", Unsavable().fit(X[TRAIN], Y[TRAIN]), X[TEST], Y[TEST])
    assert [one.outcome for one in added.classifiers] == ["discarded"]
    assert files_of(library) == before


def test_a_model_of_an_unlisted_type_is_refused(library: ClassifierLibrary) -> None:
    class Unsavable(GaussianNB):  # type: ignore[misc]  # scikit-learn's classes are untyped
        """Written in place, so nobody could load it."""

    with pytest.raises(InputError, match="not on the allow-list"):
        library.add_model("odd", Unsavable().fit(X[TRAIN], Y[TRAIN]), X[TEST], Y[TEST])
    assert len(library) == 0


def test_exports_are_counted_and_compacted(
    library: ClassifierLibrary, fitted: dict[str, Any]
) -> None:
    library.add_model("nb", fitted["nb"], X[TEST], Y[TEST])
    first = library.export(note="one")
    library.add_model("forest", fitted["forest"], X[TEST], Y[TEST])
    second = library.export(note="two")
    assert [done.version for done in library.exports()] == [1, 2]
    assert library.log()[-1].detail["version"] == 2
    compacted = library.compact()
    assert compacted.exports_dropped == 1
    assert compacted.after < compacted.before
    assert library.exports() == [second]
    assert not Path(first.path).exists()
    assert library.export().version == 3


def test_a_model_may_come_later_and_again(
    library: ClassifierLibrary, fitted: dict[str, Any]
) -> None:
    library.add_scores(Y[TEST], {"nb": scores_of(fitted["nb"])})
    assert not library["nb"].has_model
    for _ in range(2):
        added = library.add_model("nb", fitted["nb"], X[TEST], Y[TEST])
        assert [one.outcome for one in added.classifiers] == ["present"]
        assert library["nb"].has_model
    assert library.verify().sound
    assert len(files_of(library)) == 2


def test_labels_and_features_that_the_model_does_not_know(
    library: ClassifierLibrary, fitted: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match="y must hold labels that the model was fitted on; got 2"):
        library.add_model("nb", fitted["nb"], X[TEST], Y[TEST] + 1)
    with pytest.raises(InputError, match="X must be rows that 'nb' can score; got ValueError"):
        library.add_model("nb", fitted["nb"], X[TEST][:, :3], Y[TEST])


def test_compacting_keeps_the_newest_export_that_can_be_used(
    library: ClassifierLibrary, fitted: dict[str, Any]
) -> None:
    library.add_model("nb", fitted["nb"], X[TEST], Y[TEST])
    exports = [library.export(note=str(i)) for i in range(3)]
    Path(exports[2].path).write_bytes(b"damaged")
    assert library.compact().exports_dropped == 1
    assert [done.version for done in library.exports()] == [2, 3]


def test_a_bounded_export_keeps_its_curves(places: Places, fitted: dict[str, Any]) -> None:
    bounds = Conditions(prevalence=0.4, false_positive=(1, 2), false_negative=1)
    library = places.create("bounded", within=bounds)
    for name, model in fitted.items():
        library.add_model(name, model, X[TEST], Y[TEST])
    hybrid: Any = rocch.load(library.export().path)
    assert hybrid.estimate_prevalence(X[TEST]).prevalence == pytest.approx(Y[TEST].mean(), abs=0.03)


def test_the_rows_behind_an_export_are_those_of_the_classifiers_in_it(
    library: ClassifierLibrary,
) -> None:
    library.add_scores([0, 0, 1, 1], {"first": [1, 3, 2, 4]})
    y = [0] * 6 + [1] * 3
    added = library.add_scores(y, {"perfect": range(9)}, allow_different_rows=True)
    assert added.driven_out == ("first",)
    hybrid: Any = rocch.load(library.export().path)
    assert hybrid.hybrid_.effective_rows == (6, 3)


def test_an_export_knows_how_much_its_rows_weigh(places: Places) -> None:
    library = places.create("weighed")
    weights = [0.5, 1.25, 0.75, 2.5]
    library.add_scores([0, 1, 0, 1], {"nb": [1, 3, 2, 4]}, sample_weight=weights)
    exported = rocch.load(library.export().path)
    assert isinstance(exported, rocch.RocchClassifier)
    assert exported.hybrid_.effective_rows == (1.25, 3.75)


def test_a_stack_is_exported_as_arithmetic_on_score_columns(places: Places) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(1500) < 0.3
    scores = {name: rng.normal(size=1500) + 1.2 * y for name in ("a", "b", "c")}
    library = places.create()
    added = library.add_scores(y, scores, stack=True)
    assert {one.name for one in added.classifiers if one.kept} >= {"stack"}
    stacked = rocch.hybrid.stack_scores(y, scores)
    model: Any = rocch.load(library.export(places.folder / "m").path)
    assert model.stack_ == stacked.stack
    assert set(stacked.weights) <= set(model.kept_)
    known = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=10)
    view = model.at(known)
    new = pd.DataFrame({name: rng.normal(size=300) for name in scores})
    wanted = stacked.stack.log_odds(ColumnBatch(new, scores, (0, 1)))
    np.testing.assert_array_equal(view.predict(new) == 1, wanted >= view.point.threshold)
    np.testing.assert_array_equal(view.rule.decide(new) == 1, wanted >= view.point.threshold)
    curve = rocch.RocCurve.from_scores(y, stacked.scores, name="stack")
    assert view.on_new_rows.expected == pytest.approx(
        known.expected_cost(view.point.fpr, view.point.tpr)
    )
    assert model.at(known, exact=True).point.value <= view.point.value
    assert model.hull_.best(known).value <= rocch.RocHull.of(curve).best(known).value


def test_weights_of_a_stack_in_a_library_are_not_numbers_of_rows(places: Places) -> None:
    """Amounts in cents or in euros: the interval is as wide in relation to the cost."""
    rng = np.random.default_rng(2)
    y = rng.random(800) < 0.3
    scores = {name: rng.normal(size=800) + 1.2 * y for name in ("a", "b")}
    amounts = np.exp(rng.normal(size=800))
    known = Conditions(prevalence=0.1, false_positive=1, false_negative=10)
    found = []
    for place, unit in enumerate((1, 1000)):
        library = places.create(f"lib{place}")
        library.add_scores(y, scores, sample_weight=unit * amounts, stack=True)
        model: Any = rocch.load(library.export().path)
        effective = [
            amounts[y == kind].sum() ** 2 / (amounts[y == kind] ** 2).sum() for kind in (0, 1)
        ]
        assert model.hybrid_.scorer.trials == pytest.approx(effective)
        found.append(model.at(known).on_new_rows)
    assert found[0].interval == pytest.approx(tuple(found[1].interval), rel=0.02)


def test_a_column_called_stack_and_a_stack_are_refused(tmp_path: Path) -> None:
    library = rocch.library.ClassifierLibrary.create(tmp_path / "lib")
    with pytest.raises(rocch.InputError, match="other names than the stack"):
        library.add_scores([0, 1, 0, 1], {"stack": [1, 2, 3, 4], "b": [1, 3, 2, 4]}, stack=True)
    with pytest.raises(rocch.InputError, match="stack must be True or False"):
        library.add_scores([0, 1, 0, 1], {"b": [1, 3, 2, 4]}, stack="yes")  # type: ignore[arg-type]


def test_a_stack_alone_on_the_hull_takes_scores_of_all_its_models(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.4
    features = rng.normal(size=(3000, 3)) + y[:, None]
    library = ClassifierLibrary.create(tmp_path / "lib")
    scores = {"c": features[1500:, 2]}
    for place, name in enumerate("ab"):
        column = ColumnTransformer([("one", "passthrough", [place])])
        model = make_pipeline(column, LogisticRegression()).fit(features[:1500], y[:1500])
        library.add_model(name, model, features[1500:], y[1500:])
        scores[name] = model.predict_proba(features[1500:])[:, 1]
    library.add_scores(y[1500:], scores, stack=True)
    assert "stack" in library
    hybrid = rocch.load(library.export().path)
    assert isinstance(hybrid, rocch.RocchClassifier)
    assert hybrid.stack_ is not None
    assert set(hybrid.kept_) >= set(hybrid.stack_.weights) == {"a", "b", "c"}
    assert hybrid.hybrid_.of_columns
    with pytest.raises(
        InputError, match="for every classifier of the stack; got none for 'b', 'c'"
    ):
        _check_stack(hybrid.hybrid_.scorer, {"a": GaussianNB()})

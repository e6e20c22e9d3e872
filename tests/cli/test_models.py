"""Models by the names that users type."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from rocch import InputError
from rocch.cli.models import make_classifier, make_family, model_name
from rocch.cli.rows import LabeledRows
from rocch.multiclass import Classes, KnnModel, MlpModel


@pytest.fixture
def data() -> LabeledRows:
    features = np.random.default_rng(0).normal(size=(30, 2)) * [1, 100]
    labels = np.array(["a", "b", "c"] * 10)
    return LabeledRows(features, ("x", "y"), labels, Classes.of_labels(labels))


@pytest.mark.parametrize("sign", ["-", "["])
def test_names_that_are_nested_too_deeply(sign: str) -> None:
    with pytest.raises(click.BadParameter, match="names no model") as refused:
        model_name(f"GaussianNB(priors={sign * 50_000}1)")
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("knn", "knn", {}),
        (" mlp(hidden=8) ", "mlp", {"hidden": 8}),
        ("a.b.C(x=[1, 'two'], y=None, z=-1.5)", "a.b.C", {"x": [1, "two"], "y": None, "z": -1.5}),
    ],
)
def test_names_are_taken_apart(text: str, name: str, settings: dict[str, Any]) -> None:
    found = model_name(text)
    assert (found.name, found.settings, found.typed) == (name, settings, text.strip())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "knn(",
        "knn(5)",
        "knn(**{})",
        "knn(*[1])",
        "knn()()",
        "GaussianNB(priors=open('/etc/passwd'))",
        "__import__('os').system('true')",
        "GaussianNB; knn",
        "GaussianNB(priors=x)",
    ],
)
def test_what_is_no_name_is_refused_and_never_run(text: str) -> None:
    with pytest.raises(click.BadParameter, match="names no model"):
        model_name(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("GaussianNB", GaussianNB),
        ("sklearn.naive_bayes.GaussianNB", GaussianNB),
        ("sklearn.ensemble.HistGradientBoostingClassifier", HistGradientBoostingClassifier),
    ],
)
def test_classifiers_of_scikit_learn(text: str, kind: type) -> None:
    assert type(make_classifier(model_name(text), seed=3)) is kind


def test_settings_and_the_seed_are_taken_over() -> None:
    forest = make_classifier(model_name("RandomForestClassifier(n_estimators=7)"), seed=3)
    assert isinstance(forest, RandomForestClassifier)
    assert (forest.n_estimators, forest.random_state) == (7, 3)
    forest = make_classifier(model_name("RandomForestClassifier(random_state=8)"), seed=3)
    assert forest.random_state == 8


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("KNN", "Did you mean knn"),
        ("GausianNB", "Did you mean GaussianNB"),
        ("os.GaussianNB", "scikit-learn classifier"),
        ("sklearn.naive.GaussianNB", "scikit-learn classifier"),
        ("Zzz", "scikit-learn classifier; got Zzz. Write knn"),
        ("LinearRegression", "scikit-learn classifier"),
        ("GaussianNB(smooth=1)", "It knows: priors, var_smoothing"),
        ("VotingClassifier", "needs some"),
        ("LinearSVC", "predict_proba"),
    ],
)
def test_classifiers_that_cannot_be_used(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        make_classifier(model_name(text), seed=0)


def test_families_are_made_of_the_rows(data: LabeledRows) -> None:
    near = make_family(model_name("knn(most_neighbors=4)"), data, scale=True)
    assert isinstance(near, KnnModel)
    assert near.most_neighbors == 4
    net = make_family(model_name("mlp(hidden=2, restarts=1)"), data, scale=True)
    assert isinstance(net, MlpModel)
    assert (net.hidden, net.restarts) == (2, 1)


def test_neighbors_are_scaled_unless_told_otherwise(data: LabeledRows) -> None:
    scaled, plain = (make_family(model_name("knn"), data, scale=scale) for scale in (True, False))
    own = KnnModel(data.features, data.labels, scale=True)
    vector = np.array([5.0, 10.0])
    assert (scaled.probabilities(vector) == own.probabilities(vector)).all()
    assert (plain.probabilities(vector) != own.probabilities(vector)).any()


@pytest.mark.parametrize("text", ["knn(k=4)", "knn(scale=True)", "mlp(X=1)", "mlp(seed=3)"])
def test_families_have_settings_of_their_own(data: LabeledRows, text: str) -> None:
    with pytest.raises(InputError, match="It knows: "):
        make_family(model_name(text), data, scale=True)

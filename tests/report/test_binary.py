"""What reports can be made of, and what not."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.report.source import source_of
from tests.support.columns import ColumnLabels, ColumnScores

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(4)
Y = RNG.random(120) < 0.4
X = np.column_stack([RNG.normal(size=120) + Y, RNG.normal(size=120) + 2 * Y])
KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


@cache
def fitted(**given: Any) -> Any:
    models = [("one", ColumnScores(0)), ("two", ColumnScores(1)), ("rules", ColumnLabels(1))]
    labels = np.where(Y, "bad", "good")
    return rocch.RocchClassifier(models, cv=3, pos_label="bad", **given).fit(X, labels)


def test_a_hull_from_scores_has_its_rows() -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0], "two": X[:, 1]})
    found = source_of(hull, label="y")
    assert found.hull is hull
    assert found.rows is not None
    assert (found.rows[0] == Y).all()
    assert list(found.rows[1]) == ["one", "two"]
    assert (found.label, found.positive, found.negative) == ("y", "1", "0")
    assert found.folds is None


@pytest.mark.parametrize("kind", ["curves", "weighted", "two tables", "labels"])
def test_other_hulls_have_none(kind: str) -> None:
    curve = rocch.RocCurve.from_scores(Y, X[:, 0], name="one")
    plain = rocch.RocHull.from_scores(Y, {"two": X[:, 1]})
    hull = {
        "curves": lambda: rocch.RocHull.of(curve),
        "weighted": lambda: rocch.RocHull.from_scores(
            Y, {"one": X[:, 0]}, sample_weight=RNG.random(120)
        ),
        "two tables": lambda: rocch.RocHull.of(
            plain, rocch.RocHull.from_scores(Y.copy(), {"one": X[:, 0]})
        ),
        "labels": lambda: rocch.RocHull.of(
            plain, rocch.RocCurve.from_labels(Y, X[:, 0] > 0, name="rules")
        ),
    }[kind]()
    assert source_of(hull).rows is None


def test_a_fitted_hybrid_has_its_labels_rows_and_folds() -> None:
    model = fitted()
    found = source_of(model)
    assert found.hull is model.hull_
    assert (found.positive, found.negative) == ("bad", "good")
    assert found.rows is not None
    assert sorted(found.rows[1]) == ["one", "rules", "two"]
    assert (found.rows[0] == Y).all()
    assert sorted(set(found.folds.tolist())) == [0, 1, 2]


def test_folds_and_labels_that_are_named_win() -> None:
    folds = np.arange(120) % 2
    found = source_of(fitted(), folds=folds, labels=("no", "yes"))
    assert found.folds is folds
    assert (found.positive, found.negative) == ("yes", "no")


def test_a_weighted_hybrid_has_no_rows() -> None:
    from sklearn.naive_bayes import GaussianNB

    models = [("nb", GaussianNB())]
    model = rocch.RocchClassifier(models, cv=3).fit(X, Y, sample_weight=RNG.random(120))
    assert source_of(model).rows is None
    assert rocch.report.summarize(model).data.weighted  # type: ignore[union-attr]


def test_a_view_is_reported_by_its_hybrid() -> None:
    found = source_of(fitted().at(KNOWN))
    assert found.hull == fitted().hull_
    assert found.positive == "bad"


def test_a_loaded_hybrid_is_reported_too(tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(X, Y)
    rocch.save(model, tmp_path / "model.rocch")
    loaded = rocch.load(tmp_path / "model.rocch")
    found = source_of(loaded)
    assert found.hull == model.hull_
    made: Any = [rocch.report.summarize(each, conditions=KNOWN) for each in (model, loaded)]
    assert made[0].answer.sentence == made[1].answer.sentence
    assert made[0].hull == made[1].hull


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (None, "what must be a RocHull, a RocSurface or a fitted hybrid; got an object of type No"),
        ("scores.csv", "got an object of type str"),
        ([[1, 2]], "got an object of type list"),
        (rocch.RocCurve.from_scores([0, 1], [1, 2]), "got an object of type RocCurve"),
        (rocch.RocHull, "got an object of type type"),
        (rocch.RocchClassifier([("one", ColumnScores(0))]), "a model that is not fitted. Call fit"),
        (ColumnScores(0), "a model that is not fitted"),
    ],
)
def test_nonsense_is_refused(what: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        source_of(what)


def test_a_restricted_hull_is_refused() -> None:
    vague = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(4, 5))
    small = rocch.RocHull.from_scores(Y, {"one": X[:, 0]}).within(vague)
    with pytest.raises(rocch.InputError, match="a report needs the whole hull"):
        source_of(small)


@pytest.mark.parametrize("labels", [("a",), ("a", "b", "c"), "ab", 5, ("a", "a"), (1, "1")])
def test_labels_must_be_two_that_differ(labels: Any) -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0]})
    with pytest.raises(rocch.InputError, match="labels must be two labels that differ"):
        source_of(hull, labels=labels)


def test_the_label_must_be_a_text() -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0]})
    with pytest.raises(rocch.InputError, match="label must be a text; got an object of type int"):
        source_of(hull, label=5)  # type: ignore[arg-type]

"""Rows aimed one by one, and group by group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from tests.support.columns import ColumnScores, scored_columns
from tests.support.hybrids import hull_hybrid


@pytest.fixture(scope="module")
def hybrid() -> tuple[Any, Any, rocch.RocchClassifier]:
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.3
    early = np.where(y & (rng.random(800) < 0.4), 2, 0) + rng.random(800)
    late = np.where(~y & (rng.random(800) < 0.5), -2, 0) + rng.random(800)
    X = scored_columns(early, late)
    frozen = [(n, FrozenEstimator(ColumnScores(i).fit(X, y))) for i, n in enumerate("ab")]
    return X, y, hull_hybrid(frozen).fit(X, y)


def test_each_row_is_decided_as_if_all_rows_were_like_it(
    hybrid: tuple[Any, Any, rocch.RocchClassifier],
) -> None:
    X, _, model = hybrid
    rng = np.random.default_rng(1)
    misses = np.exp(rng.normal(1, 3, 150))
    shares = rng.random(150)
    rows = rocch.roc.RowConditions(
        prevalence=shares, false_positive=2, false_negative=misses, true_positive=0
    )
    answers = model.predict(X[:150], conditions=rows)
    view = model.at_rows(rows, exact=True)
    for i, (miss, share) in enumerate(zip(misses, shares, strict=True)):
        alone = model.at(
            rocch.Conditions(prevalence=share, false_positive=2, false_negative=miss), exact=True
        )
        assert alone.predict(X[i : i + 1])[0] == answers[i]
        assert model.hull_.vertices[view.vertex[i]] == alone.point.point
    assert 0 < answers.sum() < 150
    assert len(set(view.vertex.tolist())) >= 3


def test_each_model_scores_a_row_at_most_once(
    hybrid: tuple[Any, Any, rocch.RocchClassifier],
) -> None:
    X, _, model = hybrid
    models = [c.estimator for c in model.hybrid_.components.values()]
    before = [m.asked_ for m in models]
    rows = rocch.roc.RowConditions(
        prevalence="observed", false_positive=1, false_negative=np.logspace(-2, 2, 800)
    )
    view = model.at_rows(rows, exact=True)
    view.predict(X)
    asked = [m.asked_ - b for m, b in zip(models, before, strict=True)]
    inner = [model.hull_.vertices[v].lowest_score is not None for v in view.vertex]
    assert sum(asked) == sum(inner) <= 800


def test_infinite_and_zero_slopes() -> None:
    rows = rocch.roc.RowConditions(
        prevalence=[0.0, 1.0, 0.5], false_positive=1, false_negative=[1, 1, 0]
    )
    judged = rocch.RocCurve.from_scores([0, 1], [0, 1]).totals
    np.testing.assert_array_equal(rows.slopes(judged), [np.inf, 0, np.inf])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"false_negative": [1, -1]}, "false_negative must be finite and not negative; got -1.0"),
        ({"false_negative": [1, np.inf]}, "got inf at position 1"),
        ({"false_negative": [1, np.nan]}, "false_negative must have no missing values"),
        ({"prevalence": [0.5, 1.5]}, r"prevalence must lie within \[0, 1\]; got 1.5 at position 1"),
        ({"prevalence": "usual"}, "prevalence must be"),
        ({"false_positive": [1, 2, 3]}, "one number for each row; got 3 of false_positive, 2 of"),
    ],
)
def test_bad_row_conditions(given: Any, message: str) -> None:
    whole = {"prevalence": 0.5, "false_positive": 1, "false_negative": [1, 2], **given}
    with pytest.raises(rocch.InputError, match=message):
        rocch.roc.RowConditions(**whole)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"false_negative": [1, 0], "false_positive": [1, 0]}, "nothing to lose.*at position 1"),
        ({"true_positive": [0, 9]}, "cheaper than the correct decision, at position 1"),
        ({"false_negative": 3}, "one number for each row; got the same numbers for all rows"),
    ],
)
def test_rows_without_a_slope(
    hybrid: tuple[Any, Any, rocch.RocchClassifier], given: Any, message: str
) -> None:
    whole = {"prevalence": 0.5, "false_positive": 1, "false_negative": [1, 2], **given}
    with pytest.raises(rocch.InputError, match=message):
        hybrid[2].at_rows(rocch.roc.RowConditions(**whole))


def test_conditions_for_other_rows(hybrid: tuple[Any, Any, rocch.RocchClassifier]) -> None:
    X, _, model = hybrid
    rows = rocch.roc.RowConditions(prevalence=0.5, false_positive=1, false_negative=[1, 2])
    with pytest.raises(rocch.InputError, match="X must have one value for each of the 2 rows"):
        model.predict(X[:3], conditions=rows)


def test_amounts_that_go_with_the_score_call_for_a_weighted_hull() -> None:
    """The stated assumption, and the alternative: weigh the hull by what is at stake."""
    rng = np.random.default_rng(4)
    y, dear = rng.random((2, 6000)) < 0.5
    X = scored_columns(rng.normal(size=6000) + 1.5 * y + 2 * dear)  # dear rows score high anyway
    amount = np.where(dear, 10.0, 1.0)
    stake = np.where(y, amount, 1.0)
    frozen = [("m", FrozenEstimator(ColumnScores(0).fit(X, y)))]
    plain = rocch.RocchClassifier(frozen).fit(X, y)
    weighted = rocch.RocchClassifier(frozen).fit(X, y, hull_weight=stake)
    rows = rocch.roc.RowConditions(prevalence="observed", false_positive=1, false_negative=amount)
    even = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)

    def cost(alarms: Any) -> float:
        return float(stake[alarms != y].sum())

    assert cost(weighted.at(even).predict(X)) < 0.9 * cost(plain.predict(X, conditions=rows))


AIMS: dict[Any, Any] = {
    "north": rocch.NeymanPearson(0.01),
    "south": rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=20),
    3: rocch.ErrorRate(),
}


@pytest.mark.parametrize("randomize", [False, True])
def test_each_group_has_its_own_point(
    hybrid: tuple[Any, Any, rocch.RocchClassifier], randomize: bool
) -> None:
    X, _, model = hybrid
    groups = np.array(list(AIMS), dtype=object)[np.random.default_rng(0).integers(0, 3, 800)]
    view = model.at_each(AIMS, randomize=randomize, seed=4)
    answers = view.predict(X, groups=groups)
    chance = view.decision_probability(X, groups=groups)
    for name, aim in AIMS.items():
        alone = model.at(aim, randomize=randomize, seed=4)
        rows = groups == name
        np.testing.assert_array_equal(answers[rows], alone.predict(X[rows]))
        np.testing.assert_array_equal(chance[rows], alone.decision_probability(X[rows]))
        assert view.points[name] == alone.point
        assert view.rules[name] == alone.rule


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_groups_and_keys_from_columns(kind: Any) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.5
    scores = np.round(rng.normal(size=200) + y, 1)
    frame = kind({"score": scores})
    model = rocch.RocchClassifier([("m", FrozenEstimator(ColumnScores(0).fit(frame, y)))])
    model.fit(frame, y)
    groups, keys = rng.choice(["n", "s"], 200), np.arange(200)
    aims = {"n": rocch.NeymanPearson(0.11), "s": rocch.NeymanPearson(0.37)}
    whole = kind({"group": groups, "score": scores, "id": keys})
    view = model.at_each(aims, group="group", row_key="id", randomize=True)
    expected = model.at_each(aims, randomize=True).predict(frame, groups=groups, row_key=keys)
    np.testing.assert_array_equal(view.predict(whole), expected)
    with pytest.raises(rocch.InputError, match="group must name a column of the data"):
        view.predict(frame)


def test_bad_groups(hybrid: tuple[Any, Any, rocch.RocchClassifier]) -> None:
    X, _, model = hybrid
    view = model.at_each(AIMS)
    with pytest.raises(rocch.InputError, match="groups must be given"):
        view.predict(X)
    with pytest.raises(
        rocch.InputError, match="groups must name one of the groups with a rule; got 'west'"
    ):
        view.predict(X[:1], groups=["west"])
    with pytest.raises(rocch.InputError, match="groups must have one value for each"):
        view.predict(X, groups=["north"])
    wrong: list[Any] = [{}, [1], None]
    for criteria in wrong:
        with pytest.raises(rocch.InputError, match="criteria must map groups to criteria"):
            model.at_each(criteria)
    with pytest.raises(rocch.InputError, match="conditions must be RowConditions"):
        model.at_rows(AIMS["south"])

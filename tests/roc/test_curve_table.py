"""Measures at chosen thresholds, with intervals."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import rocch
from rocch.kernels.bounds import weighted_sum_bounds
from rocch.roc import Performance
from rocch.roc.curve_table import BOUNDED
from rocch.roc.operating_point import MEASURES

RNG = np.random.default_rng(5)
Y = RNG.random(300) < 0.3
SCORES = np.round(RNG.normal(size=300) + 1.5 * Y, 2)
CURVE = rocch.RocCurve.from_scores(Y, SCORES, name="nb")


def test_measures_are_those_of_the_points() -> None:
    wanted = [-1.0, 0.5, 2.0]
    table = CURVE.table(wanted, metrics=MEASURES, prevalence=0.1).to_frame("polars")
    assert table.columns == ["threshold", *MEASURES]
    assert table["threshold"].to_list() == wanted
    for row, threshold in zip(table.to_dicts(), wanted, strict=True):
        alarms = threshold <= SCORES
        fpr, tpr = alarms[~Y].mean(), alarms[Y].mean()
        expected = Performance(fpr=fpr, tpr=tpr, prevalence=0.1)
        assert {name: row[name] for name in MEASURES} == {
            name: pytest.approx(expected.measure(name)) for name in MEASURES
        }


def test_undefined_measures_are_missing() -> None:
    table = CURVE.table([99.0], metrics=["precision", "f_score"])
    assert table.to_frame("polars").to_dicts() == [
        {"threshold": 99.0, "precision": None, "f_score": 0.0}
    ]


def test_all_points_are_the_default() -> None:
    table = CURVE.table().to_frame("polars")
    assert len(table) == len(CURVE)
    assert table["tpr"].to_list() == CURVE.tpr.tolist()
    assert table["threshold"][0] is None
    assert table["threshold"][1] == CURVE.point(1).threshold


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.2, 1.0])
def test_rates_are_met_by_the_best_threshold(limit: float) -> None:
    (row,) = CURVE.table(fpr=limit).to_frame("polars").to_dicts()
    allowed = CURVE.fpr <= limit
    assert row["tpr"] == CURVE.tpr[allowed].max()
    assert row["fpr"] <= limit
    (row,) = CURVE.table(tpr=[limit]).to_frame("polars").to_dicts()
    assert row["fpr"] == CURVE.fpr[CURVE.tpr >= limit].min()


def test_the_threshold_that_is_shown_gives_the_rates_that_are_shown() -> None:
    for row in CURVE.table(fpr=[0.02, 0.1, 0.4]).to_frame("polars").to_dicts():
        assert np.mean(row["threshold"] <= SCORES[~Y]) == pytest.approx(row["fpr"])


def test_rates_have_the_intervals_of_the_statistics() -> None:
    names = ["fpr", "tpr", "precision", "negative_predictive_value"]
    for prevalence in ("observed", 0.02):
        table = CURVE.table([0.7], metrics=names, prevalence=prevalence, confidence=0.9)
        (row,) = table.to_frame("polars").to_dicts()
        rates = rocch.stats.point_intervals(CURVE, 0.7, confidence=0.9)
        assert (row["fpr_low"], row["fpr_high"]) == pytest.approx(rates.fpr)
        assert (row["tpr_low"], row["tpr_high"]) == pytest.approx(rates.tpr)
        stated = None if isinstance(prevalence, str) else prevalence
        values = rocch.stats.predictive_values(CURVE, 0.7, prevalence=stated, confidence=0.9)
        assert (row["precision_low"], row["precision_high"]) == pytest.approx(values.ppv_interval)
        ends = row["negative_predictive_value_low"], row["negative_predictive_value_high"]
        assert ends == pytest.approx(values.npv_interval)


@pytest.mark.parametrize("prevalence", ["observed", 0.02])
@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_hold_the_measure_and_widen_with_confidence(
    name: str, prevalence: float | str
) -> None:
    found = [
        CURVE.table([-3.0, 0.7, 9.0], metrics=[name], prevalence=prevalence, confidence=level)
        for level in (0.8, 0.99)
    ]
    for narrow, wide in zip(*(each.to_frame("polars").to_dicts() for each in found), strict=True):
        assert wide[f"{name}_low"] <= narrow[f"{name}_low"]
        assert narrow[f"{name}_high"] <= wide[f"{name}_high"]
        if narrow[name] is not None:
            assert narrow[f"{name}_low"] <= narrow[name] + 1e-12
            assert narrow[name] <= narrow[f"{name}_high"] + 1e-12


def test_complements_have_the_complementary_interval() -> None:
    names = ["accuracy", "error_rate", "tpr", "fnr", "fpr", "specificity"]
    for prevalence in ("observed", 0.4):
        table = CURVE.table([0.7], metrics=names, prevalence=prevalence, confidence=0.95)
        (row,) = table.to_frame("polars").to_dicts()
        for one, other in zip(names[::2], names[1::2], strict=True):
            assert row[f"{one}_low"] == pytest.approx(1 - row[f"{other}_high"])


@pytest.mark.parametrize("sizes", [(5, 12), (30, 8)])
@pytest.mark.parametrize("rates", [(0.1, 0.7), (0.5, 0.5), (0.02, 0.95)])
@pytest.mark.parametrize("weight", [0.5, 0.1])
def test_bounds_of_a_sum_hold_as_often_as_stated(
    sizes: tuple[int, int], rates: tuple[float, float], weight: float
) -> None:
    """Enumerate all samples of two classes, and add up the chances of those that hold."""
    chances = [
        [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        for n, p in zip(sizes, rates, strict=True)
    ]
    counts = np.meshgrid(np.arange(sizes[0] + 1), np.arange(sizes[1] + 1), indexing="ij")
    weights = (1 - weight, weight)
    low, high = weighted_sum_bounds((counts[0], counts[1]), sizes, weights, 0.9)
    truth = weights[0] * rates[0] + weights[1] * rates[1]
    held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    assert np.outer(chances[0], chances[1])[held].sum() >= 0.9


def test_texts_and_notebooks_say_where_the_numbers_come_from() -> None:
    table = CURVE.table([0.0, 0.5, 1.0, 1.5, 2.0], prevalence=0.02, confidence=0.95)
    lines = str(table).splitlines()
    assert lines[0] == "nb at prevalence 0.02, 95% intervals"
    assert len(lines) == 7
    assert repr(table) == "<CurveTable: nb at prevalence 0.02, 95% intervals>"
    html = table._repr_html_()
    assert "<svg" in html
    assert "precision_<wbr/>low" in html


def test_a_long_table_is_shortened_as_text() -> None:
    lines = str(CURVE.table()).splitlines()
    assert f"… {len(CURVE) - 10} more rows" in lines
    assert len(lines) == 13


def test_labels_have_settings_instead_of_thresholds() -> None:
    rules = rocch.RocCurve.from_labels([0, 0, 1, 1], {"mild": [0, 1, 1, 1], "hard": [0, 0, 1, 0]})
    table = rules.table(metrics="tpr").to_frame("polars")
    assert table["threshold"].to_list() == [None, "hard", "mild", None]
    assert "<svg" not in rules.table()._repr_html_()


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"metrics": ["auc"]}, "metrics"),
        ({"thresholds": [0.5], "fpr": 0.1}, "thresholds must be given without fpr or tpr"),
        ({"fpr": 2}, "fpr"),
        ({"prevalence": 1.5}, "prevalence"),
        ({"confidence": 2}, "confidence"),
    ],
)
def test_what_cannot_be_tabulated(asked: dict[str, object], why: str) -> None:
    with pytest.raises(rocch.InputError, match=why):
        CURVE.table(**asked)  # type: ignore[arg-type]


def test_weighted_rows_have_no_intervals() -> None:
    curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4], sample_weight=[1, 2, 1, 3])
    assert len(curve.table([2.5]).to_frame()) == 1
    with pytest.raises(rocch.InputError, match=r"confidence must be left out.*weighted rows"):
        curve.table([2.5], confidence=0.95)


SAME = {
    "sensitivity": "tpr",
    "ppv": "precision",
    "npv": "negative_predictive_value",
    "youden": "informedness",
    "mcc": "matthews_correlation",
    "f1": "f_score",
}


def test_measures_have_their_other_names() -> None:
    table = CURVE.table(metrics=list(SAME), confidence=0.9).columns
    usual = CURVE.table(metrics=list(SAME.values()), confidence=0.9).columns
    renamed = dict(zip(SAME.values(), SAME, strict=True))
    for name, column in usual.items():
        base = name.removesuffix("_low").removesuffix("_high")
        other = name.replace(base, renamed.get(base, base))
        assert list(table[other]) == list(column)
    assert len(table) == len(usual)


def test_unknown_measures_are_told_all_names() -> None:
    with pytest.raises(rocch.InputError, match=r"got 'auc'\. The measures are") as refused:
        CURVE.table(metrics=["tpr", "auc"])
    for name in (*MEASURES, *SAME):
        assert name in str(refused.value)


@pytest.mark.parametrize("name", [name for name in SAME if name != "npv"])
def test_the_same_names_can_be_maximized(name: str) -> None:
    hull = rocch.RocHull.of(CURVE)
    best = hull.best(rocch.Maximize(name))
    assert best == hull.best(rocch.Maximize(SAME[name]))
    assert best == hull.best(rocch.Question(maximize=name).resolve(hull.totals))
    values = CURVE.table(metrics=[name]).columns[name]
    assert best.value == pytest.approx(max(value for value in values if value is not None))

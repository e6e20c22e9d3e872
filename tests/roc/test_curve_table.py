"""Measures at chosen thresholds, with intervals."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats.contingency import odds_ratio, relative_risk

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


def test_counts_are_those_of_the_rows_at_any_prevalence() -> None:
    names = ["true_positives", "false_positives", "true_negatives", "false_negatives"]
    table = CURVE.table([0.5], metrics=names, prevalence=0.1, confidence=0.95)
    (row,) = table.to_frame("polars").to_dicts()
    alarms = SCORES >= 0.5
    expected = [sum(alarms & Y), sum(alarms & ~Y), sum(~alarms & ~Y), sum(~alarms & Y)]
    assert row == dict(zip(["threshold", *names], [0.5, *expected], strict=True))
    point = CURVE.at(0.5)
    assert row["true_positives"] == point.true_positives
    weighted = rocch.RocCurve.from_scores(Y, SCORES, sample_weight=np.full(300, 0.5))
    (half,) = weighted.table([0.5], metrics=names).to_frame("polars").to_dicts()
    assert [half[name] for name in names] == [count / 2 for count in expected]


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


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.2, 0.9, 1.0])
def test_rates_are_met_by_the_best_threshold(limit: float) -> None:
    """Of several points with the same best rate, the one with the better other rate."""
    points = [(point.fpr, point.tpr) for point in CURVE.points()]
    (row,) = CURVE.table(fpr=limit).to_frame("polars").to_dicts()
    allowed = [(-tpr, fpr) for fpr, tpr in points if fpr <= limit]
    assert (-row["tpr"], row["fpr"]) == min(allowed)
    (row,) = CURVE.table(specificity=[limit]).to_frame("polars").to_dicts()
    negatives = CURVE.totals.negatives
    allowed = [(-y, x) for x, y in points if round(negatives * (1 - x)) / negatives >= limit]
    assert (-row["tpr"], row["fpr"]) == min(allowed)
    (row,) = CURVE.table(tpr=[limit]).to_frame("polars").to_dicts()
    assert (row["fpr"], -row["tpr"]) == min((fpr, -tpr) for fpr, tpr in points if tpr >= limit)
    assert CURVE.table(sensitivity=limit).to_frame("polars").to_dicts() == [row]


def test_a_stated_specificity_that_is_reached_exactly_is_met() -> None:
    curve = rocch.RocCurve.from_scores([0] * 10 + [1] * 10, [*range(10), *range(5, 15)])
    table = curve.table(specificity=[0.9, 0.8, 0.7], metrics=["specificity", "tpr"]).columns
    assert table["specificity"] == pytest.approx([0.9, 0.8, 0.7])
    assert table["tpr"] == [0.6, 0.7, 0.8]


def test_labels_that_are_not_nested_are_searched_whole() -> None:
    settings = {"wild": [1, 1, 1, 0, 0, 0], "good": [0, 0, 1, 1, 1, 1]}
    rules = rocch.RocCurve.from_labels([0, 0, 0, 1, 1, 1], settings)
    assert rules.table(fpr=1).columns["threshold"] == ["good"]
    assert rules.table(tpr=0.5).columns["threshold"] == ["good"]
    assert rules.table("youden").columns["threshold"] == ["good"]


@pytest.mark.parametrize("seed", range(20))
def test_cutoffs_are_the_best_of_all_points(seed: int) -> None:
    """Against exact fractions; of equal points, the one with fewest alarms."""
    rng = np.random.default_rng(seed)
    y = np.arange(30) < 12
    curve = rocch.RocCurve.from_scores(y, rng.integers(0, 9, size=30) + 2 * y)
    rates = [
        (Fraction(int(fp), 18), Fraction(int(tp), 12))
        for fp, tp in zip(curve.false_positives, curve.true_positives, strict=True)
    ]
    youden = min(range(len(rates)), key=lambda i: (rates[i][0] - rates[i][1], i))
    corner = min(range(len(rates)), key=lambda i: (rates[i][0] ** 2 + (1 - rates[i][1]) ** 2, i))
    for name, place in (("youden", youden), ("closest_topleft", corner)):
        (row,) = curve.table(name, metrics=["fpr", "tpr"]).to_frame("polars").to_dicts()
        assert (row["fpr"], row["tpr"]) == tuple(map(float, rates[place]))
        assert row["threshold"] == curve.deployed_thresholds[place]


def test_chosen_cutoffs_say_that_they_are_optimistic() -> None:
    assert str(CURVE.table("youden")).splitlines()[0] == (
        "nb at prevalence 0.2967, at the highest Youden's J on these rows (optimistic for new ones)"
    )
    assert "optimistic" in CURVE.table("closest_topleft")._repr_html_()
    with pytest.raises(rocch.InputError, match=r"pROC's \"best\" is youden"):
        CURVE.table("best")


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


def test_ratios_have_the_log_intervals_of_scipy_and_a_published_one() -> None:
    tp, fp, fn, tn = 670, 202, 74, 640
    curve = rocch.RocCurve.from_counts([fp], [tp], negatives=fp + tn, positives=tp + fn)
    columns = curve.table(metrics=["LR+", "LR-", "DOR"], confidence=0.95).columns
    expected: dict[str, Any] = {
        "LR+": relative_risk(tp, tp + fn, fp, fp + tn),
        "LR-": relative_risk(fn, tp + fn, tn, fp + tn),
        "DOR": odds_ratio([[tp, fp], [fn, tn]], kind="sample"),
    }
    for name, known in expected.items():
        found = [list(columns[column])[1] for column in (name, f"{name}_low", f"{name}_high")]
        value = known.statistic if name == "DOR" else known.relative_risk
        assert found == pytest.approx([value, *known.confidence_interval(0.95)])
    # Scott, Greenberg and Poole (2008), as in the examples of epiR's epi.tests
    found = [list(columns[column])[1] for column in ("LR+", "LR+_low", "LR+_high")]
    assert [round(each, 2) for each in found] == [3.75, 3.32, 4.24]


RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


@pytest.mark.parametrize(("name", "least"), [*zip(RATIOS, (0.9, 0.85, 0.94), strict=True)])
@pytest.mark.parametrize("sizes", [(10, 10), (20, 40), (60, 30)])
@pytest.mark.parametrize("rates", [(0.05, 0.6), (0.2, 0.9), (0.4, 0.95), (0.02, 0.99)])
def test_intervals_of_ratios_hold_about_as_often_as_stated(
    name: str, least: float, sizes: tuple[int, int], rates: tuple[float, float]
) -> None:
    """Enumerate all samples of two classes, and add up the chances of those that hold."""
    positives, negatives = sizes
    truth = Performance(fpr=rates[0], tpr=rates[1], prevalence=0.5).measure(name)
    assert truth is not None
    held = 0.0
    tp, fp = (each.ravel() for each in np.indices((positives + 1, negatives + 1)))
    curve = rocch.RocCurve.from_counts(fp, tp, negatives=negatives, positives=positives)
    columns = curve.table(metrics=[name], confidence=0.95).columns
    ends = zip(columns[f"{name}_low"], columns[f"{name}_high"], strict=True)
    counts = zip(curve.true_positives.tolist(), curve.false_positives.tolist(), strict=True)
    # the curve's own ends, never and always, come twice
    for (k, j), (low, high) in list(zip(counts, ends, strict=True))[1:-1]:
        if low <= truth <= high:
            chance = comb(positives, k) * rates[1] ** k * (1 - rates[1]) ** (positives - k)
            held += chance * comb(negatives, j) * rates[0] ** j * (1 - rates[0]) ** (negatives - j)
    assert least <= held <= 1 + 1e-9


def test_ratios_without_a_count_have_open_intervals() -> None:
    curve = rocch.RocCurve.from_counts([0, 3, 5], [4, 10, 0], negatives=20, positives=10)
    columns = curve.table(metrics=RATIOS, confidence=0.95).columns
    rows = {
        (fp, tp): {name: list(column)[i] for name, column in columns.items()}
        for i, (fp, tp) in enumerate(zip(curve.false_positives, curve.true_positives, strict=True))
    }
    certain = rows[0, 4]
    assert certain["positive_likelihood_ratio"] is None
    assert 0 < certain["positive_likelihood_ratio_low"] < np.inf
    assert certain["positive_likelihood_ratio_high"] == np.inf
    assert certain["diagnostic_odds_ratio_high"] == np.inf
    no_miss = rows[3, 10]
    assert no_miss["negative_likelihood_ratio"] == no_miss["negative_likelihood_ratio_low"] == 0
    assert 0 < no_miss["negative_likelihood_ratio_high"] < np.inf
    no_hit = rows[5, 0]
    assert no_hit["diagnostic_odds_ratio"] == no_hit["diagnostic_odds_ratio_low"] == 0
    never, always = rows[0, 0], rows[20, 10]
    assert (never["positive_likelihood_ratio_low"], never["positive_likelihood_ratio_high"]) == (
        0,
        np.inf,
    )
    assert always["positive_likelihood_ratio"] == 1
    assert always["positive_likelihood_ratio_low"] < 1 < always["positive_likelihood_ratio_high"]


def test_names_of_measures_may_be_written_in_any_case() -> None:
    columns = CURVE.table([0.5], metrics=["Sensitivity", "PPV"], confidence=0.9).columns
    assert list(columns)[1:4] == ["Sensitivity", "Sensitivity_low", "Sensitivity_high"]
    assert columns["PPV"] == CURVE.table([0.5], metrics=["precision"]).columns["precision"]


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
        ({"thresholds": [0.5], "fpr": 0.1}, "thresholds must be given without fpr, tpr"),
        ({"specificity": 0.5, "sensitivity": 0.1}, "thresholds must be given without"),
        ({"specificity": 1.5}, "specificity must be a number from 0 to 1"),
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
    "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio",
}
MAXIMIZED = ("sensitivity", "ppv", "youden", "mcc", "f1")


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


@pytest.mark.parametrize("name", MAXIMIZED)
def test_the_same_names_can_be_maximized(name: str) -> None:
    hull = rocch.RocHull.of(CURVE)
    best = hull.best(rocch.Maximize(name))
    assert best == hull.best(rocch.Maximize(SAME[name]))
    assert best == hull.best(rocch.Question(maximize=name).resolve(hull.totals))
    values = CURVE.table(metrics=[name]).columns[name]
    assert best.value == pytest.approx(max(value for value in values if value is not None))

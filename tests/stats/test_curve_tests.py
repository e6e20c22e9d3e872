"""Tests of curves: what they measure, their size and power, paired and unpaired."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rocch

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
BELIEF = rocch.Belief.cost_ratio(1, 8, likely=3).with_unit(sum_of_costs=1).with_prevalence(0.3)
PLACES: dict[str, Any] = {
    "conditions": KNOWN,
    "belief": BELIEF,
    "fpr": rocch.NeymanPearson(0.1),
    "whole": "whole curve",
}


def paired(rng: np.random.Generator, rows: int, *shifts: float) -> tuple[Any, dict[str, Any]]:
    y = np.arange(rows) < 0.3 * rows
    shared = rng.normal(size=rows)
    return y, {
        f"m{i}": 0.6 * shared + 0.8 * rng.normal(size=rows) + shift * y
        for i, shift in enumerate(shifts)
    }


def unpaired(rng: np.random.Generator, rows: int, *shifts: float) -> dict[str, Any]:
    found = {}
    for i, shift in enumerate(shifts):
        y = np.arange(rows + 20 * i) < (0.3 + 0.1 * i) * rows
        found[f"m{i}"] = y, (1 + i) * (rng.normal(size=y.size) + shift * y)
    return found


def test_what_is_measured_at_conditions() -> None:
    y, scores = paired(np.random.default_rng(0), 5000, 1.0, 2.0)
    tests = rocch.stats.compare_curves(y, scores, at=KNOWN, replicates=99)
    assert tests.measured == "least expected cost (less is better)"
    assert tests.adjust == "range"
    for value, shift in zip(tests.values.values(), (1.0, 2.0), strict=True):
        assert value == pytest.approx(least_cost(shift), abs=0.02)
    (pair,) = tests
    assert pair.difference == pytest.approx(tests.values["m0"] - tests.values["m1"])
    drawn = rocch.stats.bootstrap(y, scores, replicates=300)
    gaps = drawn.least_cost(KNOWN, "m0") - drawn.least_cost(KNOWN, "m1")
    assert pair.standard_error == pytest.approx(gaps.std(ddof=1), rel=0.15)
    assert pair.interval is not None
    assert pair.interval.low < pair.difference < pair.interval.high


def least_cost(shift: float) -> float:
    """The least cost in the population, on a fine grid of thresholds."""
    thresholds = np.linspace(-4, 6, 10_001)
    return float(KNOWN.expected_cost(norm.sf(thresholds), norm.sf(thresholds - shift)).min())


def test_least_costs_have_little_bias() -> None:
    """The least cost on the rows themselves is far too low."""
    rng = np.random.default_rng(1)
    found, apparent = [], []
    for _ in range(150):
        y, scores = paired(rng, 100, 1.3, 1.3)
        tests = rocch.stats.compare_curves(y, scores, at=KNOWN, replicates=20)
        found += list(tests.values.values())
        apparent.append(rocch.RocHull.from_scores(y, {"m0": scores["m0"]}).best(KNOWN))
    truth = least_cost(1.3)
    assert np.mean(found) == pytest.approx(truth, abs=0.02)
    assert np.mean([choice.expected_cost for choice in apparent]) < truth - 0.05


def test_what_is_measured_over_a_belief() -> None:
    y, scores = paired(np.random.default_rng(1), 150, 1.0, 2.0)
    tests = rocch.stats.compare_curves(y, scores, at=BELIEF, replicates=40)
    drawn = rocch.stats.bootstrap(y, scores, replicates=40)
    slow = {}
    for name in scores:
        hull = drawn.hull(name)
        slow[name] = [
            slow_expected_cost(x / t[0], y_ / t[1])
            for (x, y_), t in zip(
                (hull[i] for i in range(len(hull))), drawn.totals.tolist(), strict=True
            )
        ]
        own = rocch.RocHull.from_scores(y, {name: scores[name]})
        assert tests.values[name] == pytest.approx(slow_expected_cost(own.fpr, own.tpr), abs=1e-6)
    gaps = np.array(slow["m0"]) - np.array(slow["m1"])
    assert tests.differences[0].standard_error == pytest.approx(gaps.std(ddof=1), rel=1e-3)


def slow_expected_cost(fpr: Any, tpr: Any) -> float:
    """Average the least cost over many equally likely quantiles of the belief."""
    mass = (np.arange(4000) + 0.5) / 4000
    share = BELIEF.parts[0][1].share.quantile(mass)  # type: ignore[union-attr]
    costs = 0.7 * (1 - share[:, None]) * fpr + 0.3 * share[:, None] * (1 - tpr)
    return float(costs.min(axis=1).mean())


def test_what_is_measured_at_an_fpr() -> None:
    y, scores = paired(np.random.default_rng(2), 200, 1.0, 2.0)
    tests = rocch.stats.compare_curves(y, scores, at=rocch.NeymanPearson(0.07), replicates=50)
    assert tests.measured == "TPR at an FPR of 0.07 (more is better)"
    for name, column in scores.items():
        assert tests.values[name] == rocch.RocCurve.from_scores(y, column).tpr_at(0.07)


def test_whole_curves_have_a_distance_and_no_interval() -> None:
    y, scores = paired(np.random.default_rng(3), 200, 1.0, 1.1)
    (pair,) = rocch.stats.compare_curves(y, scores, at="whole curve", replicates=99)
    assert pair.interval is None
    assert pair.standard_error is None
    assert pair.difference > 0
    assert (pair.p_value * 100) == pytest.approx(round(pair.p_value * 100))
    again = rocch.stats.compare_curves(
        y, {name: np.exp(s) for name, s in scores.items()}, at="whole curve", replicates=99
    )
    assert again.differences == (pair,)


@pytest.mark.parametrize("place", PLACES)
def test_clear_differences_are_found(place: str) -> None:
    rng = np.random.default_rng(4)
    (pair,) = rocch.stats.compare_curves(
        *paired(rng, 400, 0.7, 2.2), at=PLACES[place], replicates=199
    )
    assert pair.p_value < 0.011
    (other,) = rocch.stats.compare_curves_unpaired(
        unpaired(rng, 400, 0.7, 2.2), at=PLACES[place], replicates=199
    )
    assert other.p_value < 0.011


@pytest.mark.slow
def test_two_thousand_replicates_are_drawn_unless_others_are_asked_for() -> None:
    rng = np.random.default_rng(6)
    rows, samples = paired(rng, 60, 0.7, 1.2), unpaired(rng, 60, 0.7, 1.2)
    for compare, given in (
        (rocch.stats.compare_curves, rows),
        (rocch.stats.compare_curves_unpaired, (samples,)),
    ):
        usual = compare(*given, at=KNOWN)
        assert usual == compare(*given, at=KNOWN, replicates=2000)
        assert usual != compare(*given, at=KNOWN, replicates=2001)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_equal_curves_are_rarely_called_different(place: str) -> None:
    rng = np.random.default_rng(5)
    low = {"paired": 0, "unpaired": 0}
    for _ in range(30):
        (pair,) = rocch.stats.compare_curves(
            *paired(rng, 150, 1.3, 1.3), at=PLACES[place], replicates=60
        )
        (other,) = rocch.stats.compare_curves_unpaired(
            unpaired(rng, 150, 1.3, 1.3), at=PLACES[place], replicates=60
        )
        low["paired"] += pair.p_value < 0.1
        low["unpaired"] += other.p_value < 0.1
    assert all(count <= 7 for count in low.values())  # of 30 at 10%: more has a chance of 1 in 45


@pytest.mark.parametrize("place", PLACES)
def test_the_same_classifier_twice(place: str) -> None:
    y, scores = paired(np.random.default_rng(6), 100, 1.3)
    (pair,) = rocch.stats.compare_curves(
        y, {"a": scores["m0"], "b": scores["m0"] * 3 - 1}, at=PLACES[place], replicates=30
    )
    assert (pair.difference, pair.p_value) == (0, 1)


def test_few_rows_prove_little() -> None:
    """Two rows of each class can at best show what two tosses of a coin can."""
    y = [0, 0, 1, 1]
    for at in (KNOWN, BELIEF, rocch.NeymanPearson(0.1)):
        tests = rocch.stats.compare_curves(
            y, {"a": [0, 1, 2, 3], "b": [1] * 4}, at=at, replicates=99
        )
        assert tests.differences[0].p_value >= 0.5
        assert tests.differences[0].interval is not None
        assert tests.differences[0].interval.high > tests.differences[0].difference
        if isinstance(at, rocch.NeymanPearson):
            assert tests.differences[0].interval.high <= 1


def test_agreement_on_all_rows_leaves_doubt() -> None:
    y = np.arange(40) < 12
    (pair,) = rocch.stats.compare_curves(y, {"a": y * 1.0, "b": y * 2.0}, at=KNOWN, replicates=50)
    assert (pair.difference, pair.p_value) == (0, 1)
    assert pair.interval is not None
    assert pair.interval.low < 0 < pair.interval.high


def test_unpaired_rows_may_come_in_groups() -> None:
    y, scores = paired(np.random.default_rng(3), 100, 1.0, 1.4)
    many = {name: (np.repeat(y, 4), np.repeat(s, 4)) for name, s in scores.items()}
    groups = np.repeat(np.arange(100), 4)
    with_groups = {name: (*pair, groups) for name, pair in many.items()}
    one, other = (
        rocch.stats.compare_curves_unpaired(given, at=KNOWN, replicates=300)
        .differences[0]
        .standard_error
        for given in (with_groups, many)
    )
    assert one is not None
    assert other is not None
    assert one > 1.5 * other
    with pytest.raises(rocch.InputError, match="no groups for whole curves"):
        rocch.stats.compare_curves_unpaired(with_groups, at="whole curve")
    with pytest.raises(rocch.InputError, match=r"Use rocch\.stats\.compare_curves_unpaired"):
        rocch.stats.compare_curves(y, many, at=KNOWN)


def test_many_pairs_are_adjusted() -> None:
    y, scores = paired(np.random.default_rng(7), 300, 0.5, 1.0, 1.5)
    holm, plain = (
        rocch.stats.compare_curves(y, scores, at=KNOWN, replicates=200, adjust=adjust)
        for adjust in ("holm", "none")
    )
    assert len(holm) == 3
    assert [(t.first, t.second) for t in holm] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    for one, other in zip(holm, plain, strict=True):
        assert one.p_value == other.p_value == other.adjusted_p_value <= one.adjusted_p_value
    assert max(t.adjusted_p_value for t in holm) <= 1
    smallest = min(holm, key=lambda test: test.p_value)
    assert smallest.adjusted_p_value == pytest.approx(3 * smallest.p_value)
    first = holm.differences[0]
    assert str(holm).splitlines()[:5] == [
        "Least expected cost (less is better):",
        *(f"{name}: {value:.4g}" for name, value in holm.values.items()),
        str(first),
    ]
    assert first.standard_error is not None
    assert first.z == pytest.approx(first.difference / first.standard_error)
    assert f"), t = {first.z:.2f} with {first.degrees} d.f., p = " in str(first)
    assert holm.values.to_frame("pandas").to_dict("list") == {
        "classifier": ["m0", "m1", "m2"],
        "value": list(holm.values.values()),
    }


def test_the_range_of_all_pairs_adjusts_at_conditions() -> None:
    y, scores = paired(np.random.default_rng(7), 200, 1.3, 1.3, 1.7, 1.3)
    tests = rocch.stats.compare_curves(y, scores, at=KNOWN, replicates=499)
    plain = rocch.stats.compare_curves(y, scores, at=KNOWN, replicates=499, adjust="bonferroni")
    assert plain.adjust == "bonferroni"
    for one, other in zip(tests, plain, strict=True):
        assert one.p_value == other.p_value
        assert one.p_value <= one.adjusted_p_value <= min(1, other.adjusted_p_value + 0.01)
    belief = rocch.stats.compare_curves(y, scores, at=BELIEF, replicates=20)
    assert belief.adjust == "holm"


def test_labels_alone_are_compared_with_scores_without_favor() -> None:
    """Scores whose least cost is chosen on few rows would seem better than equally good labels."""
    rng = np.random.default_rng(2)
    gaps = []
    for _ in range(150):
        y, scores = paired(rng, 100, 1.3, 1.3)
        labels = scores["m1"] > 0.457  # the best threshold of the population
        tests = rocch.stats.compare_curves(y, {"a": scores["m0"], "b": labels}, at=KNOWN)
        gaps.append(tests.differences[0].difference)
    assert np.mean(gaps) == pytest.approx(0, abs=3 * np.std(gaps) / np.sqrt(150))
    assert abs(np.mean(gaps)) < 0.03


def test_scores_count_by_their_order_alone_at_conditions() -> None:
    y, scores = paired(np.random.default_rng(7), 120, 1.0, 1.4, 1.8)
    one, other = (
        rocch.stats.compare_curves(y, given, at=KNOWN, replicates=99)
        for given in (scores, {name: np.exp(s) for name, s in scores.items()})
    )
    assert one == other


def test_a_pair_can_be_asked_for_in_either_order() -> None:
    y, scores = paired(np.random.default_rng(7), 100, 0.5, 1.0)
    tests = rocch.stats.compare_curves(
        y, {"z": scores["m0"], "a": scores["m1"]}, at=KNOWN, replicates=50
    )
    assert (tests.differences[0].first, tests.differences[0].second) == ("z", "a")
    one, other = tests.difference("z", "a"), tests.difference("a", "z")
    assert one == tests.differences[0]
    assert other.difference == -one.difference
    assert one.interval is not None
    assert other.interval == (-one.interval.high, -one.interval.low)
    with pytest.raises(rocch.InputError, match="be two that were compared; got 'a' and 'b'"):
        tests.difference("a", "b")
    whole = rocch.stats.compare_curves(y, scores, at="whole curve", replicates=50)
    assert whole.difference("m1", "m0").difference == whole.differences[0].difference
    assert "no sign" in str(whole)
    assert "m0 and m1: " in str(whole)


def test_clusters_change_the_spread() -> None:
    y, scores = paired(np.random.default_rng(8), 100, 1.0, 1.4)
    many = np.repeat(y, 4), {name: np.repeat(s, 4) for name, s in scores.items()}
    groups = np.repeat(np.arange(100), 4)
    (with_groups,) = rocch.stats.compare_curves(*many, at=KNOWN, groups=groups, replicates=400)
    (alone,) = rocch.stats.compare_curves(*many, at=KNOWN, replicates=400)
    assert with_groups.standard_error is not None
    assert alone.standard_error is not None
    assert with_groups.standard_error == pytest.approx(2 * alone.standard_error, rel=0.25)
    (whole,) = rocch.stats.compare_curves(*many, at="whole curve", groups=groups, replicates=200)
    (too_sure,) = rocch.stats.compare_curves(*many, at="whole curve", replicates=200)
    assert too_sure.p_value < whole.p_value


def test_unpaired_curves_of_one_law_on_other_scales_and_balances_are_equal() -> None:
    samples = unpaired(np.random.default_rng(9), 800, 1.5, 1.5)
    (pair,) = rocch.stats.compare_curves_unpaired(samples, at="whole curve", replicates=99)
    assert pair.difference < 0.05
    assert pair.p_value > 0.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": "auc"}, "at must be exact Conditions, a Belief, .* got 'auc'. .*compare_aucs"),
        ({"at": 0.1}, "at must be exact Conditions"),
        ({"at": rocch.Belief.cost_ratio(2, 3).with_prevalence(0.1)}, "have a unit of cost"),
        ({"adjust": "sidak"}, "adjust must be one of"),
        ({"replicates": 1}, "replicates must be"),
        ({"confidence": 0}, "confidence must be"),
        ({"scores": {"m0": [1] * 60}}, "scores must name at least two classifiers"),
        ({"scores": {"a": [1] * 60, "b": [1] * 59}}, "one value for each of the 60 rows"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    y, scores = paired(np.random.default_rng(0), 60, 1.0, 1.0)
    arguments = {"scores": scores, "at": KNOWN, "replicates": 20, **change}
    with pytest.raises(rocch.InputError, match=message):
        rocch.stats.compare_curves(y, arguments.pop("scores"), **arguments)


@pytest.mark.parametrize(
    ("samples", "at", "message"),
    [
        ({"a": ([0, 1, 0, 1], [1, 2, 3, 4]), "b": (1,)}, KNOWN, r"samples\['b'\] must be a pair"),
        ([1], KNOWN, "samples must map each classifier's name"),
        ({"a": ([0, 1, 0, 1], [1, 2, 3, 4])}, KNOWN, "at least two classifiers"),
        (
            None,
            rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1),
            "'observed', which has no meaning",
        ),
        (
            None,
            rocch.Belief.cost_ratio(2, 3).with_unit(false_positive=1).with_prevalence("observed"),
            "'observed', which has no meaning",
        ),
    ],
)
def test_bad_unpaired_input(samples: Any, at: Any, message: str) -> None:
    given = unpaired(np.random.default_rng(0), 40, 1.0, 1.0) if samples is None else samples
    with pytest.raises(rocch.InputError, match=message):
        rocch.stats.compare_curves_unpaired(given, at=at, replicates=20)

"""Sample size and power: pROC's numbers, published tables, enumeration and simulation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

import rocch
from tests.support.oracles import power as oracle

lib: Any = rocch
stats = rocch.stats


# Obuchowski, Lieber and Wians (2004), table 4: positives and negatives for power 0.9 of a one-sided
# test at 0.05, at least 10 of each. By kappa, the negatives per positive, for AUCs 0.6 to 0.95. In
# two cells the paper has one row less, which its own formula does not give.
AUCS = (0.6, 0.7, 0.8, 0.9, 0.95)
TABLE = {
    0.25: ((334, 80, 40, 40, 40), (84, 20, 10, 10, 10)),
    0.5: ((202, 49, 20, 20, 20), (101, 25, 10, 10, 10)),
    1: ((135, 33, 14, 10, 10), (135, 33, 14, 10, 10)),
    2: ((102, 25, 11, 10, 10), (203, 50, 21, 20, 20)),
    4: ((85, 21, 10, 10, 10), (340, 84, 40, 40, 40)),
}


@pytest.mark.parametrize("kappa", TABLE)
def test_sizes_are_those_of_the_published_table(kappa: float) -> None:
    for auc, positives, negatives in zip(AUCS, *TABLE[kappa], strict=True):
        found = stats.auc_sample_size(
            auc, power=0.9, sides=1, prevalence=1 / (1 + kappa), formula="obuchowski"
        )
        m, n = found.positives, found.negatives
        assert m is not None
        assert n is not None
        assert max(10, 10 / kappa if n < 10 else 0, m) == positives
        assert max(10, 10 * kappa if m < 10 else 0, n) == negatives


def test_one_auc_has_the_power_that_proc_documents() -> None:
    found = stats.auc_power(0.73, 41, 72, formula="obuchowski")
    assert found.power == pytest.approx(0.9897453, abs=1e-7)
    assert (found.rows, found.significance, found.sides) == (113, 0.05, 2)
    # pROC: 29.29764 cases and 49.806 controls
    auc = 0.7313686  # of s100b
    size = stats.auc_sample_size(auc, power=0.95, prevalence=1 / 2.7, formula="obuchowski")
    assert (size.positives, size.negatives) == (30, 50)
    found = stats.auc_power(0.6961054, 41, 72, formula="obuchowski")
    assert found.power == pytest.approx(0.95, abs=1e-4)  # pROC's search has four digits
    found = stats.auc_power(0.73, 41, 72, significance=0.009238584, formula="obuchowski")
    assert found.power == pytest.approx(0.95, abs=1e-6)


def placement_variance(auc: float) -> float:
    """A row's placement among normal scores varies by the row's own score."""
    shift = math.sqrt(2) * norm.ppf(auc)
    return float(quad(lambda x: norm.pdf(x) * (norm.cdf(x + shift) - auc) ** 2, -9, 9)[0])


@pytest.mark.parametrize(("auc", "null"), [(0.6, 0.5), (0.42, 0.3), (0.8, 0.85), (0.97, 0.9)])
def test_the_variance_is_that_of_placements(auc: float, null: float) -> None:
    m, n = 30, 50
    at_null, in_truth = (
        math.sqrt(placement_variance(value) * (1 / m + 1 / n)) for value in (null, auc)
    )
    wanted = norm.cdf((abs(auc - null) - norm.ppf(0.975) * at_null) / in_truth)
    assert stats.auc_power(auc, m, n, null=null).power == pytest.approx(wanted, rel=1e-8)


def test_the_covariance_is_that_of_two_placements() -> None:
    first, second, m, n = 0.7, 0.85, 30, 50
    at = norm.ppf([first, second])

    def shared(r: float) -> float:
        both = multivariate_normal([0, 0], [[1, r / 2], [r / 2, 1]]).cdf(at)
        return float(both) - first * second

    variance = sum(placement_variance(auc) * (1 / m + 1 / n) for auc in (first, second))
    variance -= 2 * (shared(0.7) / m + shared(-0.2) / n)
    wanted = norm.cdf(abs(first - second) / math.sqrt(variance) - norm.ppf(0.975))
    found = stats.auc_difference_power((first, second), m, n, correlation=(-0.2, 0.7))
    assert found.power == pytest.approx(wanted, abs=1e-5)


def test_the_null_variance_of_chance_is_wilcoxons() -> None:
    found = stats.auc_power(0.9, 40, 40, significance=0.05)
    error = math.sqrt((1 / 12) * (1 / 40 + 1 / 40))
    assert found.power > norm.cdf((0.4 - 1.959964 * error) / error)
    exact = stats.auc_power(0.5 + 1e-9, 40, 40)
    assert exact.power == pytest.approx(0.025, abs=1e-6)


def test_sizes_reach_the_power_and_one_row_less_does_not() -> None:
    for auc, null, share in ((0.7, 0.5, 0.5), (0.8, 0.7, 0.2), (0.75, 0.85, 0.6)):
        found = stats.auc_sample_size(auc, null=null, power=0.85, prevalence=share)
        m, n = found.positives, found.negatives
        assert m is not None
        assert n is not None
        assert found.power >= 0.85
        assert stats.auc_power(auc, m - 1, n - 1, null=null).power < 0.85
        assert m / (m + n) == pytest.approx(share, abs=0.02)


def simulated_power(
    auc: float, null: float, found: rocch.stats.PowerAnalysis, times: int, **options: Any
) -> float:
    rng = np.random.default_rng(7)
    assert found.positives is not None
    y = np.arange(found.rows) < found.positives
    shift = math.sqrt(2) * norm.ppf(auc)
    excluded = 0
    for _ in range(times):
        scores = rng.normal(size=y.size) + shift * y
        low, high = stats.auc_interval(y, scores, **options).interval
        excluded += not low <= null <= high
    return excluded / times


@pytest.mark.parametrize(
    ("auc", "null", "share"), [(0.7, 0.5, 0.5), (0.8, 0.7, 0.5), (0.9, 0.8, 0.2)]
)
def test_the_interval_of_an_auc_excludes_the_null_as_often(
    auc: float, null: float, share: float
) -> None:
    found = stats.auc_sample_size(auc, null=null, prevalence=share)
    assert simulated_power(auc, null, found, 600) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("aucs", [(0.7, 0.85), (0.85, 0.7)])
@pytest.mark.parametrize("correlation", [0.6, (0.2, 0.7), None])
def test_delongs_test_finds_a_difference_as_often(
    aucs: tuple[float, float], correlation: Any
) -> None:
    found = stats.auc_difference_sample_size(aucs, correlation=correlation)
    assert found.samples == (2 if correlation is None else 1)
    assert found.positives is not None
    rng = np.random.default_rng(3)
    y = np.arange(found.rows) < found.positives
    shifts = [math.sqrt(2) * norm.ppf(auc) for auc in aucs]
    among = correlation if isinstance(correlation, tuple) else (correlation or 0,) * 2
    r = np.array(among)[y.astype(int)]
    times, significant = 400, 0
    for _ in range(times):
        one, other = rng.normal(size=(2, y.size))
        scores = {
            "a": one + shifts[0] * y,
            "b": r * one + np.sqrt(1 - r**2) * other + shifts[1] * y,
        }
        if correlation is None:
            test = stats.compare_aucs_unpaired({name: (y, s) for name, s in scores.items()})
        else:
            test = stats.compare_aucs(y, scores)
        significant += test.differences[0].p_value < 0.05
    assert significant / times == pytest.approx(0.8, abs=0.065)


def pilot(rows: int = 200) -> tuple[Any, rocch.stats.AucComparison]:
    rng = np.random.default_rng(11)
    y = np.arange(rows) % 4 == 0
    shared = rng.normal(size=rows)
    scores = {name: shared + rng.normal(size=rows) + k * y for name, k in (("a", 1), ("b", 2))}
    return y, stats.compare_aucs(y, scores)


def test_a_pilot_study_gives_variances_and_class_balance() -> None:
    _, before = pilot()
    (pair,) = before.differences
    found = stats.auc_difference_power(before)
    assert (found.positives, found.negatives) == (50, 150)
    reach = abs(pair.difference) - norm.ppf(0.975) * pair.standard_error
    assert found.power == pytest.approx(norm.cdf(reach / pair.standard_error))
    size = stats.auc_difference_sample_size(before, power=0.9)
    assert size.power >= 0.9
    assert size.positives is not None
    assert size.negatives == pytest.approx(3 * size.positives, abs=3)
    # four times the rows halve the error
    larger = stats.auc_difference_power(before, 200, 600)
    assert larger.power == pytest.approx(
        norm.cdf(2 * abs(pair.difference) / pair.standard_error - norm.ppf(0.975))
    )
    # of rows in another balance at least this power is certain
    assert stats.auc_difference_power(before, 200, 150).power == pytest.approx(found.power)


def test_proc_takes_the_null_from_the_first_model() -> None:
    forward, backward = (
        stats.auc_difference_sample_size(aucs, correlation=0.5, formula="obuchowski")
        for aucs in ((0.7, 0.8), (0.8, 0.7))
    )
    ours = stats.auc_difference_sample_size((0.7, 0.8), correlation=0.5)
    assert ours.rows == stats.auc_difference_sample_size((0.8, 0.7), correlation=0.5).rows
    assert backward.rows < ours.rows < forward.rows


RATES = ((0.9, 0.8), (0.7, 0.8), (0.3, 0.15), (0.98, 0.9))


@pytest.mark.parametrize(("rate", "null"), RATES)
@pytest.mark.parametrize("sides", [1, 2])
def test_the_power_of_a_rate_is_a_sum_over_counts(rate: float, null: float, sides: Any) -> None:
    exact = Fraction(str(rate)), Fraction(str(null))
    for rows in (1, 7, 30, 61):
        found = stats.rate_power(rate, null, rows, sides=sides)
        wanted = oracle.rate_power(*exact, rows, Fraction(1, 20) / sides)
        assert found.power == pytest.approx(float(wanted), abs=1e-12)


@pytest.mark.parametrize(("rate", "null"), RATES)
def test_from_its_size_on_the_power_of_a_rate_holds(rate: float, null: float) -> None:
    found = stats.rate_sample_size(rate, null, power=0.9, sides=1)
    assert found.power >= 0.9
    assert stats.rate_power(rate, null, found.rows - 1, sides=1).power < 0.9
    later = range(found.rows, 2 * found.rows + 60)
    assert all(stats.rate_power(rate, null, rows, sides=1).power >= 0.9 for rows in later)


def test_the_power_of_a_rate_is_how_often_its_interval_excludes_the_limit() -> None:
    rows = 80
    counts = [k for k in range(rows + 1) if stats.rate_interval(k, rows).low > 0.8]
    wanted = sum(float(oracle.chance(k, rows, Fraction(9, 10))) for k in counts)
    assert stats.rate_power(0.9, 0.8, rows).power == pytest.approx(wanted)


def test_sizes_of_rates_are_found_far_from_the_normal_guess_and_for_hardly_any_power() -> None:
    tiny = stats.rate_sample_size(0.9999, 0.999, power=0.8)
    assert tiny.power >= 0.8
    assert stats.rate_power(0.9999, 0.999, tiny.rows - 1).power < 0.8
    assert stats.rate_sample_size(0.99, 0.01, power=0.01).rows == 1


def test_results_say_what_they_are() -> None:
    found = stats.auc_power(0.8, 30, 60)
    assert str(found) == (
        f"AUC 0.8 against 0.5: 30 positives and 60 negatives have power {found.power:.3f} "
        "(two-sided test at 0.05)"
    )
    assert found.to_frame().loc[0, "rows"] == 90
    unpaired = stats.auc_difference_power((0.7, 0.9), 50, 50, sides=1)
    assert "50 negatives for each model have power" in str(unpaired)
    assert "(one-sided test at 0.05)" in str(unpaired)
    assert "60 rows of the class have power" in str(stats.rate_power(0.9, 0.8, 60))


def three_models() -> Any:
    y = [0, 0, 0, 1, 1, 1]
    return stats.compare_aucs(y, {"a": [1, 2, 4, 3, 5, 6], "b": [2, 1, 6, 3, 5, 4], "c": y})


def own_rows() -> Any:
    y = [0, 0, 0, 1, 1, 1]
    return stats.compare_aucs_unpaired({"a": (y, [1, 2, 4, 3, 5, 6]), "b": (y, [2, 1, 6, 3, 5, 4])})


def same_models() -> Any:
    y, s = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]
    return stats.compare_aucs(y, {"a": s, "b": s})


def three_classes() -> Any:
    y = [0, 0, 1, 1, 2, 2]
    p = np.eye(3)[y] * 0.6 + 0.1
    q = np.roll(p, 1, axis=0)
    return rocch.multiclass.compare_multiclass_aucs(
        y, {"a": p / p.sum(1, keepdims=True), "b": q / q.sum(1, keepdims=True)}
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lib.stats.auc_sample_size(1), "auc must be a number between 0 and 1"),
        (lambda: lib.stats.auc_sample_size(0.5), "null must differ from auc; got 0.5 for both"),
        (lambda: lib.stats.auc_sample_size(0.7, null=1.2), "null must be a number between"),
        (lambda: lib.stats.auc_sample_size(0.7, power=80), "power must be .*Write 80% as 0.8"),
        (lambda: lib.stats.auc_sample_size(0.7, sides=3), "sides must be a whole number from 1"),
        (lambda: lib.stats.auc_sample_size(0.7, formula="x"), "formula must be one of"),
        (lambda: lib.stats.auc_sample_size(0.7, prevalence=0), "prevalence must be a number"),
        (lambda: lib.stats.auc_power(0.7, 1, 9), "positives must be a whole number, at least 2"),
        (lambda: lib.stats.auc_power(0.7, 9, 9, significance=5), "significance must be a number"),
        (lambda: lib.stats.auc_difference_power((0.7, 0.8)), "positives must be a whole number"),
        (lambda: lib.stats.auc_difference_power(0.7, 9, 9), "aucs must be two AUCs, or the"),
        (lambda: lib.stats.auc_difference_power((0.7, 0.7), 9, 9), "aucs must differ"),
        (lambda: lib.stats.auc_difference_power((0.7, 7), 9, 9), r"aucs\[1\] must be a number"),
        (
            lambda: lib.stats.auc_difference_power((0.7, 0.8), 9, 9, correlation=1),
            "correlation must be a number between -1 and 1",
        ),
        (
            lambda: lib.stats.auc_difference_power((0.7, 0.8), 9, 9, correlation=(0.1, 0.2, 0.3)),
            "correlation must be one number or two; got 3",
        ),
        (
            lambda: lib.stats.auc_difference_power(pilot()[1], correlation=0.5),
            "correlation must be left out with a pilot study",
        ),
        (lambda: lib.stats.auc_difference_power(three_models()), "pilot study of two models on"),
        (lambda: lib.stats.auc_difference_power(own_rows()), "got rows of their own for 'a', 'b'"),
        (lambda: lib.stats.auc_difference_power(same_models()), "aucs must differ"),
        (lambda: lib.stats.auc_difference_power(three_classes()), "pilot study of two classes"),
        (lambda: lib.stats.rate_power(0.9, 0.9, 30), "null must differ from rate"),
        (lambda: lib.stats.rate_power(1, 0.9, 30), "rate must be a number between 0 and 1"),
        (lambda: lib.stats.rate_power(0.8, 0.9, 0), "rows must be a whole number, at least 1"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        call()

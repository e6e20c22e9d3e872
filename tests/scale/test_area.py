"""The AUC of a frame says whether it is exact, and never leaves the truth outside."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.roc import ClassTotals
from rocch.scale import FrameAuc
from tests.support.cut_rows import Cut, as_cells, cut_rows, totals
from tests.support.oracles import auc_variance, curves
from tests.support.oracles import cells as oracle

lib: Any = rocch

BRACKETED = as_cells(
    [oracle.Cell(0.9, 0.9, 0, 2), oracle.Cell(0.6, 0.4, 2, 1), oracle.Cell(0.1, 0.1, 1, 0)]
)
EXACT = as_cells([oracle.Cell(3, 3, 0, 2), oracle.Cell(2, 2, 1, 1), oracle.Cell(1, 1, 2, 0)])
THREE = ClassTotals(3, 3)


@settings(max_examples=50)
@given(cut_rows())
def test_the_truth_is_between_the_bounds(cut: Cut) -> None:
    labels, scores, rows = cut
    cells = as_cells(rows)
    found = FrameAuc.of(cells, totals(cells))
    auc, variance = curves.auc(labels, scores), auc_variance.delong(labels, scores, scores)
    assert found.variance_low is not None
    assert found.variance_high is not None
    assert Fraction(found.low) <= auc <= Fraction(found.high)
    assert Fraction(found.variance_low) <= variance <= Fraction(found.variance_high)
    assert 0 <= found.low <= found.middle <= found.high <= 1
    truth = rocch.stats.auc_interval(labels, scores).interval
    low, high = found.interval()
    assert low <= truth.low <= truth.high <= high
    if found.exact:
        assert (low, high) == truth
        assert found.high in (found.low, math.nextafter(found.low, 2))


@settings(max_examples=50)
@given(cut_rows())
def test_exact_cells_give_what_the_rows_give(cut: Cut) -> None:
    labels, scores, _ = cut
    cells = as_cells(oracle.cut(labels, scores, [True] * len(scores)))
    found, expected = (
        FrameAuc.of(cells, totals(cells)),
        rocch.stats.auc_interval(labels, scores),
    )
    assert found.exact
    assert found.value == expected.value == rocch.auc(labels, scores)
    assert found.standard_error == expected.standard_error
    for confidence in (0.5, 0.99):
        truth = rocch.stats.auc_interval(labels, scores, confidence=confidence).interval
        assert found.interval(confidence) == truth


@settings(max_examples=50)
@given(cut_rows(largest=12), st.integers(1, 4))
def test_weighted_rows_have_an_auc_but_no_variance(cut: Cut, weight: int) -> None:
    labels, scores, _ = cut
    weights = [1 + index % weight for index in range(len(scores))]
    curve = rocch.RocCurve.from_scores(labels, scores, sample_weight=weights)
    assert curve.lowest_scores is not None
    steps = np.diff(curve.false_positives), np.diff(curve.true_positives)
    found = FrameAuc.of(rocch_cells(curve.lowest_scores, *steps), curve.totals)
    assert found.value == curve.auc
    assert found.variance_low is found.variance_high is found.middle_variance is None
    assert str(found) == f"AUC {curve.auc:.4f} (exact)"
    with pytest.raises(rocch.UndefinedError, match="AUC of weighted rows is undefined"):
        found.interval()


def rocch_cells(thresholds: Any, negatives: Any, positives: Any) -> Any:
    from rocch.kernels.cells import Cells

    return Cells(thresholds, thresholds, negatives, positives)


@pytest.mark.parametrize(("cells", "kind"), [((1, 3), "negative"), ((3, 1), "positive")])
def test_a_single_row_of_a_class_has_no_variance(cells: tuple[int, int], kind: str) -> None:
    found = FrameAuc.of(as_cells([oracle.Cell(1, 1, *cells)]), ClassTotals(*cells))
    assert found.value == 0.5
    for ask in (lambda: found.standard_error, found.interval):
        with pytest.raises(rocch.UndefinedError, match=f"a single {kind} row"):
            ask()


def test_a_bracket_has_no_value() -> None:
    found = FrameAuc.of(BRACKETED, THREE)
    assert not found.exact
    with pytest.raises(rocch.UndefinedError, match=r"the AUC is known only .* Use low and high"):
        found.value  # noqa: B018 - reading it is what must fail
    with pytest.raises(rocch.UndefinedError, match="Use variance_low and variance_high"):
        found.standard_error  # noqa: B018 - reading it is what must fail


def test_it_says_which_it_is() -> None:
    assert str(FrameAuc.of(EXACT, THREE)).startswith("AUC 0.9444 (exact; 95% interval 0.4")
    bracket = FrameAuc.of(BRACKETED, THREE)
    assert str(bracket).startswith("AUC 0.7777 to 1.0000 (proven bracket; 95% interval ")


def test_a_narrow_bracket_is_written_with_digits_that_tell_its_ends_apart() -> None:
    many = 10**3
    rows = [oracle.Cell(3, 3, 0, many), oracle.Cell(2, 1, 1, 1), oracle.Cell(0, 0, many, 0)]
    found = FrameAuc.of(as_cells(rows), ClassTotals(many + 1, many + 1))
    assert (found.low, found.high) == (1 - 1 / 1001**2, 1)
    assert str(found) == (
        "AUC 0.99999900 to 1.00000000 (proven bracket; 95% interval 0.99807545 to 1.00000000)"
    )


def test_it_can_be_sent_elsewhere() -> None:
    found = FrameAuc.of(BRACKETED, THREE)
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own bytes
    assert hash(found) == hash(FrameAuc.of(BRACKETED, THREE))


@pytest.mark.parametrize("confidence", [0, 1, 95, "x", None])
def test_bad_confidence_is_refused(confidence: Any) -> None:
    with pytest.raises(rocch.InputError, match="confidence must be a number between 0 and 1"):
        FrameAuc.of(EXACT, THREE).interval(confidence)


def test_ten_to_the_eleven_rows() -> None:
    """A curve of the power law tpr = fpr^(1/3) has the AUC 3/4; the bracket is around it."""
    places = np.linspace(0, 1, 20_001)
    counts = [np.diff(np.rint(rate * 5e10)).astype(np.int64) for rate in (places**3, places)]
    low = -np.arange(places.size - 1.0)
    cells = type(EXACT)(low + 0.5, low, *counts)
    found = FrameAuc.of(cells, ClassTotals(5 * 10**10, 5 * 10**10))
    assert found.low < 0.75 < found.high
    assert found.high - found.low < 5.001e-5
    # E[fpr^(2/3)] - (3/4)^2 for a negative's placement, E[(1 - tpr^3)^2] - (3/4)^2 for a positive's
    variance = (3 / 5 - 9 / 16 + (1 - 2 / 4 + 1 / 7) - 9 / 16) / 5e10
    assert found.variance_low is not None
    assert found.variance_high is not None
    assert found.variance_low < variance < found.variance_high
    assert found.variance_high / found.variance_low < 1.01

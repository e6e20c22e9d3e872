"""How sure the rows make us, against the library's own intervals and tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.report import certainty as certainties
from rocch.report.certainty import FEW, aucs_of, certainty, resamples_for
from rocch.report.question import Question

RNG = np.random.default_rng(8)
Y = np.arange(90) % 3 == 0
SCORES = {"a": RNG.normal(size=90) + Y, "b": RNG.normal(size=90) + 2 * Y}
ROWS: Any = (Y, SCORES)


def asked(**said: Any) -> Question:
    return Question(**{"prevalence": 0.2, **said})


@pytest.mark.parametrize(
    ("rows", "models", "said", "drawn"),
    [
        (90, 2, None, 500),
        (90, 2, 0, 0),
        (90, 2, 70, 70),
        (100_000, 1, None, 500),
        (100_000, 2, None, 250),
        (100_000, 5, None, 100),
        (100_001, 5, None, 0),
        (1_000_000, 20, None, 0),
        (1_000_000, 20, 40, 40),
    ],
)
def test_as_many_resamples_as_take_a_few_seconds(
    rows: int, models: int, said: int | None, drawn: int
) -> None:
    sizes: Any = (range(rows), dict.fromkeys(range(models)))
    assert resamples_for(sizes, said) == drawn


def test_without_rows_nothing_is_drawn_and_nothing_known() -> None:
    assert resamples_for(None, 50) == 0
    assert aucs_of(None) == ({}, ())
    assert certainty(None, asked(), 0, (), "a") is None


@pytest.mark.parametrize("said", [1, 39, -1, 1.5, "many", True])
def test_what_is_no_number_of_resamples_is_refused(said: Any) -> None:
    for rows in (ROWS, None):
        with pytest.raises(rocch.InputError, match="resamples must be a whole number, at least 40"):
            resamples_for(rows, said)


def test_aucs_and_their_difference() -> None:
    aucs, (difference,) = aucs_of(ROWS)
    for name, estimate in aucs.items():
        assert estimate.interval == pytest.approx(
            rocch.stats.auc_interval(Y, SCORES[name]).interval
        )
    own = rocch.stats.compare_aucs(Y, SCORES).differences[0]
    assert (difference.first, difference.second) == ("a", "b")
    assert difference.difference == pytest.approx(aucs["a"].value - aucs["b"].value)
    assert tuple(difference.interval) == tuple(own.interval)
    assert (difference.p_value, difference.adjusted) == (own.p_value, own.adjusted_p_value)


def test_a_single_classifier_has_an_interval_and_no_difference() -> None:
    aucs, differences = aucs_of((Y, {"a": SCORES["a"]}))
    assert aucs["a"].interval == rocch.stats.auc_interval(Y, SCORES["a"]).interval
    assert differences == ()


def test_a_class_of_one_row_has_no_interval() -> None:
    y = np.arange(9) == 4
    scores = {name: RNG.normal(size=9) for name in "ab"}
    assert aucs_of((y, scores)) == ({}, ())
    assert aucs_of((y, {"a": scores["a"]})) == ({}, ())


def test_of_many_classifiers_the_best_is_compared_with_all_others() -> None:
    many = {f"m{i}": RNG.normal(size=90) + (3 if i == 2 else 0.2) * Y for i in range(FEW + 1)}
    _, differences = aucs_of((Y, many))
    assert len(differences) == FEW
    assert all("m2" in (d.first, d.second) for d in differences)


def test_resamples_make_a_band_and_an_honest_cost() -> None:
    found = certainty(ROWS, asked(false_negative=3), 100, (), "a")
    assert found is not None
    (band,) = found.bands
    own = rocch.stats.bootstrap(Y, SCORES, replicates=100).band(None, kind="vertical")
    assert np.allclose(band.low, own.low, atol=1e-6)
    assert np.allclose(band.high, own.high, atol=1e-6)
    assert (found.resamples, found.remark) == (100, "")
    honest = found.honest
    assert honest is not None
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=3)
    choice = rocch.stats.out_of_sample_choice(Y, SCORES, known, replicates=100)
    assert (honest.apparent_cost, honest.out_of_sample_cost) == (
        choice.apparent_cost,
        choice.out_of_sample_cost,
    )
    assert tuple(honest.interval) == tuple(choice.interval)
    assert {r.classifier: r.wins for r in honest.rivals} == choice.wins
    assert honest.wins == max(choice.wins.values())
    shares = [rival.wins for rival in honest.rivals]
    assert shares == sorted(shares, reverse=True)
    assert honest.sentence.startswith(
        "On rows that did not make the choice, expect a cost of "
        f"{100 * honest.out_of_sample_cost:.2f} per"
    )
    assert f"the rows {honest.rivals[0].classifier} is the cheapest." in honest.sentence


@pytest.mark.parametrize(
    "said",
    [
        {"max_fpr": 0.1},
        {"max_fpr": 0.1, "goal": "hits"},
        {"false_negative": (1, 2)},
        {"prevalence": (0.1, 0.2)},
    ],
)
def test_limits_and_ranges_have_no_honest_cost(said: Any) -> None:
    found = certainty(ROWS, asked(**said), 20, (), "a")
    assert found is not None
    assert found.honest is None
    assert found.bands


def test_a_belief_has_one() -> None:
    found = certainty(ROWS, asked(belief=(1, 2, 3)), 100, (), "a")
    assert found is not None
    assert found.honest is not None


def test_nor_has_too_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certainties, "HONEST_WORK", 90 * 2 * 100 - 1)
    found = certainty(ROWS, asked(), 100, (), "a")
    assert found is not None
    assert found.honest is None


def test_nor_have_few_resamples() -> None:
    found = certainty(ROWS, asked(), 99, (), "a")
    assert found is not None
    assert (found.resamples, found.honest) == (99, None)
    assert found.bands


def test_without_resamples_there_is_a_band_that_needs_none() -> None:
    found = certainty(ROWS, asked(), 0, (), "b")
    assert found is not None
    (band,) = found.bands
    own = rocch.stats.roc_band(Y, SCORES["b"], kind="simultaneous", method="kolmogorov", name="b")
    assert (band.model, band.kind, band.promise) == ("b", "simultaneous", own.promise)
    assert np.allclose(band.low, own.low, atol=1e-6)
    assert found.resamples == 0
    assert found.remark == (
        "There are 90 rows of 2 classifiers: no resamples were drawn, and the band is one that "
        "needs none."
    )


def test_a_class_of_one_row_cannot_be_resampled() -> None:
    y = np.arange(9) == 4
    found = certainty((y, {"a": RNG.normal(size=9)}), asked(), 20, (), "a")
    assert found is not None
    assert (found.resamples, found.bands, found.honest) == (0, (), None)
    assert "at least two rows with a positive label" in found.remark

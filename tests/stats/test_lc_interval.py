"""The spread of the LC index, against comparing rows that are really repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch

EXPERT = rocch.Belief.cost_ratio(2, 20, likely=16)


def rows(size: int, groups: bool = False) -> tuple[Any, dict[str, Any], Any]:
    rng = np.random.default_rng(size)
    y = np.arange(size) % 3 == 0
    scores = {
        "a": np.round(rng.normal(size=size) + 1.2 * y, 1),
        "b": rng.normal(size=size) * np.where(y, 2, 1) + 1.2 * y,
        "c": rng.normal(size=size) + y,
    }
    return y, scores, np.arange(size) // 4 if groups else None


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize(
    ("belief", "prevalence"),
    [
        (EXPERT, 0.3),
        (EXPERT, (0.2, 0.5)),
        (rocch.Belief.cost_ratio(5), 0.3),
        (rocch.Belief.sample(prevalence=[0.2, 0.4], false_positive=1, false_negative=[2, 9]), None),
    ],
)
def test_indices_are_those_of_rows_really_repeated(
    groups: bool, belief: rocch.Belief, prevalence: Any
) -> None:
    y, scores, clusters = rows(60, groups)
    found = rocch.stats.lc_intervals(
        y, scores, belief=belief, prevalence=prevalence, groups=clusters, replicates=40
    )
    drawn = rocch.stats.bootstrap(y, scores, groups=clusters, replicates=40)
    assert [(f.first, f.second) for f in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair in found:
        slow = []
        for number in range(40):
            bag = np.repeat(np.arange(60), drawn.replicate(number).multiplicities)
            one, other = (
                rocch.RocCurve.from_scores(y[bag], scores[name][bag], name=name)
                for name in (pair.first, pair.second)
            )
            slow.append(
                rocch.stats.compare_losses(
                    one, other, belief=belief, prevalence=prevalence
                ).lc_index
            )
        assert pair.interval == pytest.approx(np.quantile(slow, [0.025, 0.975]).tolist(), abs=1e-9)
        ties = np.abs(slow) < 1e-12
        favored = np.where(ties, 0.5, np.array(slow) > 0).mean()
        assert pair.favored == pytest.approx(favored)
        whole = (
            rocch.RocCurve.from_scores(y, scores[n], name=n) for n in (pair.first, pair.second)
        )
        seen = rocch.stats.compare_losses(*whole, belief=belief, prevalence=prevalence).lc_index
        assert pair.lc_index == pytest.approx(seen)


@pytest.mark.parametrize("groups", [False, True])
def test_implied_indices_are_those_of_rows_really_repeated(groups: bool) -> None:
    y, scores, clusters = rows(60, groups)
    shares = {name: np.round(1 / (1 + np.exp(1 - column)), 2) for name, column in scores.items()}
    options: dict[str, Any] = {"belief": EXPERT, "prevalence": 0.3, "reading": "implied"}
    found = rocch.stats.lc_intervals(y, shares, groups=clusters, replicates=40, **options)
    drawn = rocch.stats.bootstrap(y, shares, groups=clusters, replicates=40)
    for pair in found:
        slow = []
        for number in range(40):
            bag = np.repeat(np.arange(60), drawn.replicate(number).multiplicities)
            curves = (
                rocch.RocCurve.from_scores(y[bag], shares[name][bag], name=name)
                for name in (pair.first, pair.second)
            )
            slow.append(rocch.stats.compare_losses(*curves, **options).lc_index)
        assert pair.interval == pytest.approx(np.quantile(slow, [0.025, 0.975]).tolist(), abs=1e-9)
    plain = rocch.stats.lc_intervals(y, shares, belief=EXPERT, prevalence=0.3, replicates=40)
    assert [f.interval for f in plain] != [f.interval for f in found]


def test_the_implied_reading_needs_probabilities_and_one_prevalence() -> None:
    y, scores, _ = rows(60)
    options: dict[str, Any] = {"belief": EXPERT, "reading": "implied", "replicates": 40}
    with pytest.raises(rocch.InputError, match="a RocCurve of probabilities"):
        rocch.stats.lc_intervals(y, scores, prevalence=0.3, **options)
    shares = {name: 1 / (1 + np.exp(-column)) for name, column in scores.items()}
    with pytest.raises(rocch.InputError, match="be one number for reading='implied'"):
        rocch.stats.lc_intervals(y, shares, prevalence=(0.2, 0.4), **options)
    with pytest.raises(rocch.InputError, match="one of 'envelope', 'implied'"):
        rocch.stats.lc_intervals(y, shares, prevalence=0.3, **{**options, "reading": "best"})


def test_an_index_of_one_can_still_be_uncertain() -> None:
    y, scores, _ = rows(90)
    found = rocch.stats.lc_intervals(
        y, scores, belief=EXPERT, prevalence="observed", replicates=200
    )
    assert any(f.interval.high - f.interval.low > 1 for f in found)
    assert "of resamples: " in str(found[0])


def test_bad_input() -> None:
    y, scores, _ = rows(60)
    with pytest.raises(rocch.InputError, match="at least two classifiers"):
        rocch.stats.lc_intervals(y, {"a": scores["a"]}, belief=EXPERT, prevalence=0.3)
    with pytest.raises(rocch.InputError, match="prevalence must be named"):
        rocch.stats.lc_intervals(y, scores, belief=EXPERT, replicates=40)
    with pytest.raises(rocch.InputError, match="belief must be a Belief"):
        rocch.stats.lc_intervals(y, scores, belief=(2, 20), prevalence=0.3, replicates=40)  # type: ignore[arg-type]

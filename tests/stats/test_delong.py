"""AUCs and covariances are exactly those of the slow definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rocch
from rocch.rows import ScoredRows
from rocch.stats.auc import auc_moments
from tests.support.oracles import auc_variance, curves
from tests.support.strategies import judged_rows, judged_table

Table = tuple[list[bool], dict[str, list[float]]]


@given(judged_table())
def test_covariances_equal_delongs_definition(table: Table) -> None:
    labels, scores = table
    assume(min(labels.count(True), labels.count(False)) > 1)
    found = auc_moments(ScoredRows.of(labels, scores))
    assert found.models == tuple(sorted(scores))
    assert list(found.aucs) == [curves.auc(labels, scores[name]) for name in found.models]
    for i, one in enumerate(found.models):
        for j, other in enumerate(found.models):
            expected = auc_variance.delong(labels, scores[one], scores[other])
            assert found.covariance[i][j] == expected


@given(judged_rows(largest=14))
def test_the_variance_is_the_jackknifes(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    assume(min(labels.count(True), labels.count(False)) > 1)
    found = auc_moments(ScoredRows.of(labels, {"a": scores}))
    assert found.covariance[0][0] == auc_variance.jackknife(labels, scores)


def test_without_ties_the_variance_is_a_matter_of_triples() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        labels = (rng.permutation(16) < 6).tolist()
        scores = rng.permutation(16).astype(float).tolist()
        found = auc_moments(ScoredRows.of(labels, {"a": scores}))
        assert found.covariance[0][0] == auc_variance.hanley_mcneil(labels, scores)


@given(judged_table(models=2), st.data())
def test_covariances_of_groups_equal_obuchowskis_definition(
    table: Table, data: st.DataObject
) -> None:
    labels, scores = table
    size = len(labels)
    groups = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    for kind in (False, True):
        own = {g for g, label in zip(groups, labels, strict=True) if label is kind}
        assume(len(own) > 1)
    found = auc_moments(ScoredRows.of(labels, scores, groups=groups))
    for i, one in enumerate(found.models):
        for j, other in enumerate(found.models):
            expected = auc_variance.obuchowski(labels, scores[one], scores[other], groups)
            assert found.covariance[i][j] == expected
        assert found.covariance[i][i] >= 0


def test_groups_of_one_change_nothing() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.4
    scores = {"a": rng.normal(size=80) + y, "b": np.round(rng.normal(size=80) + y)}
    plain = auc_moments(ScoredRows.of(y, scores))
    grouped = auc_moments(ScoredRows.of(y, scores, groups=np.arange(80)))
    assert grouped.covariance == plain.covariance
    assert grouped.units == plain.units == (int((~y).sum()), int(y.sum()))


def test_the_order_of_rows_and_monotone_scores_change_nothing_at_all() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.2
    a, b = rng.normal(size=3000) + y, np.round(rng.normal(size=3000) + y, 1)
    order = rng.permutation(3000)
    one = auc_moments(ScoredRows.of(y, {"a": a, "b": b}))
    other = auc_moments(ScoredRows.of(y[order], {"a": np.exp(a[order]), "b": 3 * b[order] - 1}))
    assert one.covariance == other.covariance


def test_models_that_rank_alike_differ_without_variance() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(500) < 0.5
    a = rng.normal(size=500) + y
    found = auc_moments(ScoredRows.of(y, {"a": a, "b": np.exp(a)}))
    assert found.contrast(0, 1) == (Fraction(0), Fraction(0))


def test_labels_count_as_scores() -> None:
    y = [0, 0, 0, 1, 1, 1]
    alarms = np.array([False, False, True, True, True, False])
    found = auc_moments(ScoredRows.of(y, {"rules": alarms}))
    assert found.aucs == (Fraction(2, 3),)


def test_the_variance_estimates_that_of_the_auc() -> None:
    rng = np.random.default_rng(3)
    aucs, variances = [], []
    y = np.arange(70) < 30
    for _ in range(600):
        found = auc_moments(ScoredRows.of(y, {"a": rng.normal(size=70) + y}))
        aucs.append(float(found.aucs[0]))
        variances.append(float(found.covariance[0][0]))
    assert np.mean(variances) == pytest.approx(np.var(aucs), rel=0.15)


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        ([0, 0, 1], None, "undefined with a single positive row"),
        ([0, 1, 1], None, "undefined with a single negative row"),
        ([0, 0, 1, 1], [1, 2, 3, 3], "undefined with all positive rows in one group"),
        ([0, 0, 1, 1], [1, 1, 3, 2], "undefined with all negative rows in one group"),
    ],
)
def test_without_variation_there_is_no_variance(
    y: list[int], groups: list[int] | None, message: str
) -> None:
    sample = ScoredRows.of(y, {"a": list(range(len(y)))}, groups=groups)
    with pytest.raises(rocch.UndefinedError, match=message):
        auc_moments(sample)

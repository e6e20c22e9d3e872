"""The summary as a whole: it agrees with the hull, and with itself."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.report import ManyClassesSummary, Summary
from rocch.report.answer import answer
from rocch.report.eyesight import PIXELS
from rocch.report.summary import FORMAT
from tests.support.asking import hull_of, rows_of
from tests.support.surfaces import three_class_surface

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


def summary_of(hull: rocch.RocHull, **said: Any) -> Summary:
    made = rocch.report.summarize(hull, **{"resamples": 0, "conditions": KNOWN, **said})
    assert isinstance(made, Summary)
    return made


@pytest.mark.parametrize("seed", range(10))
def test_the_hull_is_told_in_full(seed: int) -> None:
    hull = hull_of(seed, size=60)
    made = summary_of(hull)
    assert made.hull.false_positives == tuple(v.false_positives for v in hull.vertices)
    assert made.hull.true_positives == tuple(v.true_positives for v in hull.vertices)
    inner = [
        (made.classifiers[place].name, threshold)
        for place, threshold in zip(made.hull.classifier, made.hull.threshold, strict=True)
        if place >= 0
    ]
    assert inner == [(v.classifier, v.written_threshold) for v in hull.vertices[1:-1]]
    assert made.hull_auc == hull.auc
    assert made.dominator == hull.dominator()
    rows = [(w.classifier, w.low, math.inf if w.high == "inf" else w.high) for w in made.winners]
    assert rows == [(row.classifier, row.low, row.high) for row in hull.slope_ranges()]
    assert [each.name for each in made.classifiers if each.on_hull] == [
        member.name for member in hull.members if member.name in hull.winners
    ]
    assert made.answer == answer(hull, made.question)


def test_a_hull_finer_than_the_eye_is_not_reduced() -> None:
    steps = 3000
    rises = np.arange(steps, 0, -1)
    tp = np.cumsum(rises)
    counts = rocch.RocCurve.from_counts(
        np.arange(1, steps + 1) - 1, tp - 1, negatives=steps, positives=int(tp[-1]), name="smooth"
    )
    hull = rocch.RocHull.of(counts)
    made = summary_of(hull)
    assert len(hull) > 2 * PIXELS
    assert len(made.hull.threshold) == len(hull)
    (only,) = made.classifiers
    assert only.curve is not None
    assert len(only.curve.true_positives) < len(hull)


def test_the_data_are_counted() -> None:
    y, scores, rng = rows_of(3, 50)
    data = summary_of(rocch.RocHull.from_scores(y, scores), label="y", labels=("no", "yes")).data
    assert (data.rows, data.positives, data.negatives) == (50, y.sum(), (~y).sum())
    assert data.prevalence == pytest.approx(y.mean())
    assert (data.weighted, data.label, data.negative, data.positive) == (False, "y", "no", "yes")
    weights = rng.random(50)
    data = summary_of(rocch.RocHull.from_scores(y, scores, sample_weight=weights)).data
    assert data.weighted
    assert data.rows == pytest.approx(weights.sum())
    assert data.positives == pytest.approx(weights[y].sum())


def test_rows_that_differ_have_no_prevalence_and_need_one() -> None:
    hull = hull_of(4)
    assert summary_of(hull).data.prevalence is None
    with pytest.raises(rocch.InputError, match="prevalence must be named"):
        rocch.report.summarize(hull)


def test_rows_make_certainty_and_folds_warnings() -> None:
    y, scores, _ = rows_of(1, 300)
    folds = np.arange(300) % 3
    shifted = {"m": next(iter(scores.values())) + 4 * folds}
    made: Any = rocch.report.summarize(
        rocch.RocHull.from_scores(y, shifted), resamples=100, folds=folds
    )
    assert made.certainty.resamples == 100
    assert made.certainty.honest is not None
    assert made.classifiers[0].auc_interval is not None
    assert any("not comparable between its 3 folds" in said for said in made.warnings)


def test_the_best_by_auc_has_the_band_without_resamples() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(100) < 0.5
    hull = rocch.RocHull.from_scores(
        y, {"a": rng.normal(size=100), "b": rng.normal(size=100) + 3 * y}
    )
    made = summary_of(hull)
    assert made.certainty is not None
    assert [band.model for band in made.certainty.bands] == ["b"]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_rows_make_the_same_summary_and_plain_json(seed: int) -> None:
    y, scores, _ = rows_of(seed, 40)
    made = [
        rocch.report.summarize(rocch.RocHull.from_scores(y, scores), belief=(1, 2, 5), resamples=40)
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert json.loads(json.dumps(asdict(made[0]), allow_nan=False))["format"] == FORMAT


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"title": 5}, "title must be a text"),
        ({"label": 5}, "label must be a text"),
        ({"labels": ("a",)}, "labels must be two labels"),
        ({"resamples": -1}, "resamples must be a whole number"),
        ({"folds": [1]}, "folds must have one value for each"),
        ({"conditions": "dear"}, "conditions must be Conditions"),
        ({"belief": (1, 2)}, "belief must be"),
        ({"max_fpr": 2}, "max_fpr must be"),
        ({"capacity": 2}, "capacity, population must come together"),
        ({"randomize": 1}, "randomize must be True or False"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(said: Any, says: str) -> None:
    y, scores, _ = rows_of(0, 30)
    with pytest.raises(rocch.InputError, match=says):
        rocch.report.summarize(rocch.RocHull.from_scores(y, scores), **said)


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(
        rocch.InputError, match=r"condition must be an option of .* Did you mean 'conditions'"
    ):
        rocch.report.summarize(hull_of(0), condition=0.1)


def test_a_surface_is_summarized_as_one_of_many_classes() -> None:
    made = rocch.report.summarize(three_class_surface(), title="Three")
    assert isinstance(made, ManyClassesSummary)
    assert (made.title, len(made.classes)) == ("Three", 3)

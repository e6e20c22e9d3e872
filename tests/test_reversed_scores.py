"""Scores that run backwards, or a swapped positive class, are noticed."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocch


def rows(size: int = 400, shift: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    y = np.arange(size) % 4 == 0
    return y, rng.normal(size=size) + shift * y


def test_hulls_and_curves_warn_once_of_all_classifiers_that_run_backwards() -> None:
    y, scores = rows()
    with pytest.warns(rocch.PositiveClassWarning) as caught:
        rocch.RocHull.from_scores(y, {"good": scores, "bad": -scores, "worse": -3 * scores})
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "'bad' (AUC 0.2" in text
    assert "'worse'" in text
    assert "'good'" not in text
    assert "negate the scores" in text
    assert "pos_label" in text
    assert caught[0].filename == __file__
    with pytest.warns(rocch.PositiveClassWarning, match="'classifier'"):
        rocch.RocCurve.from_scores(y, -scores)


def test_statistics_warn_where_they_are_called() -> None:
    y, scores = rows()
    both = {"good": scores, "bad": -scores}
    own = {"good": (y, scores), "bad": (y, -scores)}
    calls: list[tuple[str, Callable[[], object]]] = [
        ("'classifier'", lambda: rocch.auc(y, -scores)),
        ("'classifier'", lambda: rocch.auc(y, -scores, sample_weight=np.ones(y.size))),
        ("'marker'", lambda: rocch.auc(y, pd.Series(-scores, name="marker"))),
        ("'marker'", lambda: rocch.stats.auc_interval(y, pd.Series(-scores, name="marker"))),
        ("'bad'", lambda: rocch.stats.compare_aucs(y, both)),
        ("'bad'", lambda: rocch.stats.compare_aucs_unpaired(own)),
        ("'bad'", lambda: rocch.stats.compare_curves(y, both, at=rocch.NeymanPearson(0.1))),
    ]
    for name, call in calls:
        with pytest.warns(rocch.PositiveClassWarning, match=rf"of {name} \(AUC 0.25\)") as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


def test_reports_do_not_repeat_the_warning() -> None:
    y, scores = rows()
    with pytest.warns(rocch.PositiveClassWarning):
        hull = rocch.RocHull.from_scores(y, {"good": scores, "bad": -scores})
    rocch.report.summarize(hull, resamples=40)  # a warning would be an error


def test_rows_of_a_group_count_once() -> None:
    y, scores = rows(40)
    with pytest.warns(rocch.PositiveClassWarning):
        rocch.stats.auc_interval(np.repeat(y, 20), np.repeat(-scores, 20))
    rocch.stats.auc_interval(np.repeat(y, 20), np.repeat(-scores, 20), groups=np.arange(800) // 20)


def test_a_swapped_positive_class_warns_and_the_remedy_helps() -> None:
    y, scores = rows()
    named = np.where(y, "ill", "well")
    with pytest.warns(rocch.PositiveClassWarning):
        rocch.RocHull.from_scores(named, scores, pos_label="well")
    rocch.RocHull.from_scores(named, scores, pos_label="ill")


@pytest.mark.parametrize("size", [8, 400, 100_000])
def test_chance_is_no_reason_to_warn(size: int) -> None:
    y, noise = rows(size, shift=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for part in (noise, -noise, np.round(noise)):
            rocch.RocCurve.from_scores(y, part)
            rocch.auc(y, part)
        slightly_below = rows(size, shift=-0.03)[1]  # an AUC of 0.49
        rocch.RocCurve.from_scores(y, slightly_below)
        rocch.auc(y, slightly_below)


def test_large_tables_warn_alike() -> None:
    y, scores = rows(20_000)
    with pytest.warns(rocch.PositiveClassWarning, match="'gbm'"):
        rocch.RocHull.from_scores(y, {"gbm": -scores}, sample_weight=np.ones(y.size))
    scan = rocch.scale.scan(pd.DataFrame({"y": y, "nb": scores, "gbm": -scores}), label="y")
    with pytest.warns(rocch.PositiveClassWarning, match=r"of 'gbm' \(AUC 0.24\) are") as caught:
        scan.hull()
    assert len(caught) == 1


def test_the_command_line_warns_in_one_line(tmp_path: Path) -> None:
    y, scores = rows()
    pd.DataFrame({"y": y * 1, "gbm": -scores}).to_csv(tmp_path / "scores.csv", index=False)
    command = [sys.executable, "-m", "rocch", "hull", str(tmp_path / "scores.csv"), "--label", "y"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    (line,) = done.stderr.splitlines()
    assert line.startswith("rocch: the scores of 'gbm' (AUC 0.2")
    assert "--positive" in line


def warns(call: Callable[[], object]) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return bool(caught)


def test_hulls_and_curves_warn_exactly_where_the_auc_does() -> None:
    rng = np.random.default_rng(8)
    found = set()
    for shift in np.linspace(-1, 0.4, 60):
        y, scores = rows(int(rng.integers(20, 2000)), shift)
        for column in (scores, np.round(scores)):
            calls: tuple[Callable[[], object], ...] = (
                partial(rocch.auc, y, column),
                partial(rocch.RocCurve.from_scores, y, column),
                partial(rocch.RocHull.from_scores, y, {"a": column}),
            )
            expected, *others = map(warns, calls)
            assert others == [expected, expected]
            found.add(expected)
    assert found == {True, False}

"""With `by=` every question gives each group what the group's rows alone would give."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rocch
from tests.support.engines import ENGINES, table

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

NAMES = ["s", "t"]


def rows(kind: str | None) -> Any:
    generator = np.random.default_rng(7)
    hits = generator.random(900) < 0.4
    weights: dict[str | None, Any] = {
        None: 1,
        "whole": generator.integers(1, 5, 900),
        "parts": generator.random(900),
    }
    return table(
        {
            "y": hits,
            "s": np.round(generator.normal(size=900) + hits, 2),
            "t": generator.random(900),
            "w": np.ones(900) * weights[kind],
            "g": generator.choice(["a", "b", "c"], 900, p=[0.1, 0.3, 0.6]),
        }
    )


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        *product(["Polars, lazy", "DuckDB", "pandas", "Arrow"], [None, "whole", "parts"]),
        ("Dask", "parts"),  # each of its queries takes long
    ],
)
def test_groups_are_asked_as_if_they_were_alone(
    engine: str, kind: str | None, folder: Path
) -> None:
    data = rows(kind)
    asked: dict[str, Any] = {"label": "y", "scores": NAMES, "weight": kind and "w"}
    scan = rocch.scale.scan(ENGINES[engine]([data], folder), **asked, buckets=600)
    at = {"t": [0.5, 0.1], "s": [0.25]}
    hulls, aucs, counts = scan.hull(by="g"), scan.auc(by="g"), scan.counts(at, by="g")
    brackets, curves = scan.auc(by="g", width=0.05), scan.curve(by="g", resolution=0.1)
    for group in "abc":
        alone = rocch.scale.scan(pl.DataFrame(data).filter(g=group), **asked)
        assert hulls[group] == alone.hull()
        assert aucs[group] == alone.auc()
        assert counts[group] == alone.counts(at)
        for name in NAMES:
            assert brackets[group][name].low <= aucs[group][name].value
            assert brackets[group][name].high >= aucs[group][name].value
            assert brackets[group][name].high - brackets[group][name].low <= 0.05
            assert curves[group][name].totals == alone.curve()[name].totals
            assert curves[group][name].resolution <= 0.1
    assert list(hulls) == list(aucs) == list(counts) == list(curves) == ["a", "b", "c"]


def test_several_columns_of_groups_make_tuples() -> None:
    frame = pl.DataFrame(rows(None)).with_columns(h=pl.int_range(pl.len()) % 2)
    scan = rocch.scale.scan(frame, label="y", scores="s")
    found = scan.auc(by=["g", "h"])
    assert list(found) == [(group, half) for group in "abc" for half in (0, 1)]
    assert list(scan.counts({"s": [0.5]}, by=("g", "h"))) == list(found)


def test_scores_that_are_not_named_are_all_numbers_but_the_groups() -> None:
    frame = pl.DataFrame(rows(None)).with_columns(h=pl.int_range(pl.len()) % 2)
    scan = rocch.scale.scan(frame, label="y", weight="w")
    assert list(scan.auc()) == ["s", "t", "h"]
    assert list(scan.auc(by="h")[0]) == ["s", "t"]


def test_a_scan_says_what_it_is_of() -> None:
    frame = pl.DataFrame(rows(None))
    assert repr(rocch.scale.scan(frame, label="y")) == "<Scan of label 'y', scores all numbers>"
    named = rocch.scale.scan(frame, label="y", scores={"nb": "s", "gbm": "t"})
    assert repr(named) == "<Scan of label 'y', scores 'nb', 'gbm'>"
    assert repr(rocch.scale.scan(frame, label="y", scores="s")) == "<Scan of label 'y', scores 's'>"

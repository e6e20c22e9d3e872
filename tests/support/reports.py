"""Small summaries that tests of the report render and open."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import rocch
from rocch.report import Summary, summarize
from rocch.report.summary import BinaryData, MulticlassData
from tests.support.pages import BETWEEN, LOOKS

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from rocch.arrays import FloatArray

STRANGE_NAMES = (
    "<script>alert(1)</script>",
    "</script><b>bold</b>",
    "\"double\" & 'single'",
    "{{ 7*7 }}",
    "\N{FOX FACE} fox",
    "\N{HEBREW LETTER MEM}\N{HEBREW LETTER SAMEKH}\N{HEBREW LETTER VAV}",
    "a name of sixty letters, which is more than any legend has room for",
    "<!-- <a href='https://example.org'>",
)


def scores(names: tuple[str, ...], rows: int = 400) -> tuple[Any, dict[str, FloatArray]]:
    """Return labels, and a score for each name; they separate the classes more or less well."""
    rng = np.random.default_rng(11)
    positive = rng.random(rows) < 0.25
    return positive, {
        name: (1 + i % 2) * rng.normal(size=rows) + (1 + i % 3) * positive
        for i, name in enumerate(names)
    }


def binary(summary: Summary) -> BinaryData:
    """Return the data of a summary of two classes."""
    assert summary.binary is not None
    return summary.binary


def multiclass(summary: Summary) -> MulticlassData:
    """Return the data of a summary of more than two classes."""
    assert summary.multiclass is not None
    return summary.multiclass


@cache
def fraud() -> Summary:
    """Return the summary of three classifiers under vague costs, with everything in it."""
    hull = rocch.RocHull.from_scores(*scores(("gbm", "bayes", "logit")))
    vague = rocch.Conditions(prevalence=(0.2, 0.3), false_positive=1, false_negative=(3, 9))
    return summarize(hull, vague, title="Fraud", labels=("fair", "fraud"), resamples=40)


@cache
def strange() -> Summary:
    """Return the summary of classifiers whose names look like something else."""
    hull = rocch.RocHull.from_scores(*scores(STRANGE_NAMES))
    return summarize(hull, title=STRANGE_NAMES[1], resamples=0)


@cache
def counts_only() -> Summary:
    """Return the summary of a hull that has no rows: counts, and labels only."""
    counts = rocch.RocCurve.from_counts([3, 10], [20, 30], positives=40, negatives=60, name="old")
    return summarize(rocch.RocHull.of(counts))


def wait_for_address(page: Page, pattern: str) -> None:
    """Wait until a page's address matches; it is looked at, for events of it can be missed."""
    for _ in range(LOOKS):
        if re.search(pattern, page.evaluate("location.href")):
            return
        page.wait_for_timeout(BETWEEN)
    raise AssertionError(f"{page.url} does not match {pattern}")

"""The report for many classes as one HTML file, in the frame that all reports share."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rocch.report.drawings import class_sketch
from rocch.report.html import fill, page_file
from rocch.report.many_classes.sections import rows_of_1000
from rocch.report.many_classes.words import use
from rocch.report.words import percent

if TYPE_CHECKING:
    from rocch.report.many_classes.summary import ManyClassesSummary

SCRIPTS = (
    "words.js",
    "looks.js",
    "sight.js",
    "many_words.js",
    "many_geometry.js",
    "many_state.js",
    "typed.js",
    "many_knobs.js",
    "many_charts.js",
    "many_surface.js",
    "many_tables.js",
    "many_app.js",
)
"""What the page for many classes runs, in this order, after the shell that all pages share."""

MOST_IN_GRID = 12
"""With more classes the costs of single errors cannot be laid out; those of classes can."""
MOST_PANELS = 12
FEW = 6
"""Tables have a column for the misses of each of so many classes."""


def render_many_classes(summary: ManyClassesSummary) -> str:
    """Return the report on classifiers for many classes as an HTML page.

    Raises
    ------
    MissingExtraError
        Without plotly and jinja2.
    """
    return fill(
        "many_classes.html.j2",
        asdict(summary),
        SCRIPTS,
        drawings={"sketch": class_sketch(summary), "more_style": page_file("many_classes.css")},
        view=_view(summary),
    )


def _view(summary: ManyClassesSummary) -> dict[str, Any]:
    """Return what the template shows besides the summary itself."""
    names = [each.name for each in summary.classes]
    starts = range(0, len(names), MOST_PANELS)
    return {
        "wide": len(names) > FEW,
        "grid": len(names) <= MOST_IN_GRID,
        "spatial": summary.surface is not None and len(names) >= 3,
        "few": names if len(names) <= FEW else [],
        "groups": [
            f"{names[start]} to {names[min(start + MOST_PANELS, len(names)) - 1]}"
            for start in starts
        ],
        "judged": [model.name for model in summary.models if model.aucs is not None],
        "per_1000": _per_1000(summary),
        "headline": _headline(summary),
    }


def _headline(summary: ManyClassesSummary) -> tuple[str, str]:
    """Part the sentence into what to use, which stands out, and what that does."""
    names = tuple(model.name for model in summary.models)
    head = use(summary.members, summary.answer.member, names, summary.question)
    return head, summary.answer.sentence.removeprefix(head)


def _per_1000(summary: ManyClassesSummary) -> list[dict[str, Any]]:
    """Return the answers expected among 1,000 rows as texts."""
    told = summary.answer
    return [
        {
            "name": each.name,
            "cells": [
                {"text": rows_of_1000(number), "wrong": k != j} for j, number in enumerate(row)
            ],
            "missed": percent(missed),
        }
        for k, (each, row, missed) in enumerate(
            zip(summary.classes, told.per_1000, told.miss_rates, strict=True)
        )
    ]

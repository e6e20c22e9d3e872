"""The report on several classes as one HTML file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rocch.multiclass.question import ClassQuestion
from rocch.report.drawings import multiclass_drawings
from rocch.report.figures import multiclass_figures
from rocch.report.html import fill
from rocch.report.many_classes.sections import about_data
from rocch.report.multiclass_view import multiclass_view

if TYPE_CHECKING:
    from rocch.report.many_classes.summary import ManyClassesSummary

# What the page runs, in this order, after the scripts that all reports share.
SCRIPTS = ("many_compute.js", "many_form.js", "many_app.js")


def render_many_classes(summary: ManyClassesSummary) -> str:
    """Return the report on classifiers for several classes as an HTML page.

    Raises
    ------
    MissingExtraError
        Without plotly and jinja2.
    """
    question = ClassQuestion.from_costs(summary.question.cost_matrix, summary.question.priors)
    whole = {
        "format": "rocch-summary-2",
        "rocch": summary.rocch,
        "title": summary.title,
        "about": about_data(summary),
        "question": question.to_dict(),
        "warnings": summary.warnings,
        "remarks": summary.remarks,
        "multiclass": asdict(summary),
    }
    return fill(
        "many_classes.html.j2",
        whole,
        SCRIPTS,
        drawings=multiclass_drawings(summary),
        figures=multiclass_figures(summary),
        view=multiclass_view(summary),
    )

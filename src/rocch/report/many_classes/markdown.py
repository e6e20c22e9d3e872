"""The report for many classes as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.report.many_classes.sections import about_data, sections
from rocch.report.markdown import compose

if TYPE_CHECKING:
    from rocch.report.many_classes.summary import ManyClassesSummary


def markdown(summary: ManyClassesSummary) -> str:
    """Return the report on classifiers for many classes as Markdown."""
    return compose(
        summary.title,
        summary.answer.sentence,
        about_data(summary),
        sections(summary),
        f"*Made with rocch {summary.rocch}.*",
    )

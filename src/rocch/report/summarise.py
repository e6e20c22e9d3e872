"""From a hull, or a hybrid, to the summary: everything that a report says, computed once."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from rocch.report.answer import answer, text_if_infinite
from rocch.report.cautions import cautions
from rocch.report.certainty import aucs_of, certainty, resamples_for
from rocch.report.described import described
from rocch.report.front import front_of, settings
from rocch.report.losses import losses
from rocch.report.question import Question, Range
from rocch.report.source import source_of
from rocch.report.summary import FORMAT, Data, Summary, Winner

if TYPE_CHECKING:
    from rocch.report.source import Source
    from rocch.report.summary import Classifier

TITLE = "Which classifier, at which threshold?"


def summarise(
    what: Any,
    *,
    question: Question | None = None,
    title: str = TITLE,
    resamples: int | None = None,
    folds: Any = None,
    label: str = "",
    labels: Any = None,
) -> Summary:
    """Summarise classifiers for two classes: what `write_report` renders.

    Parameters
    ----------
    what
        A `RocHull`, or a fitted (or loaded) `RocchClassifier`.
    question
        What is known about costs and class balance; by default errors count alike, at the
        observed prevalence.
    title
        The report's title.
    resamples
        How many resamples to draw for bands and the like; by default what takes a few seconds, 0
        for none.
    folds
        The fold of each row, where the scores of several folds were pooled.
    label, labels
        The name of the column of labels, and the negative and the positive label.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> rocch.summarise(hull).answer.sentence
    'Use nb at 0.6: catches 50 of 100 cases, 0 false alarms per 100 others, costs 25.00 per 100 rows.'
    """  # noqa: E501 - the output of an example is one line
    source = source_of(what, folds=folds, label=label, labels=labels)
    hull = source.hull
    asked = question or Question(prevalence=Range(hull.judged.prevalence, hull.judged.prevalence))
    drawn = resamples_for(source.rows, resamples)
    aucs, differences = aucs_of(source.rows)
    classifiers = described(hull, aucs)
    return Summary(
        format=FORMAT,
        rocch=version("rocch"),
        title=title,
        data=_data(source),
        classifiers=classifiers,
        hull=settings(hull, hull.vertices),
        hull_auc=hull.auc,
        winners=tuple(
            Winner(row.classifier, row.low, text_if_infinite(row.high))
            for row in hull.slope_ranges()
        ),
        dominator=hull.dominator(),
        front=front_of(hull),
        question=asked,
        answer=answer(hull, asked),
        losses=losses(hull, asked, source.rows, drawn),
        certainty=certainty(source.rows, asked, drawn, differences, _best_name(classifiers)),
        warnings=cautions(hull, classifiers, source.folds, source.rows),
    )


def _data(source: Source) -> Data:
    judged = source.hull.judged
    return Data(
        rows=judged.total,
        positives=judged.amount(judged.positives),
        negatives=judged.amount(judged.negatives),
        prevalence=None if judged.pooled else judged.prevalence,
        weighted=judged.weighted,
        label=source.label,
        positive=source.positive,
        negative=source.negative,
    )


def _best_name(classifiers: tuple[Classifier, ...]) -> str:
    """Return the classifier with the highest AUC, the first of equals."""
    return max(classifiers, key=lambda each: each.auc or 0.0).name
